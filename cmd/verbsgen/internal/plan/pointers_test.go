package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// pointersPlaced: lists of handles are entered, and what a builder points to is in its place, before the rules and the call; pins keep it
// there; what is made lives under all handles of a list.
func pointersPlaced(w *world, m *Method) (wrong []string) {
	calls := at[Call](m.Steps)
	for _, p := range m.Verb.Params {
		if p.Role == role.Handles && len(calls) == 1 {
			entered := slices.IndexFunc(m.Steps, func(s Step) bool { l, ok := s.(EnterList); return ok && l.List == p.Go && l.What == p.C })
			if entered < 0 || entered > calls[0] || !slices.ContainsFunc(m.Steps[calls[0]].(Call).By.Args,
				func(v Value) bool { return v.is(array(p.Go + "C")) }) {
				wrong = append(wrong, "the list "+p.C+" is not entered and passed once")
			}
		}
		if _, fixed := m.fixed(p.C); len(calls) == 0 || p.Record == nil || p.Role != role.InRecord || fixed || p.Record.From != nil {
			continue
		}
		first := calls[0]
		if c := at[Check](m.Steps); len(c) > 0 {
			first = min(first, c[0])
		}
		place := slices.IndexFunc(m.Steps, func(s Step) bool { t, ok := s.(Try); return ok && t.Call.Path == p.Go+".place" })
		if pointsOn(p.Record) && (place < 0 || place > first) {
			wrong = append(wrong, "what "+p.C+" points to is not placed before the rules and the call")
		}
		lists := 0
		for _, f := range p.Record.Fields {
			switch {
			case f.Handles != nil:
				lists++
				wrong = append(wrong, listEntered(w, m, p, f, first)...)
			case f.Nested != nil:
				wrong = append(wrong, bytesPlaced(m, p, f, calls[0])...)
			}
		}
		pins := slices.Index(m.Steps, Step(Until{Var{Name: p.Go + "Pins", Type: "mem.Pins"}, "Unpin"}))
		if (pointsOn(p.Record) || lists > 0) && (pins < 0 || pins > first) {
			wrong = append(wrong, "what "+p.C+" points to is not kept in its place")
		}
	}
	return wrong
}

// listEntered looks at one list of handles.
func listEntered(w *world, m *Method, p *model.Param, f *model.Field, first int) (wrong []string) {
	enters := at[EnterList](m.Steps)
	i := slices.IndexFunc(enters, func(i int) bool { return m.Steps[i].(EnterList).What == f.C })
	if i < 0 {
		return []string{"the list " + f.C + " is not entered once"}
	}
	s := m.Steps[enters[i]].(EnterList)
	mirror := p.Go + "C."
	if enters[i] > first {
		wrong = append(wrong, "the list "+f.C+" is not entered before the rules and the call")
	}
	if s.List != p.Go+"."+Kept(p.Record, f) || s.To != mirror+f.Leaf.Go || s.Count != mirror+f.Len.Go || s.Log2 != f.Log2 ||
		s.Beside != m.Recv.Name || !uses(m, enters[i]) {
		wrong = append(wrong, "the list "+f.C+" is not the one that is counted")
	}
	if a := at[Adopt](m.Steps); len(a) == 1 && !slices.Contains(m.Steps[a[0]].(Adopt).Parents, Parent{Many: "uses"}) {
		wrong = append(wrong, "the object is not under the handles of "+f.C)
	}
	return wrong
}

// bytesPlaced looks at the bytes in a nested record.
func bytesPlaced(m *Method, p *model.Param, f *model.Field, call int) (wrong []string) {
	for _, x := range NestedBytes(f) {
		want := PinData{Into: p.Go + "C." + f.Leaf.Go + "." + x.Leaf.Go, Bytes: p.Go + "." + KeptIn(p.Record, f, x)}
		if !slices.Contains(m.Steps[:call], Step(want)) {
			wrong = append(wrong, "the bytes in "+f.C+" are not placed before the call")
		}
	}
	return wrong
}
