// Package form is the registry of the forms of methods: which there are, what each needs of a verb, and what it generates.
//
// A page names a form, bind compares the verb with what the form needs, and gogen has a writer for each. Only this package has the names
// of forms. It has the Go that is written by hand, too, which is a form for each of its verbs.
package form

import (
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// Names of forms.
const (
	Plain      = "" // the parameters in order
	Bytes      = "bytes"
	Memory     = "memory"
	Addr       = "addr"
	DMABuf     = "dmabuf"
	Implicit   = "implicit"
	End        = "end"
	Reader     = "reader"
	Stream     = "stream"
	View       = "view"
	NextRecord = "next_record"
	Special    = "special"
	Attach     = "attach"
	Detach     = "detach"
)

// Parts of verbs that the generated code of another verb or of a handle calls: the keys of needs_verbs.
const (
	PartOpen     = "open"
	PartAck      = "ack"
	PartNext     = "next"
	PartEnd      = "end"
	PartComplete = "complete"
	PartAbort    = "abort"
	PartElement  = "element"
	PartElements = "elements"
	PartInline   = "inline"
	PartInlines  = "inlines"
	PartQuery    = "query"
	PartSupports = "supports"
	PartKeep     = "keep"
	PartRelease  = "release"
	PartDetach   = "detach"
)

// RecvLib is the receiver that is no object: a loaded library.
const RecvLib = "Lib"

// Form is one shape of methods.
type Form struct {
	Name string
	Does string // what the generated method does
	// Sig is the C function that the form is written for; nil when the parameters are taken as they come.
	Sig *Sig
	// At is where a special says so: templates/verbs/rereg.go:3.
	At string
	// ByRoles says that the form fits any C function with the roles that it needs.
	ByRoles bool
	// Memory says that the verb takes an address with its length, by themselves or in a record.
	Memory bool
	Parts  []Part
	// Reads are the records, beside those of the parameters, whose members the generated or runtime code reads.
	Reads []string
	Lists string // the page names a record of this role under lists:
	// Runtime says that a package under runtime/ calls the C function, so that it has no C shim.
	Runtime bool
	// Own says that the form has a C function of its own, which calls the verb and its parts.
	Own bool
	// Requests is the C type of the chained requests of a parameter, and Elements that of their lists. The rules of the verb are held
	// against a request after the device has refused it, and not before the call.
	Requests, Elements string
	// Range is the type of package dpath that has the requests of a call.
	Range string
	// Unchecked is why the rules of the verb are not checked before a call.
	Unchecked string
	// UncheckedLints is the same of the lints, where it differs.
	UncheckedLints string
	// RuleFirst says that a rule's own reason to be unchecked goes before this one.
	RuleFirst bool
}

// Sig is what a form needs of a C function.
type Sig struct {
	Ret    string // C type
	Params []Param
}

// Param is what a form needs of one parameter.
type Param struct {
	Role  *role.Role
	C     string // C type; empty: any pointer to a struct
	Typed bool   // the page gives it an object type
}

// Part is a verb that generated code calls beside its own.
type Part struct {
	Name     string
	Sig      *Sig // nil: the page says what it takes
	Optional bool
}

// dataPath is why the rules of the data path are not checked.
const dataPath = "the data path checks nothing before a call"

func sig(ret string, params ...Param) *Sig { return &Sig{ret, params} }

func handle(c string) Param              { return Param{Role: role.Handle, C: c, Typed: true} }
func in(c string) Param                  { return param(role.In, c) }
func param(r *role.Role, c string) Param { return Param{Role: r, C: c} }

// forms is the registry.
var forms = []Form{
	{Name: Plain, Does: "takes the parameters in order"},
	{Name: NextRecord, Does: "waits for a record that the library gives, copies it and gives it back", ByRoles: true,
		Parts: []Part{{Name: PartAck}}},
	{Name: Bytes, Does: "takes a slice, which is pinned until the new object is closed", Memory: true},
	{Name: Memory, Does: "takes a mem.Source: a buffer, a pin, an address; the new object keeps it", Memory: true},
	{Name: Addr, Does: "takes an address and a length of memory that the caller keeps", Memory: true},
	{Name: DMABuf, Does: "takes a mem.DMABuf in place of the parameters `fd`, `offset` and `length`"},
	{Name: Implicit, Does: "takes no memory: the region covers the address space", Memory: true},
	{Name: End, Does: "closes the handle by this verb, whichever Close calls", ByRoles: true, Unchecked: ended, RuleFirst: true},
	{Name: Attach, Does: "attaches the object: its Close fails until it is detached, and CloseAll detaches it",
		Parts: []Part{{Name: PartDetach}}},
	{Name: Detach, Does: "detaches the object from what a method of form `attach` with the same parameters attached it to"},
	{Name: Special, Does: "is written by hand, in a file of templates/verbs"},
	{Name: Reader, Does: "makes a reader of what functions in the object return, with its type and that of what it reads", Own: true,
		Lists:     spec.RecordLazy,
		Unchecked: dataPath, Sig: sig("int", handle(""), in("")),
		Parts: []Part{{Name: PartNext, Sig: sig("int", handle(""))}, {Name: PartEnd, Sig: sig("void", handle(""))}}},
	{Name: Stream, Does: "makes a stream of commands, which posts a batch by functions in the object, with its type", Own: true,
		Unchecked: dataPath,
		Sig:       sig("void", handle("")), Parts: streamParts},
	{Name: View, Does: "finds an object beside that of a stream, whose functions add to requests, with its type and that of the requests",
		Own: true, ByRoles: true, Unchecked: dataPath, Parts: []Part{{Name: PartSupports, Optional: true}}},
}

// streamParts are the verbs that a stream of commands calls beside the builders: those with an empty C type take any object.
var streamParts = []Part{{Name: PartOpen}, {Name: PartComplete, Sig: sig("int", handle(""))},
	{Name: PartAbort, Sig: sig("void", handle(""))},
	{Name: PartElement}, {Name: PartElements}, {Name: PartInline}, {Name: PartInlines}}

// query is the function by which a refused request is explained.
var query = sig("int", handle("struct ibv_qp *"), param(role.OutRecord, "struct ibv_qp_attr *"), param(role.Flags, "int"),
	param(role.OutRecord, "struct ibv_qp_init_attr *"))

// ended is why rules of the verbs that end a handle are not checked.
const ended = "kept by the handles: each is closed once, after all that was made from it"

// explains are the verbs by which a refused request is explained.
var explains = []Part{{Name: PartQuery, Sig: query, Optional: true}}

// PartsOf returns the verbs that the handle of an object needs.
func PartsOf(o *spec.Object) []Part {
	var parts []Part
	if len(o.Lends) > 0 {
		parts = append(parts, Part{Name: PartKeep}, Part{Name: PartRelease})
	}
	return parts
}

// All lists the forms.
func All() []Form { return append([]Form(nil), forms...) }

// Find returns the form of a name, or nil.
func Find(name string) *Form { return find(forms, func(f *Form) bool { return f.Name == name }) }

// Of returns the form of a method of a verb. That of a special is what the file of the verb says; nil for a form that does not
// exist, and for a special that no file has.
func Of(verb, name string) *Form {
	if name != Special {
		return Find(name)
	}
	if x := Written(verb); x != nil {
		return &x.Form
	}
	return nil
}

// dmaBuf are the fields of mem.DMABuf by the parameters that a method of form dmabuf takes from them.
var dmaBuf = map[string]string{"fd": "FD", "offset": "Offset", "length": "Length"}

// DMABufField is the field of mem.DMABuf from which a method of a form takes the parameter c, or empty.
func DMABufField(form, c string) string {
	if form != DMABuf {
		return ""
	}
	return dmaBuf[c]
}

// InOrder reports whether the method takes the verb's parameters in order, whatever they are.
func (f *Form) InOrder() bool { return f.Sig == nil && !f.ByRoles }
