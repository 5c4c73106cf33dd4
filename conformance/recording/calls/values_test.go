//go:build linux && cgo

package calls

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/verbsgen/verbsgen/conformance/recording/exported"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// pool has the values that calls may be made of: what earlier calls returned, of each type, closed or not.
type pool struct {
	*rand.Rand
	have map[reflect.Type][]reflect.Value
}

const most = 12 // values of a type

// add keeps a value; one of those that were there goes.
func (p *pool) add(v reflect.Value) {
	all := p.have[v.Type()]
	if len(all) < most {
		p.have[v.Type()] = append(all, v)
	} else {
		all[p.IntN(most)] = v
	}
}

// keep adds what a call has returned, if it leads to further calls.
func (p *pool) keep(results []reflect.Value) {
	for _, r := range results {
		switch r.Kind() {
		case reflect.Pointer, reflect.Struct, reflect.Interface:
			if !r.IsZero() && r.Type() != reflect.TypeFor[error]() {
				p.add(r)
			}
		case reflect.Uint32, reflect.Uint64: // keys, numbers and addresses
			p.add(r)
		}
	}
}

// value is a value of a type: one that was returned, a plausible or a hostile one.
func (p *pool) value(t reflect.Type, depth int) reflect.Value {
	if t == reflect.TypeFor[mem.Source]() && depth < 4 && p.IntN(3) > 0 { // others have the type as results
		v := reflect.New(t).Elem()
		v.Set(p.value([]reflect.Type{reflect.TypeFor[*mem.Buffer](), reflect.TypeFor[*mem.Pin]()}[p.IntN(2)], depth+1))
		return v
	}
	if all := p.have[t]; len(all) > 0 && p.IntN(20) > 0 && (t.Kind() != reflect.Uint32 && t.Kind() != reflect.Uint64 || p.IntN(2) == 0) {
		return all[p.IntN(len(all))]
	}
	v := reflect.New(t).Elem()
	if depth > 4 || p.IntN(30) == 0 {
		return v
	}
	if t == reflect.TypeFor[context.Context]() {
		return p.context()
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(p.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n := p.signed(); !v.OverflowInt(n) {
			v.SetInt(n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(p.unsigned() & (math.MaxUint64 >> (64 - t.Bits())))
	case reflect.String:
		v.SetString([]string{"", "soft0", "soft1", "\x00", "soft0\x00x", "/dev/null"}[p.IntN(6)])
	case reflect.Slice:
		n := []int{0, 1, 1, 2, 3, 4, 16, 64}[p.IntN(8)]
		if t.Elem().Kind() == reflect.Uint8 {
			n *= 64
		}
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range min(n, 16) {
			v.Index(i).Set(p.value(t.Elem(), depth+1))
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(p.value(t.Elem(), depth+1))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				v.Field(i).Set(p.value(t.Field(i).Type, depth+1))
			}
		}
	case reflect.Pointer:
		if p.IntN(8) > 0 && !opaque(t.Elem()) {
			v.Set(reflect.New(t.Elem()))
			v.Elem().Set(p.value(t.Elem(), depth+1))
		} else if p.IntN(2) == 0 {
			v.Set(reflect.New(t.Elem()))
		}
	case reflect.Func:
		if p.IntN(4) > 0 {
			return zeroOf(t)
		}
	case reflect.Interface:
		return p.implementing(t)
	}
	return v
}

// opaque reports whether the values of a type are not made by its fields: those that have some which no other package sets.
func opaque(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

// implementing is a value of an interface: one that was returned, or a new one of a type that implements it.
func (p *pool) implementing(t reflect.Type) reflect.Value {
	var types []reflect.Type
	for _, x := range exported.Types {
		for _, x := range []reflect.Type{x, reflect.PointerTo(x)} {
			if x.Implements(t) {
				types = append(types, x)
			}
		}
	}
	v := reflect.New(t).Elem()
	if len(types) > 0 {
		v.Set(p.value(types[p.IntN(len(types))], 1))
	}
	return v
}

func (p *pool) context() reflect.Value {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	time.AfterFunc(time.Second, cancel)
	switch p.IntN(6) {
	case 0:
		ctx = nil
	case 1:
		cancel()
	}
	return reflect.ValueOf(&ctx).Elem()
}

func (p *pool) unsigned() uint64 {
	switch p.IntN(12) {
	case 0:
		return math.MaxUint64 - p.Uint64N(3)
	case 1:
		return 1 << p.IntN(64)
	case 2:
		return p.Uint64()
	case 3, 4:
		return p.Uint64N(4096)
	}
	return p.Uint64N(17)
}

func (p *pool) signed() int64 {
	switch p.IntN(16) {
	case 0:
		return []int64{math.MinInt64, math.MaxInt64, math.MinInt32, math.MaxInt32, math.MaxInt32 + 1}[p.IntN(5)]
	case 1, 2:
		return -p.Int64N(5)
	case 3:
		return p.Int64N(4096)
	}
	return p.Int64N(17)
}
