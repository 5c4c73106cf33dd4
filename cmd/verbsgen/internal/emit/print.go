package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
	"github.com/verbsgen/verbsgen/spec"
)

// This file prints the declarations of a plan; steps.go prints the steps of its methods and value.go their values.

// decls adds planned declarations to a file.
func (e *emitter) decls(g *goFile, decls []plan.Decl) {
	for _, d := range decls {
		switch d := d.(type) {
		case *plan.Method:
			e.method(g, d)
		case *plan.Struct:
			g.planned(d)
		case plan.Handle:
			e.handle(g, d)
		case plan.Closer:
			g.closer(d)
		case plan.Alias:
			g.decl(docOf(d.Name, d.Doc), jen.Type().Id(d.Name).Op("=").Add(rt(d.Package, d.Name)))
		case plan.Once:
			g.onceErrors(d)
		case plan.Variable: // var ErrQueueFull = verr.ErrQueueFull
			g.decl(comment(d.Text), jen.Var().Id(d.Name).Op("=").Add(rt(d.Package, d.Name)))
		case plan.Builder:
			g.builder(d)
		case plan.Layout:
			g.layout(d)
		case plan.Arms:
			g.arms(d)
		case plan.ArmMethods:
			g.armMethods(d)
		case plan.PointedArms:
			g.pointedArms(d)
		case plan.Places:
			g.places(d)
		case plan.Offers:
			g.offers(d)
		case plan.Elements:
			g.elements(d)
		default:
			e.errs = append(e.errs, fmt.Errorf("%s: nothing prints a %T", g.name, d))
		}
	}
}

// method prints a method:
//
//	func (mr *MR) Rereg(change *MRChange) error {
//		... steps
//	}
func (e *emitter) method(g *goFile, m *plan.Method) {
	p := printer{e: e, name: m.Name}
	p.zero = p.values(m.Zero)
	f := fn{doc: docOf(m.Name, m.Doc), name: m.Name, body: p.steps(m.Steps), short: m.Short}
	if m.Recv.Name != "" {
		f.recv = typed(m.Recv)
	}
	if m.OrZero && !m.Short {
		f.body = append([]jen.Code{orZero(m.Recv.Name)}, f.body...)
	}
	f.takes(m.Params, m.Results)
	g.fn(f)
}

// takes gives a function parameters and results.
func (f *fn) takes(params, results []plan.Var) {
	for _, v := range params {
		f.params = append(f.params, typed(v))
	}
	for _, v := range results {
		f.results = append(f.results, typed(v))
	}
	if len(results) == 1 && results[0].Name != "" {
		f.results[0] = jen.Params(f.results[0])
	}
}

// typed is a variable with its type, as far as it has a name and a type.
func typed(v plan.Var) *jen.Statement {
	switch {
	case v.Name == "":
		return goType(v.Type)
	case v.Type == "":
		return jen.Id(v.Name)
	}
	return param(v.Name, v.Type)
}

// docOf is the comment of a declaration.
func docOf(name string, d plan.Doc) string {
	if d.Text == "" {
		return doc(name, d.Does, d.C, d.Page, d.More...)
	}
	var out []string
	for line := range strings.SplitSeq(d.Text, "\n") {
		if len(line) > 130 { // a paragraph
			line = strings.TrimPrefix(comment(line), "// ")
		}
		out = append(out, strings.TrimRight("// "+line, " "))
	}
	return strings.Join(out, "\n")
}

// says is a comment with a text of templates/docs.tmpl.
func says(name string, with plan.Words) string { return comment(plan.Says(name, with)) }

// planned prints a struct type.
func (g *goFile) planned(s *plan.Struct) {
	var fields []jen.Code
	for _, v := range s.Fields {
		f := typed(v)
		if v.Remark != "" {
			f = remark(f, v.Remark)
		}
		if v.Doc != "" {
			fields = append(fields, jen.Comment(comment(sentence(v.Doc))))
		}
		if v.Gap {
			f = jen.Line().Add(f)
		}
		fields = append(fields, f)
	}
	g.structType(docOf(s.Name, s.Doc), s.Name, fields...)
}

// onceErrors prints the errors of a method on the data path, made once:
//
//	var errPostSend = verr.Once{Verb: "ibv_post_send", Kind: "QP"}
func (g *goFile) onceErrors(o plan.Once) {
	g.decl("", jen.Var().Id(o.Name).Op("=").Add(rt("verr", "Once")).Values(key("Verb", jen.Lit(o.Verb)), key("Kind", jen.Lit(o.Kind))))
}

// elementConst names an object among the elements of events.
func elementConst(object string) *jen.Statement { return id("element" + object) }

// elements prints what each type of event concerns:
//
//	const (
//		elementQP = events.Object + iota
//		elementCQ
//	)
//
//	var asyncElements = map[uint32]events.Element{
//		uint32(EventTypeQPFatal): elementQP,
//		uint32(EventTypePortErr): events.Port,
//	}
func (g *goFile) elements(e plan.Elements) {
	names := map[string]*jen.Statement{spec.EventOfPort: rt("events", "Port")}
	var consts, rows []jen.Code
	for i, o := range e.Objects {
		names[o] = elementConst(o)
		decl := elementConst(o)
		if i == 0 {
			decl.Op("=").Add(rt("events", "Object")).Op("+").Iota()
		}
		consts = append(consts, decl)
	}
	for _, x := range e.Of {
		element := names[x.Is]
		if element == nil {
			element = rt("events", "Nothing")
		}
		rows = append(rows, jen.Uint32().Call(id(x.Event)).Op(":").Add(element))
	}
	if len(consts) > 0 {
		g.decl("// The types of objects that asynchronous events concern.", jen.Const().Defs(consts...))
	}
	g.decl("// asyncElements is what each type of asynchronous event concerns.",
		jen.Var().Id("asyncElements").Op("=").Map(jen.Uint32()).Add(rt("events", "Element")).Add(lines(rows...)))
}
