package plan

import (
	"slices"
	"strings"
	"testing"
)

// This file has the properties of the methods that destroy C objects.

// inside gives the steps of the functions that are passed to a call of by, in order; "" gives those outside of any.
func inside(steps []Step, by string) (out []Step) {
	if by == "" {
		return flat(steps)
	}
	for _, s := range steps {
		var values []Value
		switch s := s.(type) {
		case Return:
			values = s.Values
		case Do:
			values = []Value{s.Call}
		}
		for _, v := range values {
			for _, a := range v.Args {
				if a.Func != nil && v.Path == by {
					out = append(out, flat(a.Func.Then)...)
				}
			}
		}
	}
	return out
}

// gateOf gives the call by which an object is destroyed, when calls use it without a lock; "" when all of them enter its handle.
func gateOf(p *Package, object string) string {
	for _, f := range p.Objects {
		for _, d := range f.Decls {
			if s, ok := d.(*Struct); ok && s.Name == object {
				for _, field := range s.Fields {
					switch field.Type {
					case "gate.Gate", "devmem.DM", "dpath.Address", "dpath.Named":
						return "o." + field.Name + ".End"
					case "mem.Foreign":
						return "o." + field.Name + ".Free"
					}
				}
			}
		}
	}
	return ""
}

// ended: a method that destroys a C object calls the verb once, behind the object's gate when it has one, which is open again after a
// refusal. It gives back what the object keeps, and forgets its address, after the call, which returns when the device refuses.
func ended(p *Package, m *Method) (wrong []string) {
	object := strings.TrimPrefix(m.Recv.Type, "*")
	by := gateOf(p, object)
	steps := inside(m.Steps, by)
	part := by != "o.mem.End" && !strings.HasPrefix(m.Name, "destroy") // of destroy, which does the rest
	if part {
		by, steps = "", flat(m.Steps)
	}
	calls := slices.Concat(at[Call](steps), at[Try](steps)) // the C function, or free, which ends the C object
	if len(calls) != 1 || by != "" && len(at[Call](inside(m.Steps, ""))) > 0 {
		if by != "" {
			return []string{"the verb is not called once by " + by}
		}
		return []string{"the verb is not called once"}
	}
	released := 0
	for i, s := range steps {
		d, ok := s.(Do)
		if !ok || d.Call.Path == "o.waiting.Stop" { // what waits for events must end before
			continue
		}
		if i < calls[0] {
			wrong = append(wrong, d.Call.Path+" comes before the call, which may be refused")
		}
		if d.Call.Path == "o.release" {
			released++
		}
	}
	if !part && by != "o.mem.End" && released != 1 {
		wrong = append(wrong, "what the object keeps is not released once")
	}
	return wrong
}

// destroyers are the methods that call a verb and are called by the Close of a handle, or another end of it.
func destroyers(p *Package) (out []*Method) {
	chosen := map[string]bool{} // objects with several ends: destroy and free choose one
	for _, m := range methods(p) {
		if m.Name == "destroyBy" {
			chosen[m.Recv.Type] = true
		}
	}
	for _, m := range methods(p) {
		if !slices.Contains([]string{"destroy", "free", "unimport", "destroyBy", "unimportPD", "deallocPD", "unimportMR", "deregMR"}, m.Name) || m.Recv.Name == "" ||
			chosen[m.Recv.Type] && (m.Name == "destroy" || m.Name == "free") {
			continue
		}
		if gate := gateOf(p, strings.TrimPrefix(m.Recv.Type, "*")); m.Name != "destroy" || gate != "o.mem.End" { // which chooses between the two
			out = append(out, m)
		}
	}
	return out
}

func TestEnds(t *testing.T) {
	_, p := realPlan(t)
	all := destroyers(p)
	for _, m := range all {
		if wrong := ended(p, m); len(wrong) > 0 {
			t.Errorf("%s.%s: %s\n%s", m.Recv.Type, m.Name, strings.Join(wrong, "; "), m)
		}
	}
	if len(all) < 10 {
		t.Errorf("only %d methods that destroy", len(all))
	}
}

// TestChosenEnds looks at handles with several ends: each method ends the object by its own verb, and one that leaves it in the kernel
// keeps what it was made of.
func TestChosenEnds(t *testing.T) {
	_, p := realPlan(t)
	for method, by := range map[string]string{"PD.destroy": "o.free false", "PD.Unimport": "o.unimportPD true", "PD.Dealloc": "o.deallocPD false",
		"MR.destroy": "o.free false", "MR.Unimport": "o.unimportMR true", "MR.Dereg": "o.deregMR false"} {
		got := ""
		for _, s := range append(flat(find(t, p, method).Steps), inside(find(t, p, method).Steps, "o.node.Close")...) {
			if r, ok := s.(Return); ok && len(r.Values) == 1 && r.Values[0].Path == "o.destroyBy" {
				got = r.Values[0].Args[0].Path + " " + r.Values[0].Args[1].Path
			}
		}
		if got != by {
			t.Errorf("%s ends by %q, want %q", method, got, by)
		}
	}
	for method, end := range map[string]string{"Device.ImportPD": "o.unimportPD", "PD.ImportMR": "o.unimportMR"} {
		m := find(t, p, method)
		if i := slices.IndexFunc(m.Steps, func(s Step) bool { x, ok := s.(Set); return ok && x.To[0] == "o.ender" && x.Values[0].Path == end }); i < 0 || i > at[Adopt](m.Steps)[0] {
			t.Errorf("%s does not have the object ended by %s", method, end)
		}
	}
}

// ungated takes the steps out of the function that the gate calls.
func ungated(steps []Step) []Step {
	return steps[0].(Return).Values[0].Args[2].Func.Then
}

// inGate changes the steps of the function that the gate calls, the nth value of its call.
func inGate(n int, change func(steps []Step) []Step) func(steps []Step) []Step {
	return func(steps []Step) []Step {
		r := steps[0].(Return)
		call := r.Values[0]
		f := *call.Args[n].Func
		f.Then = change(f.Then)
		call.Args = slices.Clone(call.Args)
		call.Args[n].Func = &f
		return []Step{Return{[]Value{call}}}
	}
}

// first moves the last step of a type to the front.
func first[S Step](steps []Step) []Step {
	all := at[S](steps)
	i := all[len(all)-1]
	return slices.Concat([]Step{steps[i]}, steps[:i], steps[i+1:])
}

// TestBrokenEnds breaks methods that destroy: the property says what is wrong.
func TestBrokenEnds(t *testing.T) {
	_, p := realPlan(t)
	for _, c := range []struct {
		method string
		change func(steps []Step) []Step
		want   string
	}{
		{"TD.destroy", first[If], "o.release comes before the call, which may be refused"},
		{"TD.destroy", without[If](0), "what the object keeps is not released once"},
		{"TD.destroy", twice[If], "what the object keeps is not released once"},
		{"TD.destroy", without[Try](0), "the verb is not called once"},
		{"TD.destroy", twice[Try], "the verb is not called once"},
		{"TD.free", without[Call](0), "the verb is not called once"},
		{"MR.deregMR", twice[Call], "the verb is not called once"},
		{"MR.unimportMR", without[Call](0), "the verb is not called once"},
		{"PD.destroyBy", without[If](0), "what the object keeps is not released once"},
		{"QP.destroy", ungated, "the verb is not called once by o.gate.End"},
		{"MR.destroyBy", ungated, "the verb is not called once by o.named.End"},
		{"QP.destroy", inGate(2, first[If]), "o.release comes before the call, which may be refused"},
		{"CQ.destroy", inGate(2, first[Do]), "o.dev.handles.Remove comes before the call, which may be refused"},
		{"DM.free", func(steps []Step) []Step { return steps[0].(Return).Values[0].Args[1].Func.Then }, "the verb is not called once by o.mem.End"},
		{"Buf.destroy", inGate(0, without[Try](0)), "the verb is not called once by o.mem.Free"},
		{"DM.unimport", inGate(1, twice[Call]), "the verb is not called once by o.mem.End"},
	} {
		m := *find(t, p, c.method)
		m.Steps = c.change(m.Steps)
		if got := strings.Join(ended(p, &m), "; "); got != c.want {
			t.Errorf("%s: %q; want %q of\n%s", c.method, got, c.want, &m)
		}
	}
}
