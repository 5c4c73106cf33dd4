package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// filled: the verb is given an array as long as the caller's list, and as many of its records as the verb answers are handed to the
// caller after the call.
func filled(_ *world, m *Method) (wrong []string) {
	calls := at[Call](m.Steps)
	if len(calls) == 0 {
		return nil
	}
	for _, p := range m.Verb.Params {
		if p.Role != role.Filled {
			continue
		}
		if p.Record == nil {
			if !slices.ContainsFunc(m.Steps[calls[0]].(Call).By.Args, func(v Value) bool { return v.is(array(p.Go)) }) {
				wrong = append(wrong, p.C+" is not handed to C as it is")
			}
			continue
		}
		array, count := p.Go+"C", ""
		if counts(m.Verb) {
			count = m.Steps[calls[0]].(Call).Into
		}
		made := slices.ContainsFunc(m.Steps[:calls[0]], func(s Step) bool {
			d, ok := s.(Assign)
			return ok && d.Op == ":=" && d.To[0] == array && d.Values[0].String() == "make([]"+p.Record.Mirror.Name+", len("+p.Go+"))"
		})
		handed := slices.Contains(m.Steps[calls[0]:], Step(FillList{List: p.Go, From: array, Type: p.GoType, Count: count}))
		if !made || !handed {
			wrong = append(wrong, p.C+" is not filled from an array of its length")
		}
	}
	return wrong
}

// TestLists plans a verb that takes two lists of records: C gets for each an array of its own, which the list was copied into.
func TestLists(t *testing.T) {
	entry := &model.Record{Go: "Entry", C: "x_entry", Mirror: &model.Mirror{Name: "cEntry", C: "x_entry"}}
	x := &model.Object{Go: "X", C: "x", Doc: "a thing", Destroy: &model.Verb{C: "x_close", Go: "Close", CRet: "int", Returns: spec.RetErrno}}
	v := &model.Verb{C: "x_take", Go: "Take", Returns: spec.RetErrno, CRet: "int", Methods: []*model.Method{{Recv: "X", Name: "Take"}},
		Params: []*model.Param{{C: "x", Go: "x", Role: role.Handle, Object: x, GoType: "*X", CType: "struct x *"}}}
	for _, name := range []string{"here", "there"} {
		n := &model.Param{C: "num_" + name, Go: "num" + name, Role: role.Len, GoType: "uint32", CType: "uint32_t"}
		v.Params = append(v.Params, &model.Param{C: name, Go: name, Role: role.Slice, GoType: "Entry", Record: entry, Len: n,
			CType: "struct x_entry *"}, n)
	}
	p, err := Of(&model.Package{Name: "p", Facts: &api.Release{}, Objects: []*model.Object{x}, Verbs: []*model.Verb{v}})
	if err != nil {
		t.Fatal(err)
	}
	m := find(t, p, "X.Take")
	calls := at[Call](m.Steps)
	if len(calls) != 1 {
		t.Fatalf("it calls %d times", len(calls))
	}
	arrays := map[string]string{}
	for _, i := range at[CopyList](m.Steps) {
		if c := m.Steps[i].(CopyList); i < calls[0] && c.Type == "Entry" {
			arrays[array(c.Into).String()] = c.List
		}
	}
	var passed []string
	for _, a := range m.Steps[calls[0]].(Call).By.Args {
		if array, is := arrays[a.String()]; is {
			passed = append(passed, array)
		}
	}
	if !slices.Equal(passed, []string{"here", "there"}) {
		t.Errorf("C gets copies of %q:\n%s", passed, m)
	}
}

// byteOrder: what C has in network byte order is turned around, and nothing else is.
func byteOrder(_ *world, m *Method) (wrong []string) {
	calls, returns := at[Call](m.Steps), at[Return](m.Steps)
	if len(calls) == 0 || len(returns) == 0 {
		return nil
	}
	turned := map[string]bool{}
	args := m.Steps[calls[0]].(Call).By.Args
	for _, v := range append(slices.Clone(args), m.Steps[returns[0]].(Return).Values...) {
		if strings.HasPrefix(v.Path, "ReverseBytes") {
			turned[v.Args[0].Path] = true
		}
	}
	for _, p := range m.Verb.Params {
		if _, fixed := m.fixed(p.C); !fixed && (p.Role == role.In || p.Role == role.Out) && p.Big != turned[p.Go] {
			wrong = append(wrong, p.C+" has the byte order of the other side")
		}
	}
	return wrong
}

// fixed returns the value that the method fixes for a parameter.
func (m *Method) fixed(c string) (value uint64, is bool) {
	for _, face := range m.Verb.Methods {
		if face.Name == m.Name {
			value, is = face.Fixed[c]
		}
	}
	return value, is
}

// armsPacked: the handles of arms are entered, and of one device, before they are packed and before a rule looks at anything; the
// struct in front, with what is counted there, is copied before the call; what is made lives under all of them.
func armsPacked(w *world, m *Method) (wrong []string) {
	calls := at[Call](m.Steps)
	for _, p := range m.Verb.Params {
		if len(calls) == 0 || p.Record == nil || p.Record.Tail == nil {
			continue
		}
		enters, packs, copies := at[EnterArms](m.Steps), at[PackArms](m.Steps), at[CopyHead](m.Steps)
		if len(enters) != 1 || len(packs) != 1 || len(copies) != 1 {
			return []string{"the arms of " + p.C + " are not entered, packed and headed once"}
		}
		enter, pack, head := m.Steps[enters[0]].(EnterArms), m.Steps[packs[0]].(PackArms), m.Steps[copies[0]].(CopyHead)
		first := calls[0]
		if c := at[Check](m.Steps); len(c) > 0 {
			first = min(first, c[0])
		}
		if enters[0] > packs[0] || packs[0] > first || copies[0] < first || copies[0] > calls[0] {
			wrong = append(wrong, "the arms of "+p.C+" are not entered, packed, checked and headed in this order")
		}
		if pack.Count != p.Record.Tail.Count || pack.Size != p.Record.Tail.Size || enter.List != pack.List || head.Into != pack.Into ||
			enter.Beside != m.Recv.Name || !uses(m, enters[0]) {
			wrong = append(wrong, "the arms of "+p.C+" are not those that are counted")
		}
		if !slices.ContainsFunc(m.Steps[calls[0]].(Call).By.Args, func(v Value) bool { return v.is(array(pack.Into)) }) {
			wrong = append(wrong, "the bytes of "+p.C+" are not handed to C")
		}
		if a := at[Adopt](m.Steps); len(a) == 1 && !slices.Contains(m.Steps[a[0]].(Adopt).Parents, Parent{Many: "uses"}) {
			wrong = append(wrong, "the object is not under the handles of its arms")
		}
	}
	return wrong
}

// uses reports whether the handles of lists are used until the method returns, from before a step on.
func uses(m *Method, step int) bool {
	return slices.Contains(m.Steps[:step], Step(Until{Var{Name: "uses", Type: "object.Uses"}, "Exit"}))
}

// hinted: the lints of a verb are reported once, after the call, which the device took, and with no lock held.
func hinted(_ *world, m *Method) []string {
	steps := flat(m.Steps)
	calls := at[Call](steps)
	if len(calls) == 0 || len(m.Verb.Checked(true)) == 0 {
		return nil
	}
	if h := at[Hint](m.Steps); len(h) != 1 || at[Hint](steps)[0] < calls[len(calls)-1] {
		return []string{"lints are not reported once after the call"}
	}
	return nil
}

// updated: after a verb that changes what getters return, they read it again, and nobody else reads or calls meanwhile.
func updated(_ *world, m *Method) (wrong []string) {
	steps := flat(m.Steps)
	calls := at[Call](steps)
	if len(calls) == 0 || !m.Verb.Updates {
		return nil
	}
	if locked(steps[:calls[0]]) < 0 {
		wrong = append(wrong, "nothing locks what getters read")
	}
	if !slices.ContainsFunc(steps[calls[0]:], func(s Step) bool {
		do, is := s.(Assign)
		return is && strings.HasSuffix(do.Values[0].Path, ".load")
	}) {
		wrong = append(wrong, "getters return what was before the call")
	}
	return wrong
}
