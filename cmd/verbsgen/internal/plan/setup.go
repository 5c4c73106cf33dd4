package plan

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// setup plans the type with what a kind of object needs to go through states, with a method for each change and one for all:
//
//	func (s RCSetup) Init() *QPAttr
//	func (s RCSetup) ToRTS(qp *QP) error
func (b *builder) setup(r *model.Record, s *model.Setup) []Decl {
	self := Var{Name: "s", Type: s.Go}
	object, modify := b.changedBy(r)
	last := s.Steps[len(s.Steps)-1].State
	typ := &Struct{Name: s.Go}
	var out, changes []Decl
	var each, names []string
	seen := map[*model.Field]bool{}
	for _, step := range s.Steps {
		name := strings.TrimPrefix(step.State.Go, r.New[0].Enum.Go)
		m := &Method{Doc: Doc{Text: Says("change", Words{"Name": name, "State": step.State.Short})}, Recv: self, Name: name,
			Results: one("*" + r.Go)}
		m.Steps = []Step{define("a", result("New"+r.Go, val(step.State.Go)))}
		for _, f := range step.Needs {
			m.Steps = append(m.Steps, do(result("a."+f.Go, val("s."+f.Go))))
			if !seen[f] {
				seen[f] = true
				typ.Fields = append(typ.Fields, Var{Name: f.Go, Type: f.GoType, Doc: f.Doc, Remark: f.C + ", to " + step.State.Short})
			}
		}
		m.Steps = append(m.Steps, ret(val("a")))
		changes = append(changes, m)
		each, names = append(each, name), append(names, step.State.Short)
	}
	with := Words{"Object": object, "Kind": s.Kind.Short, "From": s.From.Short, "States": inWords(names, "and"),
		"Changes": inWords(each, "and"),
		"Modify":  modify, "Last": strings.TrimPrefix(last.Go, r.New[0].Enum.Go)}
	typ.Doc = Doc{Does: Says("setup", with), C: "struct " + r.C, Page: r.Page}
	out = append(out, typ)
	if modify != "" {
		o := Var{Name: naming.Unexported(object), Type: "*" + object}
		m := &Method{Recv: self, Name: "To" + with["Last"], Params: []Var{o}, Results: errOnly,
			Doc: Doc{Text: Says("To", with)}}
		for i, name := range each {
			m.Steps = append(m.Steps, Try{Call: of("verr", "Step", text(names[i]), result(o.Name+"."+modify, result("s."+name)))})
		}
		m.Steps = append(m.Steps, ret(null))
		typ.Doc.More = []string{Says("setup more", with)}
		changes = append(changes, m)
	}
	return append(out, changes...)
}

// changedBy is the handle and its method that take a record with the mask beside it.
func (b *builder) changedBy(r *model.Record) (object, method string) {
	for _, v := range b.pkg.Verbs {
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
