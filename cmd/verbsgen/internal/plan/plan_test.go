package plan

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
	"github.com/verbsgen/verbsgen/templates"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// real is the model of the newest release and the project's pages.
var real = sync.OnceValues(func() (*model.Package, error) { return modelOf(spec.DefaultModule) })

// modelOf is the model of the newest release and the pages of a module.
func modelOf(module string) (*model.Package, error) {
	sp, err := spec.Stored(module)
	if err != nil {
		return nil, err
	}
	stored, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		return nil, err
	}
	since, err := stored.Since()
	if err != nil {
		return nil, err
	}
	rel, err := stored.Load(stored.Newest())
	if err != nil {
		return nil, err
	}
	in := bind.Input{Release: rel, Facts: sp.Module.NewFacts(rel), Hash: "0", Since: func(name string) string { return since[name] },
		Oldest:  stored.Oldest(),
		Version: func(string) string { return "IBVERBS_1.1" }, Spec: sp, Package: "p", Specials: map[string]bind.Special{}}
	for name, s := range templates.Specials {
		in.Specials[name] = bind.Special(s)
	}
	return bind.Bind(in)
}

// realPlan returns the model of the newest release, and its plan.
func realPlan(t *testing.T) (*model.Package, *Package) {
	t.Helper()
	pkg, err := real()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Of(pkg)
	if err != nil {
		t.Fatal(err)
	}
	return pkg, p
}

// methods are all methods of a plan by receiver and name, in order.
func methods(p *Package) (all []*Method) {
	add := func(decls []Decl) {
		for _, d := range decls {
			if m, ok := d.(*Method); ok {
				all = append(all, m)
			}
		}
	}
	add(p.Lib)
	for _, f := range p.Objects {
		add(f.Decls)
	}
	add(p.Records)
	return all
}

// find returns the method of a receiver and name: "PD.RegMR".
func find(t *testing.T, p *Package, name string) *Method {
	t.Helper()
	for _, m := range methods(p) {
		if strings.TrimPrefix(m.Recv.Type, "*")+"."+m.Name == name {
			return m
		}
	}
	t.Fatalf("no method %s", name)
	return nil
}

// TestPlans pins the plans of some methods as text, which show what a plan is made of.
func TestPlans(t *testing.T) {
	_, p := realPlan(t)
	var b strings.Builder
	for _, name := range []string{"PD.RegMR", "PD.regMR", "PD.CreateQP", "Device.QueryPort", "MR.judgeReregMR", "CQReader.PollSpin"} {
		b.WriteString(find(t, p, name).String() + "\n")
	}
	golden := filepath.Join("testdata", "plans.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the plans are\n%s\nwant those of %s; run with -update after a change that is meant", b.String(), golden)
	}
}

// TestReceivers asks that all methods of a type have one name of the receiver.
func TestReceivers(t *testing.T) {
	for _, module := range spec.Modules() {
		pkg, err := modelOf(module)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Of(pkg)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]string{}
		for _, h := range handlesOf(p) {
			names["*"+h.Object.Go] = h.Recv
		}
		for _, m := range methods(p) {
			if want := names[m.Recv.Type]; want != "" && m.Recv.Name != want {
				t.Errorf("%s: %s has the receiver %s, other methods have %s", m.Recv.Type, m.Name, m.Recv.Name, want)
			}
		}
	}
}

// TestPlanners asks that each form is planned, and no other.
func TestPlanners(t *testing.T) {
	for _, f := range form.All() {
		if _, ok := planners[f.Name]; !ok {
			t.Errorf("nothing plans form %q", f.Name)
		}
	}
	for name := range planners {
		if form.Find(name) == nil {
			t.Errorf("form %q has a planner, and is not in the registry", name)
		}
	}
}

// TestInternalErrors plans models that bind never makes: what cannot be resolved is an error that names the verb and the
// field, never a 0 or a type that happens to fit.
func TestInternalErrors(t *testing.T) {
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
		v.Rules = []*model.Rule{{ID: "VR-1", Checked: true, Subject: &o}}
	}
	for name, c := range map[string]struct {
		change func(v *model.Verb, m *model.Method)
		want   string
	}{
		"nothing wrong": {func(v *model.Verb, m *model.Method) { v.Params = append(v.Params, value("uint32_t")) }, ""},
		"C type":        {func(v *model.Verb, m *model.Method) { v.Params = append(v.Params, value("struct y")) }, `x_do.n: `},
		"float": {func(v *model.Verb, m *model.Method) { v.Params = append(v.Params, value("double")) },
			`x_do.n: C type "double" is no integer and no pointer`},
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
		"form":     {func(v *model.Verb, m *model.Method) { m.Form = "other" }, "x_do: nothing plans X.Do of form other"},
		"receiver": {func(v *model.Verb, m *model.Method) { m.Recv = "Y" }, "x_do: Y.Do is a method of a type that is neither an object nor Lib"},
	} {
		pkg := &model.Package{Name: "p", Facts: facts, Objects: []*model.Object{handle}, Verbs: []*model.Verb{verb(c.change)}}
		_, err := Of(pkg)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: error %v; want %s", name, err, c.want)
		}
	}
}
