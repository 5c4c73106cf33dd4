package vet

import (
	"go/ast"
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
		ResultType: reflect.TypeFor[map[string]*bindings](),
	}
}

// findOrigins notes that the package is generated, and loads the rules of each generated package that it uses, by import path.
func (s *suite) findOrigins(pass *analysis.Pass) (any, error) {
	if o := originOf(pass); o != nil {
		pass.ExportPackageFact(o)
	}
	found := map[string]*bindings{}
	for _, p := range append(pass.Pkg.Imports(), pass.Pkg) {
		o := new(Origin)
		if !pass.ImportPackageFact(p, o) {
			continue
		}
		b, err := s.bindings(o)
		if err != nil {
			return nil, err
		}
		found[p.Path()] = b
	}
	return found, nil
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
