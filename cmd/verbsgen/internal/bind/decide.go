package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// This file holds the declarations of a release against the pages: each is bound, skipped with a reason, pending or undecided, and so is
// each field of a bound record and each enumerator of a bound enum.

// Status is what is decided of one declaration.
type Status struct {
	Name   string
	Status string // Bound, Skipped, Pending or Undecided
	Reason string // of a skipped one, or of an undecided one that is out of scope
	Page   string // of a bound or skipped one
	Pos    api.Pos
}

// What is decided of a declaration.
const (
	Bound     = "bound"
	Skipped   = "skipped"
	Pending   = "pending"
	Undecided = "undecided"
)

// Decisions is what the specs decide of every declaration of a release.
type Decisions struct {
	Functions, Records, Enums, Macros []Status
	// Variables of the header are undecided unless a page skips them: none can be bound.
	Variables []Status
	// Members are the fields of bound records, and the enumerators of bound enums and of enums without a name, that no page decides.
	Members []Member
}

// Member is a field or an enumerator that no page decides.
type Member struct {
	Of    string // "struct ibv_qp_attr"
	Name  string // "rnr_retry"
	Pos   api.Pos
	Field bool
	Go    string   // the Go type that lacks the field
	Page  spec.Pos // of that type
}

// Decide says of every declaration of rel whether the specs bind it, skip it, or leave it pending. A helper of the
// header (a function with a leading underscore, an anonymous record) follows what it belongs to.
func Decide(rel *api.Release, sp *spec.Spec) Decisions {
	rel = own(rel)
	d := decider{}
	d.read(rel, sp)
	facts := spec.NewFacts(rel)
	var out Decisions
	for _, f := range rel.Functions {
		s := d.status(f.Name, f.Pos)
		if s.Status == Undecided {
			s.Reason = ScopeOf(facts, &f)
		}
		out.Functions = append(out.Functions, s)
	}
	for _, r := range rel.Records {
		out.Records = append(out.Records, d.status(r.Tag, r.Pos))
	}
	for _, e := range rel.Enums {
		out.Enums = append(out.Enums, d.enumStatus(e))
	}
	for _, m := range rel.Macros {
		out.Macros = append(out.Macros, d.status(m.Name, m.Pos))
	}
	for _, v := range rel.Variables {
		out.Variables = append(out.Variables, d.status(v.Name, v.Pos))
	}
	out.Members = slices.Concat(fields(rel, sp), d.enumerators(rel, sp, out.Enums))
	return out
}

// own are the declarations of a release but those of other modules, whose pages decide on them.
func own(rel *api.Release) *api.Release {
	out := *rel
	out.Records = slices.DeleteFunc(slices.Clone(rel.Records), func(r api.Record) bool { return r.Foreign })
	out.Enums = slices.DeleteFunc(slices.Clone(rel.Enums), func(e api.Enum) bool { return e.Foreign })
	return &out
}

// decider is what the pages decide, by name.
type decider map[string]Status

func (d decider) bound(name string) bool { return d[name].Status == Bound }

// read takes the pages in. What is bound is neither skipped nor pending.
func (d decider) read(rel *api.Release, sp *spec.Spec) {
	for _, p := range sp.Pending {
		d[p.C] = Status{Status: Pending}
	}
	for _, p := range sp.Pages {
		for _, s := range p.Skip {
			d[s.C] = Status{Status: Skipped, Reason: s.Reason, Page: p.Page}
		}
	}
	for _, p := range sp.Pages {
		bind := func(names ...string) {
			for _, name := range names {
				d[name] = Status{Status: Bound, Page: p.Page}
			}
		}
		for _, v := range p.Verbs {
			bind(v.C)
		}
		for _, u := range p.Unions {
			bind("union " + u.C)
		}
		for _, o := range p.Objects {
			for _, tag := range append([]string{o.C}, o.Also...) {
				bind("struct " + tag)
			}
		}
		for _, f := range p.Flags {
			bind("enum " + f.Enum)
			bind(f.Members...)
			bind(f.Ranges...)
		}
		for _, e := range p.Enums {
			bind("enum " + e.Enum)
			bind(e.Members...)
		}
		for _, r := range p.Records {
			bind("struct "+r.C, orZero(r.Arm).Is)
			for _, f := range r.Fields {
				bind(f.Bit)
			}
			for _, s := range r.Switches {
				bind(s.C)
			}
		}
	}
	for _, e := range rel.Enums { // an enum is bound when one of its enumerators is: a mask whose bits the builders set
		for _, m := range e.Enumerators {
			if d.bound(m.Name) && !d.bound(e.Tag) {
				d[e.Tag] = d[m.Name]
			}
		}
	}
	for _, f := range rel.Functions { // what a header macro leads to goes with the function that users know
		if d.bound(f.Name) && f.Redirect != "" {
			d[f.Redirect] = d[f.Name]
		}
	}
}

// enumStatus looks an enum up. One without a name follows its enumerators: its made-up tag counts the enums before it, and
// is another one's in the next release.
func (d decider) enumStatus(e api.Enum) Status {
	if !anonymous(e.Tag) {
		return d.status(e.Tag, e.Pos)
	}
	for _, m := range e.Enumerators {
		if of := d.exactly(m.Name, e.Pos); of.Status != Undecided {
			of.Name = e.Tag
			return of
		}
	}
	return Status{Name: e.Tag, Status: Undecided, Pos: e.Pos}
}

// anonymous reports whether a tag is made up.
func anonymous(tag string) bool { return strings.Contains(tag, "<anonymous") }

// status looks a declaration up; pages name records and enums to be skipped or pending without the word before the tag, unless they bind
// a function of the name.
func (d decider) status(name string, pos api.Pos) Status {
	s := d.exactly(name, pos)
	if _, tag, ok := strings.Cut(name, " "); ok && s.Status == Undecided && !d.bound(tag) {
		s = d.exactly(tag, pos)
		s.Name = name
	}
	return s
}

// exactly looks a name up as it stands.
func (d decider) exactly(name string, pos api.Pos) Status {
	s := d[name]
	s.Name, s.Pos, s.Status = name, pos, cmp.Or(s.Status, Undecided)
	return s
}

// undecided lists the declarations that no page decides. An enum without a name is not among them: its members are.
func (d Decisions) undecided() []Status {
	return slices.DeleteFunc(slices.Concat(d.Functions, d.Records, d.Enums, d.Macros, d.Variables), func(s Status) bool {
		return s.Status != Undecided || anonymous(s.Name)
	})
}

// LeftOut lists what no page decides, as show writes it: functions, records, enums, macros, variables, then fields and enumerators of what
// is bound.
func (d Decisions) LeftOut(show func(at api.Pos, name string) string) []string {
	out := []string{}
	for _, s := range d.undecided() {
		out = append(out, show(s.Pos, s.Name))
	}
	for _, m := range d.Members {
		if line := show(m.Pos, m.String()); !slices.Contains(out, line) { // several Go types may lack the same field
			out = append(out, line)
		}
	}
	return out
}

// Named is the name alone, for LeftOut.
func Named(_ api.Pos, name string) string { return name }

// String names the member with what it is part of.
func (m Member) String() string {
	if m.Field {
		return "field " + m.Name + " of " + m.Of
	}
	if anonymous(m.Of) {
		return m.Name
	}
	return m.Name + " of " + m.Of
}

// UndecidedErr lists what is neither bound, skipped nor pending; nil when there is nothing.
func (d Decisions) UndecidedErr() error {
	var errs diag.List
	for _, s := range d.undecided() {
		if s.Reason != "" {
			errs.Add(diag.At(diag.Undecided, s.Pos, s.Name, s.Reason,
				"skip it with this reason, or run with --allow-undecided to leave it out"))
			continue
		}
		errs.Add(diag.At(diag.Undecided, s.Pos, s.Name, "no page binds or skips it, and no pending.yaml lists it",
			fmt.Sprintf("describe it on its page, skip it there with a reason, or run with --allow-undecided to leave %s out", s.Name)))
	}
	for _, m := range d.Members {
		if m.Field {
			errs.Add(diag.At(diag.FieldUndecided, m.Page, m.Go,
				fmt.Sprintf("field %s of %s (%s) is neither under fields: nor under hide:", m.Name, m.Of, m.Pos.Short()),
				"add it to one of them, on the page or in a file that extends it, or run with --allow-undecided to leave it out"))
			continue
		}
		errs.Add(diag.At(diag.MemberUndecided, m.Pos, m.String(),
			"no page uses this enumerator in a type, a field or a switch",
			"add it to one of them, or skip it with a reason, on the page or in a file that extends it, or run with --allow-undecided to "+
				"leave it out"))
	}
	return errs.Err()
}

// fields lists the fields of bound records that a Go type neither shows nor hides.
func fields(rel *api.Release, sp *spec.Spec) []Member {
	facts := spec.NewFacts(rel)
	var out []Member
	add := func(tag, goName string, at spec.Pos, known map[string]bool) {
		rec := facts.Record(tag)
		if rec == nil {
			return
		}
		for _, f := range rec.Fields {
			outer, _, _ := strings.Cut(f.Name, ".")
			if f.Name != "" && !known[f.Name] && !(known[outer] && strings.HasPrefix(tag, "union ")) && !rec.Container(f) {
				out = append(out, Member{Of: rec.Tag, Name: f.Name, Pos: f.Pos, Field: true, Go: goName, Page: at})
			}
		}
	}
	with := func(known map[string]bool, hide map[string]string) map[string]bool {
		for c := range hide {
			known[c] = true
		}
		return known
	}
	for _, p := range sp.Pages {
		for _, r := range p.Records {
			if r.Runtime == "" { // which has all
				add("struct "+r.C, r.Go, r.Pos, with(r.Shown(), r.Hide))
			}
		}
		for _, u := range p.Unions {
			add("union "+u.C, u.Go, u.Pos, with(map[string]bool{u.Shows: true}, u.Hide))
		}
	}
	return out
}

// enumerators lists the enumerators of bound enums, and of enums without a name, that no page decides. A Go type that lists no
// members has all of its enum; a skipped or pending enum is so with all it has.
func (d decider) enumerators(rel *api.Release, sp *spec.Spec, enums []Status) []Member {
	whole, other := map[string]bool{}, map[string][]string{}
	for _, p := range sp.Pages {
		for _, f := range p.Flags {
			whole["enum "+f.Enum] = whole["enum "+f.Enum] || len(f.Members) == 0
		}
		for _, e := range p.Enums {
			whole["enum "+e.Enum] = whole["enum "+e.Enum] || len(e.Members) == 0
		}
	}
	for _, a := range rel.Aliases {
		other[a.Of] = append(other[a.Of], a.Name)
		if whole["enum "+a.Name] {
			whole["enum "+a.Of] = true
		}
	}
	var out []Member
	for i, e := range rel.Enums {
		if enums[i].Status != Bound && !anonymous(e.Tag) || whole[e.Tag] {
			continue
		}
		for _, m := range e.Enumerators {
			names := append([]string{m.Name}, other[m.Name]...)
			if !slices.ContainsFunc(names, func(c string) bool { return d.exactly(c, api.Pos{}).Status != Undecided }) {
				out = append(out, Member{Of: e.Tag, Name: m.Name, Pos: api.Pos{File: e.Pos.File, Line: m.Line}})
			}
		}
	}
	return out
}
