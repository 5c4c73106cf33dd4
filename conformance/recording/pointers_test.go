//go:build linux && cgo

package recording

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// This file fills what builders have behind pointers: lists of handles, other records, and bytes.

// setPointer makes the argument of a setter of such a field, and notes what C must see behind the pointer.
func (b *bed) setPointer(x *builder, s setter, n int, path string) reflect.Value {
	b.Helper()
	f := s.field
	x.want[f.C] = want{some: true}
	switch {
	case f.Handles != "":
		return b.setHandles(x, f, path)
	case f.Bytes:
		return b.setBytes(x, f, n)
	}
	all := pointed(b.spec, f.Points)
	r := all[b.arm%len(all)]
	inner := b.build(r.Go, nil, path, x.attempt)
	for c, w := range inner.want {
		x.want[f.C+"[0]."+c] = w
	}
	if f.Tag != "" {
		x.want[f.Tag] = numberWant(b.constants([]string{r.Arm.Is}))
		x.want[f.Len] = numberWant(uint64(b.facts.Record("struct " + r.C).Size))
	}
	if inner.err != nil {
		x.err = inner.err
		return reflect.Zero(s.arg)
	}
	return inner.v.Convert(s.arg)
}

// setHandles makes a list of four handles.
func (b *bed) setHandles(x *builder, f *spec.RecordField, path string) reflect.Value {
	b.Helper()
	const n, log = 4, 2
	var list reflect.Value
	for i := range n {
		v, at := b.kept(x.attempt, f.Handles, fmt.Sprintf("%s[%d]", path, i))
		if i == 0 {
			list = reflect.MakeSlice(reflect.SliceOf(v.Type()), 0, n)
		}
		list = reflect.Append(list, v)
		x.want[fmt.Sprintf("%s[%d]", f.C, i)] = numberWant(at)
	}
	x.want[f.Len] = numberWant(n)
	if f.Log2 {
		x.want[f.Len] = numberWant(log)
	}
	return list
}

// setBytes makes bytes: behind a pointer C has them one by one, in an array all together.
func (b *bed) setBytes(x *builder, f *spec.RecordField, n int) reflect.Value {
	b.Helper()
	rec := b.facts.Record("struct " + x.record.C)
	i := slices.IndexFunc(rec.Fields, func(m api.Field) bool { return m.Name == f.C })
	v := make([]byte, 24)
	for j := range v {
		v[j] = byte(n + j*3 + 1)
	}
	x.want[f.Len] = numberWant(uint64(len(v)))
	if strings.Contains(rec.Fields[i].Type, "[") {
		whole := make([]byte, rec.Fields[i].Size)
		copy(whole, v)
		x.want[f.C] = want{text: "x" + hex.EncodeToString(whole)}
		return reflect.ValueOf(v)
	}
	for j, c := range v {
		x.want[fmt.Sprintf("%s[%d]", f.C, j)] = numberWant(uint64(c))
	}
	return reflect.ValueOf(v)
}

// turned is what C must see of a number that it has in network byte order: the type of the header says so, or the library shows it as it
// lies in memory.
func (b *bed) turned(r *spec.Record, f *spec.RecordField, v reflect.Value) want {
	b.Helper()
	rec := b.facts.Record("struct " + r.C)
	i := slices.IndexFunc(rec.Fields, func(m api.Field) bool { return m.Name == f.C })
	n := v.Uint()
	if b.rec.source.number(rec.Fields[i].Type) != "BIG" {
		n = bits.ReverseBytes64(n) >> (64 - v.Type().Bits())
	}
	return numberWant(n)
}

// sizeOf is the size of a field in C; 0 of one inside of another.
func (b *bed) sizeOf(r *spec.Record, f *spec.RecordField) int64 {
	rec := b.facts.Record("struct " + r.C)
	i := slices.IndexFunc(rec.Fields, func(m api.Field) bool { return m.Name == f.C })
	if i < 0 {
		return 0
	}
	return rec.Fields[i].Size
}

// sharesBehind reports whether a field of a record behind a pointer lies in the same memory as one that was set; at is where the
// record ends
// in the path.
func (r *request) sharesBehind(path string, at int, seen map[string]bool) bool {
	of, inner := path[:at], path[at+len("[0]."):]
	field := of[strings.LastIndex(of, ".")+1:]
	for tag, rec := range r.rec.source.records {
		i := slices.IndexFunc(rec.Fields, func(m api.Field) bool { return m.Name == inner })
		if i < 0 || !r.pointsTo(field, tag) {
			continue
		}
		for _, g := range rec.Fields {
			f := rec.Fields[i]
			if seen[path[:at]+"[0]."+g.Name] && g.Name != inner && g.Offset < f.Offset+f.Size && f.Offset < g.Offset+g.Size {
				return true
			}
		}
	}
	return false
}

// pointsTo reports whether some record has a field of a name that points to a record.
func (r *request) pointsTo(field, tag string) bool {
	for _, rec := range r.rec.source.records {
		for _, f := range rec.Fields {
			if f.Name == field && strings.TrimSuffix(f.Type, " *") == tag {
				return true
			}
		}
	}
	return false
}

// behindArm is a record that gets behind another in memory, with some setters of its builder or with all of them for nil.
type behindArm struct {
	record *spec.Record
	only   []string
}

// addBehind puts the records behind another, and notes the number and the size that C must see, and their fields: each is a
// member of a union.
func (b *bed) addBehind(x *builder) {
	b.Helper()
	tail := x.record.Tail
	size := b.facts.Record("struct " + x.record.C).Size
	union := b.facts.Record(behind["struct "+x.record.C][0])
	for i, arm := range b.behind {
		inner := b.build(arm.record.Go, arm.only, fmt.Sprintf("%s[%d]", x.path, i), x.attempt)
		m := slices.IndexFunc(union.Fields, func(f api.Field) bool { return f.Type == "struct "+arm.record.C })
		if m < 0 {
			b.Errorf("%s has no struct %s", union.Tag, arm.record.C)
			continue
		}
		if inner.err != nil {
			x.err = inner.err
			return
		}
		for c, w := range inner.want {
			x.want[fmt.Sprintf("[%d].%s.%s", i, union.Fields[m].Name, c)] = w
		}
		size += b.facts.Record("struct " + arm.record.C).Size
		add := x.v.MethodByName(tail.Go)
		add.Call([]reflect.Value{inner.v.Convert(add.Type().In(0).Elem())})
	}
	x.want[tail.Size], x.want[tail.Count] = numberWant(uint64(size)), numberWant(uint64(len(b.behind)))
}
