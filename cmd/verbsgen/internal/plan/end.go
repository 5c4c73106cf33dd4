package plan

import (
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

// ends plans the methods that end a C object: that of its page, and those of the others.
func (b *builder) ends(o *model.Object) (out []*Method) {
	verbs := b.endsOf(o)
	if !slices.Contains(verbs, o.Destroy) {
		verbs = append([]*model.Verb{o.Destroy}, verbs...)
	}
	for _, v := range verbs {
		name := naming.Unexported(v.Go)
		steps := append(b.destroyCall(o, v, o.Device && v == o.Destroy), ret(null))
		out = append(out, b.on(o, name, Says("end", Words{"Name": name, "Verb": v.C}), errOnly, steps...))
	}
	return out
}

// end plans a method that closes a handle by its verb, whatever made the object. What the object was made of is kept for good where the
// verb leaves it in the kernel.
func (b *builder) end(v *model.Verb, m *model.Method) []Decl {
	o := v.Params[0].Object
	doc := b.newCall(v, m).doc(v.Doc)
	return []Decl{Closer{Doc: doc, Object: o.Go, Recv: b.self(o), Name: m.Name, Verb: v.C, End: naming.Unexported(v.Go),
		Lives: v != o.Destroy}}
}
