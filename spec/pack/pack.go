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

// Codec reads and writes values. Goroutines may share it.
type Codec struct {
	named []Named
	any   []*form // of anyTypes

	mu    sync.Mutex
	types map[reflect.Type]*form
}

// New returns a codec for which some values have names.
func New(named ...Named) *Codec {
	c := &Codec{named: named, any: make([]*form, len(anyTypes)), types: map[reflect.Type]*form{}}
	for i, t := range anyTypes[1:] {
		c.any[i+1] = c.form(t)
	}
	return c
}

// form is how values of a type are read and written.
type form struct {
	t      reflect.Type
	fields []field // of a struct
	elem   *form   // of a slice, a map, a pointer
	key    *form   // of a map
	named  *Named
}

type field struct {
	offset uintptr
	*form
}

// anyTypes are the types of values in an interface, the first that of no value.
var anyTypes = []reflect.Type{nil, reflect.TypeFor[string](), reflect.TypeFor[bool](), bigInt, reflect.TypeFor[[]any](),
	reflect.TypeFor[map[string]any]()}

var bigInt = reflect.TypeFor[*big.Int]()

// formOf returns how a type is stored. It panics for a type that cannot be stored.
func (c *Codec) formOf(t reflect.Type) *form {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.form(t)
}

// form is formOf where nobody else changes types.
func (c *Codec) form(t reflect.Type) *form {
	if f := c.types[t]; f != nil {
		return f
	}
	f := &form{t: t}
	c.types[t] = f // before its parts, which may have it in them
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
		if t.Key().Kind() != reflect.String {
			panic(fmt.Sprintf("pack: the keys of %v are not strings", t))
		}
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
