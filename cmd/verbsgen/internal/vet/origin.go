package vet

import (
	"cmp"
	"go/ast"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
)

// Mark begins the line of a generated package that names its module and release.
const Mark = "//verbsgen:module "

// Origin is the fact of a generated package: where it comes from.
type Origin struct {
	Module  string
	Release string   // of rdma-core; empty for a header of the user's own
	File    string   // with the go:generate lines, in the folder that they are run in
	Lines   []string // go:generate lines of the package
}

// AFact marks a fact.
func (*Origin) AFact() {}

func (o *Origin) String() string {
	return strings.TrimSpace("generated from " + o.Module + " " + o.Release)
}

// origins finds the generated packages that a package uses.
func (s *suite) origins() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "verbsorigin",
		Doc:        "find packages that verbsgen generated, for the analyzers that judge calls of them",
		Run:        s.findOrigins,
		FactTypes:  []analysis.Fact{(*Origin)(nil)},
		ResultType: reflect.TypeFor[*sources](),
	}
}

// sources are the generated packages that a package uses.
type sources struct {
	bindings map[string]*bindings // by import path
	err      error                // the first that could not be loaded: of an analyzer that others require, the error is not shown
}

// findOrigins notes that the package is generated, and loads the rules of each generated package that it uses.
func (s *suite) findOrigins(pass *analysis.Pass) (any, error) {
	if o := originOf(pass); o != nil {
		pass.ExportPackageFact(o)
	}
	found := &sources{bindings: map[string]*bindings{}}
	for _, p := range append(pass.Pkg.Imports(), pass.Pkg) {
		o := new(Origin)
		if !pass.ImportPackageFact(p, o) {
			continue
		}
		o.File = fileNow(pass, p.Path(), o.File)
		b, err := s.bindings(o)
		if err != nil {
			found.err = cmp.Or(found.err, err)
			continue
		}
		found.bindings[p.Path()] = b
	}
	return found, nil
}

// fileNow returns where a file of a package of the pass's module is. With -trimpath a fact may be that of an earlier run, of the same files
// in another folder.
func fileNow(pass *analysis.Pass, path, file string) string {
	if pass.Module == nil {
		return file
	}
	within, ok := strings.CutPrefix(path+"/", pass.Module.Path+"/")
	if !ok {
		return file
	}
	dirs := []string{"."} // go vet is in the package's folder; files that use cgo are not
	for _, f := range pass.Files {
		dirs = append(dirs, filepath.Dir(fileOf(pass, f)))
	}
	for _, dir := range dirs {
		if root := output.ModuleRoot(dir, pass.Module.Path); root != "" {
			now := filepath.Join(root, within, filepath.Base(file))
			if _, err := os.Stat(now); err == nil {
				return now
			}
		}
	}
	return file
}

// originOf reads the mark of a generated package; nil for any other package.
func originOf(pass *analysis.Pass) *Origin {
	var o *Origin
	var file string
	var lines []string
	for _, f := range pass.Files {
		generated := false
		for _, group := range f.Comments {
			for _, c := range group.List {
				generated = generated || c.Text == output.Banner && c.Pos() < f.Package
				if words := strings.Fields(strings.TrimPrefix(c.Text, Mark)); generated && strings.HasPrefix(c.Text, Mark) && len(words) > 0 {
					o = &Origin{Module: words[0]}
					if len(words) > 1 {
						o.Release = words[1]
					}
				}
				if strings.HasPrefix(c.Text, "//go:generate ") {
					file, lines = fileOf(pass, f), append(lines, c.Text)
				}
			}
		}
	}
	if o != nil {
		o.File, o.Lines = file, lines
	}
	return o
}

func fileOf(pass *analysis.Pass, f *ast.File) string {
	name := pass.Fset.Position(f.Package).Filename
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}
