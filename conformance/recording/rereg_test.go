//go:build linux && cgo

package recording

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// TestRereg changes a region by each method of MRChange, and by all at once.
func TestRereg(t *testing.T) {
	b := open(t)
	buf := b.memory.buffer(t)
	pd, pdAt := b.handle("PD")
	addr := fmt.Sprint(buf.Addr())
	pin := must(mem.PinBytes(buf.Bytes()[:4096]))(t)
	t.Cleanup(pin.Unpin)
	translate := b.constants([]string{"IBV_REREG_MR_CHANGE_TRANSLATION"})
	type change struct {
		apply func(c *verbs.MRChange)
		flag  uint64
		want  map[string]string
	}
	memory := func(length int) map[string]string {
		return map[string]string{"addr": addr, "length": fmt.Sprint(length)}
	}
	access := verbs.MRAccessLocalWrite | verbs.MRAccessRemoteRead
	changes := map[string]change{
		"PD": {func(c *verbs.MRChange) { c.PD(pd.Interface().(*verbs.PD)) }, b.constants([]string{"IBV_REREG_MR_CHANGE_PD"}),
			map[string]string{"pd": fmt.Sprint(pdAt)}},
		"Memory":               {func(c *verbs.MRChange) { c.Memory(mem.Bytes(buf.Bytes()[:8192])) }, translate, memory(8192)},
		"Memory of a pin":      {func(c *verbs.MRChange) { c.Memory(pin) }, translate, memory(4096)},
		"Memory of a buffer":   {func(c *verbs.MRChange) { c.Memory(buf) }, translate, memory(regionSize)},
		"Memory at an address": {func(c *verbs.MRChange) { c.Memory(mem.Addr(buf.Addr(), 12288)) }, translate, memory(12288)},
		"Access": {func(c *verbs.MRChange) { c.Access(access) }, b.constants([]string{"IBV_REREG_MR_CHANGE_ACCESS"}),
			map[string]string{"access": fmt.Sprint(uint64(access))}},
	}
	of := reflect.TypeFor[*verbs.MRChange]()
	for i := range of.NumMethod() {
		if _, ok := changes[of.Method(i).Name]; !ok {
			t.Errorf("MRChange.%s is not in the table of this test", of.Method(i).Name)
		}
	}
	rounds := [][]string{{"Access", "PD", "Memory"}}
	for name := range changes {
		rounds = append(rounds, []string{name})
	}
	for _, names := range rounds {
		mr, at := b.handle("MR")
		want := map[string]string{"mr": fmt.Sprint(at), "pd": "0", "addr": "0", "length": "0", "access": "0"}
		c, flags := new(verbs.MRChange), uint64(0)
		for _, name := range names {
			changes[name].apply(c)
			flags |= changes[name].flag
			maps.Copy(want, changes[name].want)
		}
		want["flags"] = fmt.Sprint(flags)
		if err := mr.Interface().(*verbs.MR).Rereg(c); err != nil {
			t.Fatalf("%v: %v", names, err)
		}
		got := b.last("ibv_rereg_mr").In
		for _, arg := range slices.Sorted(maps.Keys(want)) {
			if got[arg] != want[arg] {
				t.Errorf("%v: C sees %s = %s, not %s", names, arg, got[arg], want[arg])
			}
		}
	}
}
