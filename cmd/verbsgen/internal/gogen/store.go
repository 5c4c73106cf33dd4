package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// store writes values of Go into the C layout of a record a: that of a builder is a.c, and it keeps handles and slices beside it; a
// plain struct is written into c, and the method that takes it finds handles and slices in the struct.
type store struct{ r *model.Record }

// leaf is a field of the C layout.
func (w store) leaf(l *model.Leaf) *jen.Statement {
	switch {
	case l.Over != "": // of a builder
		return jen.Op("*").Add(w.at(l))
	case w.r.Plain:
		return id("c", l.Go)
	}
	return id("a.c", l.Go)
}

// at is the address of a field of the C layout. A member of a union may share the bytes of another: cmem.Over[uint8](&a.c.key, 1).
func (w store) at(l *model.Leaf) *jen.Statement {
	if l.Over == "" {
		return ref(w.leaf(l))
	}
	return rt("cmem", "Over").Types(goType(l.GoType)).Call(ref(id("a.c", l.Over)), dec(uint64(l.At)))
}

// field writes the value v of a field, and sets its bit in the mask.
func (w store) field(f *model.Field, v *jen.Statement) []jen.Code {
	if to, value := w.simple(f, v); to != nil {
		return append(append(w.fits(f, v), assign(to, value)), w.setBit(f)...)
	}
	switch {
	case f.Nested != nil:
		return append(append(w.fits(f, v), w.nested(f, v, w.leaf(f.Leaf))...), w.setBit(f)...)
	case f.Bytes:
		return w.bytes(f, v)
	}
	return nil
}

// simple is where a field goes whose value is stored as it is, or converted, and that value; nil for another field. What C must not hold
// is kept beside the layout of a builder: a list is copied, and so is a record, so that none leads back to itself.
func (w store) simple(f *model.Field, v *jen.Statement) (to, value *jen.Statement) {
	beside := f.Object != nil || f.Handles != nil || f.Points != nil
	switch {
	case beside && w.r.Plain, !beside && (f.Bytes || f.Nested != nil):
		return nil, nil
	case f.Handles != nil:
		value = rt("slices", "Clone").Call(v)
	case f.Points != nil && f.Tag == nil:
		value = rt("cmem", "Copy").Call(v)
	case beside:
		value = v
	case f.Bool:
		value = rt("cmem", "Flag").Types(goType(f.Leaf.GoType)).Call(v)
	case f.Leaf.Big:
		value = reversed(f.Leaf.GoType, v)
	default:
		value = converted(f.Leaf.GoType, f.GoType, v)
	}
	if beside {
		return id("a", kept(w.r, f)), value
	}
	return w.leaf(f.Leaf), value
}

// mask is where the bit of a field is set; nil where a field has none, or one that is set when the field is used.
func (w store) mask(f *model.Field) *jen.Statement {
	switch {
	case f.Bit == nil || f.Object != nil || f.Handles != nil || f.Points != nil:
		return nil
	case w.r.Beside:
		return id("a.mask")
	case w.r.Mask != "":
		return id("a.c", w.r.Mask)
	}
	return nil
}

// setBit sets the bit of a field in the mask: a.c.comp_mask |= 0x1 // IBV_X.
func (w store) setBit(f *model.Field) []jen.Code {
	if mask := w.mask(f); mask != nil {
		return []jen.Code{remark(op(mask, "|=", inHex(uint64(f.BitValue))), f.Bit.C)}
	}
	return nil
}

// set is field for a method that returns the builder:
//
//	return cmem.SetBit(a, &a.c.cpu_id, v, &a.c.comp_mask, 0x1) // IBV_X
func (w store) set(f *model.Field, v *jen.Statement) []jen.Code {
	to, value := w.simple(f, v)
	if to == nil {
		return append(w.field(f, v), jen.Return(id("a")))
	}
	at := ref(to)
	if f.Leaf.Over != "" {
		at = w.at(f.Leaf)
	}
	out := jen.Return(rt("cmem", "Set").Call(id("a"), at, value))
	if mask := w.mask(f); mask != nil {
		out = remark(jen.Return(rt("cmem", "SetBit").Call(id("a"), at, value, ref(mask), inHex(uint64(f.BitValue)))), f.Bit.C)
	}
	return append(w.fits(f, v), out)
}

// literal is a struct of C with the values of the fields that are simple and fit; rest are the statements for the others. Fields of a
// struct in it are a literal of its own.
func (w store) literal(own []jen.Code) (all *jen.Statement, rest []jen.Code) {
	inner := map[string][]jen.Code{}
	var order []string
	for _, f := range w.r.Fields {
		v := id("a", f.Go)
		to, value := w.simple(f, v)
		if f.Object != nil && w.r.Arm != nil && w.r.Arm.Tag != nil { // in use, as C gets it
			to, value = w.leaf(f.Leaf), jen.Uintptr().Call(dot(v, "base").Call().Dot("C"))
		}
		if to == nil || len(w.fits(f, v)) > 0 {
			rest = append(rest, w.field(f, v)...)
			continue
		}
		outer, name, nested := strings.Cut(f.Leaf.Go, ".")
		switch {
		case !nested:
			own = append(own, key(outer, value))
		case inner[outer] == nil:
			order = append(order, outer)
			fallthrough
		default:
			inner[outer] = append(inner[outer], key(name, value))
		}
	}
	for _, l := range w.r.Mirror.Leaf {
		if slices.Contains(order, l.Go) {
			own = append(own, key(l.Go, id(l.GoType).Add(values(inner[l.Go]...))))
		}
	}
	return id(w.r.Mirror.Name).Add(values(own...)), rest
}

// bytes counts bytes; those in an array are copied:
//
//	if len(v) > 255 && a.err == nil {
//		a.err = fail.TooLong("", "ConnAttr.PrivateData", len(v), 255)
//	}
//	a.privateData = slices.Clone(v)
//	a.c.private_data_len = uint8(len(v))
func (w store) bytes(f *model.Field, v *jen.Statement) (out []jen.Code) {
	if most := longestOf(f); most > 0 {
		out = append(out, w.refuse(op(jen.Len(v), ">", dec(most)), "TooLong", f, jen.Len(v.Clone()), dec(most)))
	}
	switch {
	case f.Filled:
		out = append(out, rt("cmem", "Fill").Call(ref(w.leaf(f.Leaf)), v))
	case !w.r.Plain:
		out = append(out, assign(id("a", kept(w.r, f)), rt("slices", "Clone").Call(v)))
	}
	if f.Counted != nil {
		return out
	}
	return append(out, assign(w.leaf(f.Len), goType(f.Len.GoType).Call(jen.Len(v))))
}

// fits refuses a value that C's field cannot hold.
func (w store) fits(f *model.Field, v *jen.Statement) (out []jen.Code) {
	if f.GoType == "int" {
		out = append(out, w.refuse(op(jen.Int().Call(jen.Int32().Call(v)), "!=", v), "OutOfRange", f, v))
	}
	if most := narrow(f); most > 0 {
		out = append(out, w.refuse(op(v, ">", dec(most)), "TooGreat", f, jen.Uint64().Call(v), dec(most)))
	}
	if most := largestMTU(f); most > 0 {
		out = append(out, w.refuse(op(v, ">", dec(most)), "NoMTU", f, jen.Uint64().Call(v)))
	}
	return out
}

// refuse returns an error; a builder keeps its first one:
//
//	if v > 255 && a.err == nil {
//		a.err = fail.TooGreat("", "RXHashConf.Function", uint64(v), 255)
//	}
func (w store) refuse(when *jen.Statement, kind string, f *model.Field, args ...jen.Code) *jen.Statement {
	err := rt("fail", kind).Call(append([]jen.Code{jen.Lit(""), jen.Lit(w.r.Go + "." + f.Go)}, args...)...)
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
func (w store) nested(f *model.Field, v, leaf *jen.Statement) (out []jen.Code) {
	to := dot(v, "to").Call(ref(leaf))
	switch {
	case !keepsError(f.Nested):
		out = append(out, to)
	case w.r.Plain:
		out = append(out, fail(nil).onErr(to))
	default:
		out = append(out, jen.If(define("err").Add(to), notNil(id("err")).Op("&&").Add(isNil(id("a.err")))).Block(assign(id("a.err"), id("err"))))
	}
	if w.r.Plain {
		return out
	}
	for _, x := range nestedBytes(f) {
		out = append(out, assign(id("a", keptIn(w.r, f, x)), rt("slices", "Clone").Call(dot(v, x.Go))))
	}
	return out
}

// memorySetter makes the setter of a builder that takes host memory which the new object then holds, and the taking of it:
//
//	func (a *MRInitAttr) Memory(from mem.Source) *MRInitAttr {
//		a = object.OrZero(a)
//		a.memory = &from
//		a.c.comp_mask |= 0x2
//		return a
//	}
func (g *goFile) memorySetter(r *model.Record, f *model.Field) {
	body := []jen.Code{assign(id("a.memory"), ref(id("from")))}
	if f.Bit != nil {
		body = append(body, op(id("a.c", r.Mask), "|=", inHex(uint64(f.BitValue))))
	}
	g.chained(r, f.Go, doc(f.Go, say("Memory", nil), "struct "+r.C+"."+f.C, r.Page), param("from", "mem.Source"),
		append(body, jen.Return(id("a")))...)
	g.fn(fn{doc: says("hold", nil), recv: recv("a", r.Go), name: "hold",
		params: []jen.Code{param("verb", "string"), param("c", "*"+r.Mirror.Name)}, results: types("cmem.Held", "error"),
		body: takeMemory(id("c", f.Leaf.Go), id("c", f.Len.Go))})
}

// takeMemory takes the memory of a builder:
//
//	if a.memory == nil {
//		return cmem.Held{}, nil
//	}
//	held, err := cmem.Take(*a.memory, verb)
//	if err != nil {
//		return cmem.Held{}, fail.Memory(verb, err)
//	}
//	c.addr, c.length = held.Addr, held.Len
//	return held, nil
func takeMemory(addr, length *jen.Statement) []jen.Code {
	none := rt("cmem", "Held").Values()
	return []jen.Code{
		jen.If(isNil(id("a.memory"))).Block(jen.Return(none, jen.Nil())),
		define("held", "err").Add(rt("cmem", "Take").Call(jen.Op("*").Add(id("a.memory")), id("verb"))),
		jen.If(notNil(id("err"))).Block(fail{none}.with(rt("fail", "Memory").Call(id("verb"), id("err")))),
		jen.List(addr, length).Op("=").List(id("held.Addr"), id("held.Len")),
		jen.Return(id("held"), jen.Nil()),
	}
}
