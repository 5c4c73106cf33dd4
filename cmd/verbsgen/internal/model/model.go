// Package model is the joined view of a release's facts and the specs: everything an emitter can ask for.
//
// It is plain data. Bind makes it, gogen and cgen read it; by the time it exists it can no longer be wrong. It knows neither
// the C parser, nor YAML, nor jennifer. Read this file first.
package model

import (
	"slices"

	"cmp"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Package is one generated Go package.
type Package struct {
	Name      string       // Go package name
	Path      string       // by which Go imports it; empty where that is not known
	Module    Module       // that it is of
	Release   string       // release of the facts; empty for a header given by path
	FactsHash string       // of the facts the package is made from
	Facts     *api.Release // for the C declarations
	Symbols   []*Symbol    // exported functions that the package calls, in header order
	Enums     []*Enum
	Records   []*Record
	Mirrors   []*Mirror // of Records and of what they hold, the held ones first
	Unions    []*Union
	Objects   []*Object
	Root      *Object // that the other objects are made from; nil where there is none
	Verbs     []*Verb
	Rules     []*Rule
}

// Provenance says what the files of the package are made from.
func (p *Package) Provenance() string {
	from := "a header given by path"
	if p.Release != "" {
		from = "rdma-core " + p.Release
	}
	return "// From " + from + ", facts " + p.FactsHash + "."
}

// Union is a Go type of a C union whose members are views of the same bytes.
type Union struct {
	Go     string
	C      string // "ibv_gid"
	Page   string
	GoType string // of the member that it shows: "[16]byte"
	Text   string // spec.Text...; empty when it has no String
	Doc    string
}

// Module is the header and the library that a package is of.
type Module struct {
	Name    string // "verbs"
	Header  string // as included: "infiniband/verbs.h"
	Library string // file: "libibverbs.so.1"
	Short   string // name of the library without the numbers of its versions: "libibverbs"
	Probe   string // function by which the library is told from others
	Install string // packages that have it
	Serial  bool   // calls of the library run one after another
	Own     bool   // it is one of verbsgen's own
	Uses    []Use  // by name

	Begin    string   // the first calls of a program; empty where the module does not say them
	Families []Family // parts of the library that the package has something of
}

// Family is a part of a library by purpose.
type Family struct {
	Name, Doc string
	Methods   []string // "Device.AllocDM", in the order of the verbs
}

// Use is a module whose objects and records a package takes and makes.
type Use struct {
	Name   string // "verbs"
	Import string // path of its Go package
}

// Symbol is an exported C function, looked up in the loaded library.
type Symbol struct {
	Name    string
	Version string // default version, "IBVERBS_1.1"
	Since   string // first known release that has it; empty when every known release has it, so that the first one is unknown
	Floor   bool   // every supported release has it: a library without it is not loaded
	Index   int    // in the table of a Lib
}

// Enum is a Go integer type of named values; with Flags, they are bits to be or'ed.
type Enum struct {
	Go      string
	C       string // "enum ibv_access_flags"; empty for an anonymous enum
	Page    string
	Flags   bool
	Signed  bool
	Untyped bool // there is no Go type, and the constants have none
	Bits    int  // width
	Prefix  string
	Runtime string // the package under runtime/ that has the type and its names; empty for the generated one
	Code    string // spec.Number..., of values that can be converted
	Members []*Member
	Known   uint64    // Flags: all bits that a member or a range covers
	Events  []EventOf // of the type of asynchronous events
	Doc     string
	Pos     api.Pos
}

// EventOf is what some asynchronous events concern.
type EventOf struct {
	Of      string   // spec.EventOfPort, spec.EventOfDevice, or the C tag of an object
	Object  *Object  // nil when the package has no handle of it
	Members []string // C enumerators
}

// Member is one constant of an Enum.
type Member struct {
	Go     string
	C      string
	Short  string // C name without the prefix, as messages write it
	Value  int64
	Since  string // empty when every known release has it
	Doc    string
	Likely string // what it most often comes from, in errors
	Alias  bool   // another member has the same value and comes first
}

// Record is a Go type of a struct of plain data, and the unexported mirror with C's layout under it.
type Record struct {
	Go      string
	From    *Use   // another module whose record it is; then it has no mirror here
	Ref     string // the type with the path of its package
	C       string // "ibv_alloc_dm_attr"
	Page    string
	In      bool   // filled by the caller
	Plain   bool   // In: C has no mask of its fields, and the Go type is a struct; otherwise it is a builder
	Nested  bool   // another record holds it
	Listed  bool   // a parameter is a list of it
	Entry   bool   // an element of a list that a form reads
	Event   bool   // given by the library, which takes it back
	Caps    bool   // a device keeps it, for the rules on capabilities
	Runtime string // the package under runtime/ that has the type; empty for the generated one
	Mirror  *Mirror
	New     []*Field // taken by the constructor of a builder
	Fields  []*Field
	Mask    string // mirror field with the compatibility mask
	Beside  bool   // the mask is kept beside the mirror, and handed in as a parameter
	Bits    []*Switch
	Doc     string
	Pos     api.Pos
	Arm     *Arm
	Tail    *Tail
	Pointed bool // another record points to it
	Setups  []*Setup
}

// Empty reports whether there is nothing in a record that a caller could say: it has no Go type then, and methods do not take it.
func (r *Record) Empty() bool {
	return r.In && r.From == nil && r.Runtime == "" && len(r.Fields)+len(r.Bits) == 0 && r.Arm == nil && r.Tail == nil
}

// Setup is a Go type with the fields that a kind of object needs to go through states.
type Setup struct {
	Go    string
	Kind  *Member // "QPTypeRC"
	From  *Member // the state it begins in
	Steps []SetupStep
}

// SetupStep is the change to one state.
type SetupStep struct {
	State *Member
	Needs []*Field // without the state
}

// Arm says which of several structs a record is. Of one that another struct points to, Tag and Size are nil: they stand there.
type Arm struct {
	Of        string
	Tag, Size *Leaf
	Is        *Member
}

// Tail is the list of arms that C has behind a struct.
type Tail struct {
	Of, Go      string
	Count, Size *Leaf
	Arms        []*Record
	Doc         string
}

// Mirror is a Go struct with exactly the layout of a C struct, on amd64 and arm64 alike.
type Mirror struct {
	Name string // "cAllocDMAttr"
	C    string
	Size int64
	Leaf []*Leaf
	Over []*Leaf // members of unions that share the bytes of a leaf
}

// Leaf is one field of a Mirror.
type Leaf struct {
	Go     string // field name in the mirror; "_" for padding
	C      string // C path ("per_transport_caps.rc_odp_caps")
	CType  string
	GoType string // "uint32", "uintptr", "[64]byte", "cDeviceAttr"
	Big    bool   // in network byte order
	Offset int64
	Size   int64
	Over   string // the field of the mirror whose bytes it shares, from the byte At of that on; then the mirror has no field of its own
	At     int64
}

// First is the first element of a list of which something holds, or nil.
func First[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// Find returns the leaf of a C path, or nil.
func (m *Mirror) Find(c string) *Leaf {
	return First(slices.Concat(m.Leaf, m.Over), func(l *Leaf) bool { return l.C == c && c != "" })
}

// Field returns the field of a C name, or nil.
func (r *Record) Field(c string) *Field {
	return First(r.Fields, func(f *Field) bool { return f.C == c })
}

// Field is one Go field of a Record.
type Field struct {
	Go       string
	C        string
	Leaf     *Leaf
	GoType   string  // type in the public API
	Enum     *Enum   // of a flag or enum type
	Record   *Record // of a nested record
	Object   *Object // of a handle
	Nested   *Record // a plain record, filled by the caller
	Handles  *Object // of a list of handles, with their number, or its base-2 logarithm, in Len
	Log2     bool
	Points   []*Record // one of which C has behind the pointer; PointsTo is their type
	PointsTo string
	Tag      *Leaf   // says which of them it is, with its size in Len; nil where there is one only
	Bit      *Member // of Mask, set together with the value
	BitValue int64
	Bool     bool
	Text     bool
	NewOn    *Member   // of the enum field Of: with it the field has a new object
	Marks    []Mark    // properties of the new object
	On       []*Member // of the enum field Of: with others the field has no value
	Of       *Field
	Bytes    bool // behind a pointer, or in an array with Filled, their number in Len
	Filled   bool
	Counted  *Counted // bytes behind a struct with their number
	Hex      bool     // messages write it in hex
	Divides  string   // the provider that divides by it: on its devices 0 is passed as 1
	// Queueless is the value with which a new object has no queues of its own, of a handle any but nil; or nil.
	Queueless *Member
	Callback  string
	Len       *Leaf  // the length beside an address of memory
	Pair      *Leaf  // the function that frees, beside the one that allocates
	Default   string // C constant that leaves an allocation to the library
	Doc       string
	Since     string
}

// Counted is a struct of Size bytes that begins with a number, of the Go type Count, of the bytes behind it.
type Counted struct {
	Count string
	Size  int64
}

// Switch is a mask bit without a field.
type Switch struct {
	Go    string
	C     string
	Value int64
	Doc   string
}

// Object is a handle.
type Object struct {
	Go        string // "verbs.MR" of another module
	C         string // "ibv_mr", or "int"
	From      *Use   // the other module
	Ref       string // of another module: the type with the path of its package
	Page      string
	Parents   []*Object
	Destroy   *Verb
	Device    bool    // copied to and from by runtime/gensupport/devmem
	Host      bool    // memory that the library allocates in the process
	Region    *Region // elements of work requests are pieces of it
	Hot       bool    // the data path is called without entering the handle
	Getters   []*Getter
	FD        string  // the field with the descriptor of a file, or empty
	Mirror    *Mirror // of the fields that Go reads in place, up to the last; nil when it reads none
	Addresses []*Getter
	Lends     []*Lend
	Lacks     []*Lack
	Parts     map[string]*Part
	State     map[string]string // property -> spec.State...
	Pointer   map[string]bool   // property -> that field is a pointer, of which rules ask whether it is NULL
	Made      *Record           // with which it is made, kept for rules that look at it; nil when none does
	Doc       string
	Pos       api.Pos
}

// Int reports whether the handle is an int in C, which Go keeps in memory of its own.
func (o *Object) Int() bool { return o != nil && o.C == "int" }

// CType is the C type of which the handle is one, or a pointer to one.
func (o *Object) CType() string {
	if o.Int() {
		return o.C
	}
	return "struct " + o.C
}

// Type is the Go type of the handle, with the path of its package where that is another one.
func (o *Object) Type() string { return "*" + cmp.Or(o.Ref, o.Go) }

// Getter returns the method that returns a property, or nil.
func (o *Object) Getter(prop string) *Getter {
	return First(o.Getters, func(g *Getter) bool { return g.C == prop })
}

// Name is the Go name of the object in its own package.
func (o *Object) Name() string { return o.Go[strings.LastIndex(o.Go, ".")+1:] }

// Lend is a field with an object of another module that the library owns.
type Lend struct {
	Go     string
	C      string
	Object *Object
	Doc    string
}

// Lack is what calls of the data path do without where a field of the C object is NULL.
type Lack struct {
	C        string
	What     string // spec.Lack...
	Given    bool   // where the field is not NULL
	Provider string // the only one that does not take such calls; or empty
}

// Region is what elements are made of, beside where addresses in the region begin.
type Region struct {
	Length, LKey *Getter
	Vague        *Member // access flag with which it depends on the device where they begin
}

// Getter reads a field of the C object.
type Getter struct {
	Go     string
	C      string
	CType  string
	GoType string
	Layout string // Go type with the layout of the C field
	Label  string // spec.Label...; empty when messages do not name the object by it
	// Changes says that the field changes while the object lives.
	Changes bool
	FD      bool // -1 once the object is closed
	Doc     string
}

// Part is a verb that generated code calls beside its own.
type Part struct {
	C    string
	Page string
	Verb *Verb // nil when the release does not have it yet
}

// Ways a verb is reached; the names of package api, and the exported call.
const (
	WayExported = "exported"
	WayVerbs    = api.WayVerbs
	WayOps      = api.WayOps
	WayObject   = api.WayObject
	WayExport   = api.WayExport
	WaySpecial  = api.WaySpecial
)

// FieldsOf are the fields that a bit of the mask stands for.
func (r *Record) FieldsOf(bit string) (out []*Field) {
	for _, f := range r.Fields {
		if f.Bit != nil && f.Bit.C == bit {
			out = append(out, f)
		}
	}
	return out
}
