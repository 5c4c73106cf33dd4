package cgen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Kind is how code carries the values of a C type between C and Go.
type Kind int

// Kinds of C types.
const (
	Void    Kind = iota
	Integer      // any integer, _Bool or enum: GoInt
	Float        // float, double: Name
	Pointer      // pointer to anything but a function
	Func         // pointer to a function
	Value        // a record or an array by value, of the facts or of libc (struct timespec, pthread_mutex_t)
)

// Type describes a C type.
type Type struct {
	Kind     Kind
	Align    int64  // on amd64; 0 where nothing is known
	Name     string // as spelled without qualifiers: "double", "struct ibv_mr"; empty for pointers and arrays
	GoInt    string // Integer: the Go type of its width and sign. __be64 is a uint64 whose bytes are in network order
	ReadOnly bool   // C does not write behind the pointer, or to the record or array that it gets by address
}

// Classify says what the C type ctype is: "const char *", "enum ibv_mtu", "uint8_t[16]", "struct timespec".
// A record that is only declared (struct verbs_ex_private) has no alignment. A type that neither rel nor libc
// has is an error.
func Classify(rel *api.Release, ctype string) (Type, error) {
	t, err := parseType(ctype)
	if err != nil {
		return Type{}, err
	}
	return newTypes(rel).classify(t)
}

// types looks names of types up.
type types struct {
	records map[string]*api.Record
	enums   map[string]*api.Enum
}

func newTypes(rel *api.Release) *types {
	ts := &types{records: map[string]*api.Record{}, enums: map[string]*api.Enum{}}
	for i := range rel.Records {
		ts.records[rel.Records[i].Tag] = &rel.Records[i]
	}
	for i := range rel.Enums {
		ts.enums[rel.Enums[i].Tag] = &rel.Enums[i]
	}
	for _, a := range rel.Aliases {
		if r := ts.records[a.Kind+" "+a.Of]; r != nil {
			ts.records[a.Kind+" "+a.Name] = r
		}
		if e := ts.enums[a.Kind+" "+a.Of]; e != nil {
			ts.enums[a.Kind+" "+a.Name] = e
		}
	}
	return ts
}

func (ts *types) classify(t *ctype) (Type, error) {
	switch t.form {
	case formBase:
		return ts.base(t.name)
	case formFunc:
		return Type{}, fmt.Errorf("type %q: a function is no type of a value; a pointer to it is", t.declare(""))
	case formPtr:
		if t.elem.form == formFunc {
			return Type{Kind: Func, Align: 8}, nil
		}
	}
	elem, err := ts.classify(t.elem)
	if err != nil {
		return Type{}, err
	}
	r := Type{Kind: Pointer, Align: 8, ReadOnly: strings.Contains(t.elem.quals, "const")}
	if t.form == formArray {
		r.Kind, r.Align = Value, elem.Align
		if n, err := strconv.ParseInt(t.count, 0, 64); t.count != "" && (err != nil || n < 0) {
			return Type{}, fmt.Errorf("type %q: array bound %q is no number", t.declare(""), t.count)
		}
	}
	return r, nil
}

func (ts *types) base(name string) (Type, error) {
	t, ok := scalars[name]
	e, r := ts.enums[name], ts.records[name]
	switch {
	case ok:
	case e != nil:
		t = integer(enumSize(e), e.Signed)
	case r != nil:
		t = record(r.Align)
	case isTag(name):
		t = record(0)
	default:
		return Type{}, fmt.Errorf("type %q: neither the facts nor libc have it", name)
	}
	t.Name = name
	return t, nil
}

// ShimParam is the C type of a parameter through which a value of type t enters a C shim: fixed-width integers for
// integers and enums, uintptr_t for an address of C and for the address of a function, double and float as they are.
// For memory of Go, which the caller keeps, it is uint8_t *: cgo must see a pointer, of a type that holds none, so that it checks
// nothing. Records by value and arrays enter by address. Void has none.
func (t Type) ShimParam(ofGo bool) string {
	switch t.Kind {
	case Void:
		return ""
	case Float:
		return t.Name
	case Integer:
		return t.GoInt + "_t"
	}
	switch {
	case t.Kind == Func || !ofGo:
		return "uintptr_t"
	case t.ReadOnly:
		return "const uint8_t *"
	}
	return "uint8_t *"
}

// ShimResult is the C type in which a shim returns a t: pointers as void *, which Go keeps as unsafe.Pointer to
// C memory; integers and enums at fixed width. Records and arrays are not returned but written through a parameter:
// for them it is empty.
func (t Type) ShimResult() string {
	switch t.Kind {
	case Void:
		return "void"
	case Pointer, Func:
		return "void *"
	case Value:
		return ""
	}
	return t.ShimParam(false)
}

func isTag(name string) bool {
	return strings.HasPrefix(name, "struct ") || strings.HasPrefix(name, "union ")
}

// enumSize is the size that gcc gives the enum: int or unsigned int where all values fit, else 8 bytes.
func enumSize(e *api.Enum) int64 {
	for _, v := range e.Enumerators {
		if v.Value > 1<<32-1 || v.Value < -1<<31 || e.Signed && v.Value > 1<<31-1 {
			return 8
		}
	}
	return 4
}

func integer(size int64, signed bool) Type {
	t := Type{Kind: Integer, Align: size, GoInt: fmt.Sprintf("uint%d", 8*size)}
	if signed {
		t.GoInt = t.GoInt[1:]
	}
	return t
}

func record(align int64) Type { return Type{Kind: Value, Align: align, ReadOnly: true} }

// scalars are the types of C, of libc and of the kernel's linux/types.h that a verbs header may name; the sizes
// hold on linux/amd64 and, pthread_mutex_t apart, on linux/arm64. Plain char is taken as signed (amd64).
var scalars = map[string]Type{
	"void": {Kind: Void}, "_Bool": integer(1, false), "bool": integer(1, false),
	"float": {Kind: Float, Align: 4}, "double": {Kind: Float, Align: 8}, "long double": {Kind: Float, Align: 16},

	"char": integer(1, true), "signed char": integer(1, true), "unsigned char": integer(1, false),
	"short": integer(2, true), "unsigned short": integer(2, false),
	"int": integer(4, true), "unsigned int": integer(4, false), "unsigned": integer(4, false),
	"long": integer(8, true), "unsigned long": integer(8, false),
	"long int": integer(8, true), "unsigned long int": integer(8, false), "long unsigned int": integer(8, false),
	"long long": integer(8, true), "unsigned long long": integer(8, false),

	"int8_t": integer(1, true), "int16_t": integer(2, true), "int32_t": integer(4, true), "int64_t": integer(8, true),
	"uint8_t": integer(1, false), "uint16_t": integer(2, false), "uint32_t": integer(4, false), "uint64_t": integer(8, false),
	"intptr_t": integer(8, true), "uintptr_t": integer(8, false), "size_t": integer(8, false), "ssize_t": integer(8, true),
	"ptrdiff_t": integer(8, true), "off_t": integer(8, true), "time_t": integer(8, true), "wchar_t": integer(4, true),
	"intmax_t": integer(8, true), "uintmax_t": integer(8, false), "dev_t": integer(8, false), "pid_t": integer(4, true),
	"socklen_t": integer(4, false), "uid_t": integer(4, false), "gid_t": integer(4, false), "mode_t": integer(4, false),

	"nfds_t": integer(8, false),

	"__s8": integer(1, true), "__s16": integer(2, true), "__s32": integer(4, true), "__s64": integer(8, true),
	"__u8": integer(1, false), "__u16": integer(2, false), "__u32": integer(4, false), "__u64": integer(8, false),
	"__sum16": integer(2, false), "__wsum": integer(4, false),
	"__aligned_u64": integer(8, false), "__le16": integer(2, false), "__le32": integer(4, false), "__le64": integer(8, false),
	"__be16": integer(2, false), "__be32": integer(4, false), "__be64": integer(8, false), "__aligned_be64": integer(8, false),

	"struct timespec": record(8), "struct timeval": record(8),
	"pthread_mutex_t": record(8), "pthread_cond_t": record(8),
	"pthread_mutexattr_t": record(4), "pthread_condattr_t": record(4),
	"pthread_t": integer(8, false),
}
