package gogen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// generated is the package that is checked in.
const generated = "../../../../gen/verbs"

// TestFixes holds the fixes in the generated table of rules to Go: they have no name of C's interface, and every method, field and
// constant that they name is declared.
func TestFixes(t *testing.T) {
	declared := map[string]bool{"math.MaxUint64": true}
	fixes := map[string]string{} // by rule
	names, err := filepath.Glob(filepath.Join(generated, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool { declaredIn(n, declared); fixIn(n, fixes); return true })
	}
	if len(fixes) < 200 || len(declared) < 500 {
		t.Fatalf("only %d fixes and %d names", len(fixes), len(declared))
	}
	for id, fix := range fixes {
		for _, problem := range fixProblems(fix, declared) {
			t.Errorf("%s: %q: %s", id, fix, problem)
		}
	}
	for fix, want := range map[string]string{
		"leave IBV_QP_CAP out": "IBV_QP_CAP is C", "use ibv_create_qp_ex": "ibv_create_qp_ex is C", "pass NULL": "NULL is C",
		"leave comp_mask 0": "comp_mask is C",
		"use QP.Fly":        "QP.Fly is not declared", "add MRAccessFly": "MRAccessFly is not declared",
		"use QP.Modify with MRAccessOnDemand": "",
	} {
		if got := strings.Join(fixProblems(fix, declared), "; "); got != want {
			t.Errorf("%q: found %q, want %q", fix, got, want)
		}
	}
}

var (
	cNamed  = regexp.MustCompile(`\bIBV_\w+|\bibv_\w+|\bNULL\b|\bSIZE_MAX\b|\b[a-z0-9]+_[a-z0-9_]+\b`)
	goNamed = regexp.MustCompile(`\b[A-Za-z]+\.[A-Z]\w*|\b[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*\b`)
)

// fixProblems finds names of C, and names of Go that are not declared.
func fixProblems(fix string, declared map[string]bool) (found []string) {
	for _, c := range cNamed.FindAllString(fix, -1) {
		found = append(found, c+" is C")
	}
	for _, name := range goNamed.FindAllString(cNamed.ReplaceAllString(fix, ""), -1) {
		if !declared[name] {
			found = append(found, name+" is not declared")
		}
	}
	return found
}

// declaredIn notes what a node declares: Type.Method, Type.Field, and types and constants.
func declaredIn(n ast.Node, declared map[string]bool) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil {
			return
		}
		of := n.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if of, ok := of.(*ast.Ident); ok {
			declared[of.Name+"."+n.Name.Name] = true
		}
	case *ast.TypeSpec:
		declared[n.Name.Name] = true
		if s, ok := n.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					declared[n.Name.Name+"."+name.Name] = true
				}
			}
		}
	case *ast.ValueSpec:
		for _, name := range n.Names {
			declared[name.Name] = true
		}
	}
}

// fixIn notes the fix of an entry of the table of rules.
func fixIn(n ast.Node, fixes map[string]string) {
	entry, ok := n.(*ast.CompositeLit)
	if !ok {
		return
	}
	fields := map[string]string{}
	for _, x := range entry.Elts {
		if x, ok := x.(*ast.KeyValueExpr); ok {
			name, _ := x.Key.(*ast.Ident)
			value, _ := x.Value.(*ast.BasicLit)
			if name != nil && value != nil && value.Kind == token.STRING {
				fields[name.Name], _ = strconv.Unquote(value.Value)
			}
		}
	}
	if fields["ID"] != "" && fields["Fix"] != "" {
		fixes[fields["ID"]] = fields["Fix"]
	}
}
