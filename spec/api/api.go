// Package api has the facts of each known rdma-core release, as plain data: what its verbs.h declares.
//
// It owns the stored form of these facts (facts.txt, embedded), their JSON form, and what is computed from several releases, such
// as the release in which a name first appeared. It knows nothing of C parsing (cheader makes the facts), of the YAML pages, or of
// Go code.
package api

import (
	"slices"
	"strings"
)

// Release is what one release's verbs.h and the headers it includes declare.
type Release struct {
	Release   string     `json:"release"` // "65.0"; empty (null in JSON) for a header given by path
	Functions []Function `json:"functions"`
	Records   []Record   `json:"records"`
	Enums     []Enum     `json:"enums"`
	Macros    []Macro    `json:"macros"`
	Aliases   []Alias    `json:"aliases,omitempty"`
	// Typedefs and Variables are other declarations that a header may have; verbs.h has neither. Types in these facts are
	// already replaced by the types that the header's own typedefs name.
	Typedefs  []Typedef  `json:"typedefs,omitempty"`
	Variables []Variable `json:"variables,omitempty"`
}

// Pos is a place in a header. File is the name as included ("infiniband/verbs.h"), never a path of a machine,
// for stored facts; for a header given by path it is that path. In JSON it is one string, "file:line:col".
type Pos struct {
	File string
	Line int
	Col  int
}

// Kinds of functions.
const (
	Exported = "exported" // a symbol of libibverbs
	Inline   = "inline"   // static inline in the header, no symbol
	Redirect = "macro"    // exported, and shadowed by a function-like macro of the same name
)

// Function is one function of the header.
type Function struct {
	Name     string    `json:"name"`
	Kind     string    `json:"kind"`
	Ret      string    `json:"ret"`
	Params   []Param   `json:"params"`
	Helper   bool      `json:"helper,omitempty"`   // internal: a name with a leading underscore, or verbs_get_ctx
	Version  string    `json:"version,omitempty"`  // default symbol version in libibverbs.so ("IBVERBS_1.1"); exported only
	Variadic bool      `json:"variadic,omitempty"` // takes more arguments than its parameters
	Private  bool      `json:"private,omitempty"`  // exported at a private version: it cannot be bound
	Redirect string    `json:"redirect,omitempty"` // the inline that the macro of the same name calls
	Dispatch *Dispatch `json:"dispatch,omitempty"` // inlines only
	Pos      Pos       `json:"pos,omitzero"`
}

// Param is one parameter of a function or of a function pointer.
type Param struct {
	Name string `json:"name"`
	Type string `json:"type"` // normalised C text: "struct ibv_pd *", "const void *", "uint64_t"
	// Array reports that the header read declares it as an array; stored facts do not have that.
	Array bool `json:"-"`
}

// Ways an inline function reaches the provider.
const (
	WayObject  = "object"  // a function pointer inside the object: dm->memcpy_to_dm(...)
	WayVerbs   = "verbs"   // an op of verbs_context behind its size check
	WayOps     = "ops"     // an op of context->ops
	WayExport  = "export"  // an exported _name with sizeof appended
	WayPure    = "pure"    // computes from its arguments, calls nothing
	WaySpecial = "special" // does more than dispatch: written by hand once, pinned by Hash
)

// Dispatch says how an inline function reaches the provider.
type Dispatch struct {
	Way     string   `json:"way"`
	Op      string   `json:"op,omitempty"`      // member called (alloc_dm), or the exported symbol for WayExport
	Object  string   `json:"object,omitempty"`  // C expression of the object or context: "pd->context", "dm", "context"
	Args    []string `json:"args,omitempty"`    // argument expressions of the call, in order
	Missing string   `json:"missing,omitempty"` // what a missing op does: "EOPNOTSUPP"; empty when the header does not check
	ErrVia  string   `json:"err_via,omitempty"` // "return" or "errno": how Missing is returned
	Form    string   `json:"form,omitempty"`    // void, value or code: how the result is used
	Hash    string   `json:"hash"`              // of the folded, normalised body
	Tree    string   `json:"-"`                 // of WaySpecial, when parsed now: that body, shown if Hash is not the expected one
}

// Record is one struct or union.
type Record struct {
	Tag        string  `json:"tag"` // "struct ibv_mr"; an anonymous member record has a made-up dotted tag: "struct ibv_wc.<anonymous>"
	Size       int64   `json:"size"`
	Align      int64   `json:"align"`
	Incomplete bool    `json:"incomplete,omitempty"`
	Foreign    bool    `json:"foreign,omitempty"` // declared by the header of another module: see Own
	Fields     []Field `json:"fields"`
	// ARM64 is the layout on linux/arm64 where it differs from amd64 (glibc's mutex is larger there).
	ARM64 *Layout `json:"arm64,omitempty"`
	Pos   Pos     `json:"pos,omitzero"`
}

// Field returns the field of a name; nil if the record has none, or is nil.
func (r *Record) Field(name string) *Field {
	if r == nil {
		return nil
	}
	for i := range r.Fields {
		if r.Fields[i].Name == name {
			return &r.Fields[i]
		}
	}
	return nil
}

// Container reports whether a field is a named anonymous record, whose members follow under dotted names.
func (r *Record) Container(f Field) bool {
	return slices.ContainsFunc(r.Fields, func(g Field) bool { return strings.HasPrefix(g.Name, f.Name+".") })
}

// Layout is the part of a record that depends on the ABI; Offsets and Sizes are in the order of Fields.
type Layout struct {
	Size    int64   `json:"size"`
	Align   int64   `json:"align"`
	Offsets []int64 `json:"offsets"`
	Sizes   []int64 `json:"sizes"`
}

// Field is one member of a record. Members of anonymous records are flattened: of a named member of a tagless
// record with a dotted name ("global.subnet_prefix"), of an unnamed member under their own name; the member itself
// comes first (an unnamed one has the empty name).
type Field struct {
	Name      string  `json:"name"`
	Type      string  `json:"type"`
	Offset    int64   `json:"offset"`
	Size      int64   `json:"size"`
	BitOffset *int    `json:"bit_offset,omitempty"`
	BitSize   *int    `json:"bit_size,omitempty"`
	Func      *FnType `json:"func,omitempty"` // set for a function pointer
	Pos       Pos     `json:"pos,omitzero"`
}

// FnType is the type a function pointer points to.
type FnType struct {
	Ret    string  `json:"ret"`
	Params []Param `json:"params"`
}

// Enum is one enum; Tag is "enum ibv_mtu", or "enum <anonymous N>" with N counting from 1 in header order.
type Enum struct {
	Tag         string       `json:"tag"`
	Signed      bool         `json:"signed,omitempty"`  // gcc makes it int: it has a negative value
	Foreign     bool         `json:"foreign,omitempty"` // declared by the header of another module: see Own
	Enumerators []Enumerator `json:"enumerators"`
	Pos         Pos          `json:"pos,omitzero"`
}

// Names lists the names of the enumerators; nil has none.
func (e *Enum) Names() (names []string) {
	if e != nil {
		for _, m := range e.Enumerators {
			names = append(names, m.Name)
		}
	}
	return names
}

// Enumerator is one constant of an enum.
type Enumerator struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Line  int    `json:"line,omitempty"`
}

// Macro is an object-like macro with a constant value. Value is an int64, a uint64 (above the int64 range), or a
// string of C where it has no integer value (IBV_ALLOCATOR_USE_DEFAULT is "((void *)-1)").
type Macro struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Pos   Pos    `json:"pos,omitzero"`
}

// Alias is an object-like macro that is another name for something: IBV_ADVISE_MR_FLAG_FLUSH is
// IB_UVERBS_ADVISE_MR_FLAG_FLUSH.
type Alias struct {
	Name string `json:"name"`
	Of   string `json:"of"`
	Kind string `json:"kind"` // enumerator, enum, struct, function
	Pos  Pos    `json:"pos,omitzero"`
}

// Typedef is one typedef of the header itself.
type Typedef struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Pos  Pos    `json:"pos,omitzero"`
}

// Variable is one variable that the header declares.
type Variable struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Pos  Pos    `json:"pos,omitzero"`
}
