package exports_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/documents/exports"
)

// listed lists a package p with the given declarations, and reads the list again as it is stored.
func listed(t *testing.T, text string) exports.List {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\n"+text, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{}).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return exports.Read(exports.Of(pkg).Text())
}

func TestDiff(t *testing.T) {
	for _, c := range []struct {
		before, now string
		want        []string // with a "!" before it where a program may break
	}{
		{"func F(a int) error", "func F(b int) (err error)", nil},
		{"func F()", "func f()", []string{"!p.F: removed, was func()"}},
		{"func F(int)", "func F(int, ...string)", []string{"!p.F: was func(int), is func(int, ...string)"}},
		{"func F[T any](T) {}", "func F[T comparable](T) {}", []string{"!p.F: was [T any] func(T), is [T comparable] func(T)"}},
		{"const C = 1", "const C = 2", []string{"!p.C: was const untyped int = 1, is const untyped int = 2"}},
		{"var V int", "var V int; var W string", []string{"p.W: added: var string"}},
		{"type T struct{ a int }", "type T struct{ b string }", nil},
		{"type T struct{}", "type T struct{ f func() }", []string{"!p.T: was type struct, is type struct, not comparable"}},
		{"type T struct{ A int }", "type T struct{ A uint; B int }", []string{"!p.T.A: was field int, is field uint", "p.T.B: added: field int"}},
		{"type T int; func (T) M() {}", "type T int; func (*T) M() {}", []string{"!p.T.M: was method of T: func(), is method of *T: func()"}},
		{"type e struct{}; func (e) M() {}; type T struct{ e }", "type T struct{}", []string{"!p.T.M: removed, was method of T: func()"}},
		{"type T struct{ A int }; func (T) M() {}", "", []string{"!p.T: removed, was type struct"}},
		{"", "type T struct{ A int }", []string{"p.T: added: type struct"}},
		{"type I interface{ M() }", "type I interface{ M(); N() }", []string{
			"!p.I.N: added to an interface that programs may implement: method of I: func()",
		}},
		{"type I interface{ m() }", "type I interface{ m(); N() }", []string{"p.I.N: added: method of I: func()"}},
		{"type T = int", "type T int", []string{"!p.T: was type = int, is type int"}},
		{"type T[P any] struct{}", "type T[P comparable] struct{}", []string{"!p.T: was type [P any] struct, is type [P comparable] struct"}},
	} {
		var got []string
		for _, d := range exports.Diff("p", listed(t, c.before), listed(t, c.now)) {
			mark := ""
			if d.Breaks {
				mark = "!"
			}
			got = append(got, mark+d.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q to %q:\n%q, want\n%q", c.before, c.now, got, c.want)
		}
	}
}

func TestUnnamed(t *testing.T) {
	change := func(name string, breaks bool) exports.Change {
		return exports.Change{Name: name, New: "x", Breaks: breaks}
	}
	for _, c := range []struct {
		change exports.Change
		text   string
		named  bool
	}{
		{change("verbs.QP.Modify", true), "- Changed: `verbs.QP.Modify` takes a struct.", true},
		{change("verbs.QP.Modify", true), "- Changed: verbs.QP.Modify takes a struct.", false},
		{change("verbs.QP.Modify", true), "- Changed: `verbs.QP`", false},
		{change("verbs.QP.Modify", true), "- Changed: `verbs.QP.*`", true},
		{change("verbs.QP.Modify", false), "- Changed: `verbs.QP`", true},
		{change("verbs.QP", false), "- Added: `verbs`", false},
		{change("verbs/verbstest.Pair.A", false), "- Added: `verbs/verbstest.Pair`", true},
		{change("verbs/verbstest.Pair", false), "- Added: `verbs*`", false},
		{change("verbs", false), "- Added: the package `verbs`", true},
	} {
		if got := len(exports.Unnamed([]exports.Change{c.change}, c.text)) == 0; got != c.named {
			t.Errorf("%s in %q: %t, want %t", c.change.Name, c.text, got, c.named)
		}
	}
	if got := exports.Diff("mem", nil, exports.List{"New": "func()"}); len(got) != 1 || got[0].Name != "mem" || got[0].Breaks {
		t.Errorf("a new package: %v", got)
	}
	if got := exports.Diff("mem", exports.List{"New": "func()"}, nil); len(got) != 1 || got[0].Name != "mem" || !got[0].Breaks {
		t.Errorf("a package that is gone: %v", got)
	}
}
