package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

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
	lost     error                // of the first that could not be loaded
	at       token.Pos            // where it is imported
	told     sync.Once
}

// tell reports what could not be loaded, once for the analyzers of a package. As an error of the analyzer it would be lost: the go
// command shows one once, and says on the next run, out of its cache, that all is well.
func (s *sources) tell(pass *analysis.Pass) {
	if s.lost != nil {
		s.told.Do(func() { pass.Report(analysis.Diagnostic{Pos: s.at, Message: s.lost.Error()}) })
	}
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
			if found.lost == nil {
				found.lost, found.at = err, importOf(pass, p)
			}
			continue
		}
		found.bindings[p.Path()] = b
	}
	return found, nil
}

// importOf returns where the package imports another, or its first package clause.
func importOf(pass *analysis.Pass, p *types.Package) token.Pos {
	for _, f := range pass.Files {
		for _, spec := range f.Imports {
			if as := pass.TypesInfo.PkgNameOf(spec); as != nil && as.Imported() == p {
				return spec.Pos()
			}
		}
	}
	return pass.Files[0].Package
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
