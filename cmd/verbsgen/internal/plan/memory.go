package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// memory plans how the forms of a registration give the memory of a parameter.
func (c *call) memory(p *model.Param) {
	addr, length := p.Go, p.Len.Go
	take := func(vars ...Var) { c.out.Params = append(c.out.Params, vars...) }
	switch c.m.Form {
	case form.Bytes:
		take(Var{Name: "buf", Type: "[]byte"})
		c.hold(Hold{From: of("mem", "FromBytes", val("buf")), Addr: addr, Length: length})
	case form.Buffer:
		take(Var{Name: "buf", Type: "*mem.Buffer"})
		c.pre = append(c.pre, refuseNil("buf", "buffer", "make one with mem.New"))
		c.hold(Hold{From: of("mem", "FromBuffer", val("buf")), Addr: addr, Length: length})
	case form.Pin:
		take(Var{Name: "pin", Type: "*mem.Pin"})
		c.pre = append(c.pre, refuseNil("pin", "pin", "make one with mem.PinBytes"))
		c.hold(Hold{From: of("mem", "FromPin", val("pin")), Addr: addr, Length: length})
	case form.Implicit:
		c.pre = append(c.pre, Whole{addr, length})
	default:
		take(Var{Name: addr, Type: "uintptr"}, Var{Name: length, Type: "uint64"})
		c.pre = append(c.pre, Unmanaged{addr, length})
	}
}

// hold takes memory before the rules. It is let go of unless the new object keeps it.
func (c *call) hold(take Step) {
	c.keep = true
	c.pre = append(c.pre, take)
}

// memoryField is the field of a builder with the address of host memory, or nil.
func memoryField(r *model.Record) *model.Field {
	for _, f := range r.Fields {
		if f.Callback == form.CallbackMemory {
			return f
		}
	}
	return nil
}

// memorySetters plans the setters of a builder that give host memory which the new object then holds, beside the one that
// gives an address; and the taking of it.
func (b *builder) memorySetters(r *model.Record, f *model.Field) []Decl {
	one := Var{Name: "a", Type: "*" + r.Go}
	setter := func(name, param, typ, source string) *Method {
		return &Method{Doc: Doc{Does: says(name, nil), C: "struct " + r.C + "." + f.C, Page: r.Page}, Recv: one, Name: name,
			Params: []Var{{Name: param, Type: typ}}, Results: []Var{{Type: one.Type}},
			Steps: []Step{set("a.memory", of("mem", source, val(param))), set("a.c."+f.Leaf.Go, zero),
				SetBits{To: "a.c." + r.Mask, Bits: hex(uint64(f.BitValue))}, ret(val("a"))}}
	}
	return []Decl{
		setter("Memory", "buf", "[]byte", "FromBytes"),
		setter("Pin", "pin", "*mem.Pin", "FromPin"),
		setter("Buffer", "buf", "*mem.Buffer", "FromBuffer"),
		&Method{Doc: Doc{Text: "hold takes the memory and puts its address into c."}, Recv: one, Name: "hold",
			Params:  []Var{{Name: "verb", Type: "string"}, {Name: "c", Type: "*" + r.Mirror.Name}},
			Results: []Var{{Type: "mem.Held"}, {Type: "error"}}, Zero: []Value{composite("mem.Held")},
			Steps: []Step{TakeMemory{Addr: "c." + f.Leaf.Go, Length: "c." + f.Len.Go}}},
	}
}
