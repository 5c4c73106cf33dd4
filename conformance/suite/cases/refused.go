//go:build linux && cgo

package cases

import (
	"math"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/direct"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// ground is what refused calls are made with.
type ground struct {
	pd   *verbs.PD
	mr   *verbs.MR
	addr uintptr
	fd   int // of a dma-buf
	lib  *direct.Context
}

// breach is a call that breaks one rule: with the bindings, which refuse it by that rule, and without them, when library or
// kernel must refuse it too. A device that does not have the verb refuses everything. The rule of a hint refuses nothing: the call
// either succeeds or fails with an error that names the rule.
type breach struct {
	n       int
	rule    string
	page    string
	needs   []suite.Capability
	hint    bool
	with    func(g *ground) error
	without func(g *ground) syscall.Errno
}

func refused() []suite.Case {
	var out []suite.Case
	for _, b := range breaches() {
		out = append(out, of(id("ref", b.n), b.rule[len("VR-"):], b.page, func(t *suite.T) {
			g := newGround(t)
			if b.hint {
				hinted(t, b, g)
				return
			}
			refusedBy(t, b.rule, b.with(g))
			refusesToo(t, b.rule, b.without(g))
		}, b.needs...).Ruled(b.rule))
	}
	return out
}

// hinted makes the call of a hint.
func hinted(t *suite.T, b breach, g *ground) {
	if err := b.with(g); err != nil && !strings.Contains(err.Error(), b.rule) {
		t.Errorf("the error does not name the rule: %v", err)
	}
	b.without(g)
}

// asHint is the breach of a rule that is a lint.
func asHint(b breach) breach {
	b.hint = true
	return b
}

func newGround(t *suite.T) *ground {
	g := &ground{pd: newPD(t), lib: without(t), fd: -1}
	must(t.Device().QueryDeviceEx())(t) // so that the rules on capabilities hold
	buf := buffer(t, 4*page)
	g.addr = buf.Addr()
	g.mr = must(g.pd.RegMRFrom(mem.Addr(g.addr, page), verbs.MRAccessLocalWrite))(t)
	if t.Has(suite.DMABuf) && t.Has(suite.DMABufMemory) {
		g.fd = dmaBuf(t, page)
	}
	return g
}

// place is an address relative to the ground's memory, or an absolute one.
type place struct {
	off      uintptr
	absolute bool
}

func (g *ground) at(p place) uintptr {
	if p.absolute {
		return p.off
	}
	return g.addr + p.off
}

func reg(n int, rule string, p place, length uint64, access verbs.MRAccess) breach {
	return breach{n: n, rule: "VR-ibv_reg_mr-" + rule, page: "ibv_reg_mr",
		with:    func(g *ground) error { return errorOf(g.pd.RegMRFrom(mem.Addr(g.at(p), length), access)) },
		without: func(g *ground) syscall.Errno { return g.lib.RegMR(g.at(p), length, uint64(g.at(p)), uint32(access)) }}
}

func regIOVA(n int, rule string, p place, length, iova uint64, access verbs.MRAccess) breach {
	return breach{n: n, rule: "VR-ibv_reg_mr_iova-" + rule, page: "ibv_reg_mr",
		with:    func(g *ground) error { return errorOf(g.pd.RegMRIOVAFrom(mem.Addr(g.at(p), length), iova, access)) },
		without: func(g *ground) syscall.Errno { return g.lib.RegMR(g.at(p), length, iova, uint32(access)) }}
}

func regDMABuf(n int, rule string, offset, length, iova uint64, access verbs.DMABufAccess, noFD bool) breach {
	fd := func(g *ground) int {
		if noFD {
			return -1
		}
		return g.fd
	}
	return breach{n: n, rule: "VR-ibv_reg_dmabuf_mr-" + rule, page: "ibv_reg_mr", needs: needs(suite.DMABuf, suite.DMABufMemory),
		with: func(g *ground) error {
			return errorOf(g.pd.RegDMABufMR(mem.DMABuf{FD: fd(g), Offset: offset, Length: length}, iova, access))
		},
		without: func(g *ground) syscall.Errno { return g.lib.RegDMABufMR(offset, length, iova, fd(g), uint32(access)) }}
}

func regEx(n int, rule string, attr func(g *ground) *verbs.MRInitAttr, init func(g *ground) direct.Init) breach {
	return breach{n: n, rule: "VR-ibv_reg_mr_ex-" + rule, page: "ibv_reg_mr", needs: needs(suite.MREx),
		with:    func(g *ground) error { return errorOf(g.pd.RegMREx(attr(g))) },
		without: func(g *ground) syscall.Errno { return g.lib.RegMREx(init(g)) }}
}

func change(n int, rule string, c func(g *ground) *verbs.MRChange, flags int, p place, length uint64, access verbs.MRAccess) breach {
	return breach{n: n, rule: "VR-ibv_rereg_mr-" + rule, page: "ibv_rereg_mr",
		with:    func(g *ground) error { return g.mr.Rereg(c(g)) },
		without: func(g *ground) syscall.Errno { return g.lib.Rereg(g.addr, flags, g.at(p), length, uint32(access)) }}
}

func advise(n int, rule string, advice verbs.AdviseMRAdvice, flags verbs.AdviseMRFlags, ranges int) breach {
	return breach{n: n, rule: "VR-ibv_advise_mr-" + rule, page: "ibv_advise_mr",
		with: func(g *ground) error {
			return g.pd.AdviseMR(advice, flags, []verbs.SGE{{Addr: uint64(g.addr), Length: page, LKey: g.mr.LKey()}}[:ranges])
		},
		without: func(g *ground) syscall.Errno {
			return g.lib.Advise(g.addr, uint32(advice), uint32(flags), uint32(ranges))
		}}
}

// breaches has the rules that a caller of the bindings can break and that do not depend on another object's state.
func breaches() []breach {
	const all, last = math.MaxUint64, math.MaxUint64 - page + 1
	const odp, huge, local = verbs.MRAccessOnDemand, verbs.MRAccessHugetlb, verbs.MRAccessLocalWrite
	here, null, end := place{}, place{0, true}, place{last, true}
	none := func(*ground) *verbs.MRChange { return new(verbs.MRChange) }
	access := func(a verbs.MRAccess) func(*ground) *verbs.MRChange {
		return func(*ground) *verbs.MRChange { return new(verbs.MRChange).Access(a) }
	}
	memory := func(p place, length uint64) func(*ground) *verbs.MRChange {
		return func(g *ground) *verbs.MRChange { return new(verbs.MRChange).Memory(mem.Addr(g.at(p), length)) }
	}
	return []breach{
		reg(1, "access-0001", here, page, verbs.MRAccessRemoteWrite),
		reg(2, "access-0003", here, page, verbs.MRAccessRemoteAtomic),
		reg(3, "access-0004", here, page, 1<<10),
		reg(4, "access-0004", here, page, 1<<31),
		reg(5, "access-0007", null, all, odp|huge),
		reg(6, "addr-0008", here, all, odp),
		reg(7, "length-0009", null, all, local),
		asHint(reg(8, "length-0011", end, 2*page, local)),
		asHint(reg(9, "length-0011", here, all-1, local)),
		regIOVA(20, "access-0020", here, page, 0, verbs.MRAccessRemoteWrite),
		regIOVA(21, "access-0021", here, page, 0, verbs.MRAccessRemoteAtomic),
		regIOVA(22, "access-0022", here, page, 0, 1<<19),
		regIOVA(23, "access-0025", null, all, 0, odp|huge),
		regIOVA(24, "addr-0026", here, all, 0, odp),
		regIOVA(25, "length-0027", null, all, 0, local),
		asHint(regIOVA(26, "length-0029", end, 2*page, 0, local)),
		regIOVA(27, "addr-0038", place{64, false}, page, 0, local),
		regIOVA(28, "iova-0039", here, page, 0x10001, local),
		regIOVA(29, "iova-0039", place{8, false}, page, 0x10000, local),
		regDMABuf(40, "access-0041", 0, page, 0, verbs.DMABufAccessRemoteWrite, false),
		regDMABuf(41, "access-0042", 0, page, 0, verbs.DMABufAccessRemoteAtomic, false),
		regDMABuf(42, "access-0043", 0, page, 0, verbs.DMABufAccessLocalWrite|1<<4, false),
		regDMABuf(43, "iova-0046", 100, page, 0, verbs.DMABufAccessLocalWrite, false),
		regDMABuf(44, "fd-0047", 0, page, 0, verbs.DMABufAccessLocalWrite, true),
		regDMABuf(45, "length-0048", last, 2*page, 0, verbs.DMABufAccessLocalWrite, false),
		regEx(60, "access-0049", func(g *ground) *verbs.MRInitAttr {
			return verbs.NewMRInitAttr(page, verbs.MRAccessRemoteWrite).Memory(mem.Addr(g.addr, page))
		},
			func(g *ground) direct.Init { return direct.Init{Mask: 2, Length: page, Access: 2, Addr: g.addr} }),
		regEx(61, "comp_mask-0076", func(*ground) *verbs.MRInitAttr { return verbs.NewMRInitAttr(page, local) },
			func(*ground) direct.Init { return direct.Init{Length: page, Access: 1} }),
		regEx(62, "comp_mask-0079", func(g *ground) *verbs.MRInitAttr { return verbs.NewMRInitAttr(page, local).FD(g.fd).FDOffset(0) },
			func(g *ground) direct.Init { return direct.Init{Mask: 12, Length: page, Access: 1, FD: g.fd} }),
		regEx(63, "iova-0083", func(g *ground) *verbs.MRInitAttr {
			return verbs.NewMRInitAttr(page, local).Memory(mem.Addr(g.addr, page)).IOVA(0x10001)
		},
			func(g *ground) direct.Init {
				return direct.Init{Mask: 3, Length: page, Access: 1, Addr: g.addr, IOVA: 0x10001}
			}),
		change(80, "flags-0174", none, 0, null, 0, 0),
		change(81, "addr-0176", memory(null, page), 1, null, page, 0),
		change(82, "length-0177", memory(here, 0), 1, here, 0, 0),
		change(83, "length-0178", memory(end, 2*page), 1, end, 2*page, 0),
		change(84, "access-0183", access(verbs.MRAccessRemoteWrite), 4, null, 0, verbs.MRAccessRemoteWrite),
		change(85, "access-0184", access(verbs.MRAccessRemoteAtomic), 4, null, 0, verbs.MRAccessRemoteAtomic),
		change(86, "access-0185", access(1<<10), 4, null, 0, 1<<10),
		advise(100, "advice-0190", 3, 0, 1),
		advise(101, "flags-0191", verbs.AdviseMRAdvicePrefetch, 2, 1),
		advise(102, "num_sge-0193", verbs.AdviseMRAdvicePrefetch, 0, 0),
	}
}
