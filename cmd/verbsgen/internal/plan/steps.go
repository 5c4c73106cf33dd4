package plan

import "github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"

// Step is one thing that a method does. The types of this file are all that there are; emit has a case for each. A name or
// path in a step is one of the generated code: "pd", "attrC.comp_mask".
type Step any

// Steps of every face of a verb, in about the order in which they stand.
type (
	// Name names the verb for errors.
	Name struct{ Verb string }
	// Enter begins the use of a handle until the method returns, and then takes the steps of Then. An optional one may be nil. One beside
	// the handle Beside, in the place with the C name What, must be of the same device.
	Enter struct {
		Handle, Beside, What string
		Optional             bool
		Then                 []Step
	}
	// Until declares a variable for as long as the method runs, which ends by its method End.
	Until struct {
		Var Var
		End string
	}
	// Missing refuses the call when the library has none of the functions.
	Missing struct {
		Verb, Lib string
		Symbols   []string
	}
	// Refuse returns an error under a condition.
	Refuse struct{ When, Error Value }
	// Gather joins flags that are given one by one. Without any, it sets all.
	Gather struct {
		Flags, Into string
		All         uint64
	}
	// CopyAttr copies a builder's mirror, or writes a plain struct into one, which may have a value that does not fit.
	CopyAttr struct {
		Attr, Into, Mirror string
		Plain, Fails       bool
	}
	// EnterArms begins the use of all handles that a list of arms has. Each must be of the same device as Beside.
	EnterArms struct{ List, Of, Beside string }
	// PackArms makes the bytes of a struct and of the arms behind it, and counts both in the struct.
	PackArms struct {
		List, Of, Head, Into string
		Count, Size          *model.Leaf
	}
	// EnterList begins the use of all handles of a list, each of the same device as Beside, or as the others in Uses. Into has their C
	// objects. Where a struct has the list, its address goes To it, and its length into Count.
	EnterList struct {
		List, Of, Uses, Beside, What, Into string
		Pins, To, Count                    string
		Len                                *model.Leaf
		Log2                               bool
	}
	// CopyHead copies a struct to the front of such bytes.
	CopyHead struct{ Head, Into string }
	// CopyList makes an array of the mirrors of a list of records of a type.
	CopyList struct{ List, Into, Type string }
	// Hold takes memory, until the method returns or what it makes is closed, and declares variables with its address and length.
	Hold struct {
		From         Value
		Addr, Length string
	}
	// HoldAttr takes the memory that a builder was given, for as long.
	HoldAttr struct{ Attr, Mirror string }
	// Check holds the call against the rules of the verb.
	Check struct {
		Verb         string // in the names of its validators
		Inputs, Caps []Entry
		From         string // the function that gives the capabilities
		Refuses      bool
		Release      string // lets go of memory before a refusal
	}
	// Hint reports the lints that a call breaks.
	Hint struct{ Verb, Lib string }
	// PinData puts the address of bytes into a copied mirror, until the method returns.
	PinData struct{ Into, Bytes string }
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
	// Keep leaves what was held to the new object, until its Close has succeeded, in the name of the object.
	Keep struct{}
	// Attach gives device memory its C object, of the length.
	Attach struct{ Length string }
	// Place keeps where addresses in a new memory region begin: at the first of First that is given, otherwise at Start.
	Place struct {
		First          []Given
		Start, Unknown Value
	}
	// UseOthers declares what has the handles of a library that are in use until the method returns. They must be of one device.
	UseOthers struct{ Into, Lib string }
	// EnterOther begins the use of a handle of another package, and LendOther that of a builder of one.
	EnterOther struct {
		Into, Uses, Handle, What string
		Optional                 bool
	}
	LendOther struct {
		Into, Uses, Attr string
		Plain            bool
	}
	// FillOther gives memory of a record of another package to a verb.
	FillOther struct{ Into, Record string }
	// MakeOther makes a handle of another package.
	MakeOther struct {
		Into, Object, Uses string
		C                  Value
		Parents            []Parent
		From               string // the builder of the same package that it was made with
		End                *Func  // nil where the library of the object ends it
	}
	// Adopt opens the new handle under its parents.
	Adopt struct {
		Handle  string
		Parents []Parent
	}
	// FillList fills the caller's list of records of a type from their mirrors: all, or the first Count.
	FillList struct{ List, From, Type, Count string }
	// Output fills a result from its mirror. It is a pointer, or by value what another verb takes so.
	Output struct {
		Into, Mirror, Type string
		ByValue            bool
	}
	// KeepCaps keeps the capabilities of a device for later rules, unless the plain attributes alone were answered.
	KeepCaps struct{ Device, Mirror, Mask string }
	// Return returns values: the results, and nil in the place of the error.
	Return struct{ Values []Value }
)

// Small steps, of which helpers are made as well.
type (
	// Declare declares a variable.
	Declare struct{ Var Var }
	// Assign stores values by an operator: "=", "|=", or ":=" for new variables. Without To it only calls: at once, or for "defer" when the
	// method returns.
	Assign struct {
		To     []string
		Op     string
		Values []Value
		Remark string
	}
	// If takes steps under a condition.
	If struct {
		When Value
		Then []Step
	}
	// Try calls a function that returns an error, or a value for Into and an error, and returns the error.
	Try struct {
		Into string
		Call Value
	}
)

// Steps of single forms and handles.
type (
	// Batch crosses into the data path. It returns Failed for an errno, with what Else says, where the method counts.
	Batch struct {
		Into   string // the count
		Call   Value
		Failed Value
		Else   Value
	}
	// Read reads a field of r out of the mirror c.
	Read struct{ Field *model.Field }
)

// Given is a value that counts under a condition.
type Given struct{ When, Value Value }

// Parent is a node that an object lives under: that of a handle, which may be nil if it is optional. Held is that of a handle of another
// package, Many are all in a variable.
type Parent struct {
	Handle, Held, Many string
	Optional           bool
}

// Failure is the error of a call that failed, and what may explain it.
type Failure struct {
	By     string  // an allocator's calls; empty: verr
	Verb   string  // where the method does not name it
	Lints  string  // in the name of the validator
	Lib    string  // of the method
	Memory []Value // address, length and access of the memory that Device takes
	Node   string  // of the node that the call opens
	Route  string  // the mirror of the path to a peer, which Device can explain
	Device string
	Gone   bool          // the device memory may be gone
	Causes []model.Cause // what notes say of errnos
	Spare  string        // by an errno, whether there was nothing left to destroy, and the call counts as made; empty: no errno says so
}

// Answer is how a call says that it failed.
type Answer string

// Answers.
const (
	Nothing  Answer = "nothing"
	Pointer  Answer = "pointer"  // nil
	Errno    Answer = "errno"    // not 0
	Either   Answer = "either"   // not 0: the errno with either sign, or -1
	Negative Answer = "negative" // below 0
	NotZero  Answer = "not zero" // an int that is not 0
	Negated  Answer = "negated"  // an int below 0, which is the errno
	Code     Answer = "code"     // both kept
)
