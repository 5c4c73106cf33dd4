// Package generate runs the pipeline from facts and specs to the files of a package.
//
// It owns the order of the phases. It knows nothing of the command line or of where files go.
package generate

import (
	"cmp"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cgen"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/fit"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/gogen"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/templates"
)

// Options choose what is generated.
type Options struct {
	Package        string            // Go package name
	Path           string            // by which Go imports the package; empty where it is not known
	Imports        map[string]string // module that the package stands on -> import path of its Go package; of others that of the module
	Only           []string          // C functions, as globs; empty: all that the specs bind
	AllowUndecided bool              // leave out declarations that no page decides, instead of failing
	AllowChanged   bool              // take a header that contradicts what all known releases agree on
	Header         string            // path that the facts were read from; empty for those of a known release
	Foreign        bool              // header or pages are not the project's own: what comes out is type-checked
}

// Model joins facts and pages for a tool that only reads the model: what they decide between them was checked when the package was
// generated.
func Model(rel *api.Release, sp *spec.Spec, opt Options) (*model.Package, error) {
	stored, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		return nil, err
	}
	since, err := stored.Since()
	if err != nil {
		return nil, err
	}
	return bindAll(rel, rel, sp, opt, stored.Oldest(), func(name string) string { return since[name] })
}

// Run returns the files of a package, and the model that they were made from.
func Run(rel *api.Release, sp *spec.Spec, opt Options) ([]output.File, *model.Package, error) {
	stored, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		return nil, nil, err
	}
	if err := CheckKnown(opt.Header, rel, sp.Module, stored, opt.AllowChanged); err != nil {
		return nil, nil, err
	}
	var known *api.Release // not asked for where the facts are those of a known release
	if rel.Release == "" && stored.Newest() != "" {
		if known, err = stored.Load(stored.Newest()); err != nil {
			return nil, nil, err
		}
	}
	pkg, err := join(rel, known, sp, opt)
	if err != nil {
		return nil, nil, err
	}
	if len(pkg.Verbs) == 0 {
		return nil, nil, diag.One(diag.New(diag.NothingBound, opt.Header, 0, 0, "header", "declares no function that a page binds",
			"use "+sp.Module.Header+", or add pages for this header with --spec"))
	}
	pkg.Path = opt.Path
	files, err := write(pkg)
	if err != nil {
		return nil, nil, err
	}
	if opt.Foreign {
		if _, err := compiles(files, pkg, sp); err != nil {
			return nil, nil, err
		}
	}
	return files, pkg, nil
}

// join makes the model of facts and pages, each held against the other before and after. Of facts that are not those of a known
// release, known is the release that hand-written text was written for.
func join(rel, known *api.Release, sp *spec.Spec, opt Options) (*model.Package, error) {
	stored, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		return nil, err
	}
	since, err := stored.Since()
	if err != nil {
		return nil, err
	}
	sinceOf := func(name string) string { return since[name] }
	var errs diag.List
	if !opt.AllowUndecided {
		errs.AddErr(bind.Decide(rel, sp).UndecidedErr())
	}
	facts := sp.Module.NewFacts(rel)
	fits := diag.Beside("comparing the pages with the facts", func() error { return fit.Pages(facts, sp) })
	pkg, err := bindAll(rel, cmp.Or(known, rel), sp, opt, stored.Oldest(), sinceOf)
	errs.AddErr(<-fits)
	errs.AddErr(err)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return pkg, fit.Package(pkg, facts, sp, fit.Written{Known: known, Since: sinceOf})
}

// bindAll binds the pages to the facts of a release. Newest says at which version functions are exported.
func bindAll(rel, newest *api.Release, sp *spec.Spec, opt Options, oldest string, since func(string) string) (*model.Package, error) {
	versions := symbolVersions(newest)
	specials := map[string]bind.Special{}
	for name, s := range templates.Specials {
		specials[name] = bind.Special(s)
	}
	return bind.Bind(bind.Input{Release: rel, Facts: sp.Module.NewFacts(rel), Hash: cgen.FactsHash(rel), Since: since, Oldest: oldest,
		Version: func(name string) string { return versions[name] }, Spec: sp, Package: opt.Package, Imports: opt.Imports,
		Only: opt.Only, Specials: specials})
}

// symbolVersions returns the default versions of exported functions, which never change from one release to the next.
func symbolVersions(rel *api.Release) map[string]string {
	out := map[string]string{}
	for _, f := range rel.Functions {
		out[f.Name] = f.Version
	}
	return out
}

// write makes the files of a package: C, whose functions have names with a prefix, and the Go that calls them.
func write(pkg *model.Package) ([]output.File, error) {
	inC, prefix, err := cgen.Package(pkg)
	if err != nil {
		return nil, err
	}
	inGo, err := gogen.Package(pkg, prefix)
	return append(inC, inGo...), err
}
