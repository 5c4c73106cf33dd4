package bind

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Status is what is decided of one declaration.
type Status struct {
	Name   string
	Status string // Bound, Skipped, Pending or Undecided
	Reason string // of a skipped one
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
}

// Decide tells for every declaration of rel whether the specs bind it, skip it, or leave it pending. A helper of the
// header (a function with a leading underscore, an anonymous record) follows what it belongs to.
func Decide(rel *api.Release, sp *spec.Spec) Decisions {
	d := decider{bound: map[string]string{}, skip: map[string]skipped{}, pending: map[string]bool{}}
	d.read(rel, sp)
	var out Decisions
	for _, f := range rel.Functions {
		out.Functions = append(out.Functions, d.status(f.Name, f.Pos))
	}
	for _, r := range rel.Records {
		out.Records = append(out.Records, d.status(r.Tag, r.Pos))
	}
	for _, e := range rel.Enums {
		out.Enums = append(out.Enums, d.status(e.Tag, e.Pos))
	}
	for _, m := range rel.Macros {
		out.Macros = append(out.Macros, d.status(m.Name, m.Pos))
	}
	return out
}

type skipped struct{ reason, page string }

type decider struct {
	bound   map[string]string // name -> page
	skip    map[string]skipped
	pending map[string]bool
}

func (d *decider) read(rel *api.Release, sp *spec.Spec) {
	for _, p := range sp.Pages {
		for _, v := range p.Verbs {
			d.bound[v.C] = p.Page
		}
		for _, r := range p.Records {
			d.bound["struct "+r.C] = p.Page
		}
		for _, o := range p.Objects {
			d.bound["struct "+o.C] = p.Page
		}
		for _, f := range p.Flags {
			d.bound["enum "+f.Enum] = p.Page
			for _, c := range append(append([]string{}, f.Members...), f.Ranges...) {
				d.bound[c] = p.Page
			}
		}
		for _, e := range p.Enums {
			d.bound["enum "+e.Enum] = p.Page
			for _, c := range e.Members {
				d.bound[c] = p.Page
			}
		}
		for _, s := range p.Skip {
			d.skip[s.C] = skipped{s.Reason, p.Page}
		}
		for _, r := range p.Records {
			for _, f := range r.Fields {
				if f.Bit != "" {
					d.bound[f.Bit] = p.Page
				}
			}
			for _, s := range r.Switches {
				d.bound[s.C] = p.Page
			}
		}
	}
	d.byMembers(rel)
	for _, list := range [][]spec.Pending{sp.Pending} {
		for _, p := range list {
			d.pending[p.C] = true
		}
	}
	for _, f := range rel.Functions { // what a header macro leads to goes with the function that users know
		if f.Redirect == "" {
			continue
		}
		if page, ok := d.bound[f.Name]; ok {
			d.bound[f.Redirect] = page
		}
	}
}

// byMembers counts an enum as bound when one of its enumerators is: a mask whose bits the builders set.
func (d *decider) byMembers(rel *api.Release) {
	for _, e := range rel.Enums {
		for _, m := range e.Enumerators {
			if page, ok := d.bound[m.Name]; ok && d.bound[e.Tag] == "" {
				d.bound[e.Tag] = page
			}
		}
	}
}

// status looks a declaration up; pages name records and enums to be skipped or pending without the word before the tag.
func (d *decider) status(name string, pos api.Pos) Status {
	s := d.exactly(name, pos)
	if _, tag, ok := strings.Cut(name, " "); ok && s.Status == Undecided {
		s = d.exactly(tag, pos)
		s.Name = name
	}
	return s
}

// exactly looks a name up as it stands.
func (d *decider) exactly(name string, pos api.Pos) Status {
	s := Status{Name: name, Status: Undecided, Pos: pos}
	switch {
	case d.bound[name] != "":
		s.Status, s.Page = Bound, d.bound[name]
	case d.skip[name] != skipped{}:
		s.Status, s.Page, s.Reason = Skipped, d.skip[name].page, d.skip[name].reason
	case d.pending[name]:
		s.Status = Pending
	}
	return s
}

// UndecidedErr lists the declarations that are neither bound, skipped nor pending; nil when there are none.
func (d Decisions) UndecidedErr() error {
	var errs diag.List
	for _, list := range [][]Status{d.Functions, d.Records, d.Enums, d.Macros} {
		for _, s := range list {
			if s.Status == Undecided {
				errs.Add(diag.New(diag.Undecided, s.Pos.File, s.Pos.Line, s.Pos.Col, s.Name, "neither bound, skipped nor pending in the spec",
					fmt.Sprintf("describe it on its page, skip it there with a reason, or run with --allow-undecided to leave %s out", s.Name)))
			}
		}
	}
	return errs.Err()
}
