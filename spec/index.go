package spec

import (
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
