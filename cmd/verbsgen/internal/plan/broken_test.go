package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// without is a plan without the nth step of a type.
func without[S Step](n int) func(steps []Step) []Step {
	return func(steps []Step) []Step {
		i := at[S](steps)[n]
		return slices.Delete(slices.Clone(steps), i, i+1)
	}
}

// withoutAssign is a plan without the nth step that stores by an operator; that of calls is empty.
func withoutAssign(op string, n int) func(steps []Step) []Step {
	return func(steps []Step) []Step {
		i := assigns(steps, op)[n]
		return slices.Delete(slices.Clone(steps), i, i+1)
	}
}

// later moves the first step of type S right behind the last of type T.
func later[S, T Step](steps []Step) []Step {
	i, j := at[S](steps)[0], at[T](steps)
	out := slices.Insert(slices.Clone(steps), j[len(j)-1]+1, steps[i])
	return slices.Delete(out, i, i+1)
}

// twice repeats the first step of a type.
func twice[S Step](steps []Step) []Step {
	i := at[S](steps)[0]
	return slices.Insert(slices.Clone(steps), i, steps[i])
}

// unlocked is a plan that does without a lock what it does with one.
func unlocked(steps []Step) []Step {
	i := locked(steps)
	return slices.Concat(steps[:i], flat(steps[i : i+1])[1:], steps[i+1:])
}

// locked is the place of what is done with a lock.
func locked(steps []Step) int {
	return slices.IndexFunc(steps, func(s Step) bool { t, is := s.(Try); return is && t.Call.Path == "Locked" })
}

// edited changes the first step of a type.
func edited[S Step](change func(s S) S) func(steps []Step) []Step {
	return func(steps []Step) []Step {
		i := at[S](steps)[0]
		out := slices.Clone(steps)
		out[i] = change(out[i].(S))
		return out
	}
}

// editedEnter changes the entering of a handle.
func editedEnter(handle string, change func(e *Enter)) func(steps []Step) []Step {
	return func(steps []Step) []Step {
		out := slices.Clone(steps)
		for i, s := range out {
			if e, ok := s.(Enter); ok && e.Handle == handle {
				change(&e)
				out[i] = e
			}
		}
		return out
	}
}

// broken are changes of plans: the property that they break, and what it says.
var broken = []struct {
	method string
	change func(steps []Step) []Step
	of     string
	want   string
}{
	{"CQ.Reader", without[Try](0), "readable", "given out without Check"},
	{"QP.Stream", without[Try](1), "readable", "given out without Lacks"},
	{"CQ.Reader", later[Call, Try], "readable", "given out without Lacks"},
	{"PD.regMR", without[Enter](0), "entered", "pd is used and not entered before"},
	{"PD.regMR", later[Enter, Check], "entered", "pd is used and not entered before"},
	{"PD.CreateQP", without[Enter](2), "entered", "qpInitAttr.RecvCQ is used and not entered before"},
	{"PD.regMR", without[Hint](0), "hinted", "lints are not reported once after the call"},
	{"PD.regMR", later[Call, Hint], "hinted", "lints are not reported once after the call"},
	{"CQ.Resize", unlocked, "updated", "nothing locks what getters read"},
	{"CQ.Resize", func(steps []Step) []Step {
		steps = slices.Clone(steps)
		i := locked(steps)
		t := steps[i].(Try)
		f := *t.Call.Args[1].Func
		f.Then = withoutAssign("", 0)(f.Then)
		t.Call.Args = []Value{t.Call.Args[0], {As: t.Call.Args[1].As, Func: &f}}
		steps[i] = t
		return steps
	}, "updated", "getters return what was before the call"},
	{"PD.RegDMMR", editedEnter("dm", func(e *Enter) { e.Beside = "" }), "one device", "dm may be of another device than pd"},
	{"PD.RegDMMR", editedEnter("dm", func(e *Enter) { e.Beside = "dm" }), "one device", "dm may be of another device than pd"},
	{"PD.RegDMMR", editedEnter("dm", func(e *Enter) { e.What = "pd" }), "one device", "dm may be of another device than pd"},
	{"Device.CreateCQ", editedEnter("channel", func(e *Enter) { e.Beside = "" }), "one device",
		"channel is put to use before its device is known"},
	{"Device.CreateCQ", func(steps []Step) []Step {
		i := at[Enter](steps)[1]
		return slices.Concat(steps[:i], steps[i].(Enter).Then, steps[i:])
	}, "one device", "channel is put to use before its device is known"},
	{"PD.CreateQP", editedEnter("qpInitAttr.SRQ", func(e *Enter) { e.Beside = "" }), "one device",
		"qpInitAttr.SRQ may be of another device than pd"},
	{"Device.QueryPort", without[Check](0), "checked", "the rules are not checked once before the call"},
	{"Device.QueryPort", later[Check, Call], "checked", "the rules are not checked once before the call"},
	{"Device.QueryPort", twice[Check], "checked", "the rules are not checked once before the call"},
	{"Device.QueryPort", edited(func(s Check) Check { s.Inputs = s.Inputs[1:]; return s }), "checked",
		"the rules look at [capPhysPortCnt capPhysPortCntEx portNum"},
	{"PD.regMR", edited(func(s Check) Check { s.From = "pd.dev.caps.Known"; return s }), "checked",
		"the capabilities are given by pd.dev.caps.Known, not by pd.dev.capabilities"},
	{"Device.QueryPort", without[Name](0), "called", "the plan does not begin with the name of the verb"},
	{"Device.QueryPort", without[Call](0), "called", "the verb is named and not called"},
	{"Device.QueryPort", twice[Call], "called", "the verb is not called once"},
	{"Device.QueryPort", edited(func(s Call) Call { s.By.Args = s.By.Args[1:]; return s }), "called",
		"the call has 3 values for 4 parameters"},
	{"PD.regMR", withoutAssign("", 0), "called", "an allocator answers for the call, and is not told of its beginning"},
	{"PD.regMR", without[Missing](0), "refused",
		"a function that the library lacks is not refused before memory is held and the call is made"},
	{"PD.regMR", later[Missing, Hold], "refused",
		"a function that the library lacks is not refused before memory is held and the call is made"},
	{"PD.regMR", edited(func(s Missing) Missing { s.Symbols = s.Symbols[1:]; return s }), "refused",
		"not all functions of the verb are looked for"},
	{"Device.CreateQPEx", without[Refuse](0), "refused", "qpInitAttrEx is not refused where it is nil or does not fit"},
	{"PD.CreateAHFromWC", without[Refuse](0), "refused", "wc is not refused where it is nil or too short"},
	{"PD.CreateAHFromWC", without[Refuse](1), "refused", "grh is not refused where it is nil or too short"},
	{"Device.InitAHFromWC", without[Output](0), "returned", "ah_attr is filled and not returned"},
	{"PD.regMR", without[Hold](0), "held", "memory is kept that nobody took"},
	{"PD.regMR", func(s []Step) []Step { return without[Keep](0)(without[Hold](0)(s)) }, "held", "memory is handed to C and not held"},
	{"PD.RegBufMR", func(s []Step) []Step { return without[Keep](0)(without[Hold](0)(s)) }, "held", "memory is handed to C and not held"},
	{"PD.regMR", twice[Hold], "held", "memory is not taken once before the call"},
	{"PD.regMR", later[Hold, Check], "held", "the rules look at memory before it is taken"},
	{"PD.regMR", without[Keep](0), "held", "memory is not kept once by the new object, and by it alone"},
	{"PD.regMR", twice[Keep], "held", "memory is not kept once by the new object, and by it alone"},
	{"PD.regMR", later[Make, Keep], "held", "memory is not kept once by the new object, and by it alone"},
	{"PD.regMR", without[Hold](0), "defined", "addr is used and defined nowhere before"},
	{"PD.regMR", without[Place](0), "adopted", "the region is not placed once"},
	{"PD.RegDMMR", later[Place, Adopt], "adopted", "the region is not placed once"},
	{"PD.regMR", without[Make](0), "adopted", "0 objects are made and 1 adopted, not 1"},
	{"PD.regMR", without[Adopt](0), "adopted", "1 objects are made and 0 adopted, not 1"},
	{"PD.regMR", twice[Adopt], "adopted", "1 objects are made and 2 adopted, not 1"},
	{"PD.regMR", later[Call, Make], "adopted", "the object is not made after the call and adopted after that"},
	{"PD.regMR", later[Keep, Adopt], "adopted", "the object is adopted before it has what it keeps"},
	{"PD.regMR", edited(func(s Adopt) Adopt { s.Parents = nil; return s }), "adopted", "the object is not under its PD"},
	{"Device.CreateWQ", withoutAssign("=", 0), "adopted", "the object does not know its PD"},
	{"Device.CreateSRQEx", edited(func(s Adopt) Adopt { s.Parents = s.Parents[:2]; return s }), "adopted", "the object is not under its CQ"},
	{"PD.CreateQP", edited(func(s Adopt) Adopt { s.Parents = s.Parents[:2]; return s }), "adopted",
		"the object is 0 times under qpInitAttr.RecvCQ, not 1"},
	{"Device.QueryPort", without[Return](0), "returned", "the plan does not end with the return of 2 results"},
	{"Device.QueryPort", later[Output, Return], "returned", "the plan does not end with the return of 2 results"},
	{"Device.QueryPort", without[Output](0), "returned", "port_attr is filled and not returned"},
	{"Device.QueryGID", without[Declare](0), "returned", "gid is filled and not returned"},
	{"PD.regMR", edited(func(s Return) Return { return ret(null, null) }), "returned", "the new object is not returned"},
	{"Device.QueryGIDTable", without[FillList](0), "filled", "entries is not filled from an array of its length"},
	{"Device.QueryGIDTable", withoutAssign(":=", 0), "filled", "entries is not filled from an array of its length"},
	{"Device.QueryGIDTable", later[Call, FillList], "filled", "entries is not filled from an array of its length"},
	{"Device.QueryGIDTable", edited(func(s FillList) FillList { s.Count = ""; return s }), "filled",
		"entries is not filled from an array of its length"},
	{"Device.QueryGIDTable", edited(func(s Return) Return { return ret(zero, null) }), "returned", "what the verb answers is not returned"},
	{"Lib.RateToMult", edited(func(s Return) Return { return ret(zero, null) }), "returned", "what the verb answers is not returned"},
	{"Lib.NodeTypeString", edited(func(s Return) Return { return ret(text(""), null) }), "returned", "what the verb answers is not returned"},
	{"Counters.Read", edited(func(s Call) Call {
		s.By.Args = append(slices.Clone(s.By.Args[:1]), val("values"), zero, zero)
		return s
	}), "filled", "counters_value is not handed to C as it is"},
	{"QP.CreateFlow", without[EnterArms](0), "arms", "the arms of flow are not entered, packed and headed once"},
	{"QP.CreateFlow", without[CopyHead](0), "arms", "the arms of flow are not entered, packed and headed once"},
	{"QP.CreateFlow", later[EnterArms, PackArms], "arms", "the arms of flow are not entered, packed, checked and headed in this order"},
	{"QP.CreateFlow", later[PackArms, Check], "arms", "the arms of flow are not entered, packed, checked and headed in this order"},
	{"QP.CreateFlow", later[CopyHead, Call], "arms", "the arms of flow are not entered, packed, checked and headed in this order"},
	{"QP.CreateFlow", edited(func(s PackArms) PackArms { s.Count = s.Size; return s }), "arms",
		"the arms of flow are not those that are counted"},
	{"QP.CreateFlow", edited(func(s EnterArms) EnterArms { s.Beside = "flow"; return s }), "arms",
		"the arms of flow are not those that are counted"},
	{"QP.CreateFlow", edited(func(s Call) Call { s.By.Args = []Value{val("qp.h.C"), memory("flowC")}; return s }), "arms",
		"the bytes of flow are not handed to C"},
	{"QP.CreateFlow", edited(func(s Adopt) Adopt { s.Parents = s.Parents[:1]; return s }), "arms",
		"the object is not under the handles of its arms"},
	{"Device.CreateRWQIndTable", without[EnterList](0), "pointers", "the list ind_tbl is not entered once"},
	{"Device.CreateRWQIndTable", without[Until](0), "pointers", "what init_attr points to is not kept in its place"},
	{"Device.CreateRWQIndTable", later[EnterList, Check], "pointers", "the list ind_tbl is not entered before the rules and the call"},
	{"Device.CreateRWQIndTable", edited(func(s EnterList) EnterList { s.Log2 = false; return s }), "pointers",
		"the list ind_tbl is not the one that is counted"},
	{"Device.CreateRWQIndTable", edited(func(s Adopt) Adopt { s.Parents = s.Parents[:1]; return s }), "pointers",
		"the object is not under the handles of ind_tbl"},
	{"Device.CreateFlowActionESP", without[Try](0), "pointers", "what esp points to is not placed before the rules and the call"},
	{"Device.CreateQPEx", without[PinData](0), "pointers", "the bytes in rx_hash_conf are not placed before the call"},
	{"Device.QueryPKey", edited(func(s Return) Return { return ret(val("pkey"), null) }), "byte order",
		"pkey has the byte order of the other side"},
	{"Device.GetPKeyIndex", edited(func(s Call) Call { s.By.Args = append(slices.Clone(s.By.Args[:3]), val("pkey")); return s }),
		"byte order", "pkey has the byte order of the other side"},
	{"PD.CreateQP", without[CopyAttr](0), "defined", "qpInitAttrC is used and defined nowhere before"},
	{"QP.Query", without[Gather](0), "defined", "fieldsC is used and defined nowhere before"},
}

// TestBrokenPlans breaks plans of the real package: the property that is broken says so.
func TestBrokenPlans(t *testing.T) {
	pkg, p := realPlan(t)
	w := newWorld(pkg, p)
	seen := map[string]bool{}
	for _, c := range broken {
		seen[c.of] = true
		m := *find(t, p, c.method)
		m.Steps = c.change(m.Steps)
		got := strings.Join(w.problems(&m)[c.of], "; ")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: property %s says %q; want %q of\n%s", c.method, c.of, got, c.want, &m)
		}
	}
	for name := range properties {
		if !seen[name] {
			t.Errorf("no plan that breaks property %s", name)
		}
	}
}

// TestRemovedSteps removes each step of each face in turn: every one but those that only set a field or a flag is missed by some
// property.
func TestRemovedSteps(t *testing.T) {
	pkg, p := realPlan(t)
	w := newWorld(pkg, p)
	removed := 0
	for _, m := range faces(p) {
		if reach(m.Steps) < 0 {
			continue
		}
		for i, s := range m.Steps {
			switch s := s.(type) {
			case KeepCaps, Attach:
				continue
			case Assign:
				if s.Op == "=" || s.Op == "|=" || s.Op == "" && !strings.HasSuffix(s.Values[0].Path, ".Begin") {
					continue
				}
			case Refuse:
				if x := s.When; x.Text != "!=" || !x.Args[1].is(null) {
					break
				}
				continue
			}
			removed++
			less := *m
			less.Steps = slices.Delete(slices.Clone(m.Steps), i, i+1)
			if len(w.problems(&less)) == 0 {
				t.Errorf("%s: nobody misses step %d, %s", m.Name, i, fmt.Sprintf("%T", s))
			}
		}
	}
	if removed < 200 {
		t.Errorf("only %d steps were removed", removed)
	}
}
