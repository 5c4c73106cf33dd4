package main

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// site is everything that the pages show.
type site struct {
	Verbs    []*verb
	Families []family
	Guides   []*text
	Texts    []*text
	Results  *results
	Go       []*golang
	uses     []*golang // whose functions stand in for examples
	Rules    int
	Releases []string
	Front    front
	Chart    []bar
}

// family is the verbs of a part of a library.
type family struct {
	Module, Name, Doc string
	Verbs             []*verb
}

// verb is a page of the site.
type verb struct {
	C, Module, Page, Doc, Since string
	Signature, Calls            template.HTML // in C, and in Go
	Methods                     []method
	Example                     *example
	Flags, OfFields             []*goType // constants for its parameters, and for fields of its records
	Params                      []param
	Records                     []record
	Rules                       []argument
	Support                     []support
}

type method struct {
	Name string
	Doc  template.HTML
}

// argument is the rules on an argument of a verb.
type argument struct {
	Name          string
	Rules         []rule
	Errors, Hints int
}

type param struct{ C, Type, Go, Doc string }

// record is a struct that a verb takes or fills, with the first release of each field.
type record struct {
	C, Go, Since string
	Fields       []field
}

type field struct{ C, Go, Type, Since, Doc string }

type rule struct {
	ID, Subject, Kind, Severity, Statement, Fix, From string
	AcceptedBy, RefusedBy                             []string
}

// support is how the cases of a verb's man page ended on a device.
type support struct {
	Column string
	Totals []report.Total
}

// load reads all modules, and the reports.
func load(root string) (*site, error) {
	s := &site{Releases: api.Releases()}
	var err error
	if s.Results, err = loadResults(root); err != nil {
		return nil, err
	}
	for _, dir := range goPackages {
		g, err := loadGo(root, dir)
		if err != nil {
			return nil, err
		}
		s.Go = append(s.Go, g)
	}
	if s.uses, err = loadUses(root); err != nil {
		return nil, err
	}
	if s.Chart, err = loadChart(root); err != nil {
		return nil, err
	}
	if s.Front, err = loadFront(root); err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(spec.Modules(), func(name string) bool { return name == spec.DefaultModule })
	for _, module := range append([]string{spec.DefaultModule}, others...) {
		if err := s.loadModule(module); err != nil {
			return nil, fmt.Errorf("module %s: %w", module, err)
		}
	}
	slices.SortFunc(s.Verbs, func(a, b *verb) int { return strings.Compare(a.C, b.C) })
	return s, s.loadTexts(root)
}

// loadModule adds the verbs of a module.
func (s *site) loadModule(module string) error {
	sp, err := spec.Embedded(module)
	if err != nil {
		return err
	}
	known, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		return err
	}
	rel, err := known.Load(known.Newest())
	if err != nil {
		return err
	}
	since, err := known.Since()
	if err != nil {
		return err
	}
	l := loader{site: s, sp: sp, facts: sp.Module.NewFacts(rel), since: since, golang: &golang{}}
	if i := slices.IndexFunc(s.Go, func(g *golang) bool { return g.Dir == "gen/"+module }); i >= 0 {
		l.golang = s.Go[i]
	}
	byFamily := map[string]int{}
	for _, f := range sp.Module.Families {
		byFamily[f.Name] = len(s.Families)
		s.Families = append(s.Families, family{Module: module, Name: f.Name, Doc: f.Doc})
	}
	rest := family{Module: module, Name: module, Doc: "functions of " + sp.Module.Library} // of a module without families
	for _, p := range sp.Pages {
		for i := range p.Verbs {
			v := l.verb(p, &p.Verbs[i])
			v.Module = module
			s.Verbs = append(s.Verbs, v)
			s.Rules += len(sp.RulesOf(v.C))
			if f := sp.FamilyOf(v.C); f != nil {
				at := &s.Families[byFamily[f.Name]]
				at.Verbs = append(at.Verbs, v)
			} else {
				rest.Verbs = append(rest.Verbs, v)
			}
		}
	}
	s.Families = append(s.Families, rest)
	return nil
}

// loader makes pages of verbs.
type loader struct {
	*site
	sp     *spec.Spec
	facts  *spec.Facts
	since  api.Index
	golang *golang
}

func (l *loader) verb(p *spec.Page, v *spec.Verb) *verb {
	out := &verb{C: v.C, Page: p.Page, Doc: v.Doc, Since: l.since[v.C], Support: l.Results.of(p.Page)}
	types := map[string]string{}
	if f := l.facts.Func(v.C); f != nil {
		var ps []string
		for _, q := range f.Params {
			ps = append(ps, join(q.Type, q.Name))
			types[q.Name] = q.Type
		}
		out.Signature = highlight("c", join(f.Ret, v.C)+"("+strings.Join(ps, ", ")+")")
	}
	var calls []string
	for _, m := range v.Methods {
		calls = append(calls, l.method(out, m.Go))
	}
	if len(calls) > 0 {
		out.Calls = highlight("go", strings.Join(calls, "\n"))
	}
	seen := map[string]bool{}
	for _, q := range v.Params {
		out.Params = append(out.Params, param{q.C, types[q.C], q.Type, q.Doc})
		if r := l.record(q.Type); r != nil && !seen[r.C] {
			seen[r.C] = true
			out.Records = append(out.Records, *r)
			out.OfFields = l.ofFields(out.OfFields, r)
		}
	}
	out.Rules = l.rules(v)
	return out
}

// method adds a method, its example if the verb has none yet, and the constants that its parameters take. It returns the signature.
func (l *loader) method(out *verb, name string) string {
	f := l.golang.Funcs[name]
	if f == nil {
		out.Methods = append(out.Methods, method{Name: name})
		return name
	}
	out.Methods = append(out.Methods, method{name, f.Doc})
	if out.Example == nil {
		out.Example = l.golang.exampleOf(name, l.Go, l.uses)
	}
	out.Flags = l.constants(out.Flags, f.params)
	return f.Signature
}

// constants adds the types of these names that have constants.
func (l *loader) constants(list []*goType, names []string) []*goType {
	for _, name := range names {
		if t := l.golang.Types[name]; t != nil && len(t.Consts) > 0 && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// ofFields are the constants that fields of a record take, by the type of the field or the parameter of its setter.
func (l *loader) ofFields(list []*goType, r *record) []*goType {
	if t := l.golang.Types[r.Go]; t != nil {
		list = l.constants(list, t.fields)
	}
	for _, f := range r.Fields {
		if set := l.golang.Funcs[r.Go+"."+f.Go]; set != nil {
			list = l.constants(list, set.params)
		}
	}
	return list
}

var firstWord = regexp.MustCompile(`^\w+`)

// rules are those of a verb by argument, in the order of the C function; last what is about none.
func (l *loader) rules(v *spec.Verb) []argument {
	var out []argument
	for _, p := range v.Params {
		out = append(out, argument{Name: p.C})
	}
	out = append(out, argument{Name: "the call"})
	for _, r := range l.sp.RulesOf(v.C) {
		x := ruleOf(r)
		at := slices.IndexFunc(out, func(a argument) bool { return a.Name == firstWord.FindString(x.Subject) })
		if at < 0 {
			at = len(out) - 1
		}
		out[at].Rules = append(out[at].Rules, x)
		if x.Severity == "error" {
			out[at].Errors++
		} else {
			out[at].Hints++
		}
	}
	return slices.DeleteFunc(out, func(a argument) bool { return len(a.Rules) == 0 })
}

// join writes a C type and a name as C does.
func join(typ, name string) string {
	if strings.HasSuffix(typ, "*") {
		return typ + name
	}
	return typ + " " + name
}

// record is a record of the pages by Go name, or nil.
func (l *loader) record(name string) *record {
	r := l.sp.RecordByGo(name)
	if r == nil || strings.Contains(name, ".") { // of another module, which has it on its own pages
		return nil
	}
	tag := "struct " + r.C
	out, rec := &record{C: tag, Go: r.Go, Since: l.since[tag]}, l.facts.Record(tag)
	for _, f := range r.Fields {
		x := field{f.C, f.Go, "", l.since[tag+"."+f.C], f.Doc}
		if in := rec.Field(f.C); in != nil {
			x.Type = in.Type
		}
		out.Fields = append(out.Fields, x)
	}
	return out
}

func ruleOf(r *spec.Rule) rule {
	subject := r.Subject
	if subject == "" {
		subject = strings.Join(r.Fields, ", ")
	}
	from := r.Page + "(3), " + r.Section
	if len(r.Source) > 0 {
		from = r.Source.String()
	}
	out := rule{ID: r.ID, Subject: subject, Kind: r.Kind, Severity: r.Severity, Statement: r.Statement, Fix: r.Fix.String(), From: from}
	for i := range r.AcceptedBy {
		out.AcceptedBy = append(out.AcceptedBy, r.AcceptedBy[i].Describe()+": "+r.AcceptedBy[i].Source.String())
	}
	for i := range r.RefusedBy {
		out.RefusedBy = append(out.RefusedBy, r.RefusedBy[i].Describe()+": "+r.RefusedBy[i].Source.String())
	}
	return out
}
