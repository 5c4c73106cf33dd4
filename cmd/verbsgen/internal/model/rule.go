package model

// Rule is one rule, with its flags as bits and its operands resolved.
type Rule struct {
	ID        string
	Verb      string
	Page      string
	Section   string
	Subject   *Operand // nil for a rule on several fields
	Kind      string   // spec.Kind...
	Lint      bool
	Statement string
	Fix       string // with C names
	Needs     string

	AcceptedBy []string // who is known to accept a call that breaks a lint, in words
	RefusedBy  []string

	When    []Test
	If      uint64
	Need    uint64
	Not     uint64
	Allow   uint64
	Values  []Operand
	Fields  []Operand
	Mask    *Operand
	Bits    uint64 // of Mask
	Min     *Operand
	Max     *Operand
	Sum     []Operand
	To      *Operand
	SameAs  *Operand
	Cap     *Operand
	CapHas  uint64
	Must    []Test
	State   *Operand // where a transition begins
	Assumed *Operand // where it is told to begin
	Next    *Operand // where it ends
	Ways    []Way
	Checked bool   // the generated validator checks it
	Why     string // where it is enforced instead, or why it cannot be

	Accept map[string]any
	Reject map[string]any
	AcceptCaps,
	RejectCaps map[string]any
	Pos Pos
}

// Operands lists every operand that a rule has.
func (r *Rule) Operands() []*Operand {
	var all []*Operand
	for _, o := range []*Operand{r.Subject, r.Mask, r.Min, r.Max, r.To, r.SameAs, r.Cap, r.State, r.Assumed, r.Next} {
		if o != nil {
			all = append(all, o)
		}
	}
	for _, list := range [][]Operand{r.Values, r.Fields, r.Sum} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	for _, tests := range [][]Test{r.When, r.Must} {
		for i := range tests {
			all = append(all, &tests[i].Of, &tests[i].Value)
			for j := range tests[i].In {
				all = append(all, &tests[i].In[j])
			}
		}
	}
	return all
}

// Way is a transition between states, with the bits of the mask that it needs and those that it may have.
type Way struct {
	From, To  uint64
	Need, May uint64
}

// Kinds of operands.
const (
	OpConst = "const"
	OpArg   = "arg"  // a parameter or a field of a struct it points to
	OpProp  = "prop" // a property of an object
	OpCap   = "cap"  // a capability
	OpPage  = "page" // the host's page size
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
}

// Tests of an atom.
const (
	TestHas   = "has"
	TestAll   = "all"
	TestLacks = "lacks"
	TestEq    = "eq"
	TestNe    = "ne"
	TestIn    = "in"
	TestLt    = "lt"
	TestLe    = "le"
	TestGt    = "gt"
	TestGe    = "ge"
	TestNull  = "null"
	TestSet   = "set"
	TestSame  = "same"
)

// Test is one comparison of a condition.
type Test struct {
	Of    Operand
	Test  string
	Flags uint64
	Value Operand
	In    []Operand
	Yes   bool // of null and set
}
