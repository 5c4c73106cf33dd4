package pack

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// Writer writes values whose strings are in one table.
type Writer struct {
	codec *Codec
	index map[string]uint64
	list  []string
	out   []byte
}

// NewWriter returns a Writer of values of a codec.
func (c *Codec) NewWriter() *Writer { return &Writer{codec: c, index: map[string]uint64{"": 0}} }

// Write returns a value as bytes. It panics for a type that cannot be stored.
func (w *Writer) Write(v any) []byte {
	w.out = nil
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	w.value(w.codec.formOf(p.Type().Elem()), p.Elem())
	return w.out
}

// Table returns the strings of all that was written.
func (w *Writer) Table() []byte {
	out := binary.AppendUvarint(nil, uint64(len(w.list)))
	for _, s := range w.list {
		out = append(binary.AppendUvarint(out, uint64(len(s))), s...)
	}
	return out
}

func (w *Writer) number(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

func (w *Writer) string(s string) {
	i, ok := w.index[s]
	if !ok {
		w.list = append(w.list, s)
		i = uint64(len(w.list))
		w.index[s] = i
	}
	w.number(i)
}

// value writes a value, which is addressable.
func (w *Writer) value(f *form, v reflect.Value) {
	v = reflect.NewAt(f.t, v.Addr().UnsafePointer()).Elem() // also of an unexported field
	if f.named != nil {
		name := ""
		if !v.IsNil() {
			name = f.named.Name(v.Interface())
		}
		w.string(name)
		return
	}
	switch f.t.Kind() {
	case reflect.String:
		w.string(v.String())
	case reflect.Bool:
		w.number(uint64(*(*uint8)(v.Addr().UnsafePointer())))
	case reflect.Int:
		n := v.Int()
		w.number(uint64(n<<1) ^ uint64(n>>63))
	case reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		w.number(v.Uint())
	case reflect.Struct:
		w.fields(f, v)
	case reflect.Slice:
		if v.IsNil() {
			w.number(0)
			return
		}
		w.number(uint64(v.Len()) + 1)
		for i := range v.Len() {
			w.value(f.elem, v.Index(i))
		}
	case reflect.Map:
		w.entries(f, v)
	case reflect.Pointer:
		switch {
		case f.t == bigInt:
			w.string(v.Interface().(*big.Int).String())
		case v.IsNil():
			w.number(0)
		default:
			w.number(1)
			w.value(f.elem, v.Elem())
		}
	case reflect.Interface:
		w.any(v)
	}
}

func (w *Writer) fields(f *form, v reflect.Value) {
	var set uint64
	for i := range f.fields {
		if !v.Field(i).IsZero() {
			set |= 1 << i
		}
	}
	w.number(set)
	for i := range f.fields {
		if set>>i&1 != 0 {
			w.value(f.fields[i].form, v.Field(i))
		}
	}
}

// entries writes a map, in the order of its keys.
func (w *Writer) entries(f *form, v reflect.Value) {
	if v.IsNil() {
		w.number(0)
		return
	}
	w.number(uint64(v.Len()) + 1)
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	for _, k := range keys {
		key, elem := reflect.New(f.key.t).Elem(), reflect.New(f.elem.t).Elem()
		key.Set(k)
		elem.Set(v.MapIndex(k))
		w.value(f.key, key)
		w.value(f.elem, elem)
	}
}

func (w *Writer) any(v reflect.Value) {
	if v.IsNil() {
		w.number(0)
		return
	}
	i := slices.Index(anyTypes, v.Elem().Type())
	if i < 0 {
		panic(fmt.Sprintf("pack: a %v in an interface cannot be stored", v.Elem().Type()))
	}
	w.number(uint64(i))
	elem := reflect.New(anyTypes[i]).Elem()
	elem.Set(v.Elem())
	w.value(w.codec.any[i], elem)
}

// Describe returns what the types of a value are: stored values of other types cannot be read.
func (c *Codec) Describe(v any) string {
	var b strings.Builder
	seen := map[reflect.Type]bool{}
	var walk func(f *form)
	walk = func(f *form) {
		if f == nil || seen[f.t] {
			return
		}
		seen[f.t] = true
		fmt.Fprintf(&b, "%v %v", f.t, f.t.Kind())
		for i := range f.fields {
			fmt.Fprintf(&b, " %s %v", f.t.Field(i).Name, f.fields[i].t)
		}
		b.WriteByte('\n')
		for i := range f.fields {
			walk(f.fields[i].form)
		}
		walk(f.key)
		walk(f.elem)
	}
	walk(c.formOf(reflect.TypeOf(v)))
	return b.String()
}
