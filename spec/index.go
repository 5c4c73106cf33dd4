package spec

import (
	"cmp"
	"fmt"
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
	var out []*Rule
	for _, p := range s.Pages {
		for i := range p.Rules {
			if !p.Rules[i].Retired {
				out = append(out, &p.Rules[i])
			}
		}
	}
	return out
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

// claims finds names decided twice.
type claims struct {
	what string
	at   map[string]Pos
	errs *Errors
}

// bare is a tag without the word before it.
func bare(name string) string {
	if word, tag, ok := strings.Cut(name, " "); ok && (word == "struct" || word == "union" || word == "enum") {
		return tag
	}
	return name
}

// claim notes a second claim of a name.
func (c *claims) claim(name, as string, pos Pos) { c.claimAs(bare(name), bare(name), as, pos) }

// claimFunc notes one of a function, which may have the name of a tag.
func (c *claims) claimFunc(name, as string, pos Pos) bool { return c.claimAs(name+"()", name, as, pos) }

// claimC notes one of whatever has a C name.
func (c *claims) claimC(name, as string, pos Pos) {
	if bare(name) != name || c.claimFunc(name, as, pos) {
		c.claim(name, as, pos)
	}
}

// claimAs reports whether the name was free.
func (c *claims) claimAs(key, name, as string, pos Pos) bool {
	if name == "" {
		return true
	}
	if first, taken := c.at[key]; taken {
		*c.errs = append(*c.errs, Error{Pos: pos, Subject: show(name), Code: CodeDuplicateName,
			Problem: fmt.Sprintf("%s %s; it is also defined at %s", c.what, as, first), Fix: "keep one of them"})
		return false
	}
	c.at[key] = pos
	return true
}

// claimIn notes a claim of the name of a field or method of a Go type.
func (c *claims) claimIn(of, name, as string, pos Pos) {
	if name != "" {
		c.claim(of+"."+name, as+" of "+of, pos)
	}
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

// claims finds what contradicts itself across files. Parts are what each page and each file that adds to one says by itself.
func (s *Spec) claims(parts []*Page) Errors {
	var errs Errors
	cNames := &claims{"this C name is", map[string]Pos{}, &errs}
	goNames := &claims{"this Go name is", map[string]Pos{}, &errs}
	slices.SortStableFunc(parts, func(a, b *Page) int { return cmp.Compare(a.layer, b.layer) })
	seen := map[string]bool{}
	for _, p := range parts {
		claimPage(p, seen, cNames, goNames)
	}
	for i := range s.Pending {
		p := &s.Pending[i]
		cNames.claimC(p.C, "pending", p.Pos)
	}
	return append(errs, numbersTwice(parts)...)
}

// claimPage notes the names that a file decides. An entry that only adds to one of its page claims no name again.
func claimPage(p *Page, seen map[string]bool, cNames, goNames *claims) {
	// Several Go types may stand for one C type: the first one claims it.
	once := func(name, c, as string, pos Pos) {
		if !seen[name] {
			cNames.claim(c, as, pos)
		}
		seen[name] = true
	}
	for t := range p.types() {
		if p.added(t.section, t.Go) {
			continue
		}
		goNames.claim(t.Go, t.what, t.pos)
		if t.C != ObjectInt { // of which each is a type of its own
			_, what, _ := strings.Cut(t.what, " ")
			once(t.cName(), t.C, "bound as "+what+" "+t.Go, t.pos)
		}
	}
	for _, r := range p.Records {
		for _, f := range r.Fields {
			goNames.claimIn(r.Go, f.Go, "a field", f.Pos)
		}
		for _, w := range r.Switches {
			goNames.claimIn(r.Go, w.Go, "a switch", w.Pos)
		}
		if r.Setup != nil {
			for _, x := range r.Setup.Types {
				goNames.claim(x.Go, "a setup", x.Pos)
			}
		}
	}
	for _, o := range p.Objects {
		for _, l := range o.Lends {
			goNames.claimIn(o.Go, l.Go, "a method", l.Pos)
		}
		for _, g := range o.Getters {
			goNames.claimIn(o.Go, g.Go, "a getter", g.Pos)
		}
		for _, a := range o.Addresses {
			goNames.claimIn(o.Go, a.Go, "a getter", a.Pos)
		}
	}
	for _, v := range p.Verbs {
		if !p.adds["verbs "+v.C] {
			cNames.claimFunc(v.C, "bound", v.Pos)
		}
		for _, m := range v.Methods {
			goNames.claim(m.Go, "a method of "+v.C, m.Pos)
		}
	}
	for i := range p.Skip {
		cNames.claimC(p.Skip[i].C, "skipped", p.Skip[i].Pos)
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

// numbersTwice finds numbers of rules that are used twice.
func numbersTwice(parts []*Page) Errors {
	var errs Errors
	numbers := map[int]*Rule{}
	for _, p := range parts {
		for i := range p.Rules {
			r := &p.Rules[i]
			if n, ok := ruleNumber(r.ID); ok {
				if first := numbers[n]; first != nil {
					errs = append(errs, Error{Pos: r.Pos, Subject: r.ID, Code: CodeDuplicateRule,
						Problem: fmt.Sprintf("number %04d belongs to %s (%s)", n, first.ID, first.Pos),
						Fix:     "take a number that was never used"})
				} else {
					numbers[n] = r
				}
			}
		}
	}
	return errs
}
