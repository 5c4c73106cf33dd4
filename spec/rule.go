package spec

// Severities of rules.
const (
	SeverityError = "error" // the call is refused before it reaches the library
	SeverityLint  = "lint"  // a message only: some provider or kernel accepts it, or may do so
)

// What deciding a rule needs.
const (
	NeedsArgs  = "args"  // the arguments alone
	NeedsCaps  = "caps"  // capabilities of the device too
	NeedsState = "state" // properties of the objects passed
)

// Rule is one rule of a man page. The lists that a kind does not use are empty.
//
// A path with [] speaks of each element of a list: the rule is judged once for each way to bind the lists in its
// subject (without one, in the first of Fields, Mask, When and Must that has any). Elsewhere, a list that is not
// bound that way counts as a whole: a sum adds all of it, a condition wants one element, a demand wants every one.
//
// What a call leaves out is valid and neutral: no flag of it is set, it is not given, it breaks no rule, and it is
// equal to nothing in a condition. A mask left out has the bits of the fields given. A property of an object left
// out is unknown, and what needs it is not judged.
//
// Operands (Min, Max, To, Sum, SameAs, Cap, and values of atoms) are texts: an integer, a C constant
// (SIZE_MAX, IBV_..., UINT64_MAX), a path of an argument ("attr.length", "dm.length" for a property of an
// object), or, for Cap only, a capability path ("device_attr_ex.max_dm_size").
type Rule struct {
	Entry
	ID        string `page:"must"`
	Verb      string
	Page      string `page:"key=man"` // filled by the loader
	Subject   string // parameter or path; empty for a rule on several Fields
	Kind      string
	Severity  string  // SeverityError unless the YAML says lint
	Statement string  // own words, without a final full stop: "REMOTE_WRITE needs LOCAL_WRITE"
	Fix       Fix     // what to do: "add {IBV_ACCESS_LOCAL_WRITE}"
	Section   string  // section of the page
	Passage   string  `page:"hash"` // hash of the passage (see passage.go); empty with Source set
	Source    Sources // where the page is silent
	Needs     string
	Errno     string `page:"errno"` // of the failed call, for a rule that only explain judges: the error then has statement and fix as a hint; or empty
	Note      string // why it is a lint, or what differs between kernels
	OwnLimit  bool   // providers have lower limits of their own, which no capability tells
	Retired   bool   // withdrawn: never checked, never reused

	// AcceptedBy and RefusedBy list who is known to accept, and to refuse, a call that breaks the rule. What an error is for is
	// accepted only below the floor.
	AcceptedBy []Party
	RefusedBy  []Party

	When   []Atom   `page:"some"` // all hold, or the rule does not apply
	If     []string // flags
	Need   []string // flags
	Not    []string // flags
	Allow  []string `page:"operand"` // flags or ranges of bits (macro names such as IBV_ACCESS_OPTIONAL_RANGE)
	Values []string `page:"operand"` // values
	Fields []string // paths
	Mask   string   // path of the mask
	Bit    string   // flag of Mask
	Bits   []string // flags of Mask
	Min    string   `page:"operand"`
	Max    string   `page:"operand"`
	Sum    []string `page:"operand"`
	Log2   string   // path of the base-2 logarithm of what is meant
	To     string   `page:"operand"` // multiple of this: an operand, or "page" for the host's page size
	SameAs string
	Cap    string
	CapHas []string // flags of Cap
	Must   []Atom   `page:"some"`

	State       string       // path of the state that the object is in
	Assumed     string       // path of a field that, if given, replaces State
	Next        string       // path of the state to go to
	Transitions []Transition `page:"some"`

	Accept Case // arguments that fulfil it, beside neutral ones
	Reject Case // arguments that break this rule and no other

	ReadBy Sources // functions that read through the pointer
}

// Transition is a change from each state of From to each of To, with the flags that it needs and those that it also allows.
type Transition struct {
	Entry
	From []string `page:"must"`
	To   []string `page:"must"`
	Need []string
	May  []string
}

// Atom is one comparison of a condition: exactly one of the tests is set.
type Atom struct {
	Entry
	Of    string   `page:"must"` // path
	Has   []string // any of these flags set
	All   []string // all of these flags set
	Lacks []string // none of these flags set
	Eq    string   `page:"operand"`
	Ne    string   `page:"operand"`
	In    []string `page:"operand"`
	Lt    string   `page:"operand"`
	Le    string   `page:"operand"`
	Gt    string   `page:"operand"`
	Ge    string   `page:"operand"`
	Null  *bool    // is (not) NULL
	Set   *bool    // is (not) neutral: zero, NULL or empty
	Same  string   // is the same object as this path
}

// Case is a call by its arguments, in the form of `verbsgen explain --cases`.
type Case struct {
	Args map[string]any
	Caps map[string]any
	Pos  Pos
}

// Note is a statement of a man page that cannot be checked from arguments, capabilities and properties; it goes into the doc comment.
type Note struct {
	Verb      string  `page:"must"`
	Statement string  `page:"must"`
	Errno     string  `page:"errno"` // the name of an errno of the verb that the statement may explain, or empty
	Section   string  `page:"must"`
	Passage   string  `page:"must,hash"`
	Source    Sources // with Errno, where the page is silent, as for a rule
	// By names what keeps programs to the statement where no rule has its passage: names of the generated package or of a
	// package of runtime/ ("PD.RegMR", "dpath.Batch"), or rules.
	By  []string
	Pos Pos
}

// Plain is a passage of a man page that demands nothing of a call and promises nothing: a heading, what a name means, an example.
type Plain struct {
	Section string
	Passage string
	Pos     Pos
}

// LeftOut is a statement of a man page that a program could check and that no rule checks.
type LeftOut struct {
	Note
	Reason string `page:"must"` // why there is no rule
}
