package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// recordsFile writes builders, results, and the mirrors with C's layout under them.
func (e *emitter) recordsFile() *goFile {
	g := e.newFile("records.gen.go")
	for _, r := range e.pkg.Records {
		if r.In {
			e.builder(g, r)
		} else {
			e.result(g, r)
		}
	}
	for _, m := range e.pkg.Mirrors {
		e.mirror(g, m)
	}
	return g
}

// mirror writes a Go struct with C's layout.
func (e *emitter) mirror(g *goFile, m *model.Mirror) {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s has the layout of struct %s.\ntype %s struct {\n", m.Name, m.C, m.Name)
	for _, l := range m.Leaf {
		fmt.Fprintf(&b, "%s %s\n", l.Go, l.GoType)
	}
	b.WriteString("}")
	g.add("%s", b.String())
}

// builder writes a record that the caller fills: the value and its mask bit are set together.
func (e *emitter) builder(g *goFile, r *model.Record) {
	g.add("%s\ntype %s struct {\nc %s\n%s}", doc(r.Go, "is filled by its methods and handed to a verb. "+r.Doc, "struct "+r.C, r.Page),
		r.Go, r.Mirror.Name, e.builderExtras(r))
	e.constructor(g, r)
	for _, f := range r.Fields {
		if !inNew(r, f) {
			e.setter(g, r, f)
		}
		if f.Callback == "memory" {
			e.memorySetters(g, r, f)
		}
	}
	for _, s := range r.Bits {
		g.add("%s\nfunc (a *%s) %s() *%s {\na.c.%s |= 0x%x\nreturn a\n}", doc(s.Go, "asks for this: "+s.Doc, s.C, r.Page), r.Go, s.Go, r.Go, r.Mask, uint64(s.Value))
	}
}

// builderExtras are the fields that keep what C must not hold: handles and Go values.
func (e *emitter) builderExtras(r *model.Record) string {
	var b strings.Builder
	if r.Beside {
		b.WriteString("mask uint32 // which fields are given\n")
	}
	if hasInt(r) {
		b.WriteString("err error // of the first value that does not fit\n")
	}
	for _, f := range r.Fields {
		if f.Callback == "memory" {
			b.WriteString("pin []byte // memory to be pinned\nbuf *mem.Buffer // or to be held\n")
		}
		switch {
		case f.Object != nil:
			fmt.Fprintf(&b, "%s *%s\n", lowerFirst(f.Go), f.Object.Go)
		case f.Callback == "allocator":
			b.WriteString("allocator Allocator\n")
		case f.Callback == "context":
			b.WriteString("userContext any\n")
		}
	}
	return b.String()
}

// hasInt tells whether a setter takes a Go int, which may not fit into C's.
func hasInt(r *model.Record) bool {
	for _, f := range r.Fields {
		if f.GoType == "int" {
			return true
		}
	}
	return false
}

func inNew(r *model.Record, f *model.Field) bool {
	for _, n := range r.New {
		if n == f {
			return true
		}
	}
	return false
}

func (e *emitter) constructor(g *goFile, r *model.Record) {
	var params, body []string
	var docs []string
	for _, f := range r.New {
		p := lowerFirst(f.Go)
		params = append(params, p+" "+f.GoType)
		body = append(body, e.assign(r, f, p))
		docs = append(docs, p+": "+strings.TrimSuffix(f.Doc, ".")+".")
	}
	g.add("%s\nfunc New%s(%s) *%s {\na := &%s{}\n%s\nreturn a\n}",
		doc("New"+r.Go, "starts an attribute structure "+r.Go+".", "", "", listed(docs)), r.Go, strings.Join(params, ", "), r.Go, r.Go, strings.Join(body, "\n"))
}

// listed makes a list in a doc comment.
func listed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "  - " + strings.Join(items, "\n  - ")
}

// assign writes the setting of a field of builder a.
func (e *emitter) assign(r *model.Record, f *model.Field, v string) string {
	var b strings.Builder
	if f.GoType == "int" {
		fmt.Fprintf(&b, "if int(int32(%[1]s)) != %[1]s && a.err == nil {\na.err = verr.OutOfRange(\"\", %[2]q, %[1]s)\n}\n", v, r.Go+"."+f.Go)
	}
	if f.Callback == "memory" {
		b.WriteString("a.pin, a.buf = nil, nil\n")
	}
	switch {
	case f.Object != nil:
		return fmt.Sprintf("a.%s = %s", lowerFirst(f.Go), v)
	case f.Callback == "allocator":
		return "a.allocator = " + v
	case f.Callback == "context":
		return "a.userContext = " + v
	case f.Nested != nil:
		fmt.Fprintf(&b, "if %s != nil {\na.c.%s = %s.c\n}", v, f.Leaf.Go, v)
	case f.Bool:
		fmt.Fprintf(&b, "a.c.%s = 0\nif %s {\na.c.%s = 1\n}", f.Leaf.Go, v, f.Leaf.Go)
	case f.Leaf.Big:
		fmt.Fprintf(&b, "a.c.%s = bits.ReverseBytes%d(%s)", f.Leaf.Go, f.Leaf.Size*8, v)
	case f.GoType != f.Leaf.GoType:
		fmt.Fprintf(&b, "a.c.%s = %s(%s)", f.Leaf.Go, f.Leaf.GoType, v)
	default:
		fmt.Fprintf(&b, "a.c.%s = %s", f.Leaf.Go, v)
	}
	switch {
	case f.Bit != nil && r.Beside:
		fmt.Fprintf(&b, "\na.mask |= 0x%x // %s", uint64(f.BitValue), f.Bit.C)
	case f.Bit != nil && r.Mask != "":
		fmt.Fprintf(&b, "\na.c.%s |= 0x%x // %s", r.Mask, uint64(f.BitValue), f.Bit.C)
	}
	return b.String()
}

func (e *emitter) setter(g *goFile, r *model.Record, f *model.Field) {
	does := "sets this: " + f.Doc
	if f.Bit != nil {
		does = "sets this and its mask bit: " + f.Doc
	}
	typ := f.GoType
	switch f.Callback {
	case "allocator":
		typ = "Allocator"
	case "context":
		typ = "any"
	}
	c := "struct " + r.C + "." + f.C
	if f.Bit != nil {
		c += ", " + f.Bit.C
	}
	since := ""
	if f.Since != "" {
		since = "Since rdma-core " + f.Since + "."
	}
	g.add("%s\nfunc (a *%s) %s(v %s) *%s {\n%s\nreturn a\n}", doc(f.Go, does, c, r.Page, since), r.Go, f.Go, typ, r.Go, e.assign(r, f, "v"))
}

// result writes a record that a verb fills, and how it is read out of the mirror.
func (e *emitter) result(g *goFile, r *model.Record) {
	var fields, conv strings.Builder
	for _, f := range r.Fields {
		text := f.Doc
		if f.Since != "" {
			text += "; 0 where the library is older than rdma-core " + f.Since
		}
		if f.Leaf.Big {
			text += "; in the host's byte order"
		}
		fmt.Fprintf(&fields, "%s\n%s %s // %s\n", comment(sentence(text)), f.Go, f.GoType, f.C)
		fmt.Fprintf(&conv, "r.%s = %s\n", f.Go, fromMirror(f))
	}
	does := "is filled by a verb. "
	if r.Listed {
		does = "is an element of a list that a verb takes. "
	}
	g.add("%s\ntype %s struct {\n%s}", doc(r.Go, does+r.Doc, "struct "+r.C, r.Page), r.Go, fields.String())
	g.add("// from reads the C layout.\nfunc (r *%s) from(c *%s) {\n%s}", r.Go, r.Mirror.Name, conv.String())
	if r.Listed {
		var to strings.Builder
		for _, f := range r.Fields {
			fmt.Fprintf(&to, "c.%s = %s\n", f.Leaf.Go, toMirror(f))
		}
		g.add("// to writes the C layout.\nfunc (r *%s) to(c *%s) {\n%s}", r.Go, r.Mirror.Name, to.String())
	}
}

// fromMirror is the expression that reads field f of r out of the mirror c; a nested record is read in place.
func fromMirror(f *model.Field) string {
	leaf := "c." + f.Leaf.Go
	switch {
	case f.Record != nil:
		return fmt.Sprintf("func() (v %s) { v.from(&%s); return }()", f.GoType, leaf)
	case f.Text:
		return "cmem.Text(" + leaf + "[:])"
	case f.Bool:
		return leaf + " != 0"
	case f.Leaf.Big:
		return fmt.Sprintf("bits.ReverseBytes%d(%s)", f.Leaf.Size*8, leaf)
	case f.GoType != f.Leaf.GoType:
		return f.GoType + "(" + leaf + ")"
	}
	return leaf
}

// toMirror is the expression that writes field f of r into the mirror.
func toMirror(f *model.Field) string {
	if f.GoType != f.Leaf.GoType {
		return fmt.Sprintf("%s(r.%s)", f.Leaf.GoType, f.Go)
	}
	return "r." + f.Go
}
