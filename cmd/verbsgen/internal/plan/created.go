package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// This file has what becomes of an object that a verb made.

// created plans the handle of the new object: what it keeps, and what it lives under.
func (c *call) created() []Step {
	o := c.v.Creates
	if o.From != nil {
		return c.createdOther()
	}
	owner, parents := c.root, c.parents()
	if o.Go == c.b.root() {
		parents = slices.DeleteFunc(parents, func(p Parent) bool { return p.Held == "" })
	}
	if o.Go == c.b.root() || c.b.root() == "" {
		owner = c.lib
	}
	out, from := c.made()
	out = append(append(out, Make{Into: "o", Object: o.Go, Owner: owner, From: from}), setMarks("o", c.v.Marks)...)
	if end := c.v.EndedBy; end != nil {
		out = append(out, set("o.h.End", val("o."+naming.Unexported(end.Go))))
	}
	for _, parent := range c.b.owners(o) {
		if from := c.ownerFrom(parent); from != "" {
			out = append(out, set("o."+naming.Unexported(parent.Name()), val(from)))
		}
	}
	for _, p := range c.v.Params {
		out = append(out, c.b.keepAttr(c.v, p, p.Go+"C")...)
	}
	if c.keep {
		out = append(out, Keep{})
	}
	out = slices.Concat(out, c.post, c.attached(), c.placed())
	if c.many != "" {
		parents = append(parents, Parent{Many: c.many})
	}
	return append(out, Adopt{"o", parents})
}

// keepAttr has a new object keep what it was asked for, and made with, of the mirror of a parameter.
func (b *builder) keepAttr(v *model.Verb, p *model.Param, mirror string) (out []Step) {
	o := v.Creates
	if v.Asks != nil && v.Asks.Param == p && b.isAsked(o) {
		out = append(out, set("o.asked", of("lazy", "Of", converted("uint64", val(mirror+"."+v.Asks.Leaf.Go)))))
	}
	if o.Made == nil || p.Taken() == nil || p.Record.Mirror == nil {
		return out
	}
	if p.Record == o.Made {
		return append(out, set("o.made", addr(mirror)))
	}
	if same, ok := sameLeaves(o.Made.Mirror, p, mirror); ok {
		out = append(out, set("o.made", composite("*"+o.Made.Mirror.Name, same...)))
	}
	return out
}

// sameLeaves takes the fields of a mirror from the one of the record of a parameter, if that has all of them.
func sameLeaves(m *model.Mirror, p *model.Param, mirror string) (same []Entry, ok bool) {
	for _, l := range m.Leaf {
		if l.Go == "_" {
			continue
		}
		x := p.Record.Mirror.Find(l.C)
		if x == nil || x.GoType != l.GoType {
			return nil, false
		}
		same = append(same, Entry{l.Go, val(mirror + "." + x.Go)})
	}
	return same, true
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
				return p.Go + "." + Kept(p.Record, f)
			}
		}
	}
	return ""
}

// attached is what single objects learn before anybody sees them: the copies of device memory.
func (c *call) attached() []Step {
	switch {
	case c.v.Creates.Host:
		return []Step{do(result("o.mem.Open", val("ptr"), val(c.v.Extent.Param.Go)))}
	case c.v.Extent != nil:
		return []Step{Attach{Length: c.v.Extent.Param.Go + "C." + c.v.Extent.Leaf.Go}}
	}
	return nil
}

// parents are the nodes that the new object lives under: those of the receiver and of parameters, then those of builders.
func (c *call) parents() []Parent {
	var out []Parent
	for _, p := range c.v.Params {
		switch {
		case p.Object != nil && p.Object.From != nil:
			if p.Parent {
				out = append(out, Parent{Held: c.holds(p)})
			}
		case p.Object != nil && p.Parent && p.Null:
			out = append(out, Parent{Handle: p.Go, Optional: true})
		case p.Object != nil && (p == c.recv || p.Parent):
			out = append(out, Parent{Handle: p.Go})
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
				out = append(out, Parent{Held: heldIn(p, f)})
			default:
				out = append(out, Parent{Handle: p.Go + "." + Kept(p.Record, f), Optional: true})
			}
		}
	}
	return out
}
