package spec

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Spec is a set of pages, checked to be consistent in itself, with its indexes.
type Spec struct {
	Module  *Module
	Pages   []*Page // sorted by name
	Pending []Pending

	pages   map[string]*Page
	rules   map[string]*Rule
	byVerb  map[string][]*Rule
	byName  map[string]any // pointers to verbs by their C names, and to types by their Go names
	recordC map[string]*Record
	objectC map[string]*Object
	skips   map[string]*Skip
	pending map[string]*Pending
	notes   map[string][]*Note

	shared []*sharedRule
	layers map[string]int // of the files
}

// PageByName returns the page of this name, or nil.
func (s *Spec) PageByName(name string) *Page { return s.pages[name] }

// RuleByID returns the rule with this ID, also a retired one, or nil.
func (s *Spec) RuleByID(id string) *Rule { return s.rules[id] }

// RulesOf returns the rules of a verb that are not retired, in the order of pages and of the lists in them.
func (s *Spec) RulesOf(verb string) []*Rule { return s.byVerb[verb] }

// NotesOf returns the notes of a verb.
func (s *Spec) NotesOf(verb string) []*Note { return s.notes[verb] }

// Rules returns all rules that are not retired, in the order of pages and of the lists in them.
func (s *Spec) Rules() []*Rule {
	return slices.DeleteFunc(slices.Collect(s.AllRules()), func(r *Rule) bool { return r.Retired })
}

// AllRules yields all rules, also those that are retired, in the order of pages and of the lists in them.
func (s *Spec) AllRules() iter.Seq[*Rule] { return each(s, func(p *Page) []Rule { return p.Rules }) }

// Flags yields the flag types of all pages.
func (s *Spec) Flags() iter.Seq[*FlagType] {
	return each(s, func(p *Page) []FlagType { return p.Flags })
}

// Enums yields the enum types of all pages.
func (s *Spec) Enums() iter.Seq[*EnumType] {
	return each(s, func(p *Page) []EnumType { return p.Enums })
}

// Records yields the records of all pages.
func (s *Spec) Records() iter.Seq[*Record] {
	return each(s, func(p *Page) []Record { return p.Records })
}

// Objects yields the objects of all pages.
func (s *Spec) Objects() iter.Seq[*Object] {
	return each(s, func(p *Page) []Object { return p.Objects })
}

// Verbs yields the verbs of all pages.
func (s *Spec) Verbs() iter.Seq[*Verb] { return each(s, func(p *Page) []Verb { return p.Verbs }) }

// each yields the entries of a list of all pages.
func each[T any](s *Spec, list func(*Page) []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, p := range s.Pages {
			for i := range list(p) {
				if !yield(&list(p)[i]) {
					return
				}
			}
		}
	}
}

// VerbByC returns a bound verb by its C name, or nil.
func (s *Spec) VerbByC(c string) *Verb { return named[Verb](s, c) }

// FlagByGo returns a flag type by its Go name, or nil. That of another module is named with it: verbs.MRAccess.
func (s *Spec) FlagByGo(name string) *FlagType { return named[FlagType](s.of(name)) }

// EnumByGo returns an enum type by its Go name, or nil. That of another module is named with it: verbs.EventType.
func (s *Spec) EnumByGo(name string) *EnumType { return named[EnumType](s.of(name)) }

// RecordByGo returns a record by its Go name, or nil. That of another module is named with it: verbs.QPInitAttr.
func (s *Spec) RecordByGo(name string) *Record { return named[Record](s.of(name)) }

// named returns the entry of a name, or nil.
func named[T any](s *Spec, name string) *T {
	if s == nil {
		return nil
	}
	x, _ := s.byName[name].(*T)
	return x
}

// of returns the pages that have a Go type, and its name there; nil when they stand on no such module.
func (s *Spec) of(name string) (*Spec, string) {
	module, bare, dotted := strings.Cut(name, ".")
	if !dotted {
		return s, name
	}
	if u := s.Module.UseOf(module); u != nil {
		return u.Spec, bare
	}
	return nil, ""
}

// RecordByC returns a record by its C tag without "struct ", or nil.
func (s *Spec) RecordByC(c string) *Record { return s.recordC[c] }

// UnionByGo returns a union by its Go name, or nil.
func (s *Spec) UnionByGo(name string) *Union { return named[Union](s, name) }

// ObjectByGo returns an object by its Go name, or nil. That of another module is named with it: verbs.PD.
func (s *Spec) ObjectByGo(name string) *Object { return named[Object](s.of(name)) }

// ObjectByC returns an object by its C tag without "struct ", or nil.
func (s *Spec) ObjectByC(c string) *Object { return s.objectC[c] }

// SkipByC returns the entry of a declaration that is skipped, or nil.
func (s *Spec) SkipByC(c string) *Skip { return s.skips[c] }

// PendingByC returns the entry of a declaration that is pending, or nil.
func (s *Spec) PendingByC(c string) *Pending { return s.pending[c] }

// bare is a tag without the word before it.
func bare(name string) string {
	if word, tag, ok := strings.Cut(name, " "); ok && (word == "struct" || word == "union" || word == "enum") {
		return tag
	}
	return name
}

// index fills the indexes.
func (s *Spec) index() {
	s.pages, s.rules, s.byVerb = map[string]*Page{}, map[string]*Rule{}, map[string][]*Rule{}
	s.byName, s.recordC, s.objectC = map[string]any{}, map[string]*Record{}, map[string]*Object{}
	s.skips, s.pending, s.notes = map[string]*Skip{}, map[string]*Pending{}, map[string][]*Note{}

	for _, p := range s.Pages {
		s.pages[p.Page] = p
		s.indexPage(p)
	}
	for i := range s.Pending {
		s.pending[s.Pending[i].C] = &s.Pending[i]
	}
	for _, r := range s.Rules() {
		s.byVerb[r.Verb] = append(s.byVerb[r.Verb], r)
	}
}

// claim is a name that an entry takes.
type claim struct {
	name string   // as told in errors
	keys []string // of names that may not be taken twice
	what string   // "this C name is bound"
	of   string   // several Go types may stand for one C type: the first one takes it
	pos  Pos
}

// claims finds names that are taken twice across files. Files of later layers are those with the mistake.
func (s *Spec) claims() (errs Errors) {
	var all []claim
	for _, p := range s.Pages {
		all = append(all, p.claims()...)
	}
	for _, p := range s.Pending {
		all = append(all, claimC(p.C, "pending", p.Pos))
	}
	slices.SortStableFunc(all, func(a, b claim) int { return cmp.Compare(s.layers[a.pos.File], s.layers[b.pos.File]) })
	taken := map[string]claim{}
	for _, c := range all {
		twice := false
		for _, key := range c.keys {
			if first, ok := taken[key]; !ok {
				taken[key] = c
			} else if !twice && (c.of == "" || c.of != first.of) {
				twice = true
				errs = append(errs, Error{Pos: c.pos, Subject: show(bare(c.name)), Code: CodeDuplicateName,
					Problem: fmt.Sprintf("%s; it is also defined at %s", c.what, first.pos), Fix: "keep one of them"})
			}
		}
	}
	return append(errs, s.numbersTwice()...)
}

// claimC is that of whatever has a C name: a function, a tag or a constant. A function may have the name of a tag.
func claimC(name, as string, pos Pos) claim {
	c := claim{name: name, keys: []string{name + "()", "C " + bare(name)}, what: "this C name is " + as, pos: pos}
	if bare(name) != name {
		c.keys = c.keys[1:]
	}
	return c
}

// claims lists the names that a page takes.
func (p *Page) claims() (out []claim) {
	goName := func(of, name, as string, pos Pos) {
		if of != "" && name != "" { // of a field or method of a Go type
			name, as = of+"."+name, as+" of "+of
		}
		if name != "" {
			out = append(out, claim{name: name, keys: []string{"Go " + name}, what: "this Go name is " + as, pos: pos})
		}
	}
	for t := range p.types() {
		goName("", t.Go, t.what, t.pos)
		if t.C != "" && t.C != ObjectInt { // of which each is a type of its own
			_, what, _ := strings.Cut(t.what, " ")
			out = append(out, claim{t.C, []string{"C " + t.C}, "this C name is bound as " + what + " " + t.Go, t.cName(), t.pos})
		}
	}
	for _, r := range p.Records {
		for _, f := range r.Fields {
			goName(r.Go, f.Go, "a field", f.Pos)
		}
		for _, w := range r.Switches {
			goName(r.Go, w.Go, "a switch", w.Pos)
		}
		if r.Setup != nil {
			for _, x := range r.Setup.Types {
				goName("", x.Go, "a setup", x.Pos)
			}
		}
	}
	for _, o := range p.Objects {
		for _, l := range o.Lends {
			goName(o.Go, l.Go, "a method", l.Pos)
		}
		for _, g := range o.Getters {
			goName(o.Go, g.Go, "a getter", g.Pos)
		}
		for _, a := range o.Addresses {
			goName(o.Go, a.Go, "a getter", a.Pos)
		}
	}
	for _, v := range p.Verbs {
		out = append(out, claim{name: v.C, keys: []string{v.C + "()"}, what: "this C name is bound", pos: v.Pos})
		for _, m := range v.Methods {
			goName("", m.Go, "a method of "+v.C, m.Pos)
		}
	}
	for _, k := range p.Skip {
		out = append(out, claimC(k.C, "skipped", k.Pos))
	}
	return out
}

func (s *Spec) indexPage(p *Page) {
	for i := range sections {
		for x := range entriesOf(sections[i].list(p)) {
			e := x.Addr().Interface()
			switch s.byName[nameOf(x)] = e; e := e.(type) {
			case *Record:
				s.recordC[e.C] = e
			case *Object:
				s.objectC[e.C] = e
			}
		}
	}
	for i := range p.Skip {
		s.skips[p.Skip[i].C] = &p.Skip[i]
	}
	for i := range p.Notes {
		s.notes[p.Notes[i].Verb] = append(s.notes[p.Notes[i].Verb], &p.Notes[i])
	}
	for i := range p.Rules {
		s.rules[p.Rules[i].ID] = &p.Rules[i]
	}
}

// numbersTwice finds numbers of rules that are used twice. The later place is the mistake.
func (s *Spec) numbersTwice() (errs Errors) {
	rules := slices.SortedStableFunc(s.AllRules(), func(a, b *Rule) int {
		return cmp.Or(cmp.Compare(s.layers[a.Pos.File], s.layers[b.Pos.File]), strings.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	numbers := map[int]*Rule{}
	for _, r := range rules {
		n, ok := ruleNumber(r.ID)
		switch first := numbers[n]; {
		case !ok:
		case first == nil:
			numbers[n] = r
		default:
			errs = append(errs, Error{Pos: r.Pos, Subject: r.ID, Code: CodeDuplicateRule,
				Problem: fmt.Sprintf("number %04d belongs to %s (%s)", n, first.ID, first.Pos), Fix: "take a number that was never used"})
		}
	}
	return errs
}
