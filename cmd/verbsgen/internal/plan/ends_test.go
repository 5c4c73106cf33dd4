package plan

import (
	"slices"
	"strings"
	"testing"
)

// This file has the properties of handles: what ends their C objects. How a Close comes to that is tested in runtime/gensupport/object.

// handlesOf returns the handles of a plan, by object.
func handlesOf(p *Package) map[string]Handle {
	out := map[string]Handle{}
	for _, f := range p.Objects {
		for _, d := range f.Decls {
			if h, ok := d.(Handle); ok {
				out[h.Object.Go] = h
			}
		}
	}
	return out
}

// badHandle says what is wrong with a handle: the verb of each end is called once and nothing else is done there, and a field that
// calls use without entering the handle waits for them.
func badHandle(h Handle) (wrong []string) {
	own := false
	for _, m := range h.Ends {
		own = own || m.Name == h.End
		steps := flat(m.Steps)
		if len(at[Call](steps)) != 1 || len(at[Missing](steps))+2 != len(steps) && len(steps) != 2 {
			wrong = append(wrong, m.Name+" does not call its verb once, and nothing else")
		}
		if c := at[Call](steps); len(c) == 1 && !strings.Contains(m.Doc.Text, steps[c[0]].(Call).Verb) {
			wrong = append(wrong, m.Name+" calls another verb than it says")
		}
	}
	if !own {
		wrong = append(wrong, h.End+" is missing")
	}
	for _, f := range h.Fields {
		if slices.Contains([]string{"gate.Gate", "dpath.Address", "dpath.Named", "devmem.DM", "mem.Foreign"}, f.Type) && h.Guard != f.Name {
			wrong = append(wrong, "a Close does not wait for calls by "+f.Name)
		}
		if (strings.HasPrefix(f.Type, "events.Listener") || f.Type == "events.Sleepers") && h.Stops != f.Name {
			wrong = append(wrong, "a Close does not end the waiting in "+f.Name)
		}
		if f.Type == "dpath.Place" && !h.Region {
			wrong = append(wrong, "a Close leaves elements of the region valid")
		}
	}
	return wrong
}

func TestHandles(t *testing.T) {
	_, p := realPlan(t)
	all := handlesOf(p)
	for name, h := range all {
		if wrong := badHandle(h); len(wrong) > 0 {
			t.Errorf("%s: %s", name, strings.Join(wrong, "; "))
		}
	}
	if len(all) < 15 {
		t.Errorf("only %d handles", len(all))
	}
	for name, guard := range map[string]string{"QP": "gate", "CQ": "gate", "SRQ": "gate", "WQ": "gate", "AH": "gate", "MR": "named",
		"MW": "named",
		"DM": "mem", "Buf": "mem", "PD": ""} {
		if all[name].Guard != guard {
			t.Errorf("%s waits for calls by %q, want %q", name, all[name].Guard, guard)
		}
	}
	for _, name := range []string{"CQ", "QP", "SRQ", "WQ"} {
		if all[name].Index == "" {
			t.Errorf("events do not find a %s", name)
		}
	}
}

// TestChosenEnds looks at handles with several ends: each method ends the object by its own verb, and one that leaves it in the kernel
// keeps what it was made of.
func TestChosenEnds(t *testing.T) {
	_, p := realPlan(t)
	got := map[string]string{}
	for _, f := range p.Objects {
		for _, d := range f.Decls {
			if c, ok := d.(Closer); ok {
				got[c.Object+"."+c.Name] = c.End + map[bool]string{true: " lives"}[c.Lives]
			}
		}
	}
	for method, by := range map[string]string{"PD.Unimport": "unimportPD lives", "PD.Dealloc": "deallocPD",
		"MR.Unimport": "unimportMR lives", "MR.Dereg": "deregMR"} {
		if got[method] != by {
			t.Errorf("%s ends by %q, want %q", method, got[method], by)
		}
	}
	ends := map[string]string{"Device.ImportPD": "o.unimportPD", "PD.ImportMR": "o.unimportMR"}
	for method, end := range ends {
		m := find(t, p, method)
		i := slices.IndexFunc(m.Steps, func(s Step) bool {
			x, ok := s.(Assign)
			return ok && x.Op == "=" && x.To[0] == "o.h.End" && x.Values[0].Path == end
		})
		if i < 0 || i > at[Adopt](m.Steps)[0] {
			t.Errorf("%s does not have the object ended by %s", method, end)
		}
	}
}

// TestBrokenHandles breaks handles: the property says what is wrong.
func TestBrokenHandles(t *testing.T) {
	_, p := realPlan(t)
	ends := func(change func(steps []Step) []Step) func(h *Handle) {
		return func(h *Handle) {
			m := *h.Ends[0]
			m.Steps = change(m.Steps)
			h.Ends = append([]*Method{&m}, h.Ends[1:]...)
		}
	}
	for _, c := range []struct {
		object string
		change func(h *Handle)
		want   string
	}{
		{"TD", ends(without[Call](0)), "deallocTD does not call its verb once, and nothing else"},
		{"QP", ends(twice[Call]), "destroyQP does not call its verb once, and nothing else"},
		{"MR", ends(edited(func(s Call) Call { s.Verb = "ibv_dealloc_pd"; return s })), "unimportMR calls another verb than it says"},
		{"PD", func(h *Handle) { h.Ends = h.Ends[:1] }, "deallocPD is missing"},
		{"CQ", func(h *Handle) { h.Guard = "" }, "a Close does not wait for calls by gate"},
		{"MW", func(h *Handle) { h.Guard = "" }, "a Close does not wait for calls by named"},
		{"DM", func(h *Handle) { h.Guard = "" }, "a Close does not wait for calls by mem"},
		{"CompChannel", func(h *Handle) { h.Stops = "" }, "a Close does not end the waiting in waiting"},
		{"CQ", func(h *Handle) { h.Stops = "" }, "a Close does not end the waiting in waiting"},
		{"MR", func(h *Handle) { h.Region = false }, "a Close leaves elements of the region valid"},
	} {
		h := handlesOf(p)[c.object]
		c.change(&h)
		if got := strings.Join(badHandle(h), "; "); got != c.want {
			t.Errorf("%s: %q; want %q", c.object, got, c.want)
		}
	}
}
