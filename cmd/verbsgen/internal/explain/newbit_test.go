package explain

import (
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestNewBit adds the bits that are free to each enum whose flags a rule allows: the call that has a bit too many is then no breach of it.
func TestNewBit(t *testing.T) {
	s, known := newest(t)
	newer, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	facts, follow := known.facts, []*spec.Rule{}
	for _, r := range s.Rules() {
		for _, name := range r.Allow {
			if r.Retired || !spec.IsEnum(name) {
				continue
			}
			i := slices.IndexFunc(newer.Enums, func(e api.Enum) bool { return e.Tag == facts.EnumOf(name).Tag })
			e, free := &newer.Enums[i], ^facts.Const(name).Int64()&0x7fffffff
			e.Enumerators = append(slices.Clip(e.Enumerators), api.Enumerator{Name: "NEW_" + name[len("enum "):], Value: free})
			follow = append(follow, r)
		}
	}
	if len(follow) < 30 {
		t.Errorf("%d rules follow an enum", len(follow))
	}
	later := New(s, newer)
	for _, r := range follow {
		c := caseOf(r, r.Reject)
		breaks := func(k *Checker) bool {
			return slices.ContainsFunc(k.Evaluate(c).Broken, func(b Broken) bool { return b.Rule == r })
		}
		if !breaks(known) || breaks(later) {
			t.Errorf("%s: its own case breaks it: %t, and with the bits in the enum: %t", r.ID, breaks(known), breaks(later))
		}
	}
}
