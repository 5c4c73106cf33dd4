package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// rereg plans the change of a memory region in place: its set of changes, and the method that makes them.
func (b *builder) rereg(v *model.Verb, m *model.Method) []Decl {
	p := reregParams(v)
	change := &Struct{Name: "MRChange", Fields: []Var{{Name: "pd", Type: p.pd.GoType}, {Name: "access", Type: p.access.GoType},
		{Name: "what", Type: "rereg.Change", Remark: "the new memory, and the flags"}},
		Doc: Doc{Text: "MRChange is a set of changes to a memory region, made by one call of " + m.Recv + "." + m.Name + ".\n\nC: the arguments of " + v.C + ", " + Page(v.Page) + "."}}
	return append(append([]Decl{change}, changeSetters(p)...), b.changeRegion(v, m))
}

// changed are the parameters of a change, in the order of the form's signature.
type changed struct{ mr, flags, pd, addr, length, access *model.Param }

func reregParams(v *model.Verb) changed {
	p := v.Params
	return changed{p[0], p[1], p[2], p[3], p[4], p[5]}
}

// changeSetters plans the methods that say what to change. The flags follow from what is given, so that they and the other
// arguments cannot disagree.
func changeSetters(p changed) []Decl {
	setter := func(name, text string, params []Var, steps ...Step) *Method {
		return &Method{Doc: Doc{Text: name + " " + text}, Recv: Var{Name: "c", Type: "*MRChange"}, Name: name, Params: params, Results: one("*MRChange"),
			Steps: append(steps, ret(val("c")))}
	}
	flag := func(p *model.Param) SetBits { return SetBits{To: "c.what.Flags", Bits: hex(uint64(p.Bit.Value))} }
	memory := func(source string, args ...Value) Do {
		return Do{result("c.what.Memory", hex(uint64(p.addr.Bit.Value)), of("mem", source, args...))}
	}
	return []Decl{
		setter("PD", "moves the region to another protection domain of the same device. C: "+p.pd.Bit.C+".",
			[]Var{{Name: "pd", Type: p.pd.GoType}}, set("c.pd", val("pd")), flag(p.pd)),
		setter("Memory", "makes the region cover buf, which is pinned until the region covers other memory or is closed.\nC: "+p.addr.Bit.C+".",
			[]Var{{Name: "buf", Type: "[]byte"}}, memory("FromBytes", val("buf"))),
		setter("Pin", "makes the region cover the memory of pin, which stays pinned until the region covers other memory or is closed, also after Unpin.\nC: "+p.addr.Bit.C+".",
			[]Var{{Name: "pin", Type: "*mem.Pin"}}, memory("FromPin", val("pin"))),
		setter("Buffer", "makes the region cover buf, which cannot be closed until the region covers other memory or is closed.\nC: "+p.addr.Bit.C+".",
			[]Var{{Name: "buf", Type: "*mem.Buffer"}}, memory("FromBuffer", val("buf"))),
		setter("Addr", "makes the region cover memory that the caller keeps mapped. Memory of Go's heap is refused (syscall.EINVAL).\nC: "+p.addr.Bit.C+".",
			[]Var{{Name: "addr", Type: "uintptr"}, {Name: "length", Type: "uint64"}}, memory("FromAddr", val("addr"), val("length"))),
		setter("Access", "sets the access flags of the region. C: "+p.access.Bit.C+".",
			[]Var{{Name: "access", Type: p.access.GoType}}, set("c.access", val("access")), flag(p.access)),
	}
}

// changeRegion plans the method that makes the changes.
func (b *builder) changeRegion(v *model.Verb, m *model.Method) *Method {
	p := reregParams(v)
	c := b.newCall(v, m)
	c.release = "held.Release"
	c.pass(p.mr, val(c.self+".c"), as(Handle, c.self+".c"))
	c.pass(p.flags, val("change.what.Flags"), wide("change.what.Flags"))
	c.pass(p.pd, val("pdC"), as(Handle, "pdC"))
	c.pass(p.addr, val("held.Addr"), wide("held.Addr"))
	c.pass(p.length, val("held.Len"), val("held.Len"))
	c.pass(p.access, converted("int32", val("change.access")), wide("change.access"))
	b.nodes[p.pd.Object] = true
	settle := Settle{Region: c.self, Change: "change", Domain: p.pd.Object.Go}
	if r := p.mr.Object.Region; r != nil {
		settle.Length, settle.LKey, settle.Vague = naming.Local(r.Length.C), naming.Local(r.LKey.C), vagueBit(r)
	}
	c.out.Params, c.out.Results = []Var{{Name: "change", Type: "*MRChange"}}, errOnly
	c.out.Doc = Doc{Does: v.Doc, C: v.C, Page: v.Page, More: []string{m.Doc, ruleList(v)}}
	c.out.Steps = slices.Concat(
		[]Step{Name{v.C}, refuseNil("change", "MRChange", "make one with new(MRChange)")},
		c.pre,
		[]Step{
			Declare{Var{Name: "pdC", Type: pointer}},
			Enter{Handle: "change.pd", Optional: true, Then: append(c.sameDevice("change.pd", p.pd.C), set("pdC", val("change.pd.c")))},
			Take{"change", c.self},
		},
		c.check(),
		[]Step{Lock{c.self + ".mu"}, Call{Verb: v.C, By: raw(v, c.lib, c.args...), Answer: answer(v)}, settle})
	return c.out
}
