//go:build linux && cgo

package recording

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// catcher keeps the errors of a test.
type catcher struct {
	testing.TB
	said []string
}

func (c *catcher) Errorf(form string, args ...any) {
	c.said = append(c.said, fmt.Sprintf(form, args...))
}
func (c *catcher) Error(args ...any)   { c.said = append(c.said, fmt.Sprint(args...)) }
func (c *catcher) Logf(string, ...any) {}

// swaps returns pairs of neighbours in a record that can be taken for each other: numbers of one size, of which shown says that Go has
// both. Numbers by which the library itself finds records are left alone.
func (b *bed) swaps(tag string, shown func(field string) bool) [][2]string {
	var out [][2]string
	var before api.Field
	rec := b.rec.source.records[tag]
	if rec == nil {
		return nil
	}
	for _, f := range rec.Fields {
		if b.rec.source.number(f.Type) == "" || !shown(f.Name) || strings.HasPrefix(f.Name, "num_") {
			continue
		}
		if before.Name != "" && before.Size == f.Size && before.Offset+before.Size <= f.Offset {
			out = append(out, [2]string{before.Name, f.Name})
		}
		before = f
	}
	return out
}

// noticed swaps the fields of a pair and runs a check, which must name one of them.
func (b *bed) noticed(tag string, pair [2]string, checks ...func(b *bed)) {
	b.Helper()
	if !b.rec.Swap(tag, pair[0], pair[1]) {
		b.Fatalf("%s: %s and %s cannot be swapped", tag, pair[0], pair[1])
	}
	defer b.rec.Swap(tag, pair[0], pair[1])
	var said []string
	for _, check := range checks {
		c := &catcher{TB: b.TB}
		in := *b
		in.TB = c
		check(&in)
		said = append(said, c.said...)
		if all := strings.Join(said, "\n"); strings.Contains(all, "."+pair[0]) && strings.Contains(all, "."+pair[1]) {
			return
		}
	}
	b.Errorf("%s: %s in the place of %s, and no error names both: %q", tag, pair[0], pair[1], said)
}

// TestSwapped lets C take each two neighbours of one size for each other, in every record that Go fills or reads: the tests notice it,
// and name the fields.
func TestSwapped(t *testing.T) {
	b := open(t)
	done, pairs := map[string]bool{}, 0
	var records func(r *spec.Record, checks ...func(b *bed))
	records = func(r *spec.Record, checks ...func(b *bed)) {
		tag := "struct " + r.C
		for _, f := range r.Fields {
			for _, inner := range []*spec.Record{b.spec.RecordByGo(f.Nested), b.spec.RecordByGo(f.Type)} {
				if inner != nil {
					records(inner, checks...)
				}
			}
		}
		if done[r.Go] {
			return
		}
		done[r.Go] = true
		shown := func(field string) bool {
			return slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool { return f.C == field })
		}
		for _, pair := range b.swaps(tag, shown) {
			b.noticed(tag, pair, checks...)
			pairs++
		}
	}
	methods(t, func(v *spec.Verb, m *spec.Method) {
		for _, p := range v.Params {
			switch r := b.spec.RecordByGo(p.Type); {
			case r == nil || m.Fixed[p.C] != "":
			case p.Role == role.OutRecord:
				records(r, func(b *bed) { b.answered(v, m, All) }, func(b *bed) { b.results(v, m) })
			default:
				names := b.setterNames(v, m)
				if names == nil {
					records(r, func(b *bed) { b.accepted(v, m, nil) })
					continue
				}
				with := b.together(v, m, names)
				records(r, func(b *bed) { b.accepted(v, m, with) }, func(b *bed) {
					for _, name := range names {
						b.alone(v, m, name, names)
					}
				})
			}
		}
	})
	for tag, check := range map[string]func(b *bed){
		"struct ibv_send_wr": (*bed).sendRequests, "struct ibv_recv_wr": (*bed).receiveRequests, "struct ibv_wc": (*bed).completions,
		"struct ibv_sge": (*bed).elements,
	} {
		for _, pair := range b.swaps(tag, onDataPath) {
			b.noticed(tag, pair, check)
			pairs++
		}
	}
	t.Logf("%d pairs of fields in %d records", pairs, len(done)+4)
	if pairs < 100 {
		t.Errorf("only %d pairs", pairs)
	}
}

// TestSwappedFunctions lets C have each two functions of one type in each other's place, in the objects that readers and streams call:
// the tests notice it, and name both.
func TestSwappedFunctions(t *testing.T) {
	b := open(t)
	for tag, check := range map[string]func(b *bed){"struct ibv_cq_ex": (*bed).readAll, "struct ibv_qp_ex": (*bed).streams} {
		pairs := 0
		for _, pair := range b.functionPairs(tag, called()) {
			if !b.rec.Swap(tag, pair[0], pair[1]) {
				t.Fatalf("%s: %s and %s cannot be swapped", tag, pair[0], pair[1])
			}
			c := &catcher{TB: t}
			in := *b
			in.TB = c
			check(&in)
			b.rec.Swap(tag, pair[0], pair[1])
			if all := strings.Join(c.said, "\n"); !strings.Contains(all, pair[0]) || !strings.Contains(all, pair[1]) {
				t.Errorf("%s: %s in the place of %s, and no error names both: %q", tag, pair[0], pair[1], c.said)
			}
			pairs++
		}
		t.Logf("%s: %d pairs", tag, pairs)
		if pairs < 2 {
			t.Errorf("%s: only %d pairs of functions", tag, pairs)
		}
	}
}

// called returns the functions that readers and streams call, by the names that they have in objects.
func called() map[string]bool {
	out := map[string]bool{}
	for _, f := range lazyFields {
		out[strings.TrimPrefix(f.c, "ibv_wc_")] = true
	}
	out[strings.TrimPrefix(toSRQ.function, "ibv_")] = true
	for _, c := range builders {
		out[strings.TrimPrefix(c.function, "ibv_")] = true
	}
	return out
}

// functionPairs returns the pairs of functions of one type among the named ones.
func (b *bed) functionPairs(tag string, among map[string]bool) [][2]string {
	var out [][2]string
	fields := b.rec.source.records[tag].Fields
	for i, f := range fields {
		for _, g := range fields[:i] {
			if f.Func != nil && g.Func != nil && among[f.Name] && among[g.Name] && typeOfFunction(f) == typeOfFunction(g) {
				out = append(out, [2]string{g.Name, f.Name})
			}
		}
	}
	return out
}

func typeOfFunction(f api.Field) string {
	types := []string{f.Func.Ret}
	for _, p := range f.Func.Params {
		types = append(types, p.Type)
	}
	return strings.Join(types, ", ")
}

// onDataPath reports whether the tests of the data path set or read a field.
func onDataPath(field string) bool {
	for _, methods := range []map[string]wrMethod{sendMethods, recvMethods} {
		for _, m := range methods {
			if slices.Contains(m.fields, field) || slices.Contains(m.fields, "sg_list[0]."+field) {
				return true
			}
		}
	}
	for _, c := range wcFields {
		if c == field {
			return true
		}
	}
	return field == "opcode"
}
