//go:build linux && cgo

package device

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/direct"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// named are the 11 access flags that have names.
const named = 0x3ff | uint32(verbs.MRAccessRelaxedOrdering)

// namedValues returns all 2048 combinations of the named flags: bits 0 to 9 of the index are those flags, bit 10 is the last.
func namedValues() []uint32 {
	var out []uint32
	for i := range uint32(2048) {
		out = append(out, i&0x3ff|i>>10*uint32(verbs.MRAccessRelaxedOrdering))
	}
	return out
}

// otherValues adds to the combinations of the first ten flags each bit without a name, those of the optional range and those
// of no meaning, and the whole optional range.
func otherValues() []uint32 {
	var out []uint32
	for i := range uint32(0x400) {
		for bit := uint32(1); bit != 0; bit <<= 1 {
			if bit&named == 0 {
				out = append(out, i|bit)
			}
		}
		out = append(out, i|0x3ff00000)
	}
	return out
}

const (
	page     = 4096
	maskAddr = 0x2 // of enum ibv_mr_init_attr_mask
)

// form is a way to register the pages of a buffer: with the validator and without.
type form struct {
	verb  string
	bound func(pd *verbs.PD, buf *mem.Buffer, access verbs.MRAccess) (*verbs.MR, error)
	raw   func(ctx *direct.Context, buf *mem.Buffer, access uint32) syscall.Errno
}

var forms = []form{
	{"ibv_reg_mr", func(pd *verbs.PD, buf *mem.Buffer, access verbs.MRAccess) (*verbs.MR, error) {
		return pd.RegMRFrom(mem.Addr(buf.Addr(), page), access)
	}, func(ctx *direct.Context, buf *mem.Buffer, access uint32) syscall.Errno {
		return ctx.RegMR(buf.Addr(), page, uint64(buf.Addr()), access)
	}},
	{"ibv_reg_mr_ex", func(pd *verbs.PD, buf *mem.Buffer, access verbs.MRAccess) (*verbs.MR, error) {
		return pd.RegMREx(verbs.NewMRInitAttr(page, access).Memory(mem.Addr(buf.Addr(), page)))
	}, func(ctx *direct.Context, buf *mem.Buffer, access uint32) syscall.Errno {
		return ctx.RegMREx(direct.Init{Mask: maskAddr, Length: page, Access: access, Addr: buf.Addr()})
	}},
}

// TestAccess compares the validator with the running kernel, for every combination of the named flags and for the others.
func TestAccess(t *testing.T) {
	release, series := kernelRelease(t)
	for _, f := range forms {
		t.Run(f.verb, func(t *testing.T) {
			real, name := library(t)
			ctx := must(direct.Open(real, name))(t)
			t.Cleanup(func() { // after the device of open, which counts the objects of the kernel
				if err := ctx.Close(); err != nil {
					t.Error(err)
				}
			})
			buf := must(mem.New(page, mem.Populate()))(t)
			defer buf.Close()
			kernel := remember(func(access uint32) syscall.Errno { return f.raw(ctx, buf, access) })
			if kernel(0) == syscall.EOPNOTSUPP {
				t.Skipf("library or kernel has no %s", f.verb)
			}
			b := open(t)
			pd := must(b.dev.AllocPD())(t)
			all := compare(namedValues(), f.verdict(t, pd, buf), kernel, b.listed(series)) // the rules ask the device by themselves
			all.report(t, "named flags")
			attr := must(b.dev.QueryDeviceEx())(t)
			others := compare(otherValues(), f.verdict(t, pd, buf), kernel, b.listed(series))
			others.report(t, "other bits")

			r := &recording{Kernel: release, Series: series, DeviceCapFlagsEx: uint64(attr.DeviceCapFlagsEx),
				ODPGeneralCaps: uint64(attr.ODPCaps.General)}
			if err := r.fill(kernel); err != nil {
				t.Error(err)
			}
			t.Logf("%s", r.summary())
			if out := os.Getenv("VERBS_OUT"); out != "" && f.verb == "ibv_reg_mr" {
				if err := r.write(filepath.Join(out, "access-"+series+".json")); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// listed returns the exceptions for the device, which are those of rxe.
func (b *bed) listed(series string) []exception {
	if !strings.HasPrefix(b.name, "rxe") {
		return nil
	}
	return listed(series)
}

// remember asks the kernel once for each value.
func remember(ask func(uint32) syscall.Errno) func(uint32) syscall.Errno {
	answers := map[uint32]syscall.Errno{}
	return func(v uint32) syscall.Errno {
		e, ok := answers[v]
		if !ok {
			e = ask(v)
			answers[v] = e
		}
		return e
	}
}

// verdict returns the validator's answer as the bindings have it: refused, or not.
func (f form) verdict(t *testing.T, pd *verbs.PD, buf *mem.Buffer) func(uint32) bool {
	t.Helper()
	return func(access uint32) bool {
		mr, err := f.bound(pd, buf, verbs.MRAccess(access))
		if err != nil {
			return refusal(err) != nil
		}
		if err := mr.Close(); err != nil {
			t.Errorf("access %v: %v", verbs.MRAccess(access), err)
		}
		return false
	}
}
