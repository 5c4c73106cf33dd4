//go:build linux

package cases

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
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
	ok(t, "closing the buffer", buf.Close())
}

func implicit(t *suite.T) {
	pd := newPD(t)
	mr := must(pd.RegMRImplicitODP(rw))(t)
	buf := buffer(t, page)
	if p := t.PeerOf(pd); p != nil {
		p.Write("write", mr.RKey(), uint64(buf.Addr())+8, []byte("anywhere"))
		is(t, "the memory", string(buf.Bytes()[8:16]), "anywhere")
	}
	ok(t, "Close", mr.Close())
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
			ok(t, fmt.Sprintf("%v, %v", advice, flags), pd.AdviseMR(advice, flags, ranges))
		}
	}
	ok(t, "Close", mr.Close())
	ok(t, "closing the buffer", buf.Close())
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
	ok(t, "Close", mr.Close())
	ok(t, "closing the buffer", buf.Close())
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
