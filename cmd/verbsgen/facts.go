package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/decide"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/generate"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// loadFacts gives the facts of a header of a module, of a known release, or of the newest one.
func loadFacts(src source, m *spec.Module) (*api.Release, error) {
	if src.header != "" {
		return cheader.Parse(readHeader(m, src.header, src.include))
	}
	stored, err := api.KnownOf(m.Facts)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(src.release, stored.Newest())
	if name == "" {
		return nil, diag.One(diag.New(diag.ReleaseUnknown, m.Pos.File, m.Pos.Line, m.Pos.Col, "module "+m.Name,
			"verbsgen has no facts of its header", "name the header with --header"))
	}
	rel, err := stored.Load(name)
	var unknown *api.UnknownError
	if errors.As(err, &unknown) {
		return nil, diag.One(diag.New(diag.ReleaseUnknown, "", 0, 0, "release "+name, "this release is not known",
			nearestFix(unknown)))
	}
	return rel, err
}

// readHeader is how the header of a module is read. One that includes those of other modules finds them in the tree that it stands in.
func readHeader(m *spec.Module, header string, include []string) cheader.Options {
	opt := cheader.Options{Header: header, Include: include, Own: ownFiles(m, header)}
	if root, ok := strings.CutSuffix(filepath.ToSlash(header), "/"+m.Header); ok && opt.Own != nil {
		opt.Include = append(slices.Clone(include), root)
	}
	return opt
}

// ownFiles tells the headers of a module from those of the modules that it stands on, which its own includes; nil where it stands on
// none.
func ownFiles(m *spec.Module, header string) func(file string) bool {
	if len(m.Uses) == 0 {
		return nil
	}
	return func(file string) bool { return file == header || m.IsHeader(file) }
}

// nearestFix names the releases that are known, and for a point release the one that declares the same.
func nearestFix(err *api.UnknownError) string {
	major, _, _ := strings.Cut(err.Release, ".")
	for _, r := range err.Known {
		if m, _, _ := strings.Cut(r, "."); m == major {
			return "use " + r + " (all " + m + ".x declare the same)"
		}
	}
	return "the known releases are " + api.Ranges(err.Known) + "; read its header with --header"
}

// loadSpec gives the own pages with those of --spec laid over them; of the own pages alone, what some verbs need if there are any.
func loadSpec(src source, verbs ...string) (*spec.Spec, error) {
	if len(verbs) > 0 && len(src.specs) == 0 {
		return spec.For(src.module, verbs...)
	}
	return spec.OverlayModule(src.module, src.specs...)
}

// checkNames holds pages of others against the names of all known releases and of the facts at hand. A test does so
// for the own pages. The releases of api.Cover have all names that any release has.
func checkNames(src source, sp *spec.Spec, rels ...*api.Release) error {
	if len(src.specs) == 0 {
		return nil
	}
	stored, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		return err
	}
	cover, err := stored.Cover()
	if err != nil {
		return err
	}
	for _, name := range cover {
		rel, err := stored.Load(name)
		if err != nil {
			return err
		}
		rels = append(rels, rel)
	}
	return sp.CheckNames(rels...)
}

// load gives the facts, and the pages, which are read at the same time. With verbs, pages that they do not need may be missing.
func load(src source, verbs ...string) (*api.Release, *spec.Spec, error) {
	m, err := spec.ModuleOf(src.module, src.specs...)
	if err != nil {
		return nil, nil, err
	}
	var sp *spec.Spec
	var serr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil { // nobody else would
				serr = fmt.Errorf("reading the pages: %v", r)
			}
		}()
		sp, serr = loadSpec(src, verbs...)
	}()
	rel, ferr := loadFacts(src, m)
	<-done
	if err := errors.Join(ferr, serr); err != nil {
		return nil, nil, err
	}
	if err := checkNames(src, sp, rel); err != nil {
		return nil, nil, err
	}
	return rel, sp, nil
}

// built is a package in memory.
type built struct {
	release string // empty for a header
	files   []output.File
	pkg     *model.Package
	rules   int
	pages   int
	left    []string // what no page decides, by place and name
}

// build runs the pipeline.
func build(t target) (*built, error) {
	rel, sp, err := load(t.source)
	if err != nil {
		return nil, err
	}
	files, pkg, err := generate.Run(rel, sp, generate.Options{Package: cmp.Or(t.pkg.name, sp.Module.Package), Imports: t.imports,
		Only: t.only, AllowUndecided: t.allow, AllowChanged: t.abi, Header: t.header,
		Foreign: t.header != "" || len(t.specs) > 0})
	if err != nil {
		return nil, err
	}
	pages := map[string]bool{}
	for _, v := range pkg.Verbs {
		pages[v.Page] = true
	}
	return &built{release: rel.Release, files: files, pkg: pkg, rules: len(pkg.Rules), pages: len(pages),
		left: decide.All(rel, sp).LeftOut()}, nil
}

// from names the facts.
func (b *built) from() string {
	if b.release == "" {
		return "the header"
	}
	return "release " + b.release
}

// counts tells what the package holds.
func (b *built) counts() string {
	return fmt.Sprintf("%s, %s, %s, %s, %s of %s", plural(len(b.pkg.Verbs), "function"), plural(len(b.pkg.Records), "record"),
		plural(len(b.pkg.Enums), "enum"), plural(len(b.pkg.Objects), "object"), plural(b.rules, "rule"), plural(b.pages, "page"))
}

// leftOut lists what the package lacks because no page decides on it; empty when it lacks nothing.
func (b *built) leftOut() string {
	if len(b.left) == 0 {
		return ""
	}
	return fmt.Sprintf("%s left out, which no page decides on:\n  %s\n", plural(len(b.left), "declaration"), strings.Join(b.left, "\n  "))
}
