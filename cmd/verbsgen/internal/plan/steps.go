package plan

import "github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"

// Step is one thing that a method does. The types of this file are all that there are; emit has a function for each. A name or
// path in a step is one of the generated code: "pd", "attrC.comp_mask".
type Step interface{ step() }

// Steps of every face of a verb, in about the order in which they stand.
type (
	// Name names the verb for errors.
	Name struct{ Verb string }
	// Enter begins the use of a handle until the method returns, and then takes the steps of Then. An optional one may be nil.
	Enter struct {
		Handle   string
		Optional bool
		Then     []Step
	}
	// Missing refuses the call when the library has none of the functions.
	Missing struct {
		Verb, Lib string
		Symbols   []string
	}
	// Refuse returns an error under a condition.
	Refuse struct{ When, Error Value }
	// Gather joins flags that are given one by one; none stands for all.
	Gather struct {
		Flags, Into, Type string
		All               uint64
	}
	// CopyAttr copies a builder's mirror.
	CopyAttr struct{ Attr, Into string }
	// EnterArms begins the use of all handles that a list of arms has, and collects their nodes. Each is of the same device.
	EnterArms struct{ List, Of, Nodes, Self, Root string }
	// PackArms makes the bytes of a struct and of the arms behind it, and counts both in the struct.
	PackArms struct {
		List, Head, Into string
		Count, Size      *model.Leaf
	}
	// CopyHead copies a struct to the front of such bytes.
	CopyHead struct{ Head, Into, Mirror string }
	// CopyList makes an array of the mirrors of a list of records.
	CopyList struct{ List, Into, Mirror string }
	// Whole stands for all memory.
	Whole struct{ Addr, Length string }
	// Unmanaged refuses memory of Go's heap, which only a slice or a pin may name.
	Unmanaged struct{ Addr, Length string }
	// Pin pins a slice, until the method returns or what it makes is closed.
	Pin struct{ Buf, Addr, Length string }
	// Retain keeps a buffer from being closed for as long.
	Retain struct{ Buf, Addr, Length string }
	// HoldAttr takes the memory that a builder was given, for as long.
	HoldAttr struct{ Attr, Mirror string }
	// Register registers the allocator that a builder was given, for as long.
	Register struct{ Attr, Mirror string }
	// Take takes the memory that a change of a region was given; Settle decides who has it.
	Take struct{ Change, Region string }
	// Check holds the call against the rules of the verb.
	Check struct {
		Verb           string // in the names of its validators
		Inputs, Caps   []Entry
		From           string // the function that gives the capabilities
		Lib            string
		Refuses, Lints bool
		Release        string // lets go of memory before a refusal
	}
	// Lock locks a mutex until the method returns.
	Lock struct{ Mutex string }
	// Call calls a verb and returns its error.
	Call struct {
		Verb    string
		By      Value
		Answer  Answer
		Into    string // of a pointer, a number or a value
		Failure Failure
	}
	// Make makes the handle of a new object.
	Make struct{ Into, Object, Owner, From string }
	// Keep leaves what was pinned or held to the new object, until its Close has succeeded.
	Keep struct{}
	// KeepBuffer leaves a retained buffer to the new object. One that is given by a builder may be nil; what the builder pinned
	// is let go of.
	KeepBuffer struct {
		Buf, Object string
		Given       bool
	}
	// Attach tells device memory of its C object; the length may be unknown, which is 0.
	Attach struct {
		Length  string
		Unknown bool
	}
	// Adopt opens the new handle under its parents.
	Adopt struct {
		Handle  string
		Parents []Parent
		Also    string // a list of nodes
	}
	// FillList fills the caller's list of records from their mirrors: all, or the first Count.
	FillList struct{ List, From, Count string }
	// Output fills a result from its mirror.
	Output struct{ Into, Mirror, Type string }
	// KeepCaps keeps the capabilities of a device for later rules, unless the plain attributes alone were answered.
	KeepCaps struct{ Device, Mirror, Mask string }
	// Return returns values: the results, and nil in the place of the error.
	Return struct{ Values []Value }
)

// Small steps, of which helpers are made as well.
type (
	// Declare declares a variable.
	Declare struct{ Var Var }
	// Define declares a variable with a value.
	Define struct {
		Name  string
		Value Value
	}
	// Set stores values.
	Set struct {
		To     []string
		Values []Value
		Remark string
	}
	// SetBits sets bits; Remark is their C name.
	SetBits struct {
		To     string
		Bits   Value
		Remark string
	}
	// If takes steps under a condition.
	If struct {
		When Value
		Then []Step
	}
	// Do calls a function of the handle or of the runtime.
	Do struct{ Call Value }
	// Get calls a function that returns a value and an error, and returns the error.
	Get struct {
		Into string
		Call Value
	}
)

// Steps of single forms and handles.
type (
	// Open opens the node of a handle; when that fails, the C object is given back.
	Open struct{ Kind string }
	// Batch crosses into the data path. It returns Failed for an errno, with what Else says, where the method counts.
	Batch struct {
		Into   string // the count
		Call   Value
		Failed Value
		Else   Value
	}
	// Settle decides who holds which memory after a change of a region.
	Settle struct{ Region, Change, Domain string }
	// NewCalls registers the functions of an allocator.
	NewCalls struct{ Object, Alloc, Free, Context string }
	// TakeMemory takes the memory of a builder.
	TakeMemory struct{ Addr, Length string }
	// FirstErr keeps the first int that does not fit into C's.
	FirstErr struct{ Value, What string }
	// NextCompletion waits for an event of a queue.
	NextCompletion struct{ Queue string }
	// NextAsync waits for an event of a device.
	NextAsync struct {
		Type    string
		Objects []string
	}
)

// Parent is a node that an object lives under; that of an optional handle is asked by the handle's type.
type Parent struct{ Handle, Optional string }

// Failure is the error of a call that failed, and what may explain it.
type Failure struct {
	By      string // an allocator's calls; empty: verr
	Verb    string // where the method does not name it
	Lints   string // in the name of the validator
	Memlock bool   // ENOMEM may be the limit on locked memory
	Gone    bool   // the device memory may be gone
}

// Answer is how a call says that it failed.
type Answer string

// Answers.
const (
	Nothing  Answer = "nothing"
	Pointer  Answer = "pointer"  // nil
	Errno    Answer = "errno"    // not 0
	Negative Answer = "negative" // below 0
	NotZero  Answer = "not zero" // an int that is not 0
	Negated  Answer = "negated"  // an int below 0, which is the errno
	Code     Answer = "code"     // both kept: Settle looks at them
)

func (Name) step()           {}
func (Enter) step()          {}
func (Missing) step()        {}
func (Refuse) step()         {}
func (Gather) step()         {}
func (CopyAttr) step()       {}
func (EnterArms) step()      {}
func (PackArms) step()       {}
func (CopyHead) step()       {}
func (CopyList) step()       {}
func (Whole) step()          {}
func (Unmanaged) step()      {}
func (Pin) step()            {}
func (Retain) step()         {}
func (HoldAttr) step()       {}
func (Register) step()       {}
func (Take) step()           {}
func (Check) step()          {}
func (Lock) step()           {}
func (Call) step()           {}
func (Make) step()           {}
func (Keep) step()           {}
func (KeepBuffer) step()     {}
func (Attach) step()         {}
func (Adopt) step()          {}
func (FillList) step()       {}
func (Output) step()         {}
func (KeepCaps) step()       {}
func (Return) step()         {}
func (Declare) step()        {}
func (Define) step()         {}
func (Set) step()            {}
func (SetBits) step()        {}
func (If) step()             {}
func (Do) step()             {}
func (Get) step()            {}
func (Open) step()           {}
func (Batch) step()          {}
func (Settle) step()         {}
func (NewCalls) step()       {}
func (TakeMemory) step()     {}
func (FirstErr) step()       {}
func (NextCompletion) step() {}
func (NextAsync) step()      {}
