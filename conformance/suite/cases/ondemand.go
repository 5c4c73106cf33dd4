//go:build linux && cgo

package cases

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

func onDemand() []suite.Case {
	reg := shared("ibv_reg_mr", suite.ODP)
	return []suite.Case{
		reg("CF-odp-0001", "a region that pages in on demand", onDemandRegion).Ruled("VR-ibv_reg_mr-access-0016"),
		reg("CF-odp-0002", "one region over the whole address space", implicit, suite.ODPImplicit).Ruled(
			"VR-ibv_reg_mr-length-0009", "VR-ibv_reg_mr-length-0017"),
		of("CF-odp-0003", "every advice, with and without waiting", "ibv_advise_mr", everyAdvice, suite.Advise).Ruled(
			"VR-ibv_advise_mr-advice-0190", "VR-ibv_advise_mr-flags-0191"),
		of("CF-odp-0004", "advice on a region that is pinned, or none", "ibv_advise_mr", badAdvice, suite.Advise),
		of("CF-odp-0005", "a device without says so before the call", "ibv_reg_mr", withoutODP).Ruled("VR-ibv_reg_mr-access-0016"),
		reg("CF-odp-0006", "a region that pages in on demand, from the starts of its pages", onDemandPages, suite.Peer).Ruled(
			"VR-ibv_reg_mr-access-0016"),
	}
}

// onDemandPages has a peer write to pages that were never touched, one and two at a time, and read pages that the program wrote.
func onDemandPages(t *suite.T) {
	const length = 16 * page
	pd, buf := newPD(t), buffer(t, length)
	mr := registered(t, pd, buf, rw|verbs.MRAccessOnDemand)
	p, out := t.PeerOf(pd), fill(make([]byte, 2*page), 3)
	for i, off := range []int{0, page, 5 * page, 14 * page} {
		part := out[:page*(i%2+1)]
		p.Write("write", mr.RKey(), uint64(buf.Addr())+uint64(off), part)
		holds(t, fmt.Sprintf("page %d", off/page), buf.Bytes()[off:off+len(part)], part)
		back := make([]byte, 2*page)
		want := fill(buf.Bytes()[8*page:10*page], i)
		p.Read("read", mr.RKey(), uint64(buf.Addr())+8*page, back)
		holds(t, fmt.Sprintf("read in round %d", i), back, want)
	}
}

func onDemandRegion(t *suite.T) {
	pd := newPD(t)
	buf := must(mem.New(4 * page))(t)
	mr := must(pd.RegMRFrom(buf, rw|verbs.MRAccessOnDemand))(t)
	use(t, made{mr, buf.Bytes(), uint64(buf.Addr())})
	t.OK("closing the buffer", buf.Close())
}

func implicit(t *suite.T) {
	pd := newPD(t)
	mr := must(pd.RegMRImplicitODP(rw))(t)
	buf := buffer(t, page)
	if p := t.PeerOf(pd); p != nil {
		p.Write("write", mr.RKey(), uint64(buf.Addr())+8, []byte("anywhere"))
		is(t, "the memory", string(buf.Bytes()[8:16]), "anywhere")
	}
	t.OK("Close", mr.Close())
}

func everyAdvice(t *suite.T) {
	pd := newPD(t)
	buf := must(mem.New(4*page, mem.Populate()))(t)
	mr := must(pd.RegMRFrom(buf, rw|verbs.MRAccessOnDemand))(t)
	ranges := []verbs.SGE{{Addr: uint64(buf.Addr()), Length: page, LKey: mr.LKey()},
		{Addr: uint64(buf.Addr()) + 2*page, Length: 2 * page, LKey: mr.LKey()}}
	for _, advice := range []verbs.AdviseMRAdvice{verbs.AdviseMRAdvicePrefetch, verbs.AdviseMRAdvicePrefetchWrite,
		verbs.AdviseMRAdvicePrefetchNoFault} {
		for _, flags := range []verbs.AdviseMRFlags{0, verbs.AdviseMRFlagsFlush} {
			t.OK(fmt.Sprintf("%v, %v", advice, flags), pd.AdviseMR(advice, flags, ranges))
		}
	}
	t.OK("Close", mr.Close())
	t.OK("closing the buffer", buf.Close())
}

func badAdvice(t *suite.T) {
	pd := newPD(t)
	buf := must(mem.New(page))(t)
	mr := must(pd.RegMRFrom(buf, rw))(t)
	one := func(lkey uint32) []verbs.SGE {
		return []verbs.SGE{{Addr: uint64(buf.Addr()), Length: page, LKey: lkey}}
	}
	// EFAULT: soft-RoCE of Linux 7.2. ENOENT: mlx5, which looks for it among the on-demand ones (hw/mlx5/odp.c, get_prefetchable_mr)
	t.Errno("a pinned region", pd.AdviseMR(verbs.AdviseMRAdvicePrefetch, verbs.AdviseMRFlagsFlush, one(mr.LKey())),
		syscall.EOPNOTSUPP, syscall.EINVAL, syscall.EFAULT, syscall.ENOENT)
	t.Errno("no region", pd.AdviseMR(verbs.AdviseMRAdvicePrefetch, verbs.AdviseMRFlagsFlush, one(mr.LKey()^0xff)), syscall.ENOENT,
		syscall.EINVAL, syscall.EFAULT)
	t.OK("Close", mr.Close())
	t.OK("closing the buffer", buf.Close())
}

// withoutODP asks a device that says it has no on-demand paging, or no implicit regions; one that has both is not asked.
func withoutODP(t *suite.T) {
	pd := newPD(t)
	buf := buffer(t, page)
	if !t.Has(suite.ODP) {
		refusedBy(t, "VR-ibv_reg_mr-access-0016", errorOf(pd.RegMRFrom(buf, rw|verbs.MRAccessOnDemand)))
	} else if !t.Has(suite.ODPImplicit) {
		refusedBy(t, "VR-ibv_reg_mr-length-0017", errorOf(pd.RegMRImplicitODP(rw)))
	} else if t.Soft() == nil {
		t.Lack(suite.Inject, errors.New("the device has on-demand paging"))
	} else {
		dev, _ := patterned(t) // the defaults: no on-demand paging
		refusedBy(t, "VR-ibv_reg_mr-access-0016", errorOf(must(dev.AllocPD())(t).RegMRFrom(buf, rw|verbs.MRAccessOnDemand)))
	}
}

// onDemandTraffic are the cases of requests that take from on-demand regions and put into them, whose pages are given back to the kernel
// before each use.
func onDemandTraffic() []suite.Case {
	reg := shared("ibv_reg_mr", suite.ODP, suite.Peer)
	return []suite.Case{
		reg("CF-odp-0007", "messages, WRITE and READ, from and into pages that are not there", through(regMR, rw|verbs.MRAccessOnDemand, true)),
		reg("CF-odp-0008", "datagrams from pages that are not there", onDemandDatagrams),
		reg("CF-odp-0009", "atomics on pages that are not there, and their results into some", onDemandAtomics, suite.Atomics),
		reg("CF-odp-0010", "gathered from a region that pages in and one that is pinned", onDemandGathered),
		of("CF-odp-0011", "messages, WRITE and READ after each advice", "ibv_advise_mr", onDemandAdvised, suite.ODP, suite.Peer, suite.Advise),
		reg("CF-odp-0012", "the form that covers all: pages that are not there", through(regMREx, rw|verbs.MRAccessOnDemand, true), suite.MREx),
	}
}

func onDemandDatagrams(t *suite.T) {
	a := newNear(t, far.UD).newArea(1, regMR, rw|verbs.MRAccessOnDemand)
	for round := range rounds {
		a.absent()
		a.datagrams(round)
	}
}

// onDemandAtomics has each end count in the other's memory. A page that was given back counts from 0.
func onDemandAtomics(t *suite.T) {
	n := newNear(t, far.RC)
	a := n.newArea(2, regMR, rw|verbs.MRAccessOnDemand|verbs.MRAccessRemoteAtomic)
	word := func(at int) uint64 { return binary.NativeEndian.Uint64(a.buf[at:]) }
	at := uint64(a.mr.Addr())
	for round := range uint64(rounds) {
		a.absent()
		r := n.tell("fetch and add", far.Op{Code: far.FetchAdd, RKey: a.mr.RKey(), Addr: at, Value: round + 5})
		swapped(t, fmt.Sprintf("round %d: fetch and add", round), r.Old, word(0), 0, round+5)
		r = n.tell("compare and swap", far.Op{Code: far.CompareSwap, RKey: a.mr.RKey(), Addr: at, Compare: round + 5, Value: 7})
		swapped(t, fmt.Sprintf("round %d: compare and swap", round), r.Old, word(0), round+5, 7)
		n.farStore(0, binary.NativeEndian.AppendUint64(nil, round+40))
		n.op("fetch and add", verbs.WCOpcodeFetchAdd, n.wr().FetchAdd(opID, n.link.To.Base, n.link.To.RKey, 2).Add(a.part(page, 8)))
		is(t, fmt.Sprintf("round %d: fetched", round), word(page), round+40)
		n.farHas("fetch and add", 0, binary.NativeEndian.AppendUint64(nil, round+42))
	}
}

func onDemandGathered(t *suite.T) {
	n := newNear(t, far.RC)
	a := n.newArea(2, regMR, rw|verbs.MRAccessOnDemand)
	for round := range rounds {
		a.absent()
		out := a.filled(page, 512, round)
		out = append(out, fill(n.buf[:512], round+9)...)
		n.op("WRITE", verbs.WCOpcodeRDMAWrite, n.write(0).Add(a.part(page, 512)).Add(n.sge(0, 512)))
		n.farHas("WRITE", 0, out)
		clear(n.buf[:512])
		n.op("READ", verbs.WCOpcodeRDMARead, n.read(0).Add(a.part(0, 512)).Add(n.sge(0, 512)))
		a.has("READ", 0, out[:512])
		holds(t, "READ, behind it", n.buf[:512], out[512:])
	}
}

// onDemandAdvised asks for pages that are not there. A device may answer that it has not brought them.
func onDemandAdvised(t *suite.T) {
	n := newNear(t, far.RC)
	a := n.newArea(4, regMR, rw|verbs.MRAccessOnDemand)
	all := []verbs.SGE{{Addr: uint64(a.mr.Addr()), Length: 4 * page, LKey: a.mr.LKey()}}
	round := 0
	for _, advice := range []verbs.AdviseMRAdvice{verbs.AdviseMRAdvicePrefetch, verbs.AdviseMRAdvicePrefetchWrite,
		verbs.AdviseMRAdvicePrefetchNoFault} {
		for _, flags := range []verbs.AdviseMRFlags{0, verbs.AdviseMRFlagsFlush} {
			a.absent()
			t.OK(fmt.Sprintf("%v, %v", advice, flags), n.pd.AdviseMR(advice, flags, all))
			a.carried(round)
			round++
		}
	}
}
