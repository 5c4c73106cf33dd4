package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// recordsFile writes builders, results, and the mirrors with C's layout under them.
func (e *emitter) recordsFile() *goFile {
	g := e.newFile("records.gen.go")
	for _, r := range e.pkg.Records {
		switch {
		case r.In:
			e.builder(g, r)
		case !r.Entry: // which is written with the list
			e.result(g, r)
		}
	}
	if e.usesGID() {
		e.gid(g)
	}
	for _, m := range e.pkg.Mirrors {
		e.mirror(g, m)
	}
	return g
}

// mirror makes a Go struct with C's layout.
func (e *emitter) mirror(g *goFile, m *model.Mirror) {
	var fields []jen.Code
	for _, l := range m.Leaf {
		fields = append(fields, param(l.Go, l.GoType))
	}
	g.structType("// "+m.Name+" has the layout of struct "+m.C+".", m.Name, fields...)
}

// builder makes a record that the caller fills: the value and its mask bit are set together.
func (e *emitter) builder(g *goFile, r *model.Record) {
	fields := append([]jen.Code{param("c", r.Mirror.Name)}, builderExtras(r)...)
	g.structType(doc(r.Go, "is filled by its methods and handed to a verb. "+r.Doc, "struct "+r.C, r.Page), r.Go, fields...)
	e.constructor(g, r)
	for _, f := range r.Fields {
		if !slices.Contains(r.New, f) {
			e.setter(g, r, f)
		}
		if f.Callback == form.CallbackMemory {
			e.memorySetters(g, r, f)
		}
	}
	for _, s := range r.Bits {
		g.fn(fn{
			doc:  doc(s.Go, "asks for this: "+s.Doc, s.C, r.Page),
			recv: recv("a", r.Go), name: s.Go, results: []jen.Code{ptr(r.Go)},
			body: []jen.Code{setBit(id("a.c", r.Mask), uint64(s.Value), ""), jen.Return(id("a"))},
		})
	}
}

// builderExtras are the fields that keep what C must not hold: handles and Go values.
func builderExtras(r *model.Record) []jen.Code {
	var out []jen.Code
	if r.Beside {
		out = append(out, remark(param("mask", "uint32"), "which fields are given"))
	}
	if hasInt(r) {
		out = append(out, remark(jen.Id("err").Error(), "of the first value that does not fit"))
	}
	for _, f := range r.Fields {
		switch {
		case f.Callback == form.CallbackMemory:
			out = append(out, remark(param("pin", "[]byte"), "memory to be pinned"), remark(param("buf", "*mem.Buffer"), "or to be held"))
		case f.Object != nil:
			out = append(out, param(lowerFirst(f.Go), "*"+f.Object.Go))
		case f.Callback == form.CallbackAllocator:
			out = append(out, param("allocator", "Allocator"))
		case f.Callback == form.CallbackContext:
			out = append(out, param("userContext", "any"))
		}
	}
	return out
}

// hasInt tells whether a setter takes a Go int, which may not fit into C's.
func hasInt(r *model.Record) bool {
	return slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.GoType == "int" })
}

// constructor makes the beginning of a builder:
//
//	func NewCQAttr(cqe uint32) *CQAttr {
//		a := &CQAttr{}
//		a.c.cqe = cqe
//		return a
//	}
func (e *emitter) constructor(g *goFile, r *model.Record) {
	var params []jen.Code
	var docs []string
	body := []jen.Code{define("a").Op("&").Id(r.Go).Values()}
	for _, f := range r.New {
		p := lowerFirst(f.Go)
		params = append(params, param(p, f.GoType))
		body = append(body, setField(r, f, id(p))...)
		docs = append(docs, p+": "+strings.TrimSuffix(f.Doc, ".")+".")
	}
	g.fn(fn{
		doc:  doc("New"+r.Go, "starts an attribute structure "+r.Go+".", "", "", listed(docs)),
		name: "New" + r.Go, params: params, results: []jen.Code{ptr(r.Go)}, body: append(body, jen.Return(id("a"))),
	})
}

// setField sets a field of builder a, and its bit in the mask:
//
//	a.c.cqe = v
//	a.c.comp_mask |= 0x1 // IBV_X
func setField(r *model.Record, f *model.Field, v *jen.Statement) []jen.Code {
	switch {
	case f.Object != nil:
		return []jen.Code{assign(id("a", lowerFirst(f.Go)), v)}
	case f.Callback == form.CallbackAllocator:
		return []jen.Code{assign(id("a.allocator"), v)}
	case f.Callback == form.CallbackContext:
		return []jen.Code{assign(id("a.userContext"), v)}
	}
	leaf := id("a.c", f.Leaf.Go)
	if f.Nested != nil {
		return []jen.Code{jen.If(notNil(v)).Block(assign(leaf, dot(v, "c"))), maskBit(r, f)}
	}
	var out []jen.Code
	if f.GoType == "int" {
		out = append(out, jen.If(notInt32(v).Op("&&").Add(isNil(id("a.err")))).
			Block(assign(id("a.err"), outOfRange(jen.Lit(""), r.Go+"."+f.Go, v))))
	}
	if f.Callback == form.CallbackMemory {
		out = append(out, jen.List(id("a.pin"), id("a.buf")).Op("=").List(jen.Nil(), jen.Nil()))
	}
	switch {
	case f.Bool:
		out = append(out, assign(leaf, jen.Lit(0)), jen.If(v).Block(assign(leaf, jen.Lit(1))))
	case f.Leaf.Big:
		out = append(out, assign(leaf, reversed(f.Leaf, v)))
	case f.GoType != f.Leaf.GoType:
		out = append(out, assign(leaf, goType(f.Leaf.GoType).Call(v)))
	default:
		out = append(out, assign(leaf, v))
	}
	return append(out, maskBit(r, f))
}

// reversed turns the bytes of a number around: bits.ReverseBytes32(x).
func reversed(l *model.Leaf, x jen.Code) *jen.Statement {
	return rt("bits", fmt.Sprintf("ReverseBytes%d", l.Size*8)).Call(x)
}

// maskBit sets the bit that says that a field is given; nil when it has none.
func maskBit(r *model.Record, f *model.Field) jen.Code {
	switch {
	case f.Bit == nil:
		return nil
	case r.Beside:
		return setBit(id("a.mask"), uint64(f.BitValue), f.Bit.C)
	case r.Mask != "":
		return setBit(id("a.c", r.Mask), uint64(f.BitValue), f.Bit.C)
	}
	return nil
}

// setter makes the method that sets a field:
//
//	func (a *CQAttr) Flags(v CQFlags) *CQAttr {
//		a.c.flags = uint32(v)
//		return a
//	}
func (e *emitter) setter(g *goFile, r *model.Record, f *model.Field) {
	does := "sets this: " + f.Doc
	c := "struct " + r.C + "." + f.C
	if f.Bit != nil {
		does = "sets this and its mask bit: " + f.Doc
		c += ", " + f.Bit.C
	}
	typ := f.GoType
	switch f.Callback {
	case form.CallbackAllocator:
		typ = "Allocator"
	case form.CallbackContext:
		typ = "any"
	}
	since := ""
	if f.Since != "" {
		since = "Since rdma-core " + f.Since + "."
	}
	g.fn(fn{
		doc:  doc(f.Go, does, c, r.Page, since),
		recv: recv("a", r.Go), name: f.Go, params: []jen.Code{param("v", typ)}, results: []jen.Code{ptr(r.Go)},
		body: append(setField(r, f, id("v")), jen.Return(id("a"))),
	})
}

// result makes a record that a verb fills, and how it is read out of the mirror:
//
//	func (r *PortAttr) from(c *cPortAttr) {
//		r.State = PortState(c.state)
//	}
func (e *emitter) result(g *goFile, r *model.Record) {
	var fields, from, to []jen.Code
	for _, f := range r.Fields {
		text := f.Doc
		if f.Since != "" {
			text += "; 0 where the library is older than rdma-core " + f.Since
		}
		if f.Leaf.Big {
			text += "; in the host's byte order"
		}
		fields = append(fields, jen.Comment(comment(sentence(text))), remark(param(f.Go, f.GoType), f.C))
		from = append(from, readField(f))
		to = append(to, assign(id("c", f.Leaf.Go), toMirror(f)))
	}
	does := "is filled by a verb. "
	if r.Listed {
		does = "is an element of a list that a verb takes. "
	}
	g.structType(doc(r.Go, does+r.Doc, "struct "+r.C, r.Page), r.Go, fields...)
	layout := []jen.Code{param("c", "*"+r.Mirror.Name)}
	g.fn(fn{doc: "// from reads the C layout.", recv: recv("r", r.Go), name: "from", params: layout, body: from})
	if r.Listed {
		g.fn(fn{doc: "// to writes the C layout.", recv: recv("r", r.Go), name: "to", params: layout, body: to})
	}
}

// readField reads field f of r out of the mirror c: r.State = PortState(c.state); a nested record reads itself.
func readField(f *model.Field) jen.Code {
	field, leaf := id("r", f.Go), id("c", f.Leaf.Go)
	switch {
	case f.Record != nil:
		return dot(field, "from").Call(ref(leaf))
	case f.Text:
		return assign(field, rt("cmem", "Text").Call(leaf.Index(jen.Op(":"))))
	case f.Bool:
		return assign(field, op(leaf, "!=", jen.Lit(0)))
	case f.Leaf.Big:
		return assign(field, reversed(f.Leaf, leaf))
	case f.GoType != f.Leaf.GoType:
		return assign(field, goType(f.GoType).Call(leaf))
	}
	return assign(field, leaf)
}

// toMirror is the expression that writes field f of r into the mirror.
func toMirror(f *model.Field) *jen.Statement {
	if f.GoType != f.Leaf.GoType {
		return goType(f.Leaf.GoType).Call(id("r", f.Go))
	}
	return id("r", f.Go)
}

// gid is the Go type of an address of a port.
const gid = "GID"

// usesGID tells whether the package has addresses of ports.
func (e *emitter) usesGID() bool {
	for _, r := range e.pkg.Records {
		if slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.GoType == gid }) {
			return true
		}
	}
	for _, m := range e.pkg.Mirrors {
		if slices.ContainsFunc(m.Leaf, func(l *model.Leaf) bool { return l.GoType == gid }) {
			return true
		}
	}
	for _, v := range e.pkg.Verbs {
		if slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.GoType == gid }) {
			return true
		}
	}
	return false
}

// gid makes the type of an address of a port:
//
//	type GID [16]byte
//
//	func (g GID) String() string { return netip.AddrFrom16(g).String() }
func (e *emitter) gid(g *goFile) {
	pg := ""
	for _, v := range e.pkg.Verbs {
		if slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.GoType == gid }) {
			pg = v.Page
		}
	}
	g.decl(doc(gid, "is an address of a port: 16 bytes in network byte order", "union ibv_gid", pg), jen.Type().Id("GID").Index(jen.Lit(16)).Byte())
	g.fn(fn{
		doc:  "// String gives the GID in the form of an IPv6 address.",
		recv: param("g", "GID"), name: "String", results: []jen.Code{jen.String()},
		body: []jen.Code{jen.Return(rt("netip", "AddrFrom16").Call(id("g")).Dot("String").Call())}, short: true,
	})
}
