package gogen

import (
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// This file has what becomes of an object that a verb made.

// created makes the handle of the new object: what it keeps, and what it lives under.
func (c *call) created() []jen.Code {
	o := c.v.Creates
	if o.From != nil {
		return c.createdOther()
	}
	owner, parents := c.root, c.parents()
	if o.Go == c.e.root() {
		parents = slices.DeleteFunc(parents, func(p parent) bool { return p.held == "" })
	}
	if o.Go == c.e.root() || c.e.root() == "" {
		owner = c.lib
	}
	out, from := c.made()
	out = append(append(out, define("o").Id("new"+o.Go).Call(id(owner), id(from))), setMarks("o", c.v.Marks)...)
	if end := c.v.EndedBy; end != nil {
		out = append(out, assign(id("o.h.End"), id("o."+model.Unexported(end.Go))))
	}
	for _, parent := range c.e.owners(o) {
		if from := c.ownerFrom(parent); from != "" {
			out = append(out, assign(id("o."+model.Unexported(parent.Name())), id(from)))
		}
	}
	for _, p := range c.v.Params {
		out = append(out, c.e.keepAttr(c.v, p, p.Go+"C")...)
	}
	if c.keep { // an error of Close shows the memory by the name of the object
		out = append(out, id("held.Rename").Call(ref(id("o.h"))), remark(jen.List(id("o.h.Kept"), id("release")).Op("=").
			List(id("release"), jen.Nil()), "kept until Close has succeeded"))
	}
	out = slices.Concat(out, c.post, c.attached(), c.placed())
	if c.many != "" {
		return append(out, c.zero.onErr(id("o.h.AdoptUsed").Call(append([]jen.Code{ref(id(c.many))}, nodes(parents)...)...)))
	}
	return append(out, c.zero.adopt("o", parents))
}

// adopt opens the new handle under its parents; when it cannot be opened, the C object is ended:
//
//	if err := o.h.Adopt(&pd.h.Node); err != nil {
//		return nil, err
//	}
func (f fail) adopt(handle string, parents []parent) *jen.Statement {
	return f.onErr(id(handle, "h.Adopt").Add(args(nodes(parents)...)))
}

// parent is a node that an object lives under: that of a handle, which may be nil if it is optional, or of one of another package that
// is in use.
type parent struct {
	handle, held string
	optional     bool
}

// nodes are those of parents; of a handle that may be nil it is nil then.
func nodes(list []parent) (out []jen.Code) {
	for _, x := range list {
		switch {
		case x.held != "":
			out = append(out, id(x.held, "Optional").Call())
		case x.optional:
			out = append(out, id(x.handle, "base").Call().Dot("Optional").Call())
		default:
			out = append(out, ref(id(x.handle, "h.Node")))
		}
	}
	return out
}

// keepAttr has a new object keep what it was asked for, and made with, of the mirror of a parameter.
func (e *emitter) keepAttr(v *model.Verb, p *model.Param, mirror string) (out []jen.Code) {
	o := v.Creates
	if v.Asks != nil && v.Asks.Param == p && e.isAsked(o) {
		out = append(out, assign(id("o.asked"), rt("dpath", "AskedFor").Call(conversion("uint64", id(mirror+"."+v.Asks.Leaf.Go)))))
	}
	if given := queueless(p, mirror); given != nil && o.Hot {
		out = append(out, jen.If(given).Block(id("o.gate.Lack").Call(rt("dpath", "LacksQueues"))))
	}
	if o.Made == nil || p.Taken() == nil || p.Record.Mirror == nil {
		return out
	}
	if p.Record == o.Made {
		return append(out, assign(id("o.made"), ref(id(mirror))))
	}
	if same, ok := sameLeaves(o.Made.Mirror, p, mirror); ok {
		out = append(out, assign(id("o.made"), ref(id(o.Made.Mirror.Name).Add(values(same...)))))
	}
	return out
}

// queueless is the condition under which a new object has no queues of its own, by the record of a parameter; or nil.
func queueless(p *model.Param, mirror string) *jen.Statement {
	if p.Taken() == nil {
		return nil
	}
	for _, f := range p.Record.Fields {
		switch {
		case f.Queueless == nil:
		case f.Object != nil:
			return op(id(mirror, f.Leaf.Go), "!=", jen.Lit(0))
		default:
			return op(id(mirror, f.Leaf.Go), "==", inHex(uint64(f.Queueless.Value)))
		}
	}
	return nil
}

// sameLeaves takes the fields of a mirror from the one of the record of a parameter, if one of the two has all of the other: an object
// that is made by the shorter record has nothing of what only the longer one asks for.
func sameLeaves(m *model.Mirror, p *model.Param, mirror string) (same []jen.Code, ok bool) {
	lacks := 0
	for _, l := range m.Leaf {
		if l.Go == "_" {
			continue
		}
		x := p.Record.Mirror.Find(l.C)
		if x == nil || x.GoType != l.GoType {
			lacks++
			continue
		}
		same = append(same, key(l.Go, id(mirror+"."+x.Go)))
	}
	has := slices.DeleteFunc(slices.Clone(p.Record.Mirror.Leaf), func(l *model.Leaf) bool { return l.Go == "_" })
	return same, lacks == 0 || len(same) == len(has)
}

// ownerFrom is where the method has a parent of the new object: in the receiver, or in a field of a builder.
func (c *call) ownerFrom(parent *model.Object) string {
	if c.recv != nil && c.recv.Object == parent {
		return c.self
	}
	for _, p := range c.v.Params {
		if p.Object == parent && p.Parent {
			return p.Go
		}
		if p.Taken() == nil {
			continue
		}
		for _, f := range p.Record.Fields {
			if f.Object == parent {
				return p.Go + "." + kept(p.Record, f)
			}
		}
	}
	return ""
}

// attached is what single objects learn before anybody sees them: the copies of device memory.
func (c *call) attached() []jen.Code {
	switch {
	case c.v.Creates.Host && c.keep: // of the caller
		return []jen.Code{id("o.mem.Lend").Call(id("held.Addr"), id("held.Len"))}
	case c.v.Creates.Host:
		return []jen.Code{id("o.mem.Open").Call(id("ptr"), id(c.v.Extent.Param.Go))}
	case c.v.Extent != nil:
		return []jen.Code{id("o.attach").Call(id("ptr"), id(c.v.Extent.Param.Go+"C", c.v.Extent.Leaf.Go), jen.True())}
	}
	return nil
}

// parents are the nodes that the new object lives under: those of the receiver and of parameters, then those of builders.
func (c *call) parents() []parent {
	var out []parent
	for _, p := range c.v.Params {
		switch {
		case p.Object != nil && p.Object.From != nil:
			if p.Parent {
				out = append(out, parent{held: c.holds(p)})
			}
		case p.Object != nil && p.Parent && p.Null:
			out = append(out, parent{handle: p.Go, optional: true})
		case p.Object != nil && (p == c.recv && p.Object != c.v.Creates || p.Parent): // a socket outlives the one that has accepted it
			out = append(out, parent{handle: p.Go})
		}
	}
	for _, p := range c.v.Params {
		if p.Taken() == nil {
			continue
		}
		for _, f := range p.Record.Fields {
			switch {
			case f.Object == nil:
			case c.apart(f.Object):
				out = append(out, parent{held: heldIn(p, f)})
			default:
				out = append(out, parent{handle: p.Go + "." + kept(p.Record, f), optional: true})
			}
		}
	}
	return out
}

// placed tells a new region where it lies:
//
//	start := attrC.iova
//	if attrC.comp_mask&0x1 != 0 {
//		start = attrC.addr
//	}
//	o.place(start, "")
func (c *call) placed() (out []jen.Code) {
	from := c.v.IOVA
	if from == nil {
		return nil
	}
	start, unknown := jen.Lit(0), jen.Lit("")
	switch {
	case from.Vague != nil && c.v.Creates.Region.Vague != nil:
		unknown = rt("dpath", "Vague").Call(c.of(*from.Vague), inHex(uint64(c.v.Creates.Region.Vague.Value)))
	case from.Unknown:
		unknown = rt("dpath", "Elsewhere")
	}
	last := len(from.From) - 1
	if last >= 0 {
		start = c.of(from.From[last])
	}
	if last > 0 { // the first that is given is the last to be stored
		out = append(out, define("start").Add(start))
		for _, x := range slices.Backward(from.From[:last]) {
			given := op(op(id(x.Param.Go+"C", x.Param.Record.Mask), "&", inHex(uint64(x.Field.BitValue))), "!=", jen.Lit(0))
			out = append(out, jen.If(given).Block(assign(id("start"), c.of(x))))
		}
		start = id("start")
	}
	return append(out, id("o.place").Call(start, unknown))
}

// of is the value of a parameter or field, with 64 bits.
func (c *call) of(x model.IOVAFrom) *jen.Statement {
	if x.Field != nil {
		return converted("uint64", x.Field.Leaf.GoType, id(x.Param.Go+"C."+x.Field.Leaf.Go))
	}
	return converted("uint64", x.Param.GoType, id(x.Param.Go))
}

// markedProps are the properties of an object that calls set.
func markedProps(o *model.Object) (out []string) {
	for _, prop := range slices.Sorted(maps.Keys(o.State)) {
		if o.State[prop] == spec.StateMarks {
			out = append(out, prop)
		}
	}
	return out
}

// born reports whether a property of an object is what the call that makes the object was given, and never changes.
func (e *emitter) born(o *model.Object, prop string) bool {
	return slices.ContainsFunc(e.pkg.Verbs, func(v *model.Verb) bool {
		return v.Creates == o && slices.ContainsFunc(v.Marks, func(m model.Mark) bool { return m.Prop == prop && m.From != nil })
	})
}

// setMarks sets the marks of a new handle.
func setMarks(handle string, marks []model.Mark) (out []jen.Code) {
	for _, m := range marks {
		switch mark := id(handle, model.Local(m.Prop)); {
		case m.From == nil:
			out = append(out, mark.Dot("Set").Call(jen.Lit(m.Set)))
		case m.Of == "":
			out = append(out, mark.Dot("Set").Call(op(id(m.From.Go), "!=", jen.Lit(0))))
		default:
			out = append(out, mark.Dot("Copy").Call(ref(id(m.From.Go, model.Local(m.Of)))))
		}
	}
	return out
}

// begin makes the marks that a call sets unknown: they stay so if it fails, as the library may have done a part of it.
func (c *call) begin() (out []jen.Code) {
	if c.v.Creates == nil && c.recv != nil {
		for _, m := range c.v.Marks {
			out = append(out, id(c.self+"."+model.Local(m.Prop)+".Begin").Call())
		}
	}
	return out
}

// marked sets the marks of the receiver after success.
func (c *call) marked() []jen.Code {
	if c.v.Creates != nil || c.recv == nil {
		return nil
	}
	return setMarks(c.self, c.v.Marks)
}
