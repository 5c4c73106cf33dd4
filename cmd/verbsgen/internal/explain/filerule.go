package explain

import (
	"encoding/json"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// Rule is one rule, with all that shared rules say of it.
type Rule struct {
	ID        string       `json:"id"`
	Function  string       `json:"function"`
	Subject   string       `json:"subject,omitempty"` // a path; empty for a rule about several fields
	Kind      string       `json:"kind"`
	Severity  string       `json:"severity"` // error or lint
	Needs     string       `json:"needs"`    // args, caps or state
	Errno     string       `json:"errno,omitempty"`
	Statement string       `json:"statement"`
	Fix       []string     `json:"fix"` // any of them will do
	Page      string       `json:"page"`
	Section   string       `json:"section,omitempty"`
	Passage   string       `json:"passage,omitempty"` // hash of the passage of the page
	Sources   spec.Sources `json:"sources,omitempty"`
	Note      string       `json:"note,omitempty"`

	Each   string  `json:"each,omitempty"` // the path of the list whose elements are judged one by one
	Broken *Node   `json:"broken"`         // the condition under which a call breaks the rule
	Limits []*Node `json:"limits"`         // what the subject is compared with

	AcceptedBy []*Party `json:"accepted_by"`
	RefusedBy  []*Party `json:"refused_by"`
	Accept     *Example `json:"accept"` // a call that fulfils the rule
	Reject     *Example `json:"reject"` // a call that breaks it, and no other rule
}

// Example is a call: arguments, and capabilities of the device.
type Example struct {
	Args map[string]any `json:"args"`
	Caps map[string]any `json:"caps"`
}

// Party is who is known to accept, or to refuse, a call that breaks the rule.
type Party struct {
	Provider  string       `json:"provider,omitempty"` // empty: every one
	Kernel    string       `json:"kernel,omitempty"`   // a range as written; empty: every one
	From      string       `json:"from,omitempty"`     // the first kernel of the range
	Before    string       `json:"before,omitempty"`   // the first kernel after it
	Release   *Range       `json:"release,omitempty"`  // of rdma-core; nil: every one
	When      *Node        `json:"when,omitempty"`     // the entry counts only for such calls
	But       string       `json:"but,omitempty"`      // accepted, but not as the page says
	Run       bool         `json:"run"`                // the call was made; otherwise the source was read
	WholeVerb bool         `json:"whole_verb,omitempty"`
	Crash     bool         `json:"crash,omitempty"` // nobody refuses: the program crashes
	Sources   spec.Sources `json:"sources"`
}

// Range is a range of releases of rdma-core.
type Range struct {
	From   string `json:"from,omitempty"`
	Before string `json:"before,omitempty"` // the first release after it
}

// Node is a node of a condition, as spec/cond has them.
type Node struct {
	Op    string      `json:"op"`
	Path  string      `json:"path,omitempty"`  // of arg and cap
	Name  string      `json:"name,omitempty"`  // of a constant
	Value json.Number `json:"value,omitempty"` // of a constant, a number or flags
	Names []string    `json:"names,omitempty"` // of flags
	Mask  *Node       `json:"mask,omitempty"`
	Of    []*Node     `json:"of,omitempty"`
}

// ops are the names of nodes. An operand is arg, cap, constant or page_size.
var ops = map[cond.Op]string{
	cond.Flags: "flags", cond.Sum: "sum", cond.Rest: "rest", cond.Power: "power", cond.Given: "given", cond.IfGiven: "if_given",
	cond.All: "all", cond.Any: "any", cond.Not: "not",
	cond.Has: "has", cond.HasAll: "has_all", cond.Lacks: "lacks", cond.Only: "only",
	cond.Eq: "eq", cond.Ne: "ne", cond.Lt: "lt", cond.Le: "le",
	cond.Gt: "gt", cond.Ge: "ge", cond.In: "in", cond.Same: "same", cond.Null: "null", cond.NotNull: "not_null", cond.Set: "set",
	cond.Unset: "unset", cond.BadTransition: "bad_transition", cond.Way: "way",
}

func (m *maker) rule(r *spec.Rule, by *judged) *Rule {
	out := &Rule{ID: r.ID, Function: r.Verb, Subject: r.Subject, Kind: r.Kind, Severity: r.Severity, Needs: r.Needs, Errno: r.Errno,
		Statement: r.Statement, Fix: []string{}, Page: r.Page, Section: r.Section, Passage: r.Passage, Sources: r.Source, Note: r.Note,
		Each: by.walked, Broken: m.node(r.Verb, by.broken), Limits: []*Node{},
		AcceptedBy: m.parties(r, r.AcceptedBy), RefusedBy: m.parties(r, r.RefusedBy), Accept: example(r.Accept), Reject: example(r.Reject)}
	if v := m.spec.VerbByC(r.Verb); v != nil && v.Param(r.Subject) != nil && r.Fix.String() == v.Param(r.Subject).NullFix() {
		t, _ := m.facts.Param(m.facts.Func(r.Verb), r.Subject)
		out.Fix = []string{"pass a valid " + t.C}
	} else {
		for _, way := range r.Fix {
			out.Fix = append(out.Fix, spec.Fix{way}.String())
		}
	}
	for n := range by.violated.Nodes() {
		if n.Op.Compares() {
			out.Limits = append(out.Limits, m.node(r.Verb, n.Sub[1]))
		}
	}
	return out
}

func example(c spec.Case) *Example { return &Example{Args: orEmpty(c.Args), Caps: orEmpty(c.Caps)} }

func (m *maker) parties(r *spec.Rule, list []spec.Party) []*Party {
	out := []*Party{}
	for _, p := range list {
		e := &Party{Provider: p.Provider, Kernel: p.Kernel, When: m.node(r.Verb, spec.Conditions(p.When)), But: p.But,
			WholeVerb: p.WholeVerb, Crash: p.Crash, Run: p.Run(r), Sources: p.Source}
		if p.Kernel != "" {
			e.From, e.Before = series(p.Kernels.From), series(p.Kernels.End)
		}
		if p.Release != "" {
			e.Release = &Range{series(p.Releases.From), series(p.Releases.End)}
		}
		out = append(out, e)
	}
	return out
}

// series writes a kernel or a release; none is "".
func series(k spec.Kernel) string {
	if k == (spec.Kernel{}) {
		return ""
	}
	return k.String()
}

// node describes a condition, or a value in one, about calls of a function; nil for none.
func (m *maker) node(verb string, n *spec.Cond) *Node {
	if n == nil {
		return nil
	}
	out := &Node{Op: ops[n.Op], Mask: m.node(verb, n.Mask)}
	switch n.Op {
	case cond.Operand:
		m.operand(verb, n.Of, out)
	case cond.Flags:
		value, _ := mask(m.facts, n.Of.Flags)
		out.Names, out.Value = m.flagNames(n.Of.Flags), jsonNumber(value)
	}
	for _, s := range n.Sub {
		out.Of = append(out.Of, m.node(verb, s))
	}
	return out
}

// flagNames returns the names of flags, and of each enum among them those of its flags; never nil.
func (m *maker) flagNames(names []string) []string {
	out := []string{}
	for _, name := range names {
		if e := m.facts.EnumOf(name); spec.IsEnum(name) && e != nil {
			for _, f := range spec.FlagsOf(e) {
				out = append(out, f.Name)
			}
			continue
		}
		out = append(out, name)
	}
	return out
}

// operand describes what an operand names.
func (m *maker) operand(verb string, of spec.Ref, out *Node) {
	op, i := m.operandOf(m.facts.Func(verb), of)
	out.Op = op
	switch op {
	case opCap, opArg:
		out.Path = of.Text
	case opConstant:
		out.Name = of.Text
	}
	if i != nil && op != opPage {
		out.Value = jsonNumber(i)
	}
}
