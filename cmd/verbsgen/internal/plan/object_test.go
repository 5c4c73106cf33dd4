package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file has the properties of memory and of new objects.

// holds are the places of the steps that take memory.
func holds(steps []Step) []int {
	out := slices.Concat(at[Hold](steps), at[HoldAttr](steps))
	slices.Sort(out)
	return out
}

// heldUntilKept: memory is taken before the rules look at it, and once. It is let go of when the method returns, unless a new
// readOnly reports whether the verb reads a slice during the call alone.
func readOnly(m *Method, v Var) bool {
	return slices.ContainsFunc(m.Verb.Params, func(p *model.Param) bool {
		return p.Go == v.Name && (p.Role == role.Data || p.Role == role.Counted)
	})
}

// object keeps it; nothing else keeps it.
func heldUntilKept(_ *world, m *Method) (wrong []string) {
	steps := flat(m.Steps)
	h, makes := holds(steps), at[Make](steps)
	keeps := at[Keep](steps)
	takesPages := slices.ContainsFunc(m.Params, func(v Var) bool {
		forTheCall := slices.ContainsFunc(m.Verb.Params, func(p *model.Param) bool { return p.Role == role.Bytes && p.Go == v.Name })
		return v.Type == "[]byte" && !readOnly(m, v) && !forTheCall || v.Type == "mem.Source" || v.Name == "addr" && v.Type == "uintptr"
	})
	switch first := reach(steps); {
	case first < 0:
		return nil
	case len(h) == 0 && len(keeps) > 0:
		return []string{"memory is kept that nobody took"}
	case len(h) == 0 && takesPages && len(at[Call](steps)) > 0:
		return []string{"memory is handed to C and not held"}
	case len(h) == 0:
		return nil
	case len(h) > 1 || h[0] > first:
		wrong = append(wrong, "memory is not taken once before the call")
	}
	if c := at[Check](steps); len(c) > 0 && len(h) > 0 && c[0] < h[0] {
		wrong = append(wrong, "the rules look at memory before it is taken")
	}
	if len(keeps) != len(makes) || len(keeps) > 0 && keeps[0] < makes[0] {
		wrong = append(wrong, "memory is not kept once by the new object, and by it alone")
	}
	return wrong
}

// adoptedOnce: a new object is adopted once, after it was made and has what it keeps, under all its parents.
func adoptedOnce(w *world, m *Method) (wrong []string) {
	steps := m.Steps
	makes, adopts, calls := at[Make](steps), at[Adopt](steps), at[Call](steps)
	if len(calls) == 0 {
		return nil
	}
	if o := m.Verb.Creates; o != nil && o.From != nil {
		others := at[MakeOther](steps)
		if len(makes)+len(adopts) != 0 || len(others) != 1 || others[0] < calls[0] || len(steps[others[0]].(MakeOther).Parents) == 0 {
			return []string{"the object is not made once by its package, after the call and under something"}
		}
		return nil
	}
	if want := map[bool]int{true: 1}[m.Verb.Creates != nil]; len(makes) != want || len(adopts) != want {
		return []string{fmt.Sprintf("%d objects are made and %d adopted, not %d", len(makes), len(adopts), want)}
	}
	if len(makes) == 0 {
		return nil
	}
	if !(calls[0] < makes[0] && makes[0] < adopts[0]) {
		wrong = append(wrong, "the object is not made after the call and adopted after that")
	}
	for i := adopts[0] + 1; i < len(steps); i++ {
		switch steps[i].(type) {
		case Keep, Attach:
			wrong = append(wrong, "the object is adopted before it has what it keeps")
		}
	}
	if x := at[Place](steps); m.Verb.Creates.Region != nil && (len(x) != 1 || x[0] < makes[0] || x[0] > adopts[0]) {
		wrong = append(wrong, "the region is not placed once between its making and its adoption")
	}
	handles := w.handles(m)
	under := map[*model.Object]bool{}
	places := map[string]int{}
	for _, p := range steps[adopts[0]].(Adopt).Parents {
		under[handles[p.Handle]] = true
		places[p.Handle]++
	}
	parents := m.Verb.Creates.Parents
	if len(parents) > 1 { // not every verb that makes one has all of them
		has := func(o *model.Object) bool {
			return slices.Contains(slices.Collect(maps.Values(handles)), o)
		}
		if parents = slices.DeleteFunc(slices.Clone(parents), func(o *model.Object) bool { return !has(o) }); len(parents) == 0 {
			wrong = append(wrong, "the object is under none of its parents")
		}
	}
	for _, parent := range parents {
		if !under[parent] && (parent.Go != "Device" || m.Recv.Type == "*Device") { // what is made from a handle of the device is under that
			wrong = append(wrong, "the object is not under its "+parent.Go)
		}
	}
	for _, parent := range parents {
		told := slices.ContainsFunc(steps[makes[0]:], func(s Step) bool {
			set, ok := s.(Assign)
			return ok && set.Op == "=" &&
				strings.EqualFold(set.To[0], steps[makes[0]].(Make).Into+"."+parent.Go) && handles[set.Values[0].Path] == parent
		})
		if parent.Go != "Device" && !told {
			wrong = append(wrong, "the object does not know its "+parent.Go)
		}
	}
	for h := range handles {
		want := 1 // of the receiver and of a handle in a builder
		for _, p := range m.Verb.Params {
			if p.Go == h && h != m.Recv.Name && !p.Parent {
				want = 0
			}
		}
		if places[h] != want {
			wrong = append(wrong, fmt.Sprintf("the object is %d times under %s, not %d", places[h], h, want))
		}
	}
	return wrong
}

// TestSources asks what each registration of host memory hands to the method that all of a verb share.
func TestSources(t *testing.T) {
	_, p := realPlan(t)
	for name, want := range map[string]string{"PD.RegMR": "mem.FromBytes(buf)",
		"PD.RegMRBuffer": "mem.FromBuffer(buf)", "PD.RegMRPin": "mem.FromPin(pin)",
		"PD.RegMRAddr":        "mem.FromAddr(addr, length)",
		"PD.RegMRImplicitODP": "mem.FromAddr(0, math.MaxUint64)",
		"PD.RegMRIOVA":        "mem.FromBytes(buf)", "PD.RegMRAddrIOVA": "mem.FromAddr(addr, length)"} {
		m := find(t, p, name)
		last, core := m.Steps[len(m.Steps)-1].(Return), "pd.regMR"
		if strings.HasSuffix(name, "IOVA") {
			core = "pd.regMRIOVA"
		}
		if call := last.Values[0]; call.Path != core || call.Args[0].String() != want {
			t.Errorf("%s calls %v, want %s(%s, ...)", name, call, core, want)
		}
	}
	if set, ok := find(t, p, "PD.RegMRImplicitODP").Steps[0].(Assign); !ok || set.Op != "|=" || set.Values[0].Path != "MRAccessOnDemand" {
		t.Error("an implicit region is not on demand")
	}
}
