package emit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestFile pins the beginning of a generated file, and that it imports what it names.
func TestFile(t *testing.T) {
	e := &emitter{pkg: &model.Package{Name: "p", FactsHash: "0"}}
	g := e.newFile("x.go")
	g.fn(fn{doc: "// f uses errors.Is.", name: "f", params: []jen.Code{param("n", "*dpath.WC")}, results: []jen.Code{jen.String()},
		body: []jen.Code{jen.Return(rt("strconv", "Itoa").Call(jen.Lit(1)))}, short: true})
	data, err := g.render()
	if err != nil {
		t.Fatal(err)
	}
	want := banner + `
// From a header given by path, facts 0.

package p

import (
	"github.com/verbsgen/verbsgen/runtime/dpath"
	"strconv"
)

// f uses errors.Is.
func f(n *dpath.WC) string { return strconv.Itoa(1) }
`
	if string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
}

// TestBroken shows what a defect of the emitter looks like: the place in the source, not all of it.
func TestBroken(t *testing.T) {
	e := &emitter{pkg: &model.Package{Name: "p"}}
	g := e.newFile("x.go")
	for range 50 {
		g.decl("", jen.Var().Id("_").Op("=").Lit(1))
	}
	g.decl("", jen.Func().Op("("))
	_, err := g.render()
	if err == nil || !strings.Contains(err.Error(), "x.go does not parse") || !strings.Contains(err.Error(), "func (") || strings.Count(err.Error(), "\n") > 12 {
		t.Errorf("error: %v", err)
	}
}

// TestComment asks that every line of a comment is one, and short enough.
func TestComment(t *testing.T) {
	long := comment("a\n\n  - " + strings.Repeat("word ", 40))
	for _, line := range strings.Split(long, "\n") {
		if !strings.HasPrefix(line, "//") || len(line) > 112 || strings.HasSuffix(line, " ") {
			t.Errorf("comment line %q", line)
		}
	}
}

// TestBrokenConditions pins the Go condition of each kind of rule.
func TestBrokenConditions(t *testing.T) {
	arg := func(name string) *model.Operand { return &model.Operand{Kind: model.OpArg, Name: name} }
	num := func(v uint64) *model.Operand { return &model.Operand{Kind: model.OpConst, Const: v} }
	dm := &model.Operand{Kind: model.OpProp, Name: "dmLength"}
	signed := &model.Operand{Kind: model.OpArg, Name: "fd", Signed: true}
	for _, c := range []struct {
		rule model.Rule
		want string
	}{
		{model.Rule{Kind: spec.KindRequires, Subject: arg("access"), If: 2, Need: 1}, "in.access&0x2 != 0 && in.access&0x1 != 0x1"},
		{model.Rule{Kind: spec.KindExcludes, Subject: arg("access"), If: 2, Not: 4}, "in.access&0x2 != 0 && in.access&0x4 != 0"},
		{model.Rule{Kind: spec.KindExcludes, Fields: []model.Operand{*arg("a"), *arg("b")}}, "validate.Count(in.a != 0, in.b != 0) > 1"},
		{model.Rule{Kind: spec.KindRequired, Fields: []model.Operand{*arg("a"), *arg("b")}}, "validate.Count(in.a != 0, in.b != 0) == 0"},
		{model.Rule{Kind: spec.KindAllowedSet, Subject: arg("access"), Allow: 7}, "in.access&^0x7 != 0"},
		{model.Rule{Kind: spec.KindAllowedSet, Subject: arg("v"), Values: []model.Operand{*num(1), *num(2)}}, "in.v != 1 && in.v != 2"},
		{model.Rule{Kind: spec.KindMandatory, Subject: arg("access"), Need: 0x20}, "in.access&0x20 != 0x20"},
		{model.Rule{Kind: spec.KindGatedBy, Subject: arg("x"), Mask: arg("mask"), Bits: 4}, "in.x != 0 && in.mask&0x4 == 0"},
		{model.Rule{Kind: spec.KindNotNull, Subject: arg("pd")}, "in.pd == 0"},
		{model.Rule{Kind: spec.KindRange, Subject: arg("n"), Min: num(1), Max: num(9)}, "in.n < 1 || in.n > 9"},
		{model.Rule{Kind: spec.KindRange, Subject: signed, Min: num(0)}, "in.fd < 0"},
		{model.Rule{Kind: spec.KindRange, Sum: []model.Operand{*arg("off"), *arg("n")}, Max: dm}, "in.dmLength.OK && validate.SumAbove(in.off, in.n, in.dmLength.V)"},
		{model.Rule{Kind: spec.KindAligned, Subject: arg("a"), To: num(4)}, "in.a%4 != 0"},
		{model.Rule{Kind: spec.KindAligned, Subject: arg("a"), SameAs: arg("b"), To: &model.Operand{Kind: model.OpPage}}, "in.a%validate.PageSize() != in.b%validate.PageSize()"},
		{model.Rule{Kind: spec.KindCapBound, Subject: arg("n"), Cap: &model.Operand{Kind: model.OpCap, Name: "capN"}}, "in.capN.OK && in.n > in.capN.V"},
		{model.Rule{Kind: spec.KindCapBound, Sum: []model.Operand{*arg("a"), *arg("b")}, Cap: &model.Operand{Kind: model.OpCap, Name: "capN"}}, "in.capN.OK && validate.SumAbove(in.a, in.b, in.capN.V)"},
		{model.Rule{Kind: spec.KindDependsOn, When: []model.Test{{Of: *arg("a"), Test: model.TestNull, Yes: true}}, Must: []model.Test{{Of: *arg("n"), Test: model.TestEq, Value: *num(1)}}}, "in.a == 0 && in.n != 1"},
		{model.Rule{ID: "VR-v-m-0009", Kind: spec.KindMaskForTransition, Subject: arg("m"), State: &model.Operand{Kind: model.OpProp, Name: "s"}, Assumed: &model.Operand{Kind: model.OpArg, Name: "cur", Bit: 2}, Next: &model.Operand{Kind: model.OpArg, Name: "to", Bit: 1}},
			"in.s.OK && validate.BadTransition(transitions0009, in.m, validate.Either(in.m&0x2 != 0, in.cur, in.s.V), validate.Either(in.m&0x1 != 0, in.to, validate.Either(in.m&0x2 != 0, in.cur, in.s.V)))"},
	} {
		c.rule.Checked = true
		if got := fmt.Sprintf("%#v", (&emitter{}).broken(&c.rule)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.rule.Kind, got, c.want)
		}
	}
}

// TestInternalErrors gives the emitter models that bind never makes: they are errors, not files.
func TestInternalErrors(t *testing.T) {
	destroy := &model.Verb{C: "x_close", Go: "Close", Doc: "closes", CRet: "int", Returns: spec.RetErrno}
	raw := &model.Object{Go: "Raw", C: "x", Doc: "a thing", Destroy: destroy}
	files, err := Package(&model.Package{Name: "p", Facts: &api.Release{}, Objects: []*model.Object{raw}})
	if want := "internal error: two files are called raw.gen.go"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("two files of a name: %d files, error %v; want %s", len(files), err, want)
	}

	e := newEmitter(&model.Package{Name: "p"})
	e.decls(e.newFile("x.go"), []plan.Decl{&plan.Method{Name: "Open", Steps: []plan.Step{nil, plan.Do{Call: plan.Value{As: "other"}}}}, 1})
	_, err = e.finish()
	if want := "internal error: Open: nothing prints a step of type <nil>\ninternal error: Open: nothing prints a value \"other\"\ninternal error: x.go: nothing prints a int"; err == nil || err.Error() != want {
		t.Errorf("what emit does not know: error %v; want %s", err, want)
	}
}
