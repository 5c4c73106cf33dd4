package cgen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Kind is what a C type is to code that carries its values between C and Go.
type Kind int

// Kinds of C types.
const (
	Void    Kind = iota
	Bool         // _Bool
	Int          // any integer, signed or not; Size and Signed tell which
	Float        // float, double
	Enum         // an enum of the facts
	Pointer      // pointer to anything but a function
	Func         // pointer to a function
	Struct       // a record by value, of the facts or of libc (struct timespec, pthread_mutex_t)
	Array        // array: Elem and Len
)

var kindNames = [...]string{"void", "bool", "int", "float", "enum", "pointer", "func", "struct", "array"}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "Kind(" + strconv.Itoa(int(k)) + ")"
	}
	return kindNames[k]
}

// Type describes a C type. Sizes are bytes on amd64.
type Type struct {
	Kind      Kind
	Size      int64  // 0: void, an incomplete record, a flexible array
	Align     int64  // 0 where Size is 0 and nothing is known
	Signed    bool   // Int and Enum
	BigEndian bool   // Int: one of __be16, __be32, __be64
	Name      string // as spelled without qualifiers: "size_t", "struct ibv_mr", "enum ibv_mtu"; empty for pointers and arrays
	Const     bool   // the type itself is const: of a pointer's Elem, C must not write there
	Elem      *Type  // Pointer: what it points to; Array: its element
	Len       int64  // Array: elements; -1 for a flexible array
}

// Classify says what the C type ctype is: "const char *", "enum ibv_mtu", "uint8_t[16]", "struct timespec".
// A record that is only declared (struct verbs_ex_private) is a Struct of Size 0. A type that neither rel
// nor libc has is an error.
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
	isConst := strings.Contains(t.quals, "const")
	switch t.form {
	case formPtr:
		if t.elem.form == formFunc {
			return Type{Kind: Func, Size: 8, Align: 8, Const: isConst}, nil
		}
		elem, err := ts.classify(t.elem)
		if err != nil {
			return Type{}, err
		}
		return Type{Kind: Pointer, Size: 8, Align: 8, Const: isConst, Elem: &elem}, nil
	case formArray:
		return ts.array(t)
	case formFunc:
		return Type{}, fmt.Errorf("type %q: a function is no type of a value; a pointer to it is", t.declare(""))
	}
	r, err := ts.base(t.name)
	r.Const = isConst
	return r, err
}

func (ts *types) array(t *ctype) (Type, error) {
	elem, err := ts.classify(t.elem)
	if err != nil {
		return Type{}, err
	}
	r := Type{Kind: Array, Align: elem.Align, Elem: &elem, Len: -1}
	if t.count == "" {
		return r, nil
	}
	if r.Len, err = strconv.ParseInt(t.count, 0, 64); err != nil || r.Len < 0 {
		return Type{}, fmt.Errorf("type %q: array bound %q is no number", t.declare(""), t.count)
	}
	r.Size = r.Len * elem.Size
	return r, nil
}

func (ts *types) base(name string) (Type, error) {
	if s, ok := scalars[name]; ok {
		s.Name = name
		return s, nil
	}
	if e := ts.enums[name]; e != nil {
		return Type{Kind: Enum, Size: enumSize(e), Align: enumSize(e), Signed: e.Signed, Name: name}, nil
	}
	if r := ts.records[name]; r != nil {
		return Type{Kind: Struct, Size: r.Size, Align: r.Align, Name: name}, nil
	}
	if isTag(name) {
		return Type{Kind: Struct, Name: name}, nil
	}
	return Type{}, fmt.Errorf("type %q: neither the facts nor libc have it", name)
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
	return Type{Kind: Int, Size: size, Align: size, Signed: signed}
}

func bigEndian(size int64) Type { return Type{Kind: Int, Size: size, Align: size, BigEndian: true} }

// scalars are the types of C, of libc and of the kernel's linux/types.h that a verbs header may name; the sizes
// hold on linux/amd64 and, pthread_mutex_t apart, on linux/arm64. Plain char is taken as signed (amd64).
var scalars = map[string]Type{
	"void": {Kind: Void}, "_Bool": {Kind: Bool, Size: 1, Align: 1}, "bool": {Kind: Bool, Size: 1, Align: 1},
	"float": {Kind: Float, Size: 4, Align: 4}, "double": {Kind: Float, Size: 8, Align: 8}, "long double": {Kind: Float, Size: 16, Align: 16},

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
	"__be16": bigEndian(2), "__be32": bigEndian(4), "__be64": bigEndian(8), "__aligned_be64": bigEndian(8),

	"struct timespec": {Kind: Struct, Size: 16, Align: 8}, "struct timeval": {Kind: Struct, Size: 16, Align: 8},
	"pthread_mutex_t": {Kind: Struct, Size: 40, Align: 8}, "pthread_cond_t": {Kind: Struct, Size: 48, Align: 8},
	"pthread_mutexattr_t": {Kind: Struct, Size: 4, Align: 4}, "pthread_condattr_t": {Kind: Struct, Size: 4, Align: 4},
	"pthread_t": integer(8, false),
}
