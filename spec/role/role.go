// Package role is the table of what parameters of C functions are for.
//
// It is plain data: pages are decoded by it, bind resolves names and compares C types by it, and gogen has a function for
// each row. It knows neither YAML nor C nor how code is written.
package role

import "slices"

// Role is a row of the table: what a parameter of a C function is for.
type Role struct {
	Name string
	C    string // what the parameter is in C, for REFERENCE.md
	Go   string // what it becomes in Go, for REFERENCE.md

	Fits   []Shape  // C types; any of them
	Must   []string // keys that a parameter of the role needs, beside role
	May    []string // further keys that not every role takes
	Names  Named    // what `type:` names
	Record string   // role of the record that it names
	GoType string   // Go type, where it is the same for all parameters of the role

	Passes Passes // what C gets
	Result Result // what the method returns, where it does not take the parameter
	Flags  bool   // it is a set of flags
	List   bool   // it is an array, with its count in the parameter under len
	// Derived reports that the value follows from another parameter: no method takes it.
	Derived bool
	// Pass is the fix of a rule that the parameter is not NULL. {type} stands for what `type:` names, {a type} for that with an article.
	Pass string
}

// Named is what the key `type:` of a parameter names.
type Named uint8

// What `type:` names.
const (
	NamesNothing Named = iota // the key is not allowed
	NamesObject
	NamesRecord
	NamesMask // the record whose mask it is
	NamesSize // the record whose size it is
	NamesEnum // a type of flags or of values
	NamesUnion
	NamesValue // a union, or a type of flags or values
)

// Passes is what C gets for a parameter.
type Passes uint8

// What C gets.
const (
	PassesValue  Passes = iota
	PassesObject        // the address of a C object
	PassesMemory        // the address of memory of Go, which stays in place for the call
	PassesHost          // an address of host memory, which the method's form takes; C may keep it after the call
)

// Result is what a method returns for a parameter that the C function sets.
type Result uint8

// What a method returns.
const (
	ResultNone Result = iota
	ResultRecord
	ResultNumber
	ResultOwn // a new object, or a record that the library gives: the method's main result
)

// Shape describes C types by what all of them have in common.
type Shape struct {
	Depth   int    // number of pointers; AnyDepth for one or more
	To      To     // what the type is, or points to
	Tag     string // of the struct
	Bits    uint   // at least so many
	Host    bool   // in the byte order of the host
	Defined bool   // a struct whose members are known
	Counted bool   // a struct of an unsigned number and an array without a length
	Const   bool   // what it points to is const
	Mutable bool   // or is not
	When    When   // only where this holds
}

// AnyDepth stands for any number of pointers but none.
const AnyDepth = -1

// To is what a C type is, or points to.
type To uint8

// What a C type points to.
const (
	ToAnything To = iota
	ToTagged      // a struct or union, or an enum behind a pointer
	ToUntagged    // void, numbers, char
	ToNumber      // an integer or enum
	ToText        // char
)

// When is a condition on a parameter, its verb and their methods.
type When uint8

// Conditions.
const (
	Always      When = iota
	WhenTyped        // it has type:
	WhenUntyped      // it has none
	WhenInt          // type: names an object that is an int
	WhenUnion        // type: names a union, of which the C type is; then no other shape fits
	WhenCreates      // the verb makes an object
	WhenReads        // it has reads:
	WhenOfRead       // it is the length of a parameter of role data or slice
	WhenGiven        // no method takes it: generated code or runtime/ has its value
)

// roles has the rows in the order of REFERENCE.md.
var roles []*Role

// row adds a role to the table.
func row(r Role) *Role {
	roles = append(roles, &r)
	return &r
}

// All lists the roles of parameters.
func All() []*Role { return slices.Clone(roles) }

// Shapes that several roles have.
var (
	toStruct = []Shape{{Depth: 1, To: ToTagged}}
	number   = []Shape{{To: ToNumber, Host: true}}
)

// The roles of parameters.
var (
	Handle = row(Role{Name: "handle", C: "pointer to an object, or an int that is one", Go: "the object type under `type:`",
		Fits: []Shape{{Depth: 1, To: ToTagged}, {Depth: AnyDepth, To: ToTagged, When: WhenUntyped},
			{To: ToNumber, Bits: 32, Host: true, When: WhenInt}},
		May: []string{"type", "null", "parent", "moves", "field"}, Names: NamesObject, Passes: PassesObject, Pass: "pass {a type}"})
	Handles = row(Role{Name: "handles", C: "array of pointers to objects; `len:` names the parameter with their number",
		Go:   "a slice of the object type under `type:`; the new object must be closed before all of them",
		Fits: []Shape{{Depth: 2, To: ToTagged}}, Must: []string{"type", "len"}, Names: NamesObject, Passes: PassesMemory, List: true})
	In = row(Role{Name: "in",
		C:    "a number; a pointer to a union that `type:` names; another pointer only where `fixed:` gives its value",
		Go:   "the Go type of the C type, or the union",
		Fits: []Shape{{To: ToNumber}, {Depth: 1, To: ToTagged, When: WhenUnion}, {Depth: AnyDepth, When: WhenGiven}},
		May:  []string{"type", "null"}, Names: NamesUnion})
	Flags = row(Role{Name: "flags", C: "a set of flags", Go: "the flag type under `type:`",
		Fits: number, Must: []string{"type"}, May: []string{"rest"}, Names: NamesEnum, Flags: true})
	Enum = row(Role{Name: "enum", C: "an enum value", Go: "the enum type under `type:`",
		Fits: number, Must: []string{"type"}, Names: NamesEnum})
	InRecord = row(Role{Name: "in_record", C: "pointer to a struct that the caller fills", Go: "the record under `type:`",
		Fits: toStruct, Must: []string{"type"}, May: []string{"null"}, Names: NamesRecord, Record: "in",
		Passes: PassesMemory, Pass: "pass {a type}"})
	OutRecord = row(Role{Name: "out_record", C: "pointer to a struct that the verb fills",
		Go:   "a result: the record under `type:`; of role `in` and without a mask, attributes for another verb",
		Fits: []Shape{{Depth: 1, To: ToTagged, Mutable: true}},
		Must: []string{"type"}, May: []string{"null"}, Names: NamesRecord, Record: "out",
		Passes: PassesMemory, Result: ResultRecord, Pass: "pass the address of {a type}"})
	InOutRecord = row(Role{Name: "in_out_record", C: "pointer to a struct that the caller fills in part and the verb fills",
		Go:   "the record under `type:`, of another module, with the mask in a parameter",
		Fits: []Shape{{Depth: 1, To: ToTagged, Mutable: true}},
		Must: []string{"type"}, Names: NamesRecord, Record: "in", Passes: PassesMemory, Pass: "pass {a type}"})
	Out = row(Role{Name: "out", C: "pointer to one number that the verb sets, or to a union that `type:` names",
		Go: "a result; of the flag or enum type that `type:` names",
		Fits: []Shape{{Depth: 1, To: ToNumber, Mutable: true}, {Depth: 1, To: ToText, Mutable: true},
			{Depth: 1, To: ToTagged, Mutable: true, When: WhenUnion}},
		May: []string{"type", "null", "count"}, Names: NamesValue,
		Passes: PassesMemory, Result: ResultNumber, Pass: "pass the address of {a type}"})
	InOut = row(Role{Name: "in_out", C: "pointer to one number that the caller sets and the verb changes",
		Go:   "a parameter and a result, of the flag or enum type that `type:` names",
		Fits: []Shape{{Depth: 1, To: ToNumber, Host: true, Mutable: true}}, May: []string{"type"}, Names: NamesValue,
		Passes: PassesMemory, Result: ResultNumber})
	Text = row(Role{Name: "text", C: "pointer to the first character of a text that ends with a zero byte",
		Go:   "a string; the empty one for NULL, where `null:` allows that",
		Fits: []Shape{{Depth: 1, To: ToText, Const: true}, {Depth: 1, To: ToText, When: WhenReads}},
		May:  []string{"reads", "null"}, GoType: "string", Passes: PassesMemory})
	Bytes = row(Role{Name: "bytes", C: "pointer to a struct that the caller has as bytes", Go: "`[]byte`, at least as long as the struct",
		Fits: []Shape{{Depth: 1, To: ToTagged, Defined: true}}, GoType: "[]byte", Passes: PassesMemory})
	Slice = row(Role{Name: "slice", C: "pointer to the first of several structs; `len:` names the parameter with the count",
		Go:   "a slice of the record under `type:`",
		Fits: toStruct, Must: []string{"type", "len"}, May: []string{"null"}, Names: NamesRecord, Record: "out",
		Passes: PassesMemory, List: true, Pass: "pass an array of {type}"})
	Filled = row(Role{Name: "filled", C: "the same, where the verb fills the structs, or numbers or bytes without `type:`",
		Go: "a slice of the caller, which says how many there may be",
		Fits: []Shape{{Depth: 1, To: ToTagged, Mutable: true, When: WhenTyped},
			{Depth: 1, To: ToUntagged, Mutable: true, Host: true, When: WhenUntyped}},
		Must: []string{"len"}, May: []string{"type", "null"}, Names: NamesRecord, Record: "out",
		Passes: PassesMemory, List: true, Pass: "pass an array of {type}"})
	Addr = row(Role{Name: "addr", C: "address of host memory; `len:` names the parameter with the length", Go: "by the form of the method",
		Fits: []Shape{{Depth: 1, To: ToUntagged, Host: true}}, May: []string{"len", "null"}, GoType: "uintptr",
		Passes: PassesHost, Pass: "pass the address of the memory"})
	Len = row(Role{Name: "len", C: "the length of an `addr`, `data` or `sockaddr`, or the count of a `slice`, `handles` or `filled`",
		Go:   "comes from the slice or buffer",
		Fits: []Shape{{To: ToNumber, Bits: 32, Host: true}, {To: ToNumber, Host: true, When: WhenOfRead}}, Derived: true})
	Data = row(Role{Name: "data", C: "pointer to bytes or numbers that the call reads; `len:` names the parameter with how many they are",
		Go:   "a slice of bytes, or of the Go type of the C type",
		Fits: []Shape{{Depth: 1, To: ToUntagged, Const: true}, {Depth: 1, To: ToUntagged, When: WhenReads}},
		Must: []string{"len"}, May: []string{"reads", "bytes"}, Passes: PassesMemory})
	Counted = row(Role{Name: "counted", C: "pointer to a struct of a number of bytes, and the bytes", Go: "a slice of bytes",
		Fits: []Shape{{Depth: 1, To: ToTagged, Counted: true}}, GoType: "[]byte", Passes: PassesMemory})
	Block = row(Role{Name: "block", C: "pointer to bytes in which the call reads how many they are; `most:` is the largest number",
		Go:   "a slice of bytes, of which C gets a copy with zeros behind it",
		Fits: []Shape{{Depth: 1, To: ToUntagged, Host: true, Const: true}}, Must: []string{"most"}, GoType: "[]byte", Passes: PassesMemory})
	Pair = row(Role{Name: "pair",
		C:    "pointer to a struct with members that each have a pointer `in` to an object and a pointer `out` to a record that the verb fills",
		Go:   "the object, and as a result the record, of the member that the method names under `pair:`",
		Fits: []Shape{{Depth: 1, To: ToTagged, Mutable: true, Defined: true}}, Must: []string{"pairs"},
		Passes: PassesMemory, Result: ResultRecord})
	Sockaddr = row(Role{Name: "sockaddr", C: "pointer to the address of a socket",
		Go:   "a `netip.AddrPort`; the zero AddrPort for NULL, where `null:` allows that",
		Fits: []Shape{{Depth: 1, To: ToTagged, Tag: "sockaddr"}}, May: []string{"null", "len"}, GoType: "netip.AddrPort", Passes: PassesMemory})
	Given = row(Role{Name: "given",
		C:    "pointer to where the verb stores the address of a record of role `event`, under `type:`; for the form `next_record`",
		Go:   "the result",
		Fits: []Shape{{Depth: 2, To: ToTagged}}, Must: []string{"type"}, Names: NamesRecord, Record: "event",
		Passes: PassesMemory, Result: ResultOwn})
	Made = row(Role{Name: "made", C: "pointer to where the verb stores the object of `creates:`", Go: "the result",
		Fits: []Shape{{Depth: 2, To: ToTagged, When: WhenCreates}}, Passes: PassesMemory, Result: ResultOwn})
	Mask = row(Role{Name: "mask", C: "the mask of the record under `type:`, which has `mask_param:`", Go: "comes from the record",
		Fits: number, Must: []string{"type"}, Names: NamesMask, Flags: true, Derived: true})
	Size = row(Role{Name: "size", C: "the size of the struct of a parameter with the same `type:`", Go: "comes from the record",
		Fits: number, Must: []string{"type"}, Names: NamesSize, Derived: true})
	OutMask = row(Role{Name: "out_mask", C: "pointer to the mask of an `in_out_record`, which has the same `type:`", Go: "comes from the record",
		Fits: []Shape{{Depth: 1, To: ToNumber, Host: true, Mutable: true}}, Must: []string{"type"}, Names: NamesMask, Passes: PassesMemory,
		Derived: true, Pass: "pass the address of a mask"})
)

// keys are the keys of a parameter that not every role takes.
var keys = []string{"type", "len", "rest", "count", "most", "moves", "field", "pairs", "reads", "bytes", "parent", "null"}

// Keys lists the keys of a parameter that not every role takes.
func Keys() []string { return slices.Clone(keys) }

// Takes reports whether a parameter of the role may have a key.
func (r *Role) Takes(key string) bool {
	return slices.Contains(r.Must, key) || slices.Contains(r.May, key)
}

// Number reports whether a parameter of the role is a number, for the tests of rules.
func (r *Role) Number() bool { return r != nil && (r.Passes == PassesValue || r.Passes == PassesHost) }

// Pointer reports whether a parameter of the role may be NULL, for the tests of rules.
func (r *Role) Pointer() bool { return r != nil && r.Passes != PassesValue }

// String returns the name of the role.
func (r *Role) String() string {
	if r == nil {
		return ""
	}
	return r.Name
}

// Find returns the role of a name, or nil.
func Find(name string) *Role {
	if i := slices.IndexFunc(roles, func(r *Role) bool { return r.Name == name }); i >= 0 {
		return roles[i]
	}
	return nil
}
