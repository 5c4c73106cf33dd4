package plan

import (
	"fmt"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// This file plans how C objects end: by the verb of their page, by the verb that goes with how they were made, or by one that the
// program chooses.

// endsOf are the verbs beside that of Close which end an object, or may end it at the program's choice, in the order of the header.
func (b *builder) endsOf(o *model.Object) (out []*model.Verb) {
	for _, v := range b.pkg.Verbs {
		named := slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Form == form.End && m.Recv == o.Go })
		after := slices.ContainsFunc(b.pkg.Verbs, func(w *model.Verb) bool { return w.Creates == o && w.EndedBy == v })
		if named || after {
			out = append(out, v)
		}
	}
	return out
}

// byOther has an object that another library made ended by that library.
func byOther() Step { return If{as(IsGiven, "o.end"), []Step{ret(result("o.end"))}} }

// free plans the end of a C object alone, as it was made.
func (b *builder) free(o *model.Object) *Method {
	ends := b.endsOf(o)
	if len(ends) == 0 {
		return on(o, "free", "free ends the C object: by the library that made it.", errOnly,
			append(append([]Step{byOther()}, b.destroyCall(o, o.Destroy, false)...), ret(null))...)
	}
	steps := []Step{If{as(IsGiven, "o.ender"), []Step{ret(result("o.ender"))}}}
	if slices.Contains(ends, o.Destroy) {
		steps = append(steps, ret(result("o."+naming.Unexported(o.Destroy.Go))))
	} else {
		steps = slices.Concat(steps, []Step{byOther()}, b.destroyCall(o, o.Destroy, false), []Step{ret(null)})
	}
	return on(o, "free", "free ends the C object by the verb for how it was made.", errOnly, steps...)
}

// enders plans the ends of a C object by a certain verb.
func (b *builder) enders(o *model.Object) (out []Decl) {
	for _, v := range b.endsOf(o) {
		name := naming.Unexported(v.Go)
		out = append(out, on(o, name, fmt.Sprintf("%s ends the C object by %s.", name, v.C), errOnly, append(append([]Step{byOther()}, b.destroyCall(o, v, false)...), ret(null))...))
	}
	return out
}

// destroy plans the end of a handle: that of the C object, and what follows.
func (b *builder) destroy(o *model.Object) []Decl {
	if len(b.endsOf(o)) == 0 {
		return []Decl{b.destroyBy(o, on(o, "destroy", "destroy destroys the C object.", errOnly), result("o.free"), false)}
	}
	by := on(o, "destroyBy", "destroyBy ends the C object by a function. What it was made of is given back, unless the object may live on.", errOnly)
	by.Params = []Var{{Name: "end", Type: "func() error"}, {Name: "lives", Type: "bool"}}
	return []Decl{on(o, "destroy", "destroy destroys the C object.", errOnly, ret(result("o.destroyBy", val("o.free"), val("false")))),
		b.destroyBy(o, by, result("end"), true)}
}

// destroyBy gives a method the steps that end a handle.
func (b *builder) destroyBy(o *model.Object, m *Method, end Value, lives bool) *Method {
	if b.listens(o) {
		m.Steps = []Step{Do{result("o.waiting.Stop")}}
	}
	m.Steps = slices.Concat(m.Steps, []Step{Try{end}}, b.inIndex(o, "Remove"))
	if o.Region != nil {
		m.Steps = append(m.Steps, Do{result("o.region.Close", as(Address, "o.node"))})
	}
	release := []Step{Do{result("o.release")}}
	if lives {
		release = []Step{If{val("lives"), []Step{Do{of("mem", "KeepForever", val("o.release"))}, ret(null)}}, release[0]}
	}
	m.Steps = append(m.Steps, If{as(IsGiven, "o.release"), release}, ret(null))
	if o.Host { // waits for copies
		m.Steps = []Step{ret(result("o.mem.Free", function(nil, errOnly, m.Steps...)))}
	}
	if b.named(o) { // waits for the posts of requests that name it
		m.Steps = []Step{ret(result("o.named.End", text(o.Destroy.C), text(o.Go), function(nil, errOnly, m.Steps...)))}
	}
	if o.Hot { // waits for the calls of the data path that are inside
		m.Steps = []Step{ret(result("o.gate.End", text(o.Destroy.C), text(o.Go), function(nil, errOnly, m.Steps...)))}
	}
	return m
}

// end plans a method that closes a handle by its verb, whatever made the object. What the object was made of is kept for good where the
// verb leaves it in the kernel.
func (b *builder) end(v *model.Verb, m *model.Method) []Decl {
	o := v.Params[0].Object
	lives := "true"
	if v == o.Destroy {
		lives = "false"
	}
	by := function(nil, errOnly, ret(result("o.destroyBy", val("o."+naming.Unexported(v.Go)), val(lives))))
	x := on(o, m.Name, "", errOnly, nilHandle(text(v.C), o), ret(result("o.node.Close", text(v.C), by)))
	x.Doc = b.newCall(v, m).doc(v.Doc)
	return []Decl{x}
}
