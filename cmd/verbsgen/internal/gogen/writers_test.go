package gogen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
	"github.com/verbsgen/verbsgen/spec/role"
)

// TestUnresolved writes models that bind never makes: what cannot be resolved is an error that names the verb and the
// field, never a 0 or a type that happens to fit.
func TestUnresolved(t *testing.T) {
	handle := &model.Object{Go: "X", C: "x", Doc: "a thing",
		Destroy: &model.Verb{C: "x_close", Go: "Close", CRet: "int", Returns: spec.RetErrno}}
	facts := &api.Release{Records: []api.Record{{Tag: "struct x", Fields: []api.Field{{Name: "id", Offset: 4}}}}}
	verb := func(change func(v *model.Verb, m *model.Method)) *model.Verb {
		m := &model.Method{Recv: "X", Name: "Do"}
		v := &model.Verb{C: "x_do", Go: "Do", Returns: spec.RetErrno, CRet: "int", Methods: []*model.Method{m},
			Params: []*model.Param{{C: "x", Go: "x", Role: role.Handle, Object: handle, GoType: "*X", CType: "struct x *"}}}
		change(v, m)
		return v
	}
	value := func(ctype string) *model.Param {
		return &model.Param{C: "n", Go: "n", Role: role.In, GoType: "uint32", CType: ctype}
	}
	looksAt := func(v *model.Verb, o model.Operand) {
		o.Name, o.Text = "in", "x.state"
		is := cond.Test(cond.Set, cond.Leaf(cond.Operand, &o))
		v.Rules = []*model.Rule{{ID: "VR-1", Checked: true, Subject: &o, Violated: is, Broken: is}}
	}
	for name, c := range map[string]struct {
		change func(v *model.Verb, m *model.Method)
		want   string
	}{
		"nothing wrong": {func(v *model.Verb, m *model.Method) { v.Params = append(v.Params, value("uint32_t")) }, ""},
		"C type":        {func(v *model.Verb, m *model.Method) { v.Params = append(v.Params, value("struct y")) }, `x_do.n: `},
		"float": {func(v *model.Verb, m *model.Method) { v.Params = append(v.Params, value("double")) },
			`x_do.n: type "double" is no integer and no pointer`},
		"out type": {func(v *model.Verb, m *model.Method) {
			p := value("y_t *")
			p.Role, p.GoType = role.Out, ""
			v.Params = append(v.Params, p)
		}, `x_do.n: `},
		"field": {func(v *model.Verb, m *model.Method) {
			looksAt(v, model.Operand{Kind: model.OpProp, Param: v.Params[0], CField: "state"})
		}, "x_do.x.state: it is not known where struct x has state"},
		"value": {func(v *model.Verb, m *model.Method) {
			looksAt(v, model.Operand{Kind: model.OpArg, Param: value("int")})
		}, "x_do.x.state: a rule looks at it, and X.Do has no value for it"},
		"mask": {func(v *model.Verb, m *model.Method) {
			p := value("int")
			p.Role, p.Record = role.Mask, &model.Record{Go: "Attr"}
			v.Params = append(v.Params, p)
		}, "x_do.n: no parameter has the fields of the mask"},
	} {
		pkg := &model.Package{Name: "p", Facts: facts, Objects: []*model.Object{handle}, Verbs: []*model.Verb{verb(c.change)}}
		_, err := Package(pkg, "vg")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: error %v; want %s", name, err, c.want)
		}
	}
}

// TestMissing refuses a call only when the library has neither name of a function, which no function of the project's modules shows.
func TestMissing(t *testing.T) {
	none := fail{jen.Nil()}
	code := jen.Func().Id("f").Params().Block(none.missing("ibv_x", "l", []*model.Symbol{{Name: "ibv_x2"}, {Name: "ibv_x"}}))
	const want = "func f() {\n\tif l.fn[symIbv_x2] == 0 && l.fn[symIbv_x] == 0 {\n\t\treturn nil, l.missing(\"ibv_x\", symIbv_x2)\n\t}\n}"
	if got := fmt.Sprintf("%#v", code); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
