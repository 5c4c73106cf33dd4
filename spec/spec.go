// Package spec holds what the man pages say about verbs, as data: one YAML file per page.
//
// It owns the YAML form, its strict loader and the index of rules, and embeds the project's own pages. Embedded gives
// them; Overlay lays folders of others over them; CheckNames holds every C name and path in them against the facts
// of package api. It knows nothing of C headers, of Go code or of how a rule is checked. README.md has the form.
package spec

import "strings"

// Pos is a place in a YAML file.
type Pos struct {
	File string
	Line int
	Col  int
}

// Page is one YAML file: what one man page states, and how its verbs look in Go.
type Page struct {
	Page    string // "ibv_reg_mr": the file is spec/ibv_reg_mr.yaml
	Title   string // own words
	Release string // release of the reference page ("65.0")
	Flags   []FlagType
	Enums   []EnumType
	Records []Record
	Objects []Object
	Verbs   []Verb
	Rules   []Rule
	Notes   []Note
	Skip    []Skip
	Pos     Pos

	layer int             // 0 for the project's own, then the --spec folders from 1 on
	adds  map[string]bool // of a file that extends a page: "records DeviceAttrEx", the entries that the page has already
	marks marks
}

// FlagType is a Go flag type made for one use of a C enum: only the flags that use accepts.
type FlagType struct {
	Go      string            // "MRAccess"
	Enum    string            // "ibv_access_flags"
	Prefix  string            // "IBV_ACCESS_": stripped from the member names
	Bits    int               // width: 32 or 64
	Members []string          // C enumerators or macros of this use, in header order; empty: all of the enum
	Ranges  []string          // macros naming ranges of bits that pass without a name
	Names   map[string]string // exact Go names for members where the rule of naming gives a bad one
	Doc     string
	Docs    map[string]string // C name -> what it does, own words
	Pos     Pos

	marks marks
}

// EnumType is a Go type of a C enum of values.
type EnumType struct {
	Go     string
	Enum   string // C tag without "enum "; or empty with Members for an anonymous enum
	Prefix string
	Signed bool
	Names  map[string]string
	// Runtime is the package under runtime/ that has the type and the names; the generated one has the constants.
	Runtime string
	// Members of an anonymous enum.
	Members []string
	// EventOf makes it the type of asynchronous events: which events concern which objects.
	EventOf []EventOf
	Doc     string
	Docs    map[string]string
	Pos     Pos

	marks marks
}

// EventOf lists the events that concern one thing.
type EventOf struct {
	Of     string   // C tag of an object ("ibv_qp"), EventOfPort or EventOfDevice
	Events []string // C enumerators
	Pos    Pos

	marks marks
}

// What an event concerns when it is no object.
const (
	EventOfPort   = "port"
	EventOfDevice = "device"
)

// Roles of records.
const (
	RecordIn    = "in"    // filled by the caller through a builder
	RecordOut   = "out"   // filled by the verb
	RecordEntry = "entry" // an element of a list, which the form of the method that lists it reads
)

// Record is a Go type of a C struct of plain data.
type Record struct {
	Go   string // "AllocDMAttr"
	C    string // "ibv_alloc_dm_attr"
	Role string
	Mask string // field that holds the compatibility mask, if any
	// MaskParam names the parameter in which a mask beside the struct is handed in (ibv_modify_qp).
	MaskParam string
	New       []string // fields that the constructor takes, in order (role in)
	Fields    []RecordField
	Hide      map[string]string // C fields without a Go face -> reason
	// Switches are mask bits that stand for no field: setting the bit is all.
	Switches []Switch
	// CapsFrom makes the device keep the record as its capabilities: the first word of a capability path, and the field that
	// has those capabilities, or CapsSelf.
	CapsFrom map[string]string
	Doc      string
	Pos      Pos

	marks marks
}

// Shown gives the fields that the Go type shows, and its mask. Of a field inside a nested struct the outer one counts too.
func (r *Record) Shown() map[string]bool {
	shown := map[string]bool{r.Mask: true}
	for _, f := range r.Fields {
		outer, _, _ := strings.Cut(f.C, ".")
		shown[f.C], shown[outer] = true, true
	}
	return shown
}

// CapsSelf stands in CapsFrom for the record itself.
const CapsSelf = "self"

// Switch is a mask bit without a field.
type Switch struct {
	C   string // mask enumerator
	Go  string
	Doc string
	Pos Pos
}

// RecordField is one field of a record.
type RecordField struct {
	C      string
	Go     string
	Type   string // Go flag, enum or record type; empty: by the C type
	Handle string // object type for a pointer to an object
	Bit    string // mask enumerator that says the field is given
	Nested string // record type, role in, that fills a nested struct
	Bool   bool
	Text   bool // a char array: a Go string
	Hex    bool // messages write it in hex
	// Callback names a group of function pointers known to the emitter: "allocator" sets alloc and free, "context" pd_context.
	Callback string
	Len      string // callback memory: the field with the length of that memory
	Pair     string // callback allocator: the field with the function that frees
	Default  string // callback allocator: the constant by which the caller's function leaves a request to the library
	Doc      string
	Pos      Pos

	marks marks
}

// Object is a handle: a Go type of its own for a pointer to a C object.
type Object struct {
	Go      string // "MR"
	C       string // "ibv_mr"
	Parents []string
	Destroy string // verb that Close calls
	Memory  string // "device": the object is copied to and from by runtime/devmem
	Events  bool   // completion events arrive on it: runtime/dpath waits for them
	Hot     bool   // its data path is called without entering the handle: the C pointer is cleared at the end
	Getters []Getter
	// NeedsVerbs are the verbs that the handle's own code calls, by the part that each plays there.
	NeedsVerbs map[string]string
	// StateFrom tells where a validator reads a property: StateObject, StateHandle or StateNone.
	StateFrom map[string]string
	Doc       string
	Pos       Pos

	marks marks
}

// MemoryDevice is the memory of an object that runtime/devmem copies to and from.
const MemoryDevice = "device"

// Where a generated validator reads a property of an object.
const (
	StateObject = "object" // a field of the C object, which the library keeps right
	StateHandle = "handle" // the Go handle
	StateNone   = "none"   // nowhere: nothing counts it
)

// Getter gives a field of the C object.
type Getter struct {
	C     string
	Go    string
	Type  string // Go type; empty: by the C type
	Label string // names the object in messages by this field: LabelHex or LabelDecimal
	Doc   string
	Pos   Pos
}

// How a getter's value is written in the name of an object.
const (
	LabelHex     = "hex"
	LabelDecimal = "decimal"
)

// Return conventions of verbs.h.
const (
	RetErrno     = "errno"        // 0, or the value of errno
	RetNullErrno = "null_errno"   // NULL and errno
	RetMinus1    = "minus1_errno" // -1 and errno
	RetVoid      = "void"
	RetValue     = "value" // a value that cannot fail
	RetRereg     = "rereg" // ibv_rereg_mr: a negative ibv_rereg_mr_err_code, errno beside it
)

// Verb is one function of verbs.h.
type Verb struct {
	C         string
	Page      string // the page it is on; filled by the loader
	Returns   string
	Creates   string  // object that it gives (owned by the caller)
	Params    []Param // by C name, all of them
	Methods   []Method
	Callbacks bool // may call back into Go (parent-domain allocators): never nocallback
	Always    bool // no package works without it
	// NeedsVerbs are the verbs that the generated code of this one calls too, by the part that each plays there.
	NeedsVerbs map[string]string
	NeedsTypes []string // enum types that the generated code uses beside those of parameters and records
	Lists      string   // the record, of role entry, of the list that it returns
	Extent     string   // where the length of the device memory stands that it makes: "attr.length"
	Doc        string
	Pos        Pos

	marks marks
}

// Roles of parameters.
const (
	RoleHandle = "handle" // an object
	RoleIn     = "in"     // a value
	RoleInRec  = "in_record"
	RoleOutRec = "out_record"
	RoleOut    = "out"   // pointer to one scalar
	RoleSlice  = "slice" // pointer to records, count in Len
	RoleFlags  = "flags"
	RoleEnum   = "enum"
	RoleAddr   = "addr" // an address of host memory
	RoleLen    = "len"  // length of that memory, or count of the slice
	RoleMask   = "mask" // the mask of a record with MaskParam; Type names the record
)

// Param is one parameter of a verb.
type Param struct {
	C    string
	Role string
	Type string // object, flag type, enum type or record type
	Go   string // name in Go where the rule of naming gives a bad one
	Null bool   // NULL is allowed
	Len  string // the parameter that holds the length (addr, slice)
	Rest bool   // flags given one by one at the end of the call; none stands for all
	// Parent tells that the object made by the verb must be closed before this one.
	Parent bool
	Bit    string // flag that says the parameter is given
	Hex    bool   // messages write it in hex
	Doc    string
	Pos    Pos

	marks marks
}

// Method is one Go face of a verb: most have one, a registration has several.
type Method struct {
	Go    string            // "PD.RegMR", "Lib.ImportDevice"
	Form  string            // one of package form; empty: parameters in order
	Fixed map[string]string // parameters with a fixed value
	// ImpliesFlags are set in the verb's flags, whatever the caller gives.
	ImpliesFlags []string
	Doc          string // beside the verb's doc
	Pos          Pos

	marks marks
}

// Skip names a declaration of verbs.h that gets no Go face, and why.
type Skip struct {
	C      string
	Reason string
	Pos    Pos
}

// Pending names a declaration of verbs.h that is neither bound nor skipped yet (spec/pending.yaml).
type Pending struct {
	C        string
	Category string // one of Categories
	Pos      Pos

	layer int // of its file
}

// Categories of spec/pending.yaml: its keys.
var categories = []string{"functions", "records", "enums", "macros"}

// Categories lists the keys of spec/pending.yaml.
func Categories() []string { return append([]string(nil), categories...) }
