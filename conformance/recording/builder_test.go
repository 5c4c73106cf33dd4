//go:build linux && cgo

package recording

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/verbsgen/verbsgen/conformance/recording/exported"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/spec"
)

// setter is a method of a builder, or a field of a plain struct: the field or the switch of the page that it sets.
type setter struct {
	method string            // or the Go field
	field  *spec.RecordField // nil for a switch
	bits   []string          // enumerators of its mask bits
	arg    reflect.Type      // nil for a switch
}

// settersOf gives all setters of a builder or a plain struct, by reflection. One that is on no page is an error, and so is a field without
// one.
func settersOf(r *spec.Record, t reflect.Type) ([]setter, error) {
	key := [2]any{r, t}
	if found, ok := knownSetters.Load(key); ok {
		return slices.Clone(found.([]setter)), nil
	}
	found, err := findSetters(r, t)
	if err == nil {
		knownSetters.Store(key, slices.Clone(found))
	}
	return found, err
}

var knownSetters sync.Map // record and type -> []setter

func findSetters(r *spec.Record, t reflect.Type) ([]setter, error) {
	var out []setter
	var errs []error
	unset := map[string]bool{}
	for _, f := range r.Fields {
		unset[f.C] = !slices.Contains(r.New, f.C)
	}
	for _, x := range settables(r, t) {
		s, ok := setterOf(r, x)
		if !ok {
			errs = append(errs, fmt.Errorf("%s.%s sets nothing that the page of %s has", r.Go, x.method, r.Go))
			continue
		}
		if s.field != nil {
			unset[s.field.C] = false
		}
		out = append(out, s)
	}
	for _, c := range slices.Sorted(maps.Keys(unset)) {
		if unset[c] {
			errs = append(errs, fmt.Errorf("no method of %s sets %s.%s", r.Go, r.C, c))
		}
	}
	return out, errors.Join(errs...)
}

// settables are the methods of a builder that return it, or the fields of a plain struct.
func settables(r *spec.Record, t reflect.Type) (out []setter) {
	if r.Plain() {
		for i := range t.Elem().NumField() {
			f := t.Elem().Field(i)
			out = append(out, setter{method: f.Name, arg: f.Type})
		}
		return out
	}
	for i := range t.NumMethod() {
		m := t.Method(i)
		if m.Type.NumOut() != 1 || m.Type.Out(0) != t {
			continue
		}
		if r.Tail != nil && m.Name == r.Tail.Go { // TestArms compares what lies behind the record
			continue
		}
		s := setter{method: m.Name}
		if m.Type.NumIn() == 2 {
			s.arg = m.Type.In(1)
		}
		out = append(out, s)
	}
	return out
}

// setterOf finds what a method or a field sets.
func setterOf(r *spec.Record, s setter) (setter, bool) {
	for _, w := range r.Switches {
		if w.Go == s.method && (s.arg == nil || r.Plain()) {
			s.arg, s.bits = nil, []string{w.C}
			return s, true
		}
	}
	for i, f := range r.Fields {
		if f.Go == s.method {
			s.field = &r.Fields[i]
			if f.Bit != "" {
				s.bits = []string{f.Bit}
			}
			return s, s.arg != nil
		}
	}
	return s, false
}

// builder is a filled builder or plain struct, and what C must see of it: values by the paths of the record, and bits of its mask.
type builder struct {
	record *spec.Record
	v      reflect.Value // a pointer
	want   map[string]want
	mask   uint64
	path   string // of the record, for tries
	err    error
	*attempt
}

// required are the fields of plain structs without which every call is refused.
var required = map[string][]string{"QPInitAttr": {"Type"}, "FlowSpecCount": {"Counters"}, "FlowSpecAction": {"Action"}}

// build makes a builder or a plain struct with the given setters; nil stands for all of them.
func (b *bed) build(name string, only []string, path string, a *attempt) *builder {
	b.Helper()
	r := b.spec.RecordByGo(name)
	x := &builder{record: r, want: map[string]want{}, path: path, attempt: a}
	f := reflect.ValueOf(exported.Funcs["verbs.New"+name])
	plain := slices.IndexFunc(exported.Types, func(t reflect.Type) bool { return t.String() == "verbs."+name })
	switch {
	case f.IsValid():
		var args []reflect.Value
		for i, c := range r.New {
			at := slices.IndexFunc(r.Fields, func(f spec.RecordField) bool { return f.C == c })
			args = append(args, b.set(x, setter{method: "New" + name, field: &r.Fields[at], arg: f.Type().In(i), bits: bitsOf(&r.Fields[at])}))
		}
		if x.err != nil {
			return x
		}
		x.v = f.Call(args)[0]
	case plain >= 0:
		x.v = reflect.New(exported.Types[plain])
	default:
		b.Fatalf("%s is not exported; run make generate", name)
	}
	if r.Tail != nil {
		b.addBehind(x)
	}
	if r.Arm != nil && r.Arm.Tag != "" {
		x.want[r.Arm.Size] = numberWant(uint64(b.facts.Record("struct " + r.C).Size))
		x.mask |= b.constants([]string{r.Arm.Is})
	}
	setters, err := settersOf(r, x.v.Type())
	if err != nil {
		b.Error(err)
	}
	for _, s := range setters {
		if s.field != nil && s.field.Points == name && strings.Count(path, s.field.C) > 1 {
			continue // of a chain three are enough
		}
		if only == nil || slices.Contains(only, s.method) || slices.Contains(required[name], s.method) {
			b.apply(x, s)
		}
	}
	if r.Arm != nil && r.Arm.Tag != "" {
		x.want[r.Arm.Tag] = numberWant(x.mask)
	}
	return x
}

func bitsOf(f *spec.RecordField) []string {
	if f.Bit == "" {
		return nil
	}
	return []string{f.Bit}
}

// apply calls a setter, or sets a field.
func (b *bed) apply(x *builder, s setter) {
	b.Helper()
	var args []reflect.Value
	if s.arg != nil {
		args = append(args, b.set(x, s))
	} else {
		x.mask |= b.constants(s.bits)
	}
	switch {
	case x.err != nil:
	case !x.record.Plain():
		x.v.MethodByName(s.method).Call(args)
	case s.arg == nil:
		x.v.Elem().FieldByName(s.method).SetBool(true)
	default:
		x.v.Elem().FieldByName(s.method).Set(args[0])
	}
}

// arg is the argument of a method: a builder, or a plain struct.
func (x *builder) arg() reflect.Value {
	if x.record.Plain() {
		return x.v.Elem()
	}
	return x.v
}

// constants returns the sum of enumerators.
func (b *bed) constants(names []string) uint64 {
	b.Helper()
	sum := uint64(0)
	for _, name := range names {
		v := b.facts.Const(name)
		if v == nil {
			b.Fatalf("the facts have no %s", name)
		}
		sum |= v.Uint64()
	}
	return sum
}

// set makes the argument of a setter, and notes what C must see.
func (b *bed) set(x *builder, s setter) reflect.Value {
	b.Helper()
	x.next++
	n, f := x.next, s.field
	path := x.path + "." + f.C
	if f.Callback != "allocator" && f.Callback != "context" && !(f.Handle != "" && x.tries[path]%2 == 1) {
		x.mask |= b.constants(s.bits)
	}
	switch {
	case f.Callback == "memory":
		v, addr, length := b.piece(s.arg, n)
		x.want[f.C] = numberWant(addr)
		if length != 0 {
			x.want[f.Len] = numberWant(length)
		}
		return v
	case f.Callback == "allocator":
		b.allocator(x, f)
		return reflect.ValueOf(allocator{})
	case f.Callback == "context":
		return reflect.ValueOf(n) // it goes to the allocator, never to C
	case f.Handles != "" || f.Points != "" || f.Bytes:
		return b.setPointer(x, s, n, path)
	case f.Handle != "" && x.tries[path]%2 == 1: // a rule refuses the handle: it stays away
		x.want[f.C] = numberWant(0)
		return reflect.Zero(s.arg)
	case f.Handle != "":
		x.tries[path] += 0
		v, at := b.kept(x.attempt, f.Handle, path)
		x.want[f.C] = numberWant(at)
		return v
	case f.Nested != "":
		inner := b.build(f.Nested, nil, path, x.attempt)
		for c, w := range inner.want {
			x.want[f.C+"."+c] = w
		}
		x.err = errors.Join(x.err, inner.err)
		return inner.arg()
	}
	v, w, err := b.chosen(f.Type, s.arg, n, x.tries[path], path)
	if size := b.sizeOf(x.record, f); err == nil && size > 0 && v.CanUint() && size*8 < int64(s.arg.Bits()) { // narrower in C
		v.SetUint(v.Uint() & (1<<(size*8) - 1))
		w = numberWant(v.Uint())
	}
	if err != nil {
		x.err = errors.Join(x.err, fmt.Errorf("%s: %w", path, err))
	}
	if f.Order == spec.OrderNetwork {
		w = b.turned(x.record, f, v)
	}
	x.tries[path] += 0 // known as a place that has other values
	x.want[f.C] = w
	return v
}

// allocator notes what an allocator puts into a record: two functions and what they are called with.
func (b *bed) allocator(x *builder, f *spec.RecordField) {
	b.Helper()
	x.mask |= b.constants([]string{f.Bit})
	x.want[f.C], x.want[f.Pair] = want{some: true}, want{some: true}
	for _, g := range x.record.Fields {
		if g.Callback == "context" {
			x.want[g.C] = want{some: true}
			x.mask |= b.constants([]string{g.Bit})
		}
	}
}

// allocator leaves everything to the provider.
type allocator struct{}

func (allocator) Alloc(verbs.AllocRequest) (uintptr, error) { return 0, verbs.ErrUseDefault }
func (allocator) Free(verbs.AllocRequest, uintptr)          {}
