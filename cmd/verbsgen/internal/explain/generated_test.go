package explain

import (
	"errors"
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestGenerated holds the generated validators against Evaluate: two readings of the same rules, made apart, must
// refuse the same calls for the same reasons. Every combination of up to four access flags, which is more than a rule names, and of nearly
// all, with lengths and offsets at the edges, goes through both.
func TestGenerated(t *testing.T) {
	_, judge := newest(t)
	dev := device(t, softverbs.ODP(3, 0xff, 0, 0))
	pd, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	dm, err := dev.AllocDM(verbs.NewAllocDMAttr(4096))
	if err != nil {
		t.Fatal(err)
	}
	buf, err := mem.New(8192)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Close()
	c := &contest{t: t, judge: judge, ids: map[string]int{}}
	for access := uint32(0); access < 1<<11; access++ {
		if n := mathbits.OnesCount32(access); n > 4 && n < 10 {
			continue
		}
		c.access(pd, buf, access)
		c.device(pd, dm, access)
	}
	for _, bit := range []uint32{1 << 12, 1 << 19, 1 << 20, 1 << 29, 1 << 30, 1 << 31} {
		c.access(pd, buf, bit|1)
		c.device(pd, dm, bit|1<<5)
	}
	t.Logf("%d calls, %d refused; rules that refused: %v", c.calls, c.refused, c.ids)
	if c.refused == 0 || c.refused == c.calls || len(c.ids) < 10 {
		t.Errorf("%d calls, %d refused by %d rules: the contest shows little", c.calls, c.refused, len(c.ids))
	}
}

// device opens a software device.
func device(t *testing.T, options ...softverbs.Option) *verbs.Device {
	t.Helper()
	soft := softverbs.New(options...)
	t.Cleanup(func() { soft.Close() })
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.CloseAll() })
	return dev
}

// contest counts the calls that went through both readings.
type contest struct {
	t              *testing.T
	judge          *Checker
	calls, refused int
	ids            map[string]int
}

// access tries flags in the registrations of host memory and of a dma-buf.
func (c *contest) access(pd *verbs.PD, buf *mem.Buffer, access uint32) {
	at, flags := uint64(buf.Addr()), hex(access)
	for _, m := range []struct{ addr, length uint64 }{{at, 4096}, {0, math.MaxUint64}, {0, 4096}, {at, math.MaxUint64},
		{math.MaxUint64 - 4095, 8192}} {
		c.same("ibv_reg_mr", map[string]any{"addr": m.addr, "length": m.length, "access": flags}, func() (*verbs.MR, error) {
			return pd.RegMRFrom(mem.Addr(uintptr(m.addr), m.length), verbs.MRAccess(access))
		})
	}
	for _, iova := range []uint64{0, 16, at, at + 8} {
		c.same("ibv_reg_mr_iova", map[string]any{"addr": at, "length": uint64(4096), "iova": iova, "access": flags}, func() (*verbs.MR, error) {
			return pd.RegMRIOVAFrom(mem.Addr(buf.Addr(), 4096), iova, verbs.MRAccess(access))
		})
	}
	for _, m := range []struct{ offset, iova uint64 }{{0, 4096}, {100, 4196}, {100, 4096}, {math.MaxUint64 - 4095, 0}} {
		c.same("ibv_reg_dmabuf_mr", map[string]any{"offset": m.offset, "length": uint64(4096), "iova": m.iova, "fd": 9999,
			"access": flags}, func() (*verbs.MR, error) {
			return pd.RegDMABufMR(mem.DMABuf{FD: 9999, Offset: m.offset, Length: 4096}, m.iova, verbs.DMABufAccess(access))
		})
	}
	attr := map[string]any{"length": uint64(4096), "access": flags, "addr": at, "comp_mask": "IBV_REG_MR_MASK_ADDR"}
	c.same("ibv_reg_mr_ex", map[string]any{"mr_init_attr": attr}, func() (*verbs.MR, error) {
		return pd.RegMREx(verbs.NewMRInitAttr(4096, verbs.MRAccess(access)).Memory(mem.Addr(buf.Addr(), 4096)))
	})
}

// device tries flags and ranges in the registration of device memory of 4096 bytes.
func (c *contest) device(pd *verbs.PD, dm *verbs.DM, access uint32) {
	for _, r := range []struct{ off, length uint64 }{{0, 4096}, {4096, 1}, {math.MaxUint64, 2}, {0, 0}} {
		args := map[string]any{"dm": map[string]any{"length": 4096}, "dm_offset": r.off, "length": r.length, "access": hex(access)}
		c.same("ibv_reg_dm_mr", args, func() (*verbs.MR, error) { return pd.RegDMMR(dm, r.off, r.length, verbs.DMAccess(access)) })
	}
}

// same makes one call and compares.
func (c *contest) same(verb string, args map[string]any, call func() (*verbs.MR, error)) {
	mr, err := call()
	if err == nil {
		defer mr.Close()
	}
	var got []string
	var e *verr.Error
	if errors.As(err, &e) && e.Refused {
		for _, v := range e.Violations {
			got = append(got, v.Rule.ID)
			c.ids[v.Rule.ID]++
		}
		c.refused++
	}
	c.calls++
	r := c.judge.Evaluate(Case{Verb: verb, Args: args})
	if r.Verdict == Unknown || !slices.Equal(got, r.Rules) {
		c.t.Errorf("%s %v: generated %v, evaluated %s %v %v", verb, args, got, r.Verdict, r.Rules, r.Messages)
	}
}

func hex(v uint32) string { return fmt.Sprintf("0x%x", v) }
