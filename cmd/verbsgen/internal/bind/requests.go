package bind

import (
	"math"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// This file resolves what rules say of requests. They are held against a request after the device has refused it, by the offsets of
// its fields.

// inLists is why a rule is not checked that looks into a list in another way than those that are known.
const inLists = "looks into the elements of a list"

// posts is the form by which a verb posts requests, or nil.
func posts(v *model.Verb) *form.Form {
	if m := model.First(v.Methods, func(m *model.Method) bool { return form.Of(v.C, m.Form).Requests != "" }); m != nil {
		return form.Of(v.C, m.Form)
	}
	return nil
}

// request resolves a field of a request of a chain, wr[].opcode, or of the elements of its list, wr[].sg_list[].length.
func (rb *ruleBinder) request(o *model.Operand, p *model.Param, path string) *model.Operand {
	f := posts(rb.v)
	if f == nil || p == nil || p.CType != f.Requests+" *" {
		rb.cannot(inLists)
		return o
	}
	o.Kind, o.Name = model.OpField, rb.called(o.Text)
	tag := f.Requests
	if list, of, ok := strings.Cut(path, "[]."); ok {
		if x, _ := rb.fieldAt(tag, list); x == nil || x.Type != f.Elements+" *" {
			rb.cannot(inLists)
			return o
		}
		tag, path, o.List = f.Elements, of, listed
	}
	x, at := rb.fieldAt(tag, path)
	switch {
	case x == nil && rb.behindPointer(tag, path):
		rb.cannot("looks into an object that a field points to")
	case x == nil:
		rb.cannot(newerConstant)
	case bigEndian(x.Type):
		rb.cannot("looks at a number in network byte order")
	default:
		rb.place(o, x, at)
	}
	return o
}

// listed is the List of a field of an element before it is known what the rule asks of the list.
const listed = "listed"

// place gives an operand the place and the type of a field.
func (rb *ruleBinder) place(o *model.Operand, x *api.Field, at int64) {
	o.At, o.Enum = at, rb.enumOf(x.Type)
	switch o.Layout = scalar(x.Type); {
	case isPointer(x.Type):
		o.Layout = "uintptr"
	case o.Layout == "" && strings.HasPrefix(x.Type, "enum ") && x.Size == 4:
		o.Layout = "uint32"
	case o.Layout == "":
		rb.cannot("looks at a " + x.Type)
	}
	o.Signed = o.Layout == "int32" || o.Layout == "int64"
}

// enumOf is the Go type of a C enum, nil when it has none.
func (b *binder) enumOf(ctype string) *model.Enum {
	return model.First(b.pkg.Enums, func(e *model.Enum) bool { return e.C == ctype })
}

// enumShown is the type whose names messages write for values of a C enum, which may be of another module; nil without one.
func (b *binder) enumShown(ctype string) *model.Enum {
	if e := b.enumOf(ctype); e != nil {
		return e
	}
	for _, u := range b.Module.Uses {
		for e := range u.Spec.Enums() {
			if e.Enum != "" && "enum "+e.Enum == ctype {
				return b.enumType(u.Name + "." + e.Go)
			}
		}
	}
	return nil
}

// fieldAt finds a field by its path, which may lead through structs, and its offset; nil when there is none.
func (b *binder) fieldAt(tag, path string) (*api.Field, int64) {
	rec := b.facts.Record(tag)
	if rec == nil {
		return nil, 0
	}
	find := func(name string) *api.Field {
		if f := rec.Field(name); f != nil && f.BitSize == nil {
			return f
		}
		return nil
	}
	if x := find(path); x != nil && !rec.Container(*x) {
		return x, x.Offset
	}
	for i := range path {
		if path[i] != '.' {
			continue
		}
		if outer := find(path[:i]); outer != nil && strings.HasPrefix(outer.Type, "struct ") && !isPointer(outer.Type) {
			if x, at := b.fieldAt(outer.Type, path[i+1:]); x != nil {
				return x, outer.Offset + at
			}
		}
	}
	return nil, 0
}

// behindPointer reports whether a path leads through a pointer.
func (b *binder) behindPointer(tag, path string) bool {
	for i := range path {
		if path[i] == '.' {
			if x, _ := b.fieldAt(tag, path[:i]); x != nil && isPointer(x.Type) {
				return true
			}
		}
	}
	return false
}

// lists decides what of a list a condition looks at: its sum, or the smallest of its elements where none may be smaller.
func (rb *ruleBinder) lists(n *model.Cond) {
	if n == nil {
		return
	}
	if n.Op == cond.Sum && len(n.Sub) == 1 && n.Sub[0].Op == cond.Operand && n.Sub[0].Of.List != "" {
		rb.list(n.Sub[0].Of, model.ListTotal)
		*n = *n.Sub[0]
		return
	}
	for i, s := range n.Sub {
		switch {
		case s.Op != cond.Operand || s.Of.List == "":
			rb.lists(s)
		case n.Op == cond.Lt && i == 0:
			rb.list(s.Of, model.ListLeast)
		case s.Of.List != model.ListTotal:
			rb.cannot(inLists)
		}
	}
	if n.Op == cond.Any { // a sum of fields of 32 bits is never more than 64 bits hold
		n.Sub = slices.DeleteFunc(n.Sub, func(s *model.Cond) bool {
			return s.Op == cond.Gt && s.Sub[0].Op == cond.Operand && s.Sub[0].Of.List == model.ListTotal && s.Sub[1].Of.Const == math.MaxUint64
		})
		if len(n.Sub) == 1 {
			*n = *n.Sub[0]
		}
	}
}

func (rb *ruleBinder) list(o *model.Operand, as string) {
	switch o.List {
	case as:
	case listed:
		o.List = as
		o.Name += model.Exported(as)
	default:
		rb.cannot(inLists)
	}
}

// made resolves what an object was made with: a field of the record of the verb that makes it, as the device has filled it in.
func (rb *ruleBinder) made(o *model.Operand, p *model.Param, path string) *model.Operand {
	if posts(rb.v) == nil {
		rb.cannot("looks at what the " + p.Object.Go + " was made with")
		return o
	}
	o.Kind, o.Param, o.Prop = model.OpMade, p, path
	o.Name = rb.called(o.Text)
	for _, v := range rb.pkg.Verbs {
		for _, q := range v.Params {
			if v.Creates != p.Object || q.Taken() == nil {
				continue
			}
			if o.Leaf = rb.leaf(q.Record.Mirror, path); o.Leaf != nil {
				p.Object.Made = q.Record
				if f := q.Record.Field(path); f != nil {
					o.Enum = f.Enum
				}
				return o
			}
		}
	}
	rb.cannot("looks at what the " + p.Object.Go + " was made with, which no record has")
	return o
}
