package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// setup writes the type with what a kind of object needs to go through states, with a method for each change and one for all:
//
//	func (s RCSetup) Init() *QPAttr
//	func (s RCSetup) ToRTS(qp *QP) error
func (e *emitter) setup(g *goFile, r *model.Record, s *model.Setup) {
	object, modify := e.changedBy(r)
	var fields []jen.Code
	var changes []fn
	var each, names []string
	seen := map[*model.Field]bool{}
	for _, step := range s.Steps {
		name := strings.TrimPrefix(step.State.Go, r.New[0].Enum.Go)
		body := []jen.Code{define("a").Id("New" + r.Go).Call(id(step.State.Go))}
		for _, f := range step.Needs {
			body = append(body, id("a", f.Go).Call(id("s", f.Go)))
			if !seen[f] {
				seen[f] = true
				fields = append(fields, field(f.Go, f.GoType, f.Doc, f.C+", to "+step.State.Short))
			}
		}
		changes = append(changes, fn{doc: says("change", words{"Name": name, "State": step.State.Short}), recv: param("s", s.Go), name: name,
			results: []jen.Code{ptr(r.Go)}, body: append(body, jen.Return(id("a")))})
		each, names = append(each, name), append(names, step.State.Short)
	}
	last := strings.TrimPrefix(s.Steps[len(s.Steps)-1].State.Go, r.New[0].Enum.Go)
	with := words{"Object": object, "Kind": s.Kind.Short, "From": s.From.Short, "States": inWords(names, "and"),
		"Changes": inWords(each, "and"), "Modify": modify, "Last": last}
	more := ""
	if modify != "" {
		more = say("setup more", with)
		o := model.Unexported(object)
		var body []jen.Code
		for i, name := range each {
			body = append(body, fail(nil).onErr(rt("fail", "Step").Call(jen.Lit(names[i]), id(o, modify).Call(id("s", name).Call()))))
		}
		changes = append(changes, fn{doc: says("To", with), recv: param("s", s.Go), name: "To" + last, params: []jen.Code{param(o, "*"+object)},
			results: types("error"), body: append(body, jen.Return(jen.Nil()))})
	}
	g.structType(doc(s.Go, say("setup", with), "struct "+r.C, r.Page, more), s.Go, fields...)
	for _, f := range changes {
		g.fn(f)
	}
}

// changedBy is the handle and its method that take a record with the mask beside it.
func (e *emitter) changedBy(r *model.Record) (object, method string) {
	for _, v := range e.pkg.Verbs {
		if len(v.Params) == 0 || v.Params[0].Object == nil || !slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Record == r }) {
			continue
		}
		for _, m := range v.Methods {
			if m.Form == form.Plain && m.Recv == v.Params[0].Object.Go {
				return m.Recv, m.Name
			}
		}
	}
	return "handle", ""
}

// inWords joins names: "A", "A and B", "A, B and C".
func inWords(names []string, and string) string {
	n := len(names) - 1
	if n <= 0 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n], ", ") + " " + and + " " + names[n]
}
