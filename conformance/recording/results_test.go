//go:build linux && cgo

package recording

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// result is one value that a Go result shows, and the field of C that the pages say it is of.
type result struct {
	name string // in Go: "QPInfo.AV.DGID"
	path string // in C: "attr.ah_attr.grh.dgid"
	v    reflect.Value
}

// flatten returns the values of a Go record. A field of the Go type that is on no page is an error.
func (b *bed) flatten(r *spec.Record, v reflect.Value, name, path string) []result {
	b.Helper()
	var out []result
	met := 0
	for _, f := range r.Fields {
		field := v.FieldByName(f.Go)
		if !field.IsValid() {
			b.Errorf("%s has no field %s for struct %s.%s", name, f.Go, r.C, f.C)
			continue
		}
		met++
		at := strings.TrimPrefix(path+"."+f.C, ".")
		if inner := b.spec.RecordByGo(f.Type); inner != nil {
			out = append(out, b.flatten(inner, field, name+"."+f.Go, at)...)
		} else {
			out = append(out, result{name + "." + f.Go, at, field})
		}
	}
	for i := range v.NumField() {
		goName := v.Type().Field(i).Name
		if !slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool { return f.Go == goName }) && !listed[name+"."+goName] {
			b.Errorf("%s.%s is of no field of struct %s that the page has", name, goName, r.C)
		}
	}
	return out
}

// listed are the fields of entries that functions give, not the record: TestDevices has them.
var listed = map[string]bool{"DeviceEntry.GUID": true, "DeviceEntry.Index": true}

// shows reports whether a Go value is that of a recorded one.
func shows(v reflect.Value, recorded string) bool {
	raw := Bytes(recorded)
	switch {
	case v.Kind() == reflect.Bool:
		return v.Bool() == !zero(recorded)
	case v.Kind() == reflect.String:
		return v.String() == string(bytes.TrimRight(raw, "\x00"))
	case v.Kind() == reflect.Array && raw != nil:
		at := reflect.New(v.Type()).Elem() // a copy that has an address
		at.Set(v)
		return bytes.Equal(raw, at.Bytes())
	case v.CanUint():
		return recorded == fmt.Sprint(v.Uint()) || numberWant(v.Uint()).met(recorded)
	case v.CanInt():
		return recorded == fmt.Sprint(uint64(v.Int()))
	}
	return false
}

// show writes a Go value as it is in Go.
func show(v reflect.Value) string {
	switch {
	case v.CanUint():
		return fmt.Sprint(v.Uint())
	case v.CanInt():
		return fmt.Sprint(v.Int())
	}
	return fmt.Sprint(v)
}

// compareResults compares Go values with what C filled.
func (b *bed) compareResults(values []result, recorded map[string]string) {
	b.Helper()
	for _, r := range values {
		if r.v.CanAddr() && !r.v.CanInterface() {
			b.Fatalf("%s is not exported", r.name)
		}
		leaf := leafOf(recorded, r.path, want{})
		text, ok := recorded[leaf]
		if !ok {
			b.Errorf("%s: C did not answer %s", r.name, r.path)
			continue
		}
		if !shows(r.v, text) {
			b.Errorf("%s is %s, and C answered %s = %s%s", r.name, show(r.v), r.path, text, b.origin(r.v, recorded))
		}
	}
}

// origin says which field a wrong value is of.
func (b *bed) origin(v reflect.Value, recorded map[string]string) string {
	for path, text := range recorded {
		if v.Kind() != reflect.Bool && !zero(text) && shows(v, text) {
			return "; it is the value of " + path
		}
	}
	return ""
}

// outputs returns the results of a method with what they are of in C, in order.
func (b *bed) outputs(v *spec.Verb, results []reflect.Value) []result {
	b.Helper()
	var out []result
	for _, p := range v.Params {
		if p.Role != role.OutRecord && p.Role != role.Out {
			continue
		}
		if len(results) == 0 {
			b.Fatalf("%s has fewer results than the page says", v.C)
		}
		if r := b.spec.RecordByGo(p.Type); r != nil && r.Role != spec.RecordIn {
			out = append(out, b.flatten(r, reflect.Indirect(results[0]), r.Go, p.C)...)
		} else if r == nil && p.Count > 0 {
			for i := range results[0].Len() {
				path := fmt.Sprintf("%s[%d]", p.C, i)
				out = append(out, result{v.C + ": " + path, path, results[0].Index(i)})
			}
		} else if r == nil {
			out = append(out, result{v.C + ": " + p.C, p.C, results[0]})
		}
		results = results[1:]
	}
	return out
}

// TestResults lets C answer with a value of its own in every field, then in one field after the other, the rest being 0: each comes out
// of the Go result at its own place, and nowhere else. As the mask of the answer is 0 then, no field hides behind it: comp_mask of
// ibv_query_device_ex and ibv_query_ece has no bits, whatever their pages say of valid fields.
func TestResults(t *testing.T) {
	each(t, func(b *bed, v *spec.Verb, m *spec.Method) {
		r := b.newCall(v, m)
		r.fill([]string{})
		writes := len(r.lists) > 0 || slices.ContainsFunc(v.Params,
			func(p spec.Param) bool { return p.Role == role.OutRecord || p.Role == role.Out })
		if r.returns() && (!writes || len(r.lists) > 0) {
			b.returned(v, m)
		}
		if writes {
			b.results(v, m)
		}
	})
}

// returns reports whether a method has a result besides an error and a handle.
func (r *request) returns() bool {
	t := r.fn.Type()
	return r.verb.Creates == "" && t.NumOut() > 0 && t.Out(0) != reflect.TypeFor[error]()
}

// returned lets C return a number, or its text, and compares the result. The number stays for later calls.
func (b *bed) returned(v *spec.Verb, m *spec.Method) {
	b.Helper()
	r := b.newCall(v, m)
	if r.fn.Type().Out(0).Kind() == reflect.String {
		if got := r.make(nil); r.err != nil || got[0].String() != "text of "+functionOf(v.C) {
			b.Errorf("%s is %v, %v", m.Go, got, r.err)
		}
		return
	}
	b.rec.Result(functionOf(v.C), listLen)
	if got := r.make(nil); r.err != nil || !shows(got[0], fmt.Sprint(listLen)) {
		b.Errorf("%s is %v, %v, and C returned %d", m.Go, got, r.err, listLen)
	}
}

// results calls with all fields filled, and with each alone.
func (b *bed) results(v *spec.Verb, m *spec.Method) {
	b.Helper()
	if !b.answered(v, m, All) {
		b.Errorf("%s: C answered no field", m.Go)
	}
	for n := 0; b.answered(v, m, n); n++ {
		if n > 1000 {
			b.Fatalf("%s: C answers a field of number %d; see readOnly in source.go", m.Go, n)
		}
	}
}

// answered makes a call that C answers with a field, or with all, and compares the results. It is false when C had no such field.
func (b *bed) answered(v *spec.Verb, m *spec.Method, field int) (any bool) {
	b.Helper()
	r := b.newCall(v, m)
	b.rec.Fill(functionOf(v.C), Own, field)
	defer b.usual(functionOf(v.C))
	results := r.make(nil)
	if r.err != nil {
		b.Fatalf("%s: %v", m.Go, r.err)
	}
	b.compareResults(append(b.outputs(v, results), r.listed()...), r.got.Out)
	for i, p := range v.Params {
		if rec := b.spec.RecordByGo(p.Type); p.Role == role.OutRecord && rec.Role == spec.RecordIn {
			if err := b.passedOn(&v.Params[i], results[0], r.got.Out); err != nil && field == All {
				b.Errorf("%s: %v", m.Go, err)
			}
		}
	}
	masks := r.asked()
	for path, text := range r.got.Out {
		any = any || !zero(text) && masks[path] == 0 // which C got, and did not answer
	}
	return any
}

// listed returns the values of the lists that C filled.
func (r *request) listed() []result {
	r.Helper()
	var out []result
	for _, p := range r.verb.Params {
		list, ok := r.lists[p.C]
		for i := 0; ok && i < list.Len(); i++ {
			path := fmt.Sprintf("%s[%d]", p.C, i)
			if rec := r.spec.RecordByGo(p.Type); rec != nil {
				out = append(out, r.flatten(rec, list.Index(i), rec.Go, path)...)
			} else {
				out = append(out, result{r.method.Go + ": " + path, path, list.Index(i)})
			}
		}
	}
	return out
}

// TestGetters lets C make each object with a value of its own in every field: each getter has that of its field.
func TestGetters(t *testing.T) {
	b := open(t)
	for o := range b.spec.Objects() {
		b.rec.Fill("", Own, All)
		v, made := b.object(o)
		b.rec.Fill("", AsIs, All)
		for _, g := range o.Getters {
			get := v.MethodByName(g.Go)
			if !get.IsValid() {
				t.Errorf("%s has no method %s", o.Go, g.Go)
				continue
			}
			r := result{o.Go + "." + g.Go, "struct " + o.C + "." + g.C, get.Call(nil)[0]}
			b.compareResults([]result{r}, made)
		}
	}
}

// object makes an object by a verb that is called last.
func (b *bed) object(o *spec.Object) (reflect.Value, map[string]string) {
	b.Helper()
	if o.Go == "Device" {
		return reflect.ValueOf(b.dev), b.devMade
	}
	verb, method := b.maker(o.Go)
	r := b.newCall(verb, method)
	results := r.make(nil)
	if r.err != nil {
		b.Fatalf("%s: %v", method.Go, r.err)
	}
	return results[0], r.got.Made
}

// TestDevices lets C list a device with a value of its own in every field, and in one after the other.
func TestDevices(t *testing.T) {
	b := open(t)
	entry := b.spec.RecordByGo("DeviceEntry")
	for field, more := All, true; more; field++ {
		b.rec.Fill("", Own, field)
		list := must(b.lib.Devices())(t)
		calls := must(b.rec.Calls())(t)
		recorded := map[string]string{}
		for _, c := range calls {
			for path, text := range c.Made {
				recorded[strings.TrimPrefix(path, "struct ibv_device.")] = text
			}
			switch c.Verb {
			case "ibv_get_device_guid":
				if list[0].GUID != c.Result {
					t.Errorf("GUID is %#x, and C answered %#x", list[0].GUID, c.Result)
				}
			case "ibv_get_device_index":
				if list[0].Index != int(c.Result) {
					t.Errorf("Index is %d, and C answered %d", list[0].Index, c.Result)
				}
			}
		}
		b.compareResults(b.flatten(entry, reflect.ValueOf(list[0]), "DeviceEntry", ""), recorded)
		more = false
		for path, text := range recorded {
			more = more || !zero(text) && !strings.HasPrefix(path, "_ops")
		}
		b.rec.Result("ibv_get_device_index", int64(field+7))
	}
}
