// Package generate runs the pipeline from facts and specs to the files of a package.
//
// It owns the order of the phases. It knows nothing of the command line or of where files go.
package generate

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cgen"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/gogen"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Options choose what is generated.
type Options struct {
	Package        string            // Go package name
	Path           string            // by which Go imports the package; empty where it is not known
	Imports        map[string]string // module that the package stands on -> import path of its Go package; of others that of the module
	Only           []string          // C functions, as globs; empty: all that the pages bind
	AllowUndecided bool              // leave out declarations that no page decides, instead of failing
	AllowChanged   bool              // take a header that contradicts what all known releases agree on
	Header         string            // path that the facts were read from; empty for those of a known release
	Foreign        bool              // header or pages are not the project's own: what comes out is type-checked
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
	pkg, err := bind.Bind(rel, sp, bind.Options{Package: opt.Package, Imports: opt.Imports, Only: opt.Only,
		AllowUndecided: opt.AllowUndecided})
	if err != nil {
		return nil, nil, err
	}
	if len(pkg.Verbs) == 0 {
		return nil, nil, diag.One(diag.New(diag.NothingBound, opt.Header, 0, 0, "header", "declares no function that a page binds",
			"use "+sp.Module.Header+", or add pages for this header with --spec"))
	}
	pkg.Path = opt.Path
	files, err := write(pkg)
	if err == nil && opt.Header != "" {
		i := slices.IndexFunc(files, func(f output.File) bool { return f.Name == cgen.TypesFile })
		err = cheader.CheckWritten(files[i].Data, rel)
	}
	if err == nil && opt.Foreign {
		_, err = compiles(files, pkg, sp)
	}
	return files, pkg, err
}

// write makes the files of a package: C, whose functions have names with a prefix, and the Go that calls them.
func write(pkg *model.Package) ([]output.File, error) {
	pkg.FactsHash = cgen.FactsHash(pkg.Facts)
	inC, prefix, err := cgen.Package(pkg)
	if err != nil {
		return nil, err
	}
	inGo, err := gogen.Package(pkg, prefix)
	return append(inC, inGo...), err
}
