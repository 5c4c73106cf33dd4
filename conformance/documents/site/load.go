package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
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
	Rules    int
	Releases []string
}

// family is the verbs of a part of a library.
type family struct {
	Module, Name, Doc string
	Verbs             []*verb
}

// verb is a page of the site.
type verb struct {
	C, Module, Page, Doc, Since, Signature string
	Methods                                []method
	Params                                 []param
	Records                                []record
	Rules                                  []rule
	Support                                []support
}

type method struct{ Name, Go, Doc string }

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
	modules := spec.Modules()
	slices.SortStableFunc(modules, func(a, b string) int { return strings.Compare(first(a), first(b)) })
	for _, module := range modules {
		if err := s.loadModule(root, module); err != nil {
			return nil, fmt.Errorf("module %s: %w", module, err)
		}
	}
	slices.SortFunc(s.Verbs, func(a, b *verb) int { return strings.Compare(a.C, b.C) })
	return s, s.loadTexts(root)
}

// first sorts the default module before the others.
func first(module string) string {
	if module == spec.DefaultModule {
		return ""
	}
	return module
}

// loadModule adds the verbs of a module.
func (s *site) loadModule(root, module string) error {
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
	signatures := exported(filepath.Join(root, "docs", "api", module+".txt"))
	l := loader{sp: sp, rel: rel, since: since, signatures: signatures, results: s.Results}
	byFamily := map[string]int{}
	for _, f := range sp.Module.Families {
		byFamily[f.Name] = len(s.Families)
		s.Families = append(s.Families, family{Module: module, Name: f.Name, Doc: f.Doc})
	}
	for _, p := range sp.Pages {
		for i := range p.Verbs {
			v := l.verb(p, &p.Verbs[i])
			v.Module = module
			s.Verbs = append(s.Verbs, v)
			s.Rules += len(v.Rules)
			if f := sp.Module.FamilyOf(v.C); f != nil {
				at := &s.Families[byFamily[f.Name]]
				at.Verbs = append(at.Verbs, v)
			}
		}
	}
	return nil
}

// exported reads the Go signatures of a package, by name, from the list in docs/api.
func exported(file string) map[string]string {
	out := map[string]string{}
	f, err := os.Open(file)
	if err != nil {
		return out // a module without a package that is checked in
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, rest, ok := strings.Cut(lines.Text(), " method of ")
		if !ok {
			continue
		}
		recv, sig, ok := strings.Cut(rest, ": func")
		if _, short, has := strings.Cut(name, "."); ok && has {
			out[name] = "func (" + recv + ") " + short + sig
		}
	}
	return out
}

// loader makes pages of verbs.
type loader struct {
	sp         *spec.Spec
	rel        *api.Release
	since      api.Index
	signatures map[string]string
	results    *results
}

func (l *loader) verb(p *spec.Page, v *spec.Verb) *verb {
	out := &verb{C: v.C, Page: p.Page, Doc: v.Doc, Since: l.since[v.C], Support: l.results.of(p.Page)}
	types := map[string]string{}
	for _, f := range l.rel.Functions {
		if f.Name != v.C {
			continue
		}
		var ps []string
		for _, q := range f.Params {
			ps = append(ps, join(q.Type, q.Name))
			types[q.Name] = q.Type
		}
		out.Signature = join(f.Ret, v.C) + "(" + strings.Join(ps, ", ") + ")"
	}
	for _, m := range v.Methods {
		sig := l.signatures[m.Go]
		if sig == "" {
			sig = m.Go
		}
		out.Methods = append(out.Methods, method{m.Go, sig, m.Doc})
	}
	seen := map[string]bool{}
	for _, q := range v.Params {
		out.Params = append(out.Params, param{q.C, types[q.C], q.Type, q.Doc})
		if r := l.record(q.Type); r != nil && !seen[r.C] {
			seen[r.C] = true
			out.Records = append(out.Records, *r)
		}
	}
	for _, r := range l.sp.RulesOf(v.C) {
		out.Rules = append(out.Rules, ruleOf(r))
	}
	return out
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
	for _, p := range l.sp.Pages {
		for i := range p.Records {
			r := &p.Records[i]
			if r.Go != name || name == "" {
				continue
			}
			tag := "struct " + r.C
			out := &record{C: tag, Go: r.Go, Since: l.since[tag]}
			types := map[string]string{}
			for _, x := range l.rel.Records {
				if x.Tag == tag {
					for _, f := range x.Fields {
						types[f.Name] = f.Type
					}
				}
			}
			for _, f := range r.Fields {
				out.Fields = append(out.Fields, field{f.C, f.Go, types[f.C], l.since[tag+"."+f.C], f.Doc})
			}
			return out
		}
	}
	return nil
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
