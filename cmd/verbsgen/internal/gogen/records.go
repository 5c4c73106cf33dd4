package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// recordsFile writes attributes, results, and the mirrors with C's layout under them.
func (e *emitter) recordsFile() *goFile {
	g := e.newFile("records.gen.go")
	for _, r := range e.pkg.Records {
		e.record(g, r)
	}
	for _, r := range e.pkg.Records {
		if r.Tail != nil {
			g.armsOf(r.Tail)
		}
	}
	seen := map[string]bool{}
	for _, r := range e.pkg.Records {
		for _, f := range r.Fields {
			if f.Tag != nil && !seen[f.PointsTo] {
				seen[f.PointsTo] = true
				g.pointedArms(f.PointsTo, f.Points)
			}
		}
	}
	for _, u := range e.pkg.Unions {
		g.union(u)
		g.texts(u)
	}
	for _, m := range e.pkg.Mirrors {
		e.mirror(g, "has the layout of", m)
	}
	for _, o := range e.pkg.Objects {
		if o.Mirror != nil {
			e.mirror(g, "has the fields that are read of", o.Mirror)
		}
	}
	return g
}

// aliasMethods are the methods of types of package dpath, which go doc does not list at their aliases. A test compares them.
var aliasMethods = map[string]string{
	"WC": "Err",
	"SendWR": "Add, AtomicWrite, CompareSwap, FetchAdd, Flags, Flush, InlineData, LocalInv, Opcode, Read, SGE, SGEs, Send, " +
		"SendImm, SendInv, SendTSO, SetAddr, SetFlags, SetID, SetImm, SetRKey, SetRemote, To, ToSRQ, Write, WriteImm",
	"RecvWR": "Add, Recv, SGE, SGEs, SetAddr, SetID",
	"OpsWR":  "Add, Del, Flags, Handle, Opcode, SGE, SGEs, Sync, Unexpected",
}

// record writes the Go type of a record: one that the caller fills, or one that a verb fills. An entry of a list is written with the list.
func (e *emitter) record(g *goFile, r *model.Record) {
	switch {
	case r.Runtime != "":
		alias := say("alias", words{"Type": r.Runtime + "." + r.Go, "Package": "runtime/gensupport/" + r.Runtime, "Name": r.Go,
			"Methods": aliasMethods[r.Go]})
		g.decl(docOfRecord(r, alias), jen.Type().Id(r.Go).Op("=").Add(rt(r.Runtime, r.Go)))
	case r.Empty():
	case r.Plain:
		e.plainRecord(g, r)
	case r.In:
		e.builder(g, r)
	case r.Entry:
	case r.Event:
		e.event(g, r)
	default:
		g.structOf(r)
		g.layout(r, r.Listed, true)
	}
}

func docOfRecord(r *model.Record, more ...string) string {
	return doc(r.Go, "is "+model.Lower(r.Doc), "struct "+r.C, r.Page, more...)
}

// structOf writes a struct with a field for each one of the page.
func (g *goFile) structOf(r *model.Record) {
	var fields []jen.Code
	for _, f := range r.Fields {
		doc := f.Doc
		if f.Since != "" && !r.In {
			doc += "; 0 where the library is older than rdma-core " + f.Since
		}
		if f.Leaf.Big {
			doc += "; in the host's byte order"
		}
		fields = append(fields, field(f.Go, f.GoType, doc, f.C))
	}
	for _, x := range r.Bits {
		fields = append(fields, field(x.Go, "bool", "whether "+x.Doc, x.C))
	}
	g.structType(docOfRecord(r), r.Go, fields...)
}

// plainRecord writes a record that the caller fills as a struct.
func (e *emitter) plainRecord(g *goFile, r *model.Record) {
	if packed(r) && keepsError(r) {
		e.errorf("struct "+r.C, "a value may not fit, and nothing reports that of a struct in a list")
	}
	g.structOf(r)
	g.layout(r, true, e.fills(r) || r.Nested)
	if packed(r) {
		g.armMethods(r)
	}
	g.pointed(r)
}

// packed reports whether a record lies behind another, with a tag that says which it is.
func packed(r *model.Record) bool { return r.Arm != nil && r.Arm.Tag != nil }

// fills reports whether a verb fills a record.
func (e *emitter) fills(r *model.Record) bool {
	return slices.ContainsFunc(e.pkg.Verbs, func(v *model.Verb) bool {
		return slices.ContainsFunc(v.Params, func(p *model.Param) bool {
			return p.Record == r && p.Role == role.OutRecord ||
				slices.ContainsFunc(p.Pairs, func(x *model.Pair) bool { return x.Out.Record == r })
		})
	})
}

// builder writes a record that the caller fills by methods: a constructor, and a method for each field that sets its bit in the mask, too:
//
//	func NewDMAHInitAttr(ph uint8) *DMAHInitAttr {
//		a := &DMAHInitAttr{}
//		... store ph
//		return a
//	}
//
//	func (a *DMAHInitAttr) CPUID(v uint32) *DMAHInitAttr {
//		a = object.OrZero(a)
//		return cmem.SetBit(a, &a.c.cpu_id, v, &a.c.comp_mask, 0x1)
//	}
func (e *emitter) builder(g *goFile, r *model.Record) {
	isSet := func(f *model.Field) bool { return !slices.Contains(r.New, f) }
	more := ""
	if slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Bit != nil && isSet(f) }) {
		more = "A method that sets a field also sets its bit in the mask."
	}
	g.structType(docOfRecord(r, more), r.Go, append([]jen.Code{param("c", r.Mirror.Name)}, extras(r)...)...)
	g.constructor(r)
	for _, f := range r.Fields {
		if isSet(f) {
			g.setter(r, f)
		}
	}
	for _, bit := range r.Bits {
		g.chained(r, bit.Go, doc(bit.Go, strings.TrimSuffix(bit.Doc, ".")+".\nC: "+bit.C+".", "", ""), nil,
			op(id("a.c", r.Mask), "|=", inHex(uint64(bit.Value))), jen.Return(id("a")))
	}
	if t := r.Tail; t != nil {
		list := id("a", model.Unexported(t.Go))
		g.chained(r, t.Go, doc(t.Go, "adds the "+t.Doc, "struct "+r.C, r.Page), param("v", "..."+t.Of),
			assign(list, jen.Append(list.Clone(), id("v").Op("..."))), jen.Return(id("a")))
	}
	g.pointed(r)
	for _, s := range r.Setups {
		e.setup(g, r, s)
	}
}

// constructor writes the function that begins a builder.
func (g *goFile) constructor(r *model.Record) {
	name, empty := "New"+r.Go, ref(id(r.Go).Values())
	var docs []string
	f := fn{name: name, results: []jen.Code{ptr(r.Go)}, body: []jen.Code{define("a").Add(empty)}}
	for _, x := range r.New {
		arg := model.Unexported(x.Go)
		docs = append(docs, arg+": "+strings.TrimSuffix(x.Doc, ".")+".")
		f.params = append(f.params, param(arg, x.GoType))
		f.body = append(f.body, store{r}.field(x, id(arg))...)
	}
	sets := "these fields set"
	if len(docs) == 0 {
		sets = "no field set"
	}
	f.doc = doc(name, "returns attributes with "+sets+".", "", "", listed(docs))
	f.body = append(f.body, jen.Return(id("a")))
	if len(r.New) == 0 {
		f.body, f.short = []jen.Code{jen.Return(empty)}, true
	}
	g.fn(f)
}

// chained writes a method that returns the builder.
func (g *goFile) chained(r *model.Record, name, doc string, param jen.Code, body ...jen.Code) {
	f := fn{doc: doc, recv: recv("a", r.Go), name: name, results: []jen.Code{ptr(r.Go)}, body: append([]jen.Code{orZero("a")}, body...)}
	if param != nil {
		f.params = []jen.Code{param}
	}
	g.fn(f)
}

// setter writes the method that sets a field. C never sees an allocator of Go, and what belongs to it.
func (g *goFile) setter(r *model.Record, f *model.Field) {
	if f.Callback == spec.CallbackMemory {
		g.memorySetter(r, f)
		return
	}
	does, c, typ := "sets "+strings.TrimSuffix(withArticle(f.Doc), ".")+".", f.C, f.GoType
	if f.Since != "" {
		does += " Since rdma-core " + f.Since + "."
	}
	if f.Bit != nil {
		c += ", " + f.Bit.C
	}
	body := store{r}.set(f, id("v"))
	keep := func(field string) []jen.Code {
		return []jen.Code{jen.Return(rt("cmem", "Set").Call(id("a"), ref(id("a", field)), id("v")))}
	}
	switch f.Callback {
	case spec.CallbackAllocator:
		typ, body = "Allocator", keep("allocator")
	case spec.CallbackContext:
		typ, body = "any", keep("userContext")
	}
	g.chained(r, f.Go, doc(f.Go, does+"\nC: "+c+".", "", ""), param("v", typ), body...)
}

// extras are the fields of a builder that keep what C must not hold: handles and Go values.
func extras(r *model.Record) (out []jen.Code) {
	if r.Beside {
		out = append(out, remark(param("mask", "uint32"), "which fields are given"))
	}
	if keepsError(r) {
		out = append(out, remark(param("err", "error"), "of the first value that does not fit"))
	}
	if r.Tail != nil {
		out = append(out, param(model.Unexported(r.Tail.Go), "[]"+r.Tail.Of))
	}
	for _, f := range r.Fields {
		switch {
		case f.Callback == spec.CallbackMemory:
			out = append(out, param("memory", "*mem.Source"))
		case f.Bytes && !f.Filled, f.Handles != nil, f.Points != nil:
			out = append(out, param(kept(r, f), f.GoType))
		case f.Nested != nil:
			for _, x := range nestedBytes(f) {
				out = append(out, param(keptIn(r, f, x), x.GoType))
			}
		case f.Object != nil:
			out = append(out, param(kept(r, f), f.GoType))
		case f.Callback == spec.CallbackAllocator:
			out = append(out, param("allocator", "Allocator"))
		case f.Callback == spec.CallbackContext:
			out = append(out, param("userContext", "any"))
		}
	}
	return out
}

// kept is the Go field with what a record does not have in C's layout: of a struct the field itself, of a builder one beside that layout.
func kept(r *model.Record, f *model.Field) string {
	if r.Plain {
		return f.Go
	}
	return model.Unexported(f.Go)
}

// keptIn is where a record has the bytes x of its nested record f.
func keptIn(r *model.Record, f, x *model.Field) string {
	if r.Plain {
		return f.Go + "." + x.Go
	}
	return model.Unexported(f.Go) + x.Go
}

// layout makes how a struct is written in C's layout, and read from it:
//
//	func (a *AHAttr) to(c *cAHAttr) {
//		*c = cAHAttr{dlid: a.DLID}
//		... store the fields that are more than a value
//	}
//
//	func (r *QPCap) from(c *cQPCap) {
//		*r = QPCap{MaxSendWR: c.max_send_wr}
//		... read the records in it
//	}
func (g *goFile) layout(r *model.Record, writes, reads bool) {
	mirror := param("c", "*"+r.Mirror.Name)
	if reads {
		name := "r"
		if writes { // its other methods have a
			name = "a"
		}
		var fields, rest []jen.Code
		for _, f := range r.Fields {
			if f.Record != nil || f.Nested != nil {
				rest = append(rest, readInto(name, f))
			} else {
				fields = append(fields, key(f.Go, readOut(f)))
			}
		}
		body := append([]jen.Code{assign(jen.Op("*").Id(name), id(r.Go).Add(values(fields...)))}, rest...)
		if len(fields) == 0 {
			body = rest
		}
		g.fn(fn{doc: "// from reads the C layout.", recv: recv(name, r.Go), name: "from", params: []jen.Code{mirror}, body: body})
	}
	if !writes {
		return
	}
	to := fn{doc: "// to writes the C layout.", recv: recv("a", r.Go), name: "to", params: []jen.Code{mirror}}
	var own []jen.Code
	if r.Arm != nil && r.Arm.Tag != nil {
		to.doc = "// to writes the C layout, of " + r.Arm.Is.C + "."
		own = []jen.Code{key(r.Arm.Tag.Go, inHex(uint64(r.Arm.Is.Value))), key(r.Arm.Size.Go, dec(uint64(r.Mirror.Size)))}
	}
	all, rest := store{r}.literal(own)
	to.body = append([]jen.Code{assign(jen.Op("*").Id("c"), all)}, rest...)
	for _, x := range r.Bits {
		to.body = append(to.body, jen.If(id("a", x.Go)).Block(remark(op(id("c", r.Arm.Tag.Go), "|=", inHex(uint64(x.Value))), x.C)))
	}
	if keepsError(r) {
		to.results = types("error")
		to.body = append(to.body, jen.Return(jen.Nil()))
	}
	g.fn(to)
}

// readInto reads field f of the record called name out of the mirror c; a nested record reads itself.
func readInto(name string, f *model.Field) *jen.Statement {
	if f.Record != nil || f.Nested != nil {
		return id(name, f.Go, "from").Call(ref(id("c", f.Leaf.Go)))
	}
	return assign(id(name, f.Go), readOut(f))
}

// readOut is the value of field f in the mirror c.
func readOut(f *model.Field) *jen.Statement {
	leaf := id("c", f.Leaf.Go)
	switch {
	case f.Bytes:
		return rt("cmem", "Bytes").Call(leaf, conversion("uint64", id("c", f.Len.Go)))
	case f.Text:
		return rt("cmem", "Text").Call(leaf.Index(jen.Op(":")))
	case f.Bool:
		return op(leaf, "!=", jen.Lit(0))
	case f.Leaf.Big:
		return reversed(f.Leaf.GoType, leaf)
	}
	return converted(f.GoType, f.Leaf.GoType, leaf)
}

// reversed turns the bytes of a number of a type around: bits.ReverseBytes32(x).
func reversed(typ string, x jen.Code) *jen.Statement {
	return rt("bits", "ReverseBytes"+strings.TrimPrefix(typ, "uint")).Call(x)
}

// mirror makes a Go struct with C's layout: a field has its C name, or one beside it.
func (e *emitter) mirror(g *goFile, has string, m *model.Mirror) {
	fields := []jen.Code{param("_", "structs.HostLayout")}
	for _, l := range m.Leaf {
		c := l.C
		if c == l.Go {
			c = ""
		}
		fields = append(fields, field(l.Go, l.GoType, "", c))
	}
	g.structType("// "+m.Name+" "+has+" struct "+m.C+".", m.Name, fields...)
}

// union makes the type of a union, which is that of one member: type GID [16]byte.
func (g *goFile) union(u *model.Union) {
	g.decl(doc(u.Go, "is "+model.Lower(u.Doc), "union "+u.C, u.Page), jen.Type().Id(u.Go).Add(goType(u.GoType)))
}

// withArticle makes "the length in bytes" of "length in bytes".
func withArticle(doc string) string {
	for _, begins := range []string{"whether ", "a ", "an ", "the "} {
		if strings.HasPrefix(doc, begins) {
			return doc
		}
	}
	return "the " + doc
}

// narrow is the greatest value of a field that is narrower in C than its Go type; 0 of others.
func narrow(f *model.Field) uint64 {
	if f.Enum == nil || f.Leaf == nil || f.Enum.Bits <= int(f.Leaf.Size*8) {
		return 0
	}
	return longest[f.Leaf.GoType]
}

// largestMTU is the greatest value of a field that has an MTU as a code; 0 of others. Above it is a number of bytes, by mistake.
func largestMTU(f *model.Field) (most uint64) {
	if f.Enum == nil || f.Enum.Code != spec.NumberMTU {
		return 0
	}
	for _, m := range f.Enum.Members {
		most = max(most, uint64(m.Value))
	}
	return most
}

// longestOf is the greatest number of bytes that a field counts; 0 where any number fits.
func longestOf(f *model.Field) uint64 {
	switch {
	case f.Filled:
		return uint64(f.Leaf.Size)
	case f.Counted != nil:
		return 0
	}
	return longest[f.Len.GoType]
}

// keepsError reports whether a record takes what may not fit into C's field: a Go int, a value of a wider type, an MTU, bytes, or a
// record with such a field.
func keepsError(r *model.Record) bool {
	return slices.ContainsFunc(r.Fields, func(f *model.Field) bool {
		return f.GoType == "int" || f.Bytes && f.Counted == nil || narrow(f) > 0 || largestMTU(f) > 0 || f.Nested != nil && keepsError(f.Nested)
	})
}
