package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// writer writes values of Go into the C layout of a record a: that of a builder is a.c, and it keeps handles and slices beside it; a
// plain struct is written into c, and the method that takes it finds handles and slices in the struct.
type writer struct{ r *model.Record }

// leaf is a field of the C layout.
func (w writer) leaf(l *model.Leaf) *jen.Statement {
	if w.r.Plain {
		return id("c", l.Go)
	}
	return id("a.c", l.Go)
}

// store writes the value v of a field, and sets its bit in the mask.
func (w writer) store(f *model.Field, v *jen.Statement) []jen.Code {
	switch {
	case f.Object != nil, f.Handles != nil, f.Points != nil:
		return w.keep(f, v)
	case f.Bytes:
		return w.bytes(f, v)
	}
	out := w.fits(f, v)
	leaf := w.leaf(f.Leaf)
	switch {
	case f.Nested != nil:
		out = append(out, w.nested(f, v, leaf)...)
	case f.Bool:
		if !w.r.Plain { // which is zero so far
			out = append(out, assign(leaf.Clone(), jen.Lit(0)))
		}
		out = append(out, jen.If(v).Block(assign(leaf, jen.Lit(1))))
	case f.Leaf.Big:
		out = append(out, assign(leaf, reversed(f.Leaf, v)))
	default:
		out = append(out, assign(leaf, converted(f.Leaf.GoType, f.GoType, v)))
	}
	return append(out, w.bit(f)...)
}

// bit sets the bit of a field in the mask: a.c.comp_mask |= 0x1 // IBV_X.
func (w writer) bit(f *model.Field) []jen.Code {
	var mask *jen.Statement
	switch {
	case f.Bit == nil:
		return nil
	case w.r.Beside:
		mask = id("a.mask")
	case w.r.Mask != "":
		mask = id("a.c", w.r.Mask)
	default:
		return nil
	}
	return []jen.Code{remark(op(mask, "|=", inHex(uint64(f.BitValue))), f.Bit.C)}
}

// keep keeps what C must not hold beside the layout of a builder. A list is copied, and so is a record, so that none leads back to
// itself.
func (w writer) keep(f *model.Field, v *jen.Statement) []jen.Code {
	if w.r.Plain {
		return nil
	}
	switch {
	case f.Handles != nil:
		v = rt("slices", "Clone").Call(v)
	case f.Points != nil && f.Tag == nil:
		v = rt("cmem", "Copy").Call(v)
	}
	return []jen.Code{assign(id("a", plan.Kept(w.r, f)), v)}
}

// bytes counts bytes; those in an array are copied:
//
//	if len(v) > 255 && a.err == nil {
//		a.err = verr.TooLong("", "ConnAttr.PrivateData", len(v), 255)
//	}
//	a.privateData = slices.Clone(v)
//	a.c.private_data_len = uint8(len(v))
func (w writer) bytes(f *model.Field, v *jen.Statement) (out []jen.Code) {
	if most := plan.Longest(f); most > 0 {
		out = append(out, w.refuse(op(jen.Len(v), ">", dec(most)), "TooLong", f, jen.Len(v.Clone()), dec(most)))
	}
	switch {
	case f.Filled:
		out = append(out, rt("cmem", "Fill").Call(ref(w.leaf(f.Leaf)), v))
	case !w.r.Plain:
		out = append(out, assign(id("a", plan.Kept(w.r, f)), rt("slices", "Clone").Call(v)))
	}
	return append(out, assign(w.leaf(f.Len), goType(f.Len.GoType).Call(jen.Len(v))))
}

// fits refuses a value that C's field cannot hold.
func (w writer) fits(f *model.Field, v *jen.Statement) (out []jen.Code) {
	if f.GoType == "int" {
		out = append(out, w.refuse(op(jen.Int().Call(jen.Int32().Call(v)), "!=", v), "OutOfRange", f, v))
	}
	if most := plan.Narrow(f); most > 0 {
		out = append(out, w.refuse(op(v, ">", dec(most)), "TooGreat", f, jen.Uint64().Call(v), dec(most)))
	}
	return out
}

// refuse returns an error; a builder keeps its first one:
//
//	if v > 255 && a.err == nil {
//		a.err = verr.TooGreat("", "RXHashConf.Function", uint64(v), 255)
//	}
func (w writer) refuse(when *jen.Statement, kind string, f *model.Field, args ...jen.Code) *jen.Statement {
	err := rt("verr", kind).Call(append([]jen.Code{jen.Lit(""), jen.Lit(w.r.Go + "." + f.Go)}, args...)...)
	if w.r.Plain {
		return jen.If(when).Block(jen.Return(err))
	}
	return jen.If(when.Op("&&").Add(isNil(id("a.err")))).Block(assign(id("a.err"), err))
}

// nested writes a plain record inside another:
//
//	if err := v.to(&a.c.rx_hash_conf); err != nil && a.err == nil {
//		a.err = err
//	}
//	a.rxHashConfKey = slices.Clone(v.Key)
func (w writer) nested(f *model.Field, v, leaf *jen.Statement) (out []jen.Code) {
	to := dot(v, "to").Call(ref(leaf))
	switch {
	case !plan.KeepsError(f.Nested):
		out = append(out, to)
	case w.r.Plain:
		out = append(out, fail(nil).onErr(to))
	default:
		out = append(out, jen.If(define("err").Add(to), notNil(id("err")).Op("&&").Add(isNil(id("a.err")))).Block(assign(id("a.err"), id("err"))))
	}
	if w.r.Plain {
		return out
	}
	for _, x := range plan.NestedBytes(f) {
		out = append(out, assign(id("a", plan.KeptIn(w.r, f, x)), rt("slices", "Clone").Call(dot(v, x.Go))))
	}
	return out
}

// memorySetters makes the setters of a builder that take host memory which the new object then holds, beside the one that takes an
// address; and the taking of it:
//
//	func (a *MRInitAttr) Memory(buf []byte) *MRInitAttr {
//		a.memory = mem.FromBytes(buf)
//		a.c.addr = 0
//		a.c.comp_mask |= 0x2
//		return a
//	}
func (g *goFile) memorySetters(r *model.Record, s plan.Setter) {
	f := s.Field
	for _, m := range s.Memory {
		g.fn(fn{doc: docOf(m.Name, m.Doc), recv: recv("a", r.Go), name: m.Name, params: []jen.Code{param(m.Param, m.Type)},
			results: []jen.Code{ptr(r.Go)},
			body: []jen.Code{assign(id("a.memory"), rt("mem", m.From).Call(id(m.Param))), assign(id("a.c", f.Leaf.Go), jen.Lit(0)),
				op(id("a.c", r.Mask), "|=", inHex(uint64(f.BitValue))), jen.Return(id("a"))}})
	}
	g.fn(fn{doc: "// hold takes the memory and puts its address into c.", recv: recv("a", r.Go), name: "hold",
		params: []jen.Code{param("verb", "string"), param("c", "*"+r.Mirror.Name)}, results: errResult(goType("mem.Held")),
		body: takeMemory(id("c", f.Leaf.Go), id("c", f.Len.Go))})
}

// takeMemory takes the memory of a builder:
//
//	from := a.memory
//	if c.addr != 0 {
//		from = mem.FromAddr(c.addr, c.length)
//	}
//	held, err := from.Take(verb)
//	if err != nil {
//		return mem.Held{}, verr.Memory(verb, err)
//	}
//	if held.Addr != 0 {
//		c.addr, c.length = held.Addr, held.Len
//	}
//	return held, nil
func takeMemory(addr, length *jen.Statement) []jen.Code {
	given := func(addr *jen.Statement) *jen.Statement { return op(addr, "!=", jen.Lit(0)) }
	return []jen.Code{
		define("from").Add(id("a.memory")),
		jen.If(given(addr)).Block(assign(id("from"), rt("mem", "FromAddr").Call(addr, length))),
		define("held", "err").Add(id("from.Take")).Call(id("verb")),
		jen.If(notNil(id("err"))).Block(fail{rt("mem", "Held").Values()}.with(memoryErr())),
		jen.If(given(id("held.Addr"))).Block(jen.List(addr, length).Op("=").List(id("held.Addr"), id("held.Len"))),
		jen.Return(id("held"), jen.Nil()),
	}
}

// copyAttr makes the C layout of attributes: a copy of that of a builder, or written from a plain struct:
//
//	attrC := attr.c
//	if attr.err != nil {
//		return nil, attr.err
//	}
//
//	var attrC cAHAttr
//	if err := attr.to(&attrC); err != nil {
//		return nil, err
//	}
func (p printer) copyAttr(s plan.CopyAttr) []jen.Code {
	if s.Plain {
		write := id(s.Attr, "to").Call(ref(id(s.Into)))
		if s.Fails {
			write = p.zero.onErr(write)
		}
		return []jen.Code{jen.Var().Add(param(s.Into, s.Mirror)), write}
	}
	out := []jen.Code{define(s.Into).Add(id(s.Attr, "c"))}
	if s.Fails {
		out = append(out, jen.If(notNil(id(s.Attr, "err"))).Block(p.zero.with(id(s.Attr, "err"))))
	}
	return out
}

func bitsText(size int64) string { return strconv.FormatInt(size*8, 10) }
