package model

import (
	"math/big"
	"slices"

	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
	"github.com/verbsgen/verbsgen/spec/role"
)

// Verb is one bound function.
type Verb struct {
	C         string
	Go        string // base of the unexported names made for it: "AllocDM"
	Page      string
	Doc       string
	Since     string
	Returns   string // spec.Ret...
	MayFail   bool   // what it returns says whether it has failed
	CRet      string
	Params    []*Param
	Creates   *Object
	Result    string // Go type of a value that it returns and that cannot fail; empty when no method returns it
	Enum      *Enum  // of that type
	Made      *Made  // where the new object stands, when the verb does not return it
	EndedBy   *Verb  // that Close of the new object calls; nil for the one of the object
	Updates   bool   // changes fields of the receiver that getters return
	Marks     []Mark // properties that are known once it has succeeded: of the new object, else of the receiver
	Callbacks bool   // may run Go: its shim is never marked nocallback
	Way       string
	Symbol    *Symbol // exported function called, WayExported and WayExport
	Dispatch  *api.Dispatch
	Special   *Special
	Methods   []*Method
	Parts     map[string]*Part
	Lists     *Record // the entry of the list that it returns
	Reads     *Lazy   // what its reader reads
	Stream    *Stream // what its stream of commands is made of
	View      *View   // of an object with a stream of commands, that it finds
	Empty     string  // C name of the errno with which it found nothing
	Extent    *Extent
	Asks      *Extent // where the flags stand of what its object is asked for
	Inner     bool    // the C function of another verb calls it: of a reader, of a stream
	IOVA      *IOVA
	Rules     []*Rule // in order of the pages
	Causes    []Cause // what notes say of its errnos
	Node      string  // file of /dev/infiniband that it opens
	Explained bool    // the rules are held against a request that was refused, not against the call
	Pos       api.Pos
}

// Mark is a property of a handle, with the value that a call gives it.
type Mark struct {
	Prop string
	Set  bool
	From *Param // the value that says whether it is set; or nil
	Of   string // with From, a handle: the property of it that the new one has
}

// Made is where a verb stores the object that it makes: a variable that a parameter points to, or a field of the C object that one is.
type Made struct {
	Param *Param
	Field string
}

// Extent is where a value stands in the record of a parameter, such as the length of the device memory that a verb makes.
type Extent struct {
	Param *Param
	Leaf  *Leaf // of its record; nil: the parameter itself
}

// IOVA is where addresses in a new memory region begin.
type IOVA struct {
	From    []IOVAFrom // the first that is given counts; none: 0
	Unknown bool
	Vague   *IOVAFrom // the access flags, where they have the flag that makes it vague
}

// IOVAFrom is a parameter, or a field of the record that it is.
type IOVAFrom struct {
	Param *Param
	Field *Field // of its record, or nil
}

// Symbols lists the exported functions that are called for the verb: of a special all that may serve.
func (v *Verb) Symbols() []*Symbol {
	switch {
	case v.Special != nil:
		return v.Special.Symbols
	case v.Symbol != nil:
		return []*Symbol{v.Symbol}
	}
	return nil
}

// Answers reports whether the C side of the verb answers with ENOSYS where the library lacks its functions. Only a source that a program
// hands to LoadFrom can lack those of the oldest supported release; that a newer function is missing is said before the call, in full.
func (v *Verb) Answers() bool {
	all := v.Symbols()
	return len(all) > 0 && v.MayFail && !slices.ContainsFunc(all, func(s *Symbol) bool { return !s.Floor })
}

// Checked are the rules of a verb that its validator checks: those that refuse a call, or the lints.
func (v *Verb) Checked(lint bool) []*Rule {
	return slices.DeleteFunc(slices.Clone(v.Rules), func(r *Rule) bool { return !r.Checked || r.Lint != lint })
}

// Explains are the rules of a verb that explain a refused request: those that are enough to have it refused, or the others. A lint is
// enough when it is about the object, and not about the request: then no request of that kind is taken. It is, too, when the request
// is larger than the object was made for.
func (v *Verb) Explains(enough bool) []*Rule {
	var out []*Rule
	for _, r := range v.Rules {
		ofObject := r.Subject != nil && (r.Subject.Kind == OpProp || r.Subject.Kind == OpMade)
		for n := range r.Violated.Nodes() {
			ofObject = ofObject || n.Op == cond.Operand && n.Of.Kind == OpMade
		}
		if r.Checked && (!r.Lint || ofObject) == enough {
			out = append(out, r)
		}
	}
	return out
}

// Inputs are the values that the validator of a verb looks at, each once.
func (v *Verb) Inputs() []Operand { return Inputs(append(v.Checked(false), v.Checked(true)...)...) }

// Part returns the verb that plays a part for this one, or nil.
func (v *Verb) Part(name string) *Verb {
	if p := v.Parts[name]; p != nil {
		return p.Verb
	}
	return nil
}

// Param returns the parameter of a C name, or nil.
func (v *Verb) Param(c string) *Param {
	return First(v.Params, func(p *Param) bool { return p.C == c })
}

// Special is a verb whose C side is written by hand, once.
type Special struct {
	Name    string
	Symbols []*Symbol // exported functions it calls, in the order of the template's parameters
	Op      bool      // an op of the context may serve without any of them
	Types   []string  // C declarations that it needs beside those of the parameters
}

// Param is one parameter of a verb.
type Param struct {
	C       string
	Go      string
	CType   string
	GoType  string
	Role    *role.Role
	Object  *Object
	Handles *Object // of a list of handles
	Enum    *Enum
	Record  *Record
	Size    int64 // of the struct that the caller has as bytes, or that has pairs
	Pairs   []*Pair
	Union   *Union // of a value that is handed in or out by its address
	Field   *int64 // offset of the pointer in the object that C gets in place of it
	Null    bool
	Parent  bool
	Big     bool     // in network byte order, or a pointer to what is
	Moves   bool     // after the call the receiver is below this one
	Counted *Counted // bytes behind a pointer of role counted
	Most    int      // bytes behind a pointer of role block
	Count   int      // numbers behind a pointer of role out; 0: one
	Rest    bool     // flags given one by one, last in the call; without any, all are meant
	Len     *Param
	Bit     *Member // of the verb's flags, set together with the parameter
	Hex     bool    // messages write it in hex
	Doc     string

	Unjudged bool // the rules of its own module do not hold for a record of another one
}

// Pair is a member of the struct of a parameter of role pair: the object that C finds behind a pointer at an offset, and the record that
// it fills behind another.
type Pair struct {
	Name        string
	In, Out     *Param // as parameters of roles handle and out_record
	InAt, OutAt int64
	Owns        bool // the object must have queues of its own
}

// Taken is the record that the caller fills for the parameter; nil for another parameter.
func (p *Param) Taken() *Record {
	if p.Role == role.InRecord {
		return p.Record
	}
	return nil
}

// PairOf is the member that a method is for, or nil.
func (p *Param) PairOf(m *Method) *Pair {
	return First(p.Pairs, func(x *Pair) bool { return x.Name == m.Pair })
}

// Filled is the record that the verb fills for the parameter; nil for another parameter.
func (p *Param) Filled() *Record {
	if p.Role == role.OutRecord {
		return p.Record
	}
	return nil
}

// HostMemory reports whether a parameter is the address of host memory whose length is known, or that length.
func (v *Verb) HostMemory(p *Param) bool {
	return slices.ContainsFunc(v.Params, func(q *Param) bool {
		return q.Role != nil && q.Role.Passes == role.PassesHost && q.Len != nil && (q == p || q.Len == p)
	})
}

// Signed reports whether rules see a parameter with its sign.
func (p *Param) Signed() bool { return p.GoType == "int" || p.GoType == "int64" }

// OfGo reports whether a parameter is the address of memory of Go, which stays in place for the call.
func (p *Param) OfGo() bool { return p.Role.Passes == role.PassesMemory || p.Union != nil }

// Method is one Go face of a verb.
type Method struct {
	Recv  string // "Lib", or the Go name of an object
	Name  string
	Form  string               // of package form
	Fixed map[string]*big.Int  // C parameter -> value
	Pair  string               // of a parameter of role pair, the member that the method is for
	Sets  map[string][]*Member // C parameter -> flags that are always set
	Doc   string
}

// Cause is a statement that may explain an errno ("ENOENT") of a verb.
type Cause struct{ Errno, Text string }
