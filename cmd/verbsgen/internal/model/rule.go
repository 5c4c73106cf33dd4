package model

import (
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// Rule is one rule, with the flags of its conditions as bits and the operands resolved.
type Rule struct {
	ID        string
	Verb      string
	Page      string
	Section   string
	Subject   *Operand // nil for a rule on several fields
	Lint      bool
	Statement string
	Fix       string // with Go names
	Needs     string

	AcceptedBy []string // who is known to accept a call that breaks a lint, in words
	RefusedBy  []string

	Violated    *Cond // what the kind of the rule asks is not so
	Broken      *Cond // the same, of a call that the rule applies to
	Unsupported bool  // a call that breaks it asks for what the device lacks

	Checked bool   // the generated validator checks it
	Why     string // of others: KeptByType, KeptByHandles and how; or why it cannot be checked

	Accept map[string]any
	Reject map[string]any
	AcceptCaps,
	RejectCaps map[string]any
	Pos api.Pos
}

// How Why begins for a rule that no call can break.
const (
	KeptByType    = "kept by the type: "
	KeptByHandles = "kept by the handles: "
)

// Operands lists every operand that a rule has, but constants: first those that its kind is about, and a limit before the sum that
// is held against it. The inputs of the validators stand in this order.
func (r *Rule) Operands() []*Operand {
	var all []*Operand
	if r.Subject != nil {
		all = append(all, r.Subject)
	}
	for _, tree := range []*Cond{r.Violated, r.Broken} {
		for n := range tree.Nodes() {
			if n.Op >= cond.Has && n.Sub[0].Op == cond.Sum {
				n = n.Sub[1]
			}
			if n.Op == cond.Operand && n.Of.Kind != OpConst {
				all = append(all, n.Of)
			}
		}
	}
	return all
}

// Inputs are the operands of rules that a validator looks at, each once.
func Inputs(rules ...*Rule) (out []Operand) {
	seen := map[string]bool{}
	for _, r := range rules {
		for _, o := range r.Operands() {
			if o.Name != "" && !seen[o.Name] {
				seen[o.Name] = true
				out = append(out, *o)
			}
		}
	}
	return out
}

// Cond is a condition of a rule. Flags are constants.
type Cond = cond.Node[*Operand]

// Kinds of operands.
const (
	OpConst = "const"
	OpArg   = "arg"                // a parameter or a field of a struct it points to
	OpProp  = "prop"               // a property of an object
	OpCap   = "cap"                // a capability
	OpPage  = "page"               // the host's page size
	OpField = "field of a request" // of one that was refused
	OpMade  = "made"               // what an object was made with
)

// What of a list of a request an operand is.
const (
	ListTotal = "total" // the sum
	ListLeast = "least" // the smallest, when no element may be smaller
)

// Operand is a value in a rule.
type Operand struct {
	Kind   string
	Text   string // as written
	Const  uint64
	Name   string // unique Go name within the verb's inputs
	Param  *Param
	Field  *Field // of the parameter's record, nil for the parameter itself
	Leaf   *Leaf  // of the record's mirror: also for fields without a Go face
	Prop   string // of the parameter's object
	CField string // the field of the C object that has the property; empty when the handle has it
	Signed bool
	Bit    uint64 // mask bit that says the field is given, 0 when ungated
	Enum   *Enum  // of a property or a field of a request
	At     int64  // offset of a field of a request, or of an element of its list
	Layout string // Go type with the layout of that field
	List   string // List...; empty for a field of the request itself
}
