// Package pack stores Go values as bytes, and reads them back many times faster than the pages that they were made from: exported and
// unexported fields, slices, maps and pointers. It is for data that is written and read by one version of a program.
//
// It owns the form of the bytes, and knows nothing of pages. A value is written by its type, which the bytes do not repeat:
//
//	number  = a varint; a signed one is zigzag
//	string  = number of the string in the table, 0 for the empty one
//	struct  = set of the fields that are not zero, one bit each, and these fields
//	slice   = 0 for nil, else its length + 1, and the elements
//	map     = 0 for nil, else its length + 1, and each key with its value
//	pointer = 0 for nil, else 1 and what it points to; a value with a name is its name, a string
//	any     = one of the types below, and the value
//
// A pointer to one value from two places becomes two values.
package pack

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"sync"
)

// Named are values behind pointers that are not stored, but found by a name.
type Named struct {
	Type reflect.Type // of the pointer
	Name func(p any) string
	Find func(name string) any // a pointer of the type, or nil
}

// Codec reads and writes values.
type Codec struct {
	named []Named
	types sync.Map // reflect.Type -> *form
}

// New returns a codec for which some values have names.
func New(named ...Named) *Codec { return &Codec{named: named} }

// form is how values of a type are read and written.
type form struct {
	t      reflect.Type
	fields []field // of a struct
	elem   *form   // of a slice, an array, a map, a pointer
	key    *form   // of a map
	named  *Named
}

type field struct {
	offset uintptr
	*form
}

// anyTypes are the types of values in an interface.
var anyTypes = []reflect.Type{nil, reflect.TypeFor[string](), reflect.TypeFor[bool](), bigInt, reflect.TypeFor[[]any](),
	reflect.TypeFor[map[string]any]()}

var bigInt = reflect.TypeFor[*big.Int]()

// form returns how a type is stored. It panics for a type that cannot be, which the first use in a test finds.
func (c *Codec) form(t reflect.Type) *form {
	if f, ok := c.types.Load(t); ok {
		return f.(*form)
	}
	f := &form{t: t}
	c.types.Store(t, f) // before its parts, which may have it in them
	if i := slices.IndexFunc(c.named, func(n Named) bool { return n.Type == t }); i >= 0 {
		f.named = &c.named[i]
		return f
	}
	switch t.Kind() {
	case reflect.Struct:
		if t.NumField() > 64 {
			panic(fmt.Sprintf("pack: %v has more than 64 fields", t))
		}
		for i := range t.NumField() {
			f.fields = append(f.fields, field{t.Field(i).Offset, c.form(t.Field(i).Type)})
		}
	case reflect.Map:
		f.key, f.elem = c.form(t.Key()), c.form(t.Elem())
	case reflect.Slice, reflect.Pointer:
		if t != bigInt {
			f.elem = c.form(t.Elem())
		}
	case reflect.Interface, reflect.String, reflect.Bool, reflect.Int, reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
	default:
		panic(fmt.Sprintf("pack: %v cannot be stored", t))
	}
	return f
}
