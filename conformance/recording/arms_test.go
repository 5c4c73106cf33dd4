//go:build linux && cgo

package recording

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// withArms calls f for every method that takes a record with others behind it, with each of them.
func (b *bed) withArms(t *testing.T, f func(v *spec.Verb, m *spec.Method, arm *spec.Record)) {
	methods(t, func(v *spec.Verb, m *spec.Method) {
		p := taken(b.spec, v, m)
		if p == nil || b.spec.RecordByGo(p.Type).Tail == nil {
			return
		}
		for _, arm := range arms(b.spec, b.spec.RecordByGo(p.Type).Tail.Of) {
			f(v, m, arm)
		}
	})
}

// mostBehind is how many records the rules let stand behind another one.
const mostBehind = 10

// TestBehindInMemory puts each record that can stand behind another there: with each setter alone, with all of them, and as many records as
// are allowed one behind the other. Every field arrives in its place, with the type and the size of its struct, and nothing else does.
func TestBehindInMemory(t *testing.T) {
	b := open(t)
	n := 0
	all := map[string][]behindArm{}
	b.withArms(t, func(v *spec.Verb, m *spec.Method, arm *spec.Record) {
		n++
		b.behind = []behindArm{{arm, []string{}}}
		b.mustAccept(v, m)
		for _, name := range b.settersOfArm(arm) {
			b.behind[0].only = []string{name}
			b.mustAccept(v, m)
		}
		b.behind[0].only = nil
		b.mustAccept(v, m)
		all[m.Go] = append(all[m.Go], behindArm{arm, nil})
		b.behind = all[m.Go][max(0, len(all[m.Go])-mostBehind):]
		b.mustAccept(v, m)
	})
	t.Logf("%d records", n)
	if n < 14 {
		t.Errorf("only %d records behind others", n)
	}
}

// mustAccept makes a call, which no rule may refuse, and compares it.
func (b *bed) mustAccept(v *spec.Verb, m *spec.Method) {
	b.Helper()
	r := b.newCall(v, m)
	if r.make([]string{}); r.err != nil {
		b.Fatalf("%s with a %s: %v", m.Go, b.behind[0].record.Go, r.err)
	}
	r.compare()
}

// settersOfArm returns the names of the setters of a record.
func (b *bed) settersOfArm(arm *spec.Record) (names []string) {
	b.Helper()
	x := b.build(arm.Go, []string{}, "arm", newAttempt())
	setters, err := settersOf(arm, x.v.Type())
	if err != nil {
		b.Error(err)
	}
	for _, s := range setters {
		names = append(names, s.method)
	}
	return names
}

// TestPointedArms fills the pointers that take any of several records with each of them.
func TestPointedArms(t *testing.T) {
	b := open(t)
	seen := map[string]bool{}
	methods(t, func(v *spec.Verb, m *spec.Method) {
		p := taken(b.spec, v, m)
		if p == nil {
			return
		}
		most := b.mostArms(p.Type, map[string]bool{}, seen)
		for b.arm = range most {
			if names := b.setterNames(v, m); !b.accepted(v, m, names) {
				t.Errorf("%s: not all of %s are accepted at once", m.Go, strings.Join(names, ", "))
			}
		}
		b.arm = 0
	})
	if t.Logf("%d records", len(seen)); len(seen) < 6 {
		t.Errorf("only %d records that others point to", len(seen))
	}
}

// mostArms is the largest number of records that a pointer in a record, or in one that it has or points to, can point to; seen
// gets their names.
func (b *bed) mostArms(name string, visited, seen map[string]bool) int {
	most := 0
	if visited[name] {
		return 0
	}
	visited[name] = true
	for _, f := range b.spec.RecordByGo(name).Fields {
		inner := goNames(pointed(b.spec, f.Points))
		if f.Tag != "" {
			most = max(most, len(inner))
			for _, of := range inner {
				seen[of] = true
			}
		}
		if f.Nested != "" {
			inner = append(inner, f.Nested)
		}
		for _, of := range inner {
			most = max(most, b.mostArms(of, visited, seen))
		}
	}
	return most
}

// TestSwappedArms lets C take each two neighbours of one size for each other, in every record that stands behind another or that
// one points to.
func TestSwappedArms(t *testing.T) {
	b := open(t)
	pairs := 0
	b.withArms(t, func(v *spec.Verb, m *spec.Method, arm *spec.Record) {
		b.behind = []behindArm{{arm, nil}}
		pairs += b.swappedIn(arm, map[string]bool{}, func(b *bed) { b.mustAccept(v, m) })
	})
	b.behind = nil
	methods(t, func(v *spec.Verb, m *spec.Method) {
		p := taken(b.spec, v, m)
		if p == nil {
			return
		}
		names := b.setterNames(v, m)
		for _, f := range b.spec.RecordByGo(p.Type).Fields {
			for i, of := range pointed(b.spec, f.Points) {
				b.arm = i
				pairs += b.swappedIn(of, map[string]bool{}, func(b *bed) { b.accepted(v, m, names) })
			}
		}
		b.arm = 0
	})
	t.Logf("%d pairs of fields", pairs)
	if pairs < 20 {
		t.Errorf("only %d pairs", pairs)
	}
}

// swappedIn swaps the fields of a record, and of those nested in it.
func (b *bed) swappedIn(r *spec.Record, done map[string]bool, check func(b *bed)) (pairs int) {
	b.Helper()
	for _, f := range r.Fields {
		if n := b.spec.RecordByGo(f.Nested); n != nil && !done[n.Go] {
			done[n.Go] = true
			pairs += b.swappedIn(n, done, check)
		}
	}
	shown := func(field string) bool {
		return slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool { return f.C == field && f.Points == "" })
	}
	for _, pair := range b.swaps("struct "+r.C, shown) {
		b.noticed("struct "+r.C, pair, check)
		pairs++
	}
	return pairs
}
