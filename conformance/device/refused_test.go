//go:build linux && cgo

package device

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/device/internal/raw"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// breach is a call that breaks one rule: made through the bindings, which must refuse it by that rule, and without a validator,
// when library or kernel must refuse it too.
type breach struct {
	rule  string
	what  string
	bound func() error
	raw   func() syscall.Errno
}

// ground is what the calls are made with.
type ground struct {
	b      *bed
	pd     *verbs.PD
	mr     *verbs.MR
	buf    *mem.Buffer
	addr   uintptr
	fd     int
	ctx    *raw.Context
	region *raw.Region
}

func newGround(t *testing.T) *ground {
	t.Helper()
	g := &ground{ctx: openRaw(t), b: open(t)}
	g.pd = must(g.b.dev.AllocPD())(t)
	g.buf = must(mem.New(4 * page))(t)
	g.addr = g.buf.Addr()
	g.mr = must(g.pd.RegMRFrom(mem.Addr(g.addr, page), verbs.MRAccessLocalWrite))(t)
	g.region = must(g.ctx.Register(g.addr, page, uint32(verbs.MRAccessLocalWrite)))(t)
	g.fd = must(unix.MemfdCreate("memory", unix.MFD_CLOEXEC))(t)
	t.Cleanup(func() {
		if err := g.region.Close(); err != nil {
			t.Errorf("the raw region: %v", err)
		}
		unix.Close(g.fd)
	})
	return g
}

// reg is a breach of ibv_reg_mr.
func (g *ground) reg(rule string, addr uintptr, length uint64, access verbs.MRAccess) breach {
	return breach{rule, fmt.Sprintf("reg_mr(%#x, %#x, %v)", addr, length, access),
		func() error { _, err := g.pd.RegMRFrom(mem.Addr(addr, length), access); return err },
		func() syscall.Errno { return g.ctx.RegMR(addr, length, uint64(addr), uint32(access)) }}
}

// iova is a breach of ibv_reg_mr_iova.
func (g *ground) iova(rule string, addr uintptr, length, iova uint64, access verbs.MRAccess) breach {
	return breach{rule, fmt.Sprintf("reg_mr_iova(%#x, %#x, %#x, %v)", addr, length, iova, access),
		func() error { _, err := g.pd.RegMRIOVAFrom(mem.Addr(addr, length), iova, access); return err },
		func() syscall.Errno { return g.ctx.RegMR(addr, length, iova, uint32(access)) }}
}

// dmabuf is a breach of ibv_reg_dmabuf_mr.
func (g *ground) dmabuf(rule string, offset, length, iova uint64, fd int, access verbs.DMABufAccess) breach {
	return breach{rule, fmt.Sprintf("reg_dmabuf_mr(%#x, %#x, %#x, %d, %v)", offset, length, iova, fd, access),
		func() error { _, err := g.pd.RegDMABufMR(offset, length, iova, fd, access); return err },
		func() syscall.Errno { return g.ctx.RegDMABufMR(offset, length, iova, fd, uint32(access)) }}
}

// Bits of enum ibv_mr_init_attr_mask.
const (
	maskIOVA     = 0x1
	maskAddr     = 0x2
	maskFD       = 0x4
	maskFDOffset = 0x8
)

// ex is a breach of ibv_reg_mr_ex; the mask says which members are set.
func (g *ground) ex(rule string, a raw.MRInitAttr) breach {
	attr := verbs.NewMRInitAttr(a.Length, verbs.MRAccess(a.Access))
	if a.Mask&maskIOVA != 0 {
		attr.IOVA(a.IOVA)
	}
	if a.Mask&maskAddr != 0 {
		attr.Memory(mem.Addr(a.Addr, a.Length))
	}
	if a.Mask&maskFD != 0 {
		attr.FD(a.FD)
	}
	if a.Mask&maskFDOffset != 0 {
		attr.FDOffset(a.FDOffset)
	}
	return breach{rule, fmt.Sprintf("reg_mr_ex(%+v)", a),
		func() error { _, err := g.pd.RegMREx(attr); return err }, func() syscall.Errno { return g.ctx.RegMREx(a) }}
}

// exBreaches returns a call for each rule of ibv_reg_mr_ex.
func (g *ground) exBreaches() []breach {
	const all, last = math.MaxUint64, math.MaxUint64 - page + 1
	lw := uint32(verbs.MRAccessLocalWrite)
	odp, huge := uint32(verbs.MRAccessOnDemand), uint32(verbs.MRAccessHugetlb)
	addr := func(addr uintptr, length uint64, access uint32) raw.MRInitAttr {
		return raw.MRInitAttr{Mask: maskAddr, Addr: addr, Length: length, Access: access}
	}
	fd := func(offset, length, iova uint64, access uint32) raw.MRInitAttr {
		return raw.MRInitAttr{Mask: maskFD | maskFDOffset | maskIOVA, FD: g.fd, FDOffset: offset, Length: length, IOVA: iova, Access: access}
	}
	masked := func(mask uint64) raw.MRInitAttr {
		return raw.MRInitAttr{Mask: mask, Addr: g.addr, FD: g.fd, Length: page, Access: lw}
	}
	negative := fd(0, page, 0, lw)
	negative.FD = -1
	return []breach{
		g.ex("VR-ibv_reg_mr_ex-access-0049", addr(g.addr, page, uint32(verbs.MRAccessRemoteWrite))),
		g.ex("VR-ibv_reg_mr_ex-access-0050", addr(g.addr, page, uint32(verbs.MRAccessRemoteAtomic))),
		g.ex("VR-ibv_reg_mr_ex-access-0051", addr(g.addr, page, lw|1<<10)),
		g.ex("VR-ibv_reg_mr_ex-access-0051", addr(g.addr, page, lw|1<<31)),
		g.ex("VR-ibv_reg_mr_ex-access-0052", fd(0, page, 0, lw|uint32(verbs.MRAccessMWBind))),
		g.ex("VR-ibv_reg_mr_ex-access-0055", addr(0, all, odp|huge)),
		g.ex("VR-ibv_reg_mr_ex-addr-0056", addr(g.addr, all, odp)),
		g.ex("VR-ibv_reg_mr_ex-length-0057", addr(0, all, lw)),
		g.ex("VR-ibv_reg_mr_ex-comp_mask-0076", masked(0)),
		g.ex("VR-ibv_reg_mr_ex-comp_mask-0076", masked(maskIOVA)),
		g.ex("VR-ibv_reg_mr_ex-comp_mask-0077", masked(maskAddr|maskFD|maskFDOffset|maskIOVA)),
		g.ex("VR-ibv_reg_mr_ex-comp_mask-0078", masked(maskFD|maskIOVA)),
		g.ex("VR-ibv_reg_mr_ex-comp_mask-0079", masked(maskFD|maskFDOffset)),
		g.ex("VR-ibv_reg_mr_ex-comp_mask-0080", masked(maskAddr|maskFDOffset)),
		g.ex("VR-ibv_reg_mr_ex-fd-0081", negative),
		g.ex("VR-ibv_reg_mr_ex-iova-0082", fd(100, page, 0, lw)),
		g.ex("VR-ibv_reg_mr_ex-iova-0083", raw.MRInitAttr{Mask: maskAddr | maskIOVA, Addr: g.addr + 8, IOVA: 0x10000, Length: page, Access: lw}),
		g.ex("VR-ibv_reg_mr_ex-length-0084", fd(last, 2*page, 0, lw)),
	}
}

// rereg is a breach of ibv_rereg_mr; flags are what the change stands for.
func (g *ground) rereg(rule string, change *verbs.MRChange, flags int, addr uintptr, length uint64, access verbs.MRAccess) breach {
	return breach{rule, fmt.Sprintf("rereg_mr(%d, %#x, %#x, %v)", flags, addr, length, access),
		func() error { return g.mr.Rereg(change) },
		func() syscall.Errno {
			code, errno := g.region.Rereg(flags, false, addr, length, uint32(access))
			if code == 0 {
				return 0
			}
			return errno
		}}
}

// advise is a breach of ibv_advise_mr.
func (g *ground) advise(rule string, advice verbs.AdviseMRAdvice, flags verbs.AdviseMRFlags, n uint32) breach {
	ranges := []verbs.SGE{{Addr: uint64(g.addr), Length: page, LKey: g.mr.LKey()}}
	return breach{rule, fmt.Sprintf("advise_mr(%v, %v, %d ranges)", advice, flags, n),
		func() error { return g.pd.AdviseMR(advice, flags, ranges[:n]) },
		func() syscall.Errno { return g.region.Advise(uint32(advice), uint32(flags), g.addr, page, n) }}
}

// breaches returns a call for each rule that a caller of the bindings can break and that does not need another object's state.
func (g *ground) breaches() []breach {
	const all, last = math.MaxUint64, math.MaxUint64 - page + 1
	odp := verbs.MRAccessOnDemand
	return []breach{
		g.reg("VR-ibv_reg_mr-access-0001", g.addr, page, verbs.MRAccessRemoteWrite),
		g.reg("VR-ibv_reg_mr-access-0003", g.addr, page, verbs.MRAccessRemoteAtomic),
		g.reg("VR-ibv_reg_mr-access-0004", g.addr, page, 1<<10),
		g.reg("VR-ibv_reg_mr-access-0004", g.addr, page, 1<<31),
		g.reg("VR-ibv_reg_mr-access-0007", 0, all, odp|verbs.MRAccessHugetlb),
		g.reg("VR-ibv_reg_mr-addr-0008", g.addr, all, odp),
		g.reg("VR-ibv_reg_mr-length-0009", 0, all, verbs.MRAccessLocalWrite),

		g.iova("VR-ibv_reg_mr_iova-access-0020", g.addr, page, 0, verbs.MRAccessRemoteWrite),
		g.iova("VR-ibv_reg_mr_iova-access-0021", g.addr, page, 0, verbs.MRAccessRemoteAtomic),
		g.iova("VR-ibv_reg_mr_iova-access-0022", g.addr, page, 0, 1<<19),
		g.iova("VR-ibv_reg_mr_iova-access-0025", 0, all, 0, odp|verbs.MRAccessHugetlb),
		g.iova("VR-ibv_reg_mr_iova-addr-0026", g.addr, all, 0, odp),
		g.iova("VR-ibv_reg_mr_iova-length-0027", 0, all, 0, verbs.MRAccessLocalWrite),
		g.iova("VR-ibv_reg_mr_iova-addr-0038", g.addr+64, page, 0, verbs.MRAccessLocalWrite),
		g.iova("VR-ibv_reg_mr_iova-iova-0039", g.addr, page, 0x10001, verbs.MRAccessLocalWrite),
		g.iova("VR-ibv_reg_mr_iova-iova-0039", g.addr+8, page, 0x10000, verbs.MRAccessLocalWrite),

		g.dmabuf("VR-ibv_reg_dmabuf_mr-access-0041", 0, page, 0, g.fd, verbs.DMABufAccessRemoteWrite),
		g.dmabuf("VR-ibv_reg_dmabuf_mr-access-0042", 0, page, 0, g.fd, verbs.DMABufAccessRemoteAtomic),
		g.dmabuf("VR-ibv_reg_dmabuf_mr-access-0043", 0, page, 0, g.fd, verbs.DMABufAccessLocalWrite|1<<4),
		g.dmabuf("VR-ibv_reg_dmabuf_mr-iova-0046", 100, page, 0, g.fd, verbs.DMABufAccessLocalWrite),
		g.dmabuf("VR-ibv_reg_dmabuf_mr-fd-0047", 0, page, 0, -1, verbs.DMABufAccessLocalWrite),
		g.dmabuf("VR-ibv_reg_dmabuf_mr-length-0048", last, 2*page, 0, g.fd, verbs.DMABufAccessLocalWrite),

		g.rereg("VR-ibv_rereg_mr-flags-0174", new(verbs.MRChange), 0, 0, 0, 0),
		g.rereg("VR-ibv_rereg_mr-addr-0176", new(verbs.MRChange).Memory(mem.Addr(0, page)), 1, 0, page, 0),
		g.rereg("VR-ibv_rereg_mr-length-0177", new(verbs.MRChange).Memory(mem.Addr(g.addr, 0)), 1, g.addr, 0, 0),
		g.rereg("VR-ibv_rereg_mr-length-0178", new(verbs.MRChange).Memory(mem.Addr(last, 2*page)), 1, last, 2*page, 0),
		g.rereg("VR-ibv_rereg_mr-access-0183", new(verbs.MRChange).Access(verbs.MRAccessRemoteWrite), 4, 0, 0, verbs.MRAccessRemoteWrite),
		g.rereg("VR-ibv_rereg_mr-access-0184", new(verbs.MRChange).Access(verbs.MRAccessRemoteAtomic), 4, 0, 0, verbs.MRAccessRemoteAtomic),
		g.rereg("VR-ibv_rereg_mr-access-0185", new(verbs.MRChange).Access(1<<10), 4, 0, 0, 1<<10),

		g.advise("VR-ibv_advise_mr-advice-0190", 3, 0, 1),
		g.advise("VR-ibv_advise_mr-flags-0191", verbs.AdviseMRAdvicePrefetch, 2, 1),
		g.advise("VR-ibv_advise_mr-num_sge-0193", verbs.AdviseMRAdvicePrefetch, 0, 0),

		{"VR-ibv_query_port-port_num-0170", "query_port(0)",
			func() error { _, err := g.b.dev.QueryPort(0); return err }, func() syscall.Errno { return g.ctx.QueryPort(0) }},
		{"VR-ibv_query_port-port_num-0171", "query_port(200)",
			func() error { _, err := g.b.dev.QueryPort(200); return err }, func() syscall.Errno { return g.ctx.QueryPort(200) }},
		{"VR-ibv_import_device-cmd_fd-0158", "import_device(-1)",
			func() error { _, err := g.b.lib.ImportDevice(-1); return err }, func() syscall.Errno { return g.ctx.ImportDevice(-1) }},
	}
}

// TestBreaches makes every call that a rule refuses, also without the rule. A call that the library or the kernel then accepts
// contradicts the rule. A device that does not have the verb at all tells nothing of the rule, so the others are counted.
func TestBreaches(t *testing.T) {
	g := newGround(t)
	calls := g.breaches()
	if g.ctx.RegMREx(raw.MRInitAttr{}) != syscall.ENOSYS {
		calls = append(calls, g.exBreaches()...)
	} else {
		t.Log("the library has no ibv_reg_mr_ex: its rules met nothing")
	}
	answered := map[string]bool{}
	for _, c := range calls {
		t.Run(strings.TrimPrefix(c.rule, "VR-"), func(t *testing.T) {
			err := c.bound()
			if got := refusal(err); !slices.Contains(got, c.rule) {
				t.Errorf("%s: not refused by %s: %v", c.what, c.rule, err)
			}
			errno := c.raw()
			if errno == 0 {
				t.Errorf("%s: %s refuses it, library and kernel accept it", c.what, c.rule)
			}
			answered[c.rule] = answered[c.rule] || errno != syscall.EOPNOTSUPP
			t.Logf("%s: %s", c.what, errnoName(errno))
		})
	}
	n := 0
	for _, yes := range answered {
		if yes {
			n++
		}
	}
	t.Logf("%d of %d rules met a device that has the verb", n, len(answered))
	if n == 0 {
		t.Error("no rule met an answer")
	}
}

// TestHints makes calls that break a rule which is only a hint: they reach the kernel, and when it refuses them, the error names
// the rule.
func TestHints(t *testing.T) {
	g := newGround(t)
	odp := verbs.MRAccessOnDemand
	calls := []breach{
		g.reg("VR-ibv_reg_mr-access-0005", g.addr, page, verbs.MRAccessZeroBased),
		g.reg("VR-ibv_reg_mr-access-0006", g.addr, page, verbs.MRAccessHugetlb),
		g.reg("VR-ibv_reg_mr-length-0012", g.addr, 0, verbs.MRAccessLocalWrite),
		g.reg("VR-ibv_reg_mr-length-0012", g.addr+100, 0, verbs.MRAccessLocalWrite),
		g.iova("VR-ibv_reg_mr_iova-access-0023", g.addr, page, 0, verbs.MRAccessZeroBased),
		g.iova("VR-ibv_reg_mr_iova-access-0024", g.addr, page, 0, verbs.MRAccessHugetlb),
		g.iova("VR-ibv_reg_mr_iova-length-0030", g.addr, 0, 0, verbs.MRAccessLocalWrite),
		g.iova("VR-ibv_reg_mr_iova-length-0030", g.addr+100, 0, 0x10000+100, verbs.MRAccessLocalWrite),
	}
	if must(g.b.dev.QueryDeviceEx())(t).ODPCaps.General&verbs.ODPCapSupported != 0 {
		calls = append(calls,
			g.reg("VR-ibv_reg_mr-length-0010", 0, page, odp),
			g.iova("VR-ibv_reg_mr_iova-length-0028", 0, page, 0, odp))
	}
	for _, c := range calls {
		t.Run(strings.TrimPrefix(c.rule, "VR-"), func(t *testing.T) {
			err, errno := c.bound(), c.raw()
			if refusal(err) != nil {
				t.Errorf("%s: refused, though %s is a hint: %v", c.what, c.rule, err)
			}
			if (err == nil) != (errno == 0) {
				t.Errorf("%s: %v with the validator, %s without", c.what, err, errnoName(errno))
			}
			if err != nil && !strings.Contains(err.Error(), c.rule) {
				t.Errorf("%s: the error does not name %s: %v", c.what, c.rule, err)
			}
			t.Logf("%s: %s", c.what, errnoName(errno))
		})
	}
}
