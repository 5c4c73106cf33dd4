package spec

import "strings"

// Roles of records.
const (
	RecordIn    = "in"    // filled by the caller
	RecordOut   = "out"   // filled by the verb
	RecordEvent = "event" // given by a library, which takes it back
	RecordEntry = "entry" // an element of a list, which the form of the method that lists it reads
	RecordLazy  = "lazy"  // what the functions in a C object return, each only if it was asked for
)

// Record is a Go type of a C struct of plain data.
type Record struct {
	Entry
	Go   string `page:"name,exported"` // "AllocDMAttr"
	C    string `page:"must"`          // "ibv_alloc_dm_attr"
	Role string `page:"must"`
	// Runtime is the package below runtime/ that has the type; its layout is C's.
	Runtime string
	Mask    string `c:"field"` // field that holds the compatibility mask, if any
	// MaskParam is the parameter that holds the mask, where it is not in the struct (ibv_modify_qp).
	MaskParam string
	New       []string          // fields that the constructor of a builder takes, in order
	Fields    []RecordField     `page:"must"`
	Hide      map[string]string `c:"field,"` // C fields without a Go name -> reason
	// Switches are bits of the mask, or of the tag of an arm, without a field.
	Switches []Switch
	// Arm makes the record one of several that a list of Tail can have.
	Arm *Arm `page:"flat"`
	// Tail is the list of arms that C has behind the struct.
	Tail  *Tail  `page:"flat"`
	Setup *Setup `page:"flat"`
	// Of role lazy: the flag type that says which fields the reader wants, and the type of the error of an entry that failed.
	Asks, Fails string
	// CapsFrom makes the device keep the record for rules on capabilities: the first word of a capability path -> the field
	// that has those capabilities, or CapsSelf.
	CapsFrom map[string]string
	Doc      string `page:"must"`
}

// Plain reports whether the caller fills the record as a Go struct: C has no mask that says which fields are given. A record with a mask
// has a builder, where setting a field sets its bit too. That holds where the constructor takes all fields: C adds fields to such a struct,
// and a setter more changes no call.
func (r *Record) Plain() bool {
	return r.Role == RecordIn && r.Runtime == "" && r.Mask == "" && r.MaskParam == ""
}

// Arm says which of several structs a record is: C tells them apart by a field, of the struct itself or of one that points to it.
type Arm struct {
	Of   string `page:"key=type,must,exported"` // the Go type that stands for any of them: "FlowSpec"
	Tag  string `c:"field"`                     // the field that says which it is; empty for one that another struct points to
	Is   string `page:"must" c:"constant"`      // its value there
	Size string `c:"field"`                     // the field with the size of the struct, beside Tag
}

// Tail is a list of arms behind a struct.
type Tail struct {
	Of    string `page:"key=type,must,exported"` // as in Arm
	Go    string `page:"must,exported"`          // the method of the builder that takes them
	Count string `page:"must" c:"field"`         // the field with their number
	Size  string `page:"must" c:"field"`         // the field with the size of the struct and all of them
	Doc   string `page:"must"`
}

// Setup asks for a Go type for each kind of object, with the fields that it needs to go through some states: what the rules of kind
// mask_for_transition on the mask say of each change.
type Setup struct {
	Entry
	Through []string    `page:"must" c:"constant"` // states, in order
	Types   []SetupType `page:"must,own"`
}

// SetupType is one of these types.
type SetupType struct {
	Go  string `page:"name,exported"`
	Of  string `page:"value,key=types" c:"constant"` // the kind of object, as the rule's condition has it: "IBV_QPT_RC"
	Pos Pos
}

// Shown returns the fields that the Go type shows, and its mask. Of a field inside a nested struct the outer one counts too.
func (r *Record) Shown() map[string]bool {
	shown := map[string]bool{r.Mask: true}
	if r.Arm != nil {
		shown[r.Arm.Tag], shown[r.Arm.Size] = true, true
		delete(shown, "")
	}
	if r.Tail != nil {
		shown[r.Tail.Count], shown[r.Tail.Size] = true, true
	}
	for _, f := range r.Fields {
		outer, _, _ := strings.Cut(f.C, ".")
		shown[f.C], shown[outer] = true, true
		for _, beside := range []string{f.Tag, f.countedIn()} {
			if beside != "" {
				shown[beside] = true
			}
		}
	}
	return shown
}

// What a field of a record is for that C must not see as it is: the values of callback.
const (
	CallbackMemory    = "memory"    // an address of memory, with its length under len:
	CallbackAllocator = "allocator" // a function that allocates, with the one that frees under pair:
	CallbackContext   = "context"   // what an allocator is given
)

// When a field of a lazy record is valid although the entry failed.
const (
	FailedToo  = "too"
	FailedOnly = "only"
)

// CapsSelf stands in CapsFrom for the record itself.
const CapsSelf = "self"

// Switch is a mask bit without a field.
type Switch struct {
	C   string `page:"name" c:"constant"` // mask enumerator
	Go  string `page:"must,exported"`
	Doc string
	Pos Pos
}

// RecordField is one field of a record.
type RecordField struct {
	Entry
	C      string `page:"name" c:"field"`
	Go     string `page:"must,exported"`
	Type   string // Go flag, enum or record type; empty: by the C type
	Handle string // object type for a pointer to an object
	Bit    string `c:"constant"` // mask enumerator that says the field is given
	// Handles is the object type of an array of pointers to objects, with their number, or with Log2 its base-2 logarithm, in Len.
	Handles string
	Log2    bool
	// Points is the record, or the type of arms, that fills the struct a pointer points to. Of an arm, Tag is the field that says which it
	// is, and Len the one with its size.
	Points string
	Tag    string `c:"field"`
	Nested string // record type, role in, that fills a nested struct
	Bool   bool
	Text   bool // a char array: a Go string
	// NewOn is the enumerator of another field with which the field has a new object; On lists those with which it has a value at all.
	NewOn   string            `c:"constant"`
	Marks   map[string]string // with NewOn: properties of the new object that are known, as a verb has them
	On      []string          `c:"constant"`
	Bytes   bool              // a pointer to bytes or an array of numbers, count of bytes in Len: a Go slice
	Hex     bool              // messages write it in hex
	Order   string            // OrderNetwork where C has the number in network byte order, and its type does not say so
	Means   string            // kind of value, for rules about every such value: "port"
	Divides string            // the provider that divides by the field unseen, "efa": on its devices 0 is passed as 1
	// Queueless says when an object made with the record has no queues of its own: QueuelessGiven, or a value of the field.
	Queueless string `c:"constant"`
	Callback  string // CallbackMemory, CallbackAllocator or CallbackContext
	Len       string `c:"field"`    // callback memory: the field with the length of that memory
	Pair      string `c:"field"`    // callback allocator: the field with the function that frees
	Default   string `c:"constant"` // callback allocator: the result by which the function leaves a request to the library
	// Of a record of role lazy.
	OK     string `c:"constant"` // the value of this field with which all others are valid
	Failed string // valid without that value too (FailedToo), or then only (FailedOnly)
	SwapIf string `c:"constant"`    // the flag, of a field above, with which the value is in network byte order
	Time   string `page:"exported"` // method that returns the field, nanoseconds since 1970, as a time.Time
	Doc    string
}

// QueuelessGiven is when the field, a handle, is given.
const QueuelessGiven = "given"

// countedIn is the field with the number of what a list or a slice has, which its setter sets too, or empty.
func (f *RecordField) countedIn() string {
	if f.Bytes || f.Handles != "" || f.Points != "" {
		return f.Len
	}
	return ""
}

// Union is a Go type of a C union all of whose members are views of the same bytes: the type of one of them.
type Union struct {
	Entry
	Go    string            `page:"name,exported"` // "GID"
	C     string            `page:"must"`          // "ibv_gid"
	Shows string            `page:"must"`          // the member whose type it has
	Hide  map[string]string // the other members -> reason
	Text  string            // how String writes it: TextIPv6; empty: it has none
	Doc   string            `page:"must"`
}

// TextIPv6 is the text of 16 bytes that are an address of IPv6.
const TextIPv6 = "ipv6"

// OrderNetwork is the byte order of a field whose C type does not say so.
const OrderNetwork = "network"
