// Package spec reads the YAML pages, one for each man page: how its verbs look in Go, and which calls it forbids.
//
// It owns the form of the pages, their strict loader and the index of rules, and embeds the project's own pages. Embedded returns them,
// with the pages of other folders laid over them, CheckNames compares every C name and path with the facts of package api. The package
// knows nothing of C headers, of Go code or of how a rule is checked. REFERENCE.md describes every key.
package spec

import "github.com/verbsgen/verbsgen/spec/role"

// Pos is a place in a YAML file.
type Pos struct {
	File string
	Line int
	Col  int
}

// Page is one YAML file: how the verbs of a man page look in Go, and which calls it forbids.
type Page struct {
	Entry
	Page    string     `page:"must"`         // "ibv_reg_mr": the file is spec/verbs/ibv_reg_mr.yaml
	Title   string     `page:"must"`         // own words
	Release string     `page:"must,release"` // release of the reference page ("65.0")
	Flags   []FlagType `page:"own"`
	Enums   []EnumType `page:"own"`
	Records []Record   `page:"own"`
	Unions  []Union    `page:"own"`
	Objects []Object   `page:"own"`
	Verbs   []Verb     `page:"own"`
	Rules   []Rule     `page:"-"`
	Notes   []Note
	LeftOut []LeftOut
	Plain   []Plain
	Skip    []Skip `page:"own"`
}

// FlagType is a Go flag type made for one use of a C enum: only the flags that use accepts.
type FlagType struct {
	Entry
	Go      string            `page:"name,exported"` // "MRAccess"
	Enum    string            // "ibv_access_flags"
	Prefix  string            // "IBV_ACCESS_": stripped from the member names
	Bits    int               `page:"bits"` // width: 32 or 64
	Runtime string            // as of EnumType
	Members []string          // C enumerators or macros of this use, in header order; empty: all of the enum
	Ranges  []string          `c:"constant"`    // macros of ranges of bits that pass without a name
	Names   map[string]string `page:"exported"` // Go names of members for which the usual name is bad
	Doc     string            `page:"must"`
	Docs    map[string]string // C name -> what it does, own words
}

// EnumType is a Go type of a C enum of values.
type EnumType struct {
	Entry
	Go     string `page:"name,exported"`
	Enum   string // C tag without "enum "; or empty with Members for an anonymous enum
	Prefix string
	Signed bool
	// Untyped are constants that are of no type: there is no Go type then.
	Untyped bool
	Names   map[string]string `page:"exported"`
	// Runtime is the package below runtime/ that has the type and the names; the generated package has the constants.
	Runtime string
	// Code is what the values stand for, when they can be converted: NumberMTU and others. A type with it needs no enum.
	Code string
	// Members of an anonymous enum.
	Members []string
	// EventOf is set for the type of asynchronous events: which events concern which objects.
	EventOf []EventOf
	Doc     string `page:"must"`
	Docs    map[string]string
	// Likely says what a value most often comes from, of a type with Runtime.
	Likely map[string]string
}

// What the values of a type stand for, by the functions of package cmem below runtime/ that convert them.
const (
	NumberMTU     = "mtu"       // bytes of payload
	NumberTimeout = "timeout"   // a time to wait, or none
	NumberDelay   = "delay"     // a time
	NumberRNR     = "rnr_timer" // a time that a peer waits
)

// EventOf lists the events that concern one thing.
type EventOf struct {
	Entry
	Of     string   `page:"name"`               // C tag of an object ("ibv_qp"), EventOfPort or EventOfDevice
	Events []string `page:"value,key=event_of"` // C enumerators
}

// What an event concerns when it is no object.
const (
	EventOfPort   = "port"
	EventOfDevice = "device"
)

// ObjectInt stands for the tag of the struct of a handle that is an int in C, such as the descriptor of a socket.
const ObjectInt = "int"

// Object is a handle: a Go type of its own for a pointer to a C object, or for an int.
type Object struct {
	Entry
	Go        string   `page:"name,exported"` // "MR"
	C         string   `page:"must"`          // "ibv_mr", or ObjectInt
	Also      []string `c:"struct"`           // structs that begin with C: an extended object is one too
	Parents   []string `page:"must,marked"`
	Destroy   string   `page:"must" c:"function"` // verb that Close calls
	Memory    string   // MemoryDevice: runtime/gensupport/devmem copies to and from the object; MemoryHost
	Region    *Region  `page:"flat"` // it is a memory region: elements of work requests are pieces of it
	Hot       bool     // data-path methods do not enter the handle; Close clears the C pointer
	Getters   []Getter
	FD        string    `c:"field"` // field with the descriptor of a file on which something arrives
	Addresses []Address // fields with the address of a socket, read at each call
	Lends     []Lend
	Lacks     []Lack
	// NeedsVerbs are the verbs that the code of the handle calls, by the part that each plays.
	NeedsVerbs map[string]string `c:",function"`
	// StateFrom says where a validator reads a property: StateObject, StateMade, StateHandle, StateMarks or StateNone.
	StateFrom map[string]string
	Doc       string `page:"must"`
}

// Region says which fields of the C object of a memory region elements are made of.
type Region struct {
	Length string `page:"must"` // getter
	LKey   string `page:"must"` // getter
	// Vague is the access flag with which it depends on the device where addresses in the region begin.
	Vague string `page:"must" c:"constant"`
	Pos   Pos
}

// Lack is what calls of the data path do without where a field of the C object is NULL. Providers do not look.
type Lack struct {
	C        string `page:"name"` // the field: "send_cq"
	What     string `page:"must"` // LackSend, LackRecv or LackEvents
	Given    bool   // where the field is not NULL
	Provider string // the only one that does not take such calls; or empty
	Pos      Pos
}

// What an object may lack.
const (
	LackSend   = "send"
	LackRecv   = "recv"
	LackEvents = "events"
)

// Lend is a field with an object of another module that the library owns: a method returns its handle.
type Lend struct {
	C    string `page:"name" c:"field"`
	Go   string `page:"must,exported"`
	Type string `page:"must"` // "verbs.Device"
	Doc  string `page:"must"`
	Pos  Pos
}

// MemoryDevice is the memory of an object that runtime/gensupport/devmem copies to and from.
const MemoryDevice = "device"

// MemoryHost is the memory of an object that the library allocates in the process: the verb that makes the object returns its address.
const MemoryHost = "host"

// Where a generated validator reads a property of an object.
const (
	StateObject = "object" // a field of the C object, which the library keeps right
	StateMade   = "made"   // the record with which it was made; only for what is judged after a refusal
	StateHandle = "handle" // the Go handle
	StateMarks  = "marks"  // the Go handle: calls that succeeded set it, see Verb.Marks
	StateNone   = "none"   // nowhere: nothing counts it
)

// Getter is a method of the handle that returns a field of the C object.
type Getter struct {
	C     string `page:"name" c:"field"`
	Go    string `page:"must,exported"`
	Type  string // Go type; empty: by the C type
	Label string // names the object in messages by this field: LabelHex or LabelDecimal
	// Changes says that the field changes while the object lives: it is read at each call, and has a method that sets it.
	Changes bool
	FD      bool // a file descriptor: its method returns -1 once the object is closed
	Doc     string
	Pos     Pos
}

// Address is a method of the handle that returns the address of a socket.
type Address struct {
	C   string `page:"name" c:"field"`
	Go  string `page:"must,exported"`
	Doc string `page:"must"`
	Pos Pos
}

// How a getter's value is written in the name of an object.
const (
	LabelHex     = "hex"
	LabelDecimal = "decimal"
)

// Return conventions of verbs.h.
const (
	RetErrno     = "errno"          // 0, or the value of errno
	RetNullErrno = "null_errno"     // NULL and errno
	RetArgument  = "argument"       // one of its arguments, or NULL and errno
	RetMinus1    = "minus1_errno"   // -1 and errno
	RetNumber    = "number_minus1"  // a number that is the result, or -1 and errno
	RetEither    = "errno_either"   // 0, or the errno with either sign, or -1 and errno
	RetNegated   = "number_negated" // a number that is the result, or the negated errno
	RetVoid      = "void"
	RetValue     = "value" // a value that cannot fail
	RetRereg     = "rereg" // ibv_rereg_mr: a negative ibv_rereg_mr_err_code, errno beside it
)

// Verb is one function of verbs.h.
type Verb struct {
	Entry
	C       string   `page:"name"`
	Page    string   `page:"-"` // the page it is on; filled by the loader
	Returns string   `page:"must"`
	Creates string   // object that it makes; the caller must close it
	MadeIn  string   `c:"path"`     // path of the field with the new object, where the verb neither returns it nor has a parameter of role made
	EndedBy string   `c:"function"` // verb that Close of the new object calls, with the same receiver, where it is not that of the object's page
	Result  string   // enum type of the value that it returns
	Params  []Param  `page:"must"` // by C name, all of them
	Methods []Method `page:"must,own"`
	Updates bool     // changes fields of its object that getters return
	// Marks are properties that are known once a call has succeeded: of the object that it makes, else of the receiver. The values are
	// "0" and "1", a parameter, which sets the property unless it is 0, or a property of one: "table.level".
	Marks     map[string]string
	Callbacks bool // may call back into Go (parent-domain allocators): never nocallback
	Always    bool // every package has it
	// NeedsVerbs are the other verbs that the generated code of this one calls, by the part that each plays.
	NeedsVerbs map[string]string `c:",function"`
	NeedsTypes []string          // types that the generated code uses besides those of parameters and records
	Lists      string            // the record, of role entry or lazy, of the list that it returns
	Asks       string            `c:"path"` // path of the flags of a lazy record that its object is asked for: "attr.wc_flags"
	Empty      string            // the errno of a verb that found nothing
	Stream     *Stream           // it begins a stream of commands
	Builds     *Builds           // it builds a request in one
	SetsFor    string            `c:"constant"` // it completes every request on a queue of this type, in one
	View       *View             // it finds a view of an object that has a stream of commands
	Command    *Command          // it adds to a request of such a stream, as a function of the view
	IOVA       []string          `c:"path"` // where addresses in the new region begin: paths, of which the first that is given counts, or one word
	Extent     string            `c:"path"` // path of the length of the device memory that it allocates: "attr.length"
	Node       string            // file of /dev/infiniband that it opens, which explains its failure
	Doc        string            `page:"must"`
}

// Param returns the parameter of a name, or nil.
func (v *Verb) Param(c string) *Param {
	for i := range v.Params {
		if v.Params[i].C == c {
			return &v.Params[i]
		}
	}
	return nil
}

// Words of IOVA.
const (
	IOVAZero    = "zero"
	IOVAUnknown = "unknown"
)

// Stream says what the C function of a stream of commands reads in a request and sets in the object.
type Stream struct {
	Request  string            `page:"must"`              // C tag of a request: "ibv_send_wr"
	Asks     string            `page:"must"`              // flag type of the requests that can be asked for
	Sets     map[string]string `page:"must"`              // member of the object -> member of the request
	Opcode   string            `page:"must"`              // member of the request: what it is
	Flags    string            `page:"must"`              // likewise: its flags
	Inline   string            `page:"must" c:"constant"` // the flag of a request whose data is copied
	Elements string            `page:"must"`              // member of the request: how many pieces its data has
	Kind     string            `page:"must"`              // path from the object to its type, for SetsFor
	Driver   string            `c:"constant"`             // opcode of the requests that only functions of a view build; or empty
}

// View is an object beside that of a stream of commands, whose functions build requests of the stream or add to them.
type View struct {
	Stream   string `page:"must"`          // Go type of the stream: verbs.QPStream
	Requests string `page:"must,exported"` // Go type of the requests that the functions are methods of
}

// Command is a function of a view.
type Command struct {
	Go     string `page:"must,exported"` // its method
	Builds bool   // it builds a request; otherwise it adds to one
	With   string // C function that every library has which knows this one; empty: any library
}

// Builds says for which requests a verb is called in a stream.
type Builds struct {
	Opcode string `page:"must" c:"constant"`
	Flag   string `page:"must" c:"constant"` // what must have been asked for
	Data   bool   // it has data
	Names  bool   // it names objects that must be open, which are looked at before the first request is built
}

// Param is one parameter of a verb.
type Param struct {
	Entry
	C     string     `page:"name" c:"parameter"`
	Role  *role.Role `page:"must"`
	Type  string     // object, flag type, enum type or record type
	Go    string     `page:"local"` // Go name, if the usual name is bad
	Null  bool       // NULL is allowed
	Len   string     `c:"parameter"`     // the parameter that holds the length (addr, slice)
	Most  int        `page:"most=65536"` // of role block: the most bytes that it points to
	Count int        `page:"most=64"`    // of role out: how many numbers it points to; 0: one
	Rest  bool       // flags given one by one at the end of the call; no flag means all
	// Parent: the object made by the verb must be closed before this one.
	Parent bool
	Moves  bool   // after the call the receiver must be closed before this one
	Field  string // the pointer in the C object of another module that the function takes in place of the object
	Bytes  bool   // the length of data counts bytes, though C has wider numbers
	Reads  bool   // the verb only reads what it points to (data), though C does not say const
	Bit    string `c:"constant"` // flag that says the parameter is given
	Pairs  []Pair `page:"flat"`  // of role pair
	From   string // in a stream of commands: path from the request to the value
	Hex    bool   // messages write it in hex
	Means  string // what its value is, for rules about every such value: "port"
	// Unjudged says why the rules of the verb of another module that takes the same record are not those of this one.
	Unjudged string
	Doc      string
}

// Pair is an object of a parameter of role pair, and the record that the verb fills for it. In C both are behind the pointers in and out of
// a member of a struct.
type Pair struct {
	Name  string `page:"name"`            // of the member
	Type  string `page:"must"`            // object
	Fills string `page:"must"`            // record
	Owns  bool   `page:"key=owns_queues"` // the object must have queues of its own
	Pos   Pos
}

// Method is a Go method of a verb. Most verbs have one, a registration has several.
type Method struct {
	Entry
	Go    string            `page:"name,method"` // "PD.RegMR", "Lib.ImportDevice"
	Form  string            // one of package form; empty: parameters in order
	Fixed map[string]string `c:"parameter,value"` // parameters with a fixed value
	Pair  string            // the member of a parameter of role pair that the method is for
	// ImpliesFlags are set in the verb's flags, whatever the caller gives.
	ImpliesFlags []string `c:"constant"`
	Doc          string   // beside the verb's doc
}

// Skip is a declaration of verbs.h that gets no Go name, with the reason.
type Skip struct {
	C      string `page:"name"`
	Reason string `page:"value"`
	Pos    Pos
}

// Pending is a declaration of verbs.h that is neither bound nor skipped yet (spec/verbs/pending.yaml).
type Pending struct {
	C        string
	Category string // one of categories
	Pos      Pos
}

// categories are the keys of spec/verbs/pending.yaml.
var categories = []string{"functions", "records", "enums", "macros"}
