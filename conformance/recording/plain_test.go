//go:build linux && cgo

package recording

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Records that methods take without a builder: as a struct of a runtime package, or as bytes.

// runtimeFields are the fields of such structs, by the record of the pages.
var runtimeFields = map[string]map[string]string{"WC": wcFields}

// runtimeRecord makes a struct with a value of its own in each field.
func (r *request) runtimeRecord(p *spec.Param, t reflect.Type) reflect.Value {
	r.Helper()
	v := reflect.New(t.Elem())
	fields := runtimeFields[p.Type]
	if v.Elem().NumField() != len(fields) {
		r.Fatalf("%s has %d fields, and runtimeFields %d of %s", t, v.Elem().NumField(), len(fields), p.Type)
	}
	r.want[p.C] = want{some: true}
	for i := range v.Elem().NumField() {
		r.next++
		x, w, err := scalar(v.Elem().Field(i).Type(), r.next, 0)
		r.err = errors.Join(r.err, err)
		v.Elem().Field(i).Set(x)
		field := fields[v.Elem().Type().Field(i).Name]
		if field == "imm_data" {
			field = "invalidated_rkey" // the same memory, whose order Go has changed where it was immediate data
		}
		r.want[p.C+"."+field] = w
	}
	return v
}

// bytes makes the bytes of the struct that an argument of C points to, with a value of its own in each field.
func (r *request) bytes(p *spec.Param) reflect.Value {
	r.Helper()
	params := r.facts.Func(r.verb.C).Params
	at := slices.IndexFunc(params, func(q api.Param) bool { return q.Name == p.C })
	kind, tag := r.rec.source.kind(params[at].Type)
	if kind != "LIST" {
		r.Fatalf("%s: %s is %s, no pointer to a struct that bytes could be of", r.verb.C, p.C, params[at].Type)
	}
	raw := make([]byte, r.facts.Record(tag).Size)
	for i := range raw {
		raw[i] = byte(r.next*41 + i + 1)
	}
	r.want[p.C] = want{some: true}
	r.inBytes(p.C, tag, raw)
	return reflect.ValueOf(raw)
}

// inBytes notes what C must see of a struct in bytes.
func (r *request) inBytes(path, tag string, raw []byte) {
	r.Helper()
	for _, f := range r.rec.source.records[tag].Fields {
		at, bytes := path+"."+f.Name, raw[f.Offset:f.Offset+f.Size]
		switch kind, _ := r.rec.source.kind(f.Type); kind {
		case "UINT", "SINT", "BIG":
			var wide [8]byte
			copy(wide[:], bytes)
			if kind == "BIG" {
				slices.Reverse(wide[:f.Size])
			}
			r.want[at] = numberWant(binary.LittleEndian.Uint64(wide[:]))
		case "BYTES", "RECORD": // such as union ibv_gid
			r.want[at] = want{text: "x" + hex.EncodeToString(bytes)}
		default:
			r.Fatalf("%s.%s is %s, which cannot be in bytes", tag, f.Name, kind)
		}
	}
}

// passedOn passes attributes that C filled to a verb that takes one, and compares what C sees then with what it filled. The rules of that
// verb may refuse it.
func (b *bed) passedOn(p *spec.Param, filled reflect.Value, out map[string]string) error {
	b.Helper()
	verb, method := b.taker(p.Type)
	r := b.newCall(verb, method)
	x := &builder{record: b.spec.RecordByGo(p.Type), v: reflect.New(filled.Type()), want: map[string]want{}}
	x.v.Elem().Set(filled)
	for path, text := range out {
		if field, ok := strings.CutPrefix(path, p.C+"."); ok {
			x.want[field] = want{text: text}
			if i := slices.IndexFunc(x.record.Fields, func(f spec.RecordField) bool { return f.C == field }); i >= 0 &&
				x.record.Fields[i].Bool && !zero(text) {
				x.want[field] = numberWant(1) // whatever C said for true
			}
		}
	}
	r.given = x
	r.make(nil)
	if r.err == nil {
		r.compare()
	}
	return r.err
}

// taker finds a method that takes a builder.
func (b *bed) taker(name string) (*spec.Verb, *spec.Method) {
	b.Helper()
	for v := range b.spec.Verbs() {
		for j := range v.Methods {
			if param := taken(b.spec, v, &v.Methods[j]); param != nil && param.Type == name {
				return v, &v.Methods[j]
			}
		}
	}
	b.Fatalf("no method takes a %s", name)
	return nil, nil
}
