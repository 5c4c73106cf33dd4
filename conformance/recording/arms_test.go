//go:build linux && cgo

package recording

import (
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
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
		var inner []string
		for _, of := range pointed(b.spec, f.Points) {
			inner = append(inner, of.Go)
		}
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

// arms are the records that stand for a type.
func arms(s *spec.Spec, of string) (out []*spec.Record) {
	for r := range s.Records() {
		if a := r.Arm; a != nil && a.Of == of && of != "" {
			out = append(out, r)
		}
	}
	return out
}

// pointed are the records that a field with points: can point to.
func pointed(s *spec.Spec, points string) []*spec.Record {
	if r := s.RecordByGo(points); r != nil && points != "" {
		return []*spec.Record{r}
	}
	return arms(s, points)
}

// taken returns the argument of C that a method takes as attributes, or nil.
func taken(s *spec.Spec, v *spec.Verb, m *spec.Method) *spec.Param {
	for i, p := range v.Params {
		if _, fixed := m.Fixed[p.C]; p.Role == role.InRecord && !fixed && s.RecordByGo(p.Type).Runtime == "" && !empty(s.RecordByGo(p.Type)) {
			return &v.Params[i]
		}
	}
	return nil
}

// empty reports whether there is nothing in a record that a caller could say: then methods do not take it.
func empty(r *spec.Record) bool {
	return len(r.Fields)+len(r.Switches) == 0 && r.Arm == nil && r.Tail == nil
}
