package explain

import (
	"encoding/json"
	"math/big"

	"github.com/verbsgen/verbsgen/spec"
)

// Format and Version say what a file is. The version changes when programs that read files of the one before would misread the next.
const (
	Format  = "verbsgen-rules"
	Version = 2
)

// File is the file of `verbsgen rules --json --full`: all that is needed to judge calls by the rules, for programs in any language.
// docs/rules.schema.json describes its form. It has the names of C and none of Go. Integers may need 64 bits, signed or unsigned.
type File struct {
	Format       string                 `json:"format"`
	Version      int                    `json:"version"`
	Module       string                 `json:"module"`
	Header       string                 `json:"header"`
	Release      string                 `json:"release"` // of rdma-core; empty for a header given by path
	Floor        Floor                  `json:"floor"`
	Constants    map[string]json.Number `json:"constants"` // of the header, and limits of C such as SIZE_MAX
	Types        map[string]*Type       `json:"types"`     // structs, unions and objects, by a name that other types use
	Capabilities map[string]*Capability `json:"capabilities"`
	Functions    map[string]*Function   `json:"functions"`
	Rules        []*Rule                `json:"rules"`
	Notes        []*Statement           `json:"notes"`    // what cannot be checked from arguments
	LeftOut      []*Statement           `json:"left_out"` // what could be checked, and is not
}

// Floor is the oldest software that the verdicts hold for.
type Floor struct {
	Kernel   string `json:"kernel"`
	RDMACore string `json:"rdma-core"`
}

// Capability is the first word, or the first two, of paths of capabilities.
type Capability struct {
	Struct string            `json:"struct"`
	Holds  map[string]string `json:"holds"` // field -> the word under which its fields are known too
}

// Function is a function that calls are judged of.
type Function struct {
	Page       string            `json:"page"`
	Parameters []*Parameter      `json:"parameters"`
	Masks      map[string][]*Bit `json:"masks"` // by the path of a mask, what its bits say is given
}

// Parameter is a parameter of a function.
type Parameter struct {
	Name string `json:"name"`
	Type *Value `json:"type"`
	Null bool   `json:"null"` // NULL is allowed
}

// Bit says that a field is given when a bit of a mask is set.
type Bit struct {
	Field string      `json:"field"`
	Bit   json.Number `json:"bit"`
	Zero  bool        `json:"zero"` // the value 0 counts as given
}

// Statement is a statement of a man page that no rule checks.
type Statement struct {
	Function  string       `json:"function"`
	Statement string       `json:"statement"`
	Errno     string       `json:"errno,omitempty"`
	Page      string       `json:"page"`
	Section   string       `json:"section,omitempty"`
	Passage   string       `json:"passage,omitempty"`
	Sources   spec.Sources `json:"sources,omitempty"`
}

// maker makes a file.
type maker struct {
	*Checker
	file *File
}

// File makes the file of some rules, of the functions that they are about, and of others.
func (k *Checker) File(rules []*spec.Rule, functions []string) *File {
	m := &maker{k, &File{
		Format: Format, Version: Version, Module: k.spec.Module.Name, Header: k.spec.Module.Header, Release: k.release,
		Floor:     Floor{spec.FloorKernel.String(), spec.FloorRelease},
		Constants: map[string]json.Number{}, Types: map[string]*Type{}, Capabilities: map[string]*Capability{}, Functions: map[string]*Function{},
		Rules: []*Rule{}, Notes: []*Statement{}, LeftOut: []*Statement{},
	}}
	for _, name := range m.facts.ConstNames() {
		m.file.Constants[name] = jsonNumber(m.facts.Const(name))
	}
	for root, c := range m.facts.Capabilities() {
		m.file.Capabilities[root] = &Capability{Struct: c.Struct, Holds: orEmpty(c.Holds)}
	}
	for _, name := range functions {
		m.function(name)
	}
	for _, r := range rules {
		m.function(r.Verb)
		if by := m.usable[r]; by != nil {
			m.file.Rules = append(m.file.Rules, m.rule(r, by))
		}
	}
	for _, p := range k.spec.Pages {
		for i := range p.Notes {
			m.file.Notes = m.statement(m.file.Notes, p, &p.Notes[i])
		}
		for i := range p.LeftOut {
			m.file.LeftOut = m.statement(m.file.LeftOut, p, &p.LeftOut[i].Note)
		}
	}
	return m.file
}

// function adds a function that the release has.
func (m *maker) function(name string) {
	fn := m.facts.Func(name)
	if fn == nil || m.file.Functions[name] != nil {
		return
	}
	f := &Function{Parameters: []*Parameter{}, Masks: map[string][]*Bit{}}
	v := m.spec.VerbByC(name)
	if v != nil {
		f.Page = v.Page
	} else if rules := m.spec.RulesOf(name); len(rules) > 0 {
		f.Page = rules[0].Page
	}
	for _, p := range fn.Params {
		t, _ := m.facts.Param(fn, p.Name)
		null := v == nil || v.Param(p.Name) == nil || v.Param(p.Name).Null
		f.Parameters = append(f.Parameters, &Parameter{Name: p.Name, Type: m.value(t), Null: null})
	}
	masks := m.gates[name]
	for _, mask := range sortedKeys(masks) {
		for _, g := range masks[mask] {
			f.Masks[mask] = append(f.Masks[mask], &Bit{Field: g.field, Bit: jsonNumber(g.bit), Zero: g.zero})
		}
	}
	m.file.Functions[name] = f
}

// statement adds a statement about a function of the file.
func (m *maker) statement(to []*Statement, p *spec.Page, n *spec.Note) []*Statement {
	if m.file.Functions[n.Verb] == nil {
		return to
	}
	return append(to, &Statement{Function: n.Verb, Statement: n.Statement, Errno: n.Errno, Page: p.Page, Section: n.Section,
		Passage: n.Passage, Sources: n.Source})
}

// jsonNumber writes an integer of any size.
func jsonNumber(i *big.Int) json.Number { return json.Number(i.String()) }

func orEmpty[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}
