package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// recordsFile writes attributes, results, and the mirrors with C's layout under them.
func (e *emitter) recordsFile() *goFile {
	g := e.newFile("records.gen.go")
	e.decls(g, e.plan.Records)
	for _, u := range e.pkg.Unions {
		g.union(u)
		e.decls(g, e.plan.Texts[u])
	}
	for _, m := range e.pkg.Mirrors {
		e.mirror(g, m)
	}
	return g
}

// mirror makes a Go struct with C's layout. Fields of one type that follow each other are declared together.
func (e *emitter) mirror(g *goFile, m *model.Mirror) {
	var fields []jen.Code
	for i := 0; i < len(m.Leaf); {
		goType := m.Leaf[i].GoType
		names := jen.Id(m.Leaf[i].Go)
		for i++; i < len(m.Leaf) && m.Leaf[i].GoType == goType; i++ {
			names.Op(",").Id(m.Leaf[i].Go)
		}
		fields = append(fields, names.Id(goType))
	}
	g.structType("// "+m.Name+" has the layout of struct "+m.C+".", m.Name, fields...)
}

// union makes the type of a union, which is that of one member: type GID [16]byte.
func (g *goFile) union(u *model.Union) {
	g.decl(doc(u.Go, "is "+naming.Lower(u.Doc), "union "+u.C, u.Page), jen.Type().Id(u.Go).Add(goType(u.GoType)))
}

// builder makes the constructor and the setters of a record with a mask:
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
func (g *goFile) builder(b plan.Builder) {
	r := b.Record
	w := writer{r}
	result := []jen.Code{ptr(r.Go)}
	empty := ref(id(r.Go).Values())
	begin := fn{doc: docOf("New"+r.Go, b.New), name: "New" + r.Go, results: result, body: []jen.Code{define("a").Add(empty)}}
	for _, f := range r.New {
		begin.params = append(begin.params, param(naming.Unexported(f.Go), f.GoType))
		begin.body = append(begin.body, w.store(f, id(naming.Unexported(f.Go)))...)
	}
	begin.body = append(begin.body, jen.Return(id("a")))
	if len(r.New) == 0 {
		begin.body, begin.short = []jen.Code{jen.Return(empty)}, true
	}
	g.fn(begin)
	chained := func(name string, doc plan.Doc, body []jen.Code, params ...jen.Code) {
		g.fn(fn{doc: docOf(name, doc), recv: recv("a", r.Go), name: name, params: params, results: result,
			body: append([]jen.Code{orZero("a")}, body...)})
	}
	for _, s := range b.Setters {
		if s.Bit != nil {
			chained(s.Bit.Go, s.Doc, []jen.Code{op(id("a.c", r.Mask), "|=", inHex(uint64(s.Bit.Value))), jen.Return(id("a"))})
			continue
		}
		store := w.set(s.Field, id("v"))
		switch {
		case s.Keeps != "":
			store = []jen.Code{jen.Return(rt("cmem", "Set").Call(id("a"), ref(id("a", s.Keeps)), id("v")))}
		case len(s.Memory) > 0:
			store = append([]jen.Code{assign(id("a.memory"), rt("mem", "Source").Values())}, store...)
		}
		chained(s.Field.Go, s.Doc, store, param("v", s.Type))
		if len(s.Memory) > 0 {
			g.memorySetters(r, s)
		}
	}
	if t := r.Tail; t != nil {
		list := id("a", naming.Unexported(t.Go))
		chained(t.Go, plan.Doc{Does: "adds the " + t.Doc, C: "struct " + r.C, Page: r.Page},
			[]jen.Code{assign(list, jen.Append(list.Clone(), id("v").Op("..."))), jen.Return(id("a"))}, param("v", "..."+t.Of))
	}
}

// layout makes how a struct is written in C's layout, and read from it:
//
//	func (a *AHAttr) to(c *cAHAttr) {
//		*c = cAHAttr{dlid: a.DLID}
//		... store the fields that are more than a value
//	}
//
//	func (r *AHInfo) from(c *cAHAttr) {
//		*r = AHInfo{DLID: c.dlid}
//		... read the records in it
//	}
func (g *goFile) layout(l plan.Layout) {
	r := l.Record
	mirror := param("c", "*"+r.Mirror.Name)
	if l.From {
		name := "r"
		if l.To { // its other methods have a
			name = "a"
		}
		var values, rest []jen.Code
		for _, f := range r.Fields {
			if f.Record != nil || f.Nested != nil {
				rest = append(rest, readInto(name, f))
			} else {
				values = append(values, key(f.Go, readOut(f)))
			}
		}
		body := append([]jen.Code{assign(jen.Op("*").Id(name), id(r.Go).Values(values...))}, rest...)
		if len(values) == 0 {
			body = rest
		}
		g.fn(fn{doc: "// from reads the C layout.", recv: recv(name, r.Go), name: "from", params: []jen.Code{mirror}, body: body})
	}
	if !l.To {
		return
	}
	to := fn{doc: "// to writes the C layout.", recv: recv("a", r.Go), name: "to", params: []jen.Code{mirror}}
	var own []jen.Code
	if r.Arm != nil && r.Arm.Tag != nil {
		to.doc = "// to writes the C layout, of " + r.Arm.Is.C + "."
		own = []jen.Code{key(r.Arm.Tag.Go, inHex(uint64(r.Arm.Is.Value))), key(r.Arm.Size.Go, dec(uint64(r.Mirror.Size)))}
	}
	all, rest := writer{r}.literal(own)
	to.body = append([]jen.Code{assign(jen.Op("*").Id("c"), all)}, rest...)
	for _, x := range r.Bits {
		to.body = append(to.body, jen.If(id("a", x.Go)).Block(remark(op(id("c", r.Arm.Tag.Go), "|=", inHex(uint64(x.Value))), x.C)))
	}
	if plan.KeepsError(r) {
		to.results = errResult()
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
		return reversed(f.Leaf, leaf)
	}
	return converted(f.GoType, f.Leaf.GoType, leaf)
}

// reversed turns the bytes of a number around: bits.ReverseBytes32(x).
func reversed(l *model.Leaf, x jen.Code) *jen.Statement {
	return rt("bits", "ReverseBytes"+bitsText(l.Size)).Call(x)
}

// converted converts unless the type is that already: uint32(x).
func converted(to, from string, x *jen.Statement) *jen.Statement {
	if to == from {
		return x
	}
	return conversion(to, x)
}
