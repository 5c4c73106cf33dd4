package pack

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"reflect"
	"unsafe"
)

// Table has the strings of stored values. They are parts of the text that it was read from.
type Table []string

// ReadTable reads the table that a Writer made, and returns the text behind it.
func ReadTable(text string) (Table, string, error) {
	r := reader{text: text}
	table := make(Table, 1, r.count()+1)
	for range cap(table) - 1 {
		table = append(table, r.part(r.count()))
	}
	return table, r.text, r.err("the table")
}

// Read reads one value, which to points to.
func (c *Codec) Read(table Table, text string, to any) error {
	v := reflect.ValueOf(to)
	f := c.formOf(v.Type().Elem())
	r := reader{codec: c, table: table, text: text}
	r.value(f, v.UnsafePointer())
	if r.text != "" {
		r.bad = true
	}
	return r.err(f.t.String())
}

// reader reads the values of a text. After a mistake in it, it reads zeros.
type reader struct {
	codec *Codec
	table Table
	text  string // what is left of it
	bad   bool
}

func (r *reader) err(what string) error {
	if r.bad {
		return fmt.Errorf("pack: %s is damaged", what)
	}
	return nil
}

func (r *reader) number() uint64 {
	var v uint64
	for i := 0; i < len(r.text) && i < binary.MaxVarintLen64; i++ {
		b := r.text[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.text = r.text[i+1:]
			return v
		}
	}
	r.bad, r.text = true, ""
	return 0
}

// tooMany reports whether the text is too short for n things, each of which takes a byte at least.
func (r *reader) tooMany(n uint64) bool {
	if n <= uint64(len(r.text)) {
		return false
	}
	r.bad, r.text = true, ""
	return true
}

// count reads a number of things.
func (r *reader) count() int {
	n := r.number()
	if r.tooMany(n) {
		return 0
	}
	return int(n)
}

func (r *reader) part(n int) (s string) {
	if n > len(r.text) {
		r.bad, r.text = true, ""
		return ""
	}
	s, r.text = r.text[:n], r.text[n:]
	return s
}

func (r *reader) string() string {
	n := r.number()
	if n >= uint64(len(r.table)) {
		r.bad, r.text = true, ""
		return ""
	}
	return r.table[n]
}

func (r *reader) signed() int64 {
	n := r.number()
	return int64(n>>1) ^ -int64(n&1)
}

// value reads a value of a form into memory of its type, which is zero.
func (r *reader) value(f *form, to unsafe.Pointer) {
	if f.named != nil {
		if name := r.string(); name != "" {
			r.set(f, to, reflect.ValueOf(f.named.Find(name)))
		}
		return
	}
	switch f.t.Kind() {
	case reflect.String:
		*(*string)(to) = r.string()
	case reflect.Bool:
		*(*bool)(to) = r.number() != 0
	case reflect.Int:
		*(*int)(to) = int(r.signed())
	case reflect.Uint:
		*(*uint)(to) = uint(r.number())
	case reflect.Uint8:
		*(*uint8)(to) = uint8(r.number())
	case reflect.Uint32:
		*(*uint32)(to) = uint32(r.number())
	case reflect.Uint64:
		*(*uint64)(to) = r.number()
	case reflect.Struct:
		r.fields(f, to)
	case reflect.Slice:
		r.slice(f, to)
	case reflect.Map:
		if n := r.number(); n > 0 && !r.tooMany(n-1) {
			r.entries(f, to, int(n-1))
		}
	case reflect.Pointer:
		if f.t == bigInt {
			r.bigInt(to)
		} else if r.number() != 0 {
			p := reflect.New(f.elem.t)
			*(*unsafe.Pointer)(to) = p.UnsafePointer()
			r.value(f.elem, p.UnsafePointer())
		}
	case reflect.Interface:
		if i := r.number(); i >= uint64(len(anyTypes)) {
			r.bad = true
		} else if i > 0 {
			v := reflect.New(anyTypes[i])
			r.value(r.codec.any[i], v.UnsafePointer())
			r.set(f, to, v.Elem())
		}
	}
}

// slice reads a slice.
func (r *reader) slice(f *form, to unsafe.Pointer) {
	n := r.number()
	if n == 0 || r.tooMany(n-1) {
		return
	}
	list := reflect.NewAt(f.t, to).Elem()
	if n == 1 {
		list.Set(reflect.MakeSlice(f.t, 0, 0)) // not nil
		return
	}
	list.Grow(int(n - 1))
	list.SetLen(int(n - 1))
	first := list.UnsafePointer()
	for i := range uintptr(n - 1) {
		r.value(f.elem, unsafe.Add(first, i*f.elem.t.Size()))
	}
}

// set stores a value of the right type.
func (r *reader) set(f *form, to unsafe.Pointer, v reflect.Value) {
	if !v.IsValid() || !v.Type().AssignableTo(f.t) {
		r.bad = true
		return
	}
	reflect.NewAt(f.t, to).Elem().Set(v)
}

// fields reads the fields of a struct that are not zero.
func (r *reader) fields(f *form, to unsafe.Pointer) {
	for set := r.number(); set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		if i >= len(f.fields) {
			r.bad = true
			return
		}
		r.value(f.fields[i].form, unsafe.Add(to, f.fields[i].offset))
	}
}

// entries reads a map.
func (r *reader) entries(f *form, to unsafe.Pointer, n int) {
	m := reflect.MakeMapWithSize(f.t, n)
	reflect.NewAt(f.t, to).Elem().Set(m)
	key, elem := reflect.New(f.key.t), reflect.New(f.elem.t)
	for range n {
		key.Elem().SetZero()
		elem.Elem().SetZero()
		r.value(f.key, key.UnsafePointer())
		r.value(f.elem, elem.UnsafePointer())
		m.SetMapIndex(key.Elem(), elem.Elem())
	}
}

func (r *reader) bigInt(to unsafe.Pointer) {
	text := r.string()
	if text == "" {
		return
	}
	n, ok := new(big.Int).SetString(text, 10)
	r.bad = r.bad || !ok
	*(**big.Int)(to) = n
}
