//go:build linux

package cases

import (
	"encoding/binary"
	"fmt"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// onDemandTraffic are the cases of requests that take from on-demand regions and put into them, whose pages are given back to the kernel
// before each use.
func onDemandTraffic() []suite.Case {
	reg := shared("ibv_reg_mr", suite.ODP, suite.Peer)
	return []suite.Case{
		reg("CF-odp-0007", "messages, WRITE and READ, from and into pages that are not there", throughAbsent(onDemandOf)),
		reg("CF-odp-0008", "datagrams from pages that are not there", onDemandDatagrams),
		reg("CF-odp-0009", "atomics on pages that are not there, and their results into some", onDemandAtomics, suite.Atomics),
		reg("CF-odp-0010", "gathered from a region that pages in and one that is pinned", onDemandGathered),
		of("CF-odp-0011", "messages, WRITE and READ after each advice", "ibv_advise_mr", onDemandAdvised, suite.ODP, suite.Peer, suite.Advise),
		reg("CF-odp-0012", "the form that covers all: pages that are not there", throughAbsent(onDemandEx), suite.MREx),
	}
}

func onDemandOf(n *near, buf *mem.Buffer) (*verbs.MR, error) {
	return n.pd.RegMRFrom(buf, rw|verbs.MRAccessOnDemand)
}

func onDemandEx(n *near, buf *mem.Buffer) (*verbs.MR, error) {
	return n.pd.RegMREx(verbs.NewMRInitAttr(buf.Len(), rw|verbs.MRAccessOnDemand).Memory(buf))
}

func onDemandDatagrams(t *suite.T) {
	n := newNear(t, far.UD)
	a := n.newArea(1, func(buf *mem.Buffer) (*verbs.MR, error) { return onDemandOf(n, buf) })
	for round := range rounds {
		a.absent()
		a.datagrams(round)
	}
}

// onDemandAtomics has each end count in the other's memory. A page that was given back counts from 0.
func onDemandAtomics(t *suite.T) {
	n := newNear(t, far.RC)
	a := n.newArea(2, func(buf *mem.Buffer) (*verbs.MR, error) {
		return n.pd.RegMRFrom(buf, rw|verbs.MRAccessOnDemand|verbs.MRAccessRemoteAtomic)
	})
	word := func(at int) uint64 { return binary.NativeEndian.Uint64(a.buf[at:]) }
	at := uint64(a.mr.Addr())
	for round := range uint64(rounds) {
		a.absent()
		r := n.tell("fetch and add", far.Op{Code: far.FetchAdd, RKey: a.mr.RKey(), Addr: at, Value: round + 5})
		swapped(t, fmt.Sprintf("round %d: fetch and add", round), r.Old, word(0), 0, round+5)
		r = n.tell("compare and swap", far.Op{Code: far.CompareSwap, RKey: a.mr.RKey(), Addr: at, Compare: round + 5, Value: 7})
		swapped(t, fmt.Sprintf("round %d: compare and swap", round), r.Old, word(0), round+5, 7)
		n.farStore(0, binary.NativeEndian.AppendUint64(nil, round+40))
		n.op("fetch and add", wcFetchAdd, n.wr().FetchAdd(opID, n.link.To.Base, n.link.To.RKey, 2).Add(a.part(page, 8)))
		is(t, fmt.Sprintf("round %d: fetched", round), word(page), round+40)
		n.farHas("fetch and add", 0, binary.NativeEndian.AppendUint64(nil, round+42))
	}
}

func onDemandGathered(t *suite.T) {
	n := newNear(t, far.RC)
	a := n.newArea(2, func(buf *mem.Buffer) (*verbs.MR, error) { return onDemandOf(n, buf) })
	for round := range rounds {
		a.absent()
		out := a.filled(page, 512, round)
		out = append(out, fill(n.buf[:512], round+9)...)
		n.op("WRITE", wcWrite, n.write(0).Add(a.part(page, 512)).Add(n.sge(0, 512)))
		n.farHas("WRITE", 0, out)
		clear(n.buf[:512])
		n.op("READ", wcRead, n.read(0).Add(a.part(0, 512)).Add(n.sge(0, 512)))
		a.has("READ", 0, out[:512])
		holds(t, "READ, behind it", n.buf[:512], out[512:])
	}
}

// onDemandAdvised asks for pages that are not there. A device may answer that it has not brought them.
func onDemandAdvised(t *suite.T) {
	n := newNear(t, far.RC)
	a := n.newArea(4, func(buf *mem.Buffer) (*verbs.MR, error) { return onDemandOf(n, buf) })
	all := []verbs.SGE{{Addr: uint64(a.mr.Addr()), Length: 4 * page, LKey: a.mr.LKey()}}
	round := 0
	for _, advice := range []verbs.AdviseMRAdvice{verbs.AdviseMRAdvicePrefetch, verbs.AdviseMRAdvicePrefetchWrite,
		verbs.AdviseMRAdvicePrefetchNoFault} {
		for _, flags := range []verbs.AdviseMRFlags{0, verbs.AdviseMRFlagsFlush} {
			a.absent()
			ok(t, fmt.Sprintf("%v, %v", advice, flags), n.pd.AdviseMR(advice, flags, all))
			a.carried(round)
			round++
		}
	}
}
