//go:build linux && cgo

package cases

import (
	"encoding/binary"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Offsets of regions over device memory are multiples of the page size: an overlay can have no others.

func deviceMemoryTraffic() []suite.Case {
	dm := shared("ibv_alloc_dm", suite.DM, suite.Peer)
	return []suite.Case{
		dm("CF-dm-0012", "sent and written from by its local key", dmSource).Ruled("VR-ibv_reg_dm_mr-access-0002"),
		dm("CF-dm-0013", "read and received into by its local key", dmSink).Ruled("VR-ibv_reg_dm_mr-access-0002"),
		dm("CF-dm-0014", "from device memory to device memory, between two queue pairs", dmToDM).Ruled("VR-ibv_reg_dm_mr-access-0116"),
		dm("CF-dm-0015", "atomics from device memory to device memory", dmAtomicRequests, suite.Atomics).Ruled("VR-ibv_reg_dm_mr-access-0117"),
		dm("CF-dm-0016", "two regions over it, each within its bounds", dmBounds).Ruled(
			"VR-ibv_reg_dm_mr-dm_offset-0123", "VR-ibv_reg_dm_mr-dm_offset-0124"),
	}
}

// dmOf allocates two pages of device memory with a region over them.
func dmOf(t *suite.T, pd *verbs.PD, more verbs.DMAccess) (*verbs.DM, *verbs.MR) {
	dm := newDM(t, 2*page)
	mr := must(pd.RegDMMR(dm, 0, 2*page, dmAll|more))(t)
	t.Cleanup(func() { _ = mr.Close() }) // before the device memory
	return dm, mr
}

// dmPut and dmGet copy, and end the case when they cannot.
func dmPut(t *suite.T, dm *verbs.DM, off int64, b []byte) {
	whole(t, "WriteAt", len(b))(dm.WriteAt(b, off))
	dm.Flush()
}

func dmGet(t *suite.T, dm *verbs.DM, off int64, n int) []byte {
	b := make([]byte, n)
	whole(t, "ReadAt", n)(dm.ReadAt(b, off))
	return b
}

func dmSource(t *suite.T) {
	n := newNear(t, far.RC)
	dm, mr := dmOf(t, n.pd, 0)
	out := fill(make([]byte, 2*page), 5)
	dmPut(t, dm, 0, out)
	n.op("WRITE", verbs.WCOpcodeRDMAWrite, n.write(0).SGE(0, 2*page, mr.LKey()))
	n.farHas("WRITE", 0, out)
	n.farRoom(page)
	n.op("SEND", verbs.WCOpcodeSend, n.wr().Send(opID).SGE(page-8, 128, mr.LKey()))
	holds(t, "SEND", n.farGot("SEND").Data, out[page-8:][:128])
	n.farRoom(64)
	copy(n.buf, "from the host, ")
	n.op("SEND of both", verbs.WCOpcodeSend, n.wr().Send(opID).Add(n.sge(0, 15)).SGE(64, 16, mr.LKey()))
	holds(t, "SEND of both", n.farGot("SEND of both").Data, append([]byte("from the host, "), out[64:80]...))
}

func dmSink(t *suite.T) {
	n := newNear(t, far.RC)
	dm, mr := dmOf(t, n.pd, 0)
	want := make([]byte, 2*page)
	dmPut(t, dm, 0, want)
	back := fill(want[64:64+page], 6)
	n.farStore(0, back)
	n.op("READ", verbs.WCOpcodeRDMARead, n.read(0).SGE(64, page, mr.LKey()))
	holds(t, "READ", dmGet(t, dm, 0, 2*page), want)
	n.recv.WR(0).Recv(9).SGE(page+512, 64, mr.LKey())
	n.postRecv(1)
	copy(want[page+512:], "a message to device memory..")
	n.tell("a message", far.Op{Code: far.Send, Data: []byte("a message to device memory..")})
	n.received("a message", 9, verbs.WCOpcodeRecv, 28)
	holds(t, "a message", dmGet(t, dm, 0, 2*page), want)
}

// pairOfNears connects two queue pairs of the device under test with each other.
func pairOfNears(t *suite.T) (a, b *near) {
	var list []*near
	for range 2 {
		cq := must(t.Device().CreateCQ(2*depth, nil, 0))(t)
		n := bareNear(t, newPD(t), far.RC, cq, cq)
		need(t, t.Port().Init(n.qp, far.RC, t.Access(far.RC)))
		n.link = &suite.Link{QP: n.qp, Self: t.Port().Address(n.qp, far.RC)}
		list = append(list, n)
	}
	for i, n := range list {
		n.link.To = list[1-i].link.Self
		need(t, t.Port().Connect(n.qp, n.link.Self, n.link.To))
	}
	return list[0], list[1]
}

func dmToDM(t *suite.T) {
	a, b := pairOfNears(t)
	from, local := dmOf(t, a.pd, 0)
	to, remote := dmOf(t, b.pd, 0)
	out, want := fill(make([]byte, page), 7), make([]byte, 2*page)
	dmPut(t, from, 0, out)
	dmPut(t, to, 0, want)
	a.op("WRITE", verbs.WCOpcodeRDMAWrite, a.wr().Write(opID, 512, remote.RKey()).SGE(0, page, local.LKey()))
	copy(want[512:], out)
	holds(t, "WRITE", dmGet(t, to, 0, 2*page), want)
	a.op("READ", verbs.WCOpcodeRDMARead, a.wr().Read(opID, 256, remote.RKey()).SGE(page, page, local.LKey()))
	holds(t, "READ", dmGet(t, from, page, page), want[256:256+page])
	b.op("WRITE back", verbs.WCOpcodeRDMAWrite, b.wr().Write(opID, 8, local.RKey()).SGE(512, 64, remote.LKey()))
	holds(t, "WRITE back", dmGet(t, from, 8, 64), out[:64])
}

func dmAtomicRequests(t *suite.T) {
	a, b := pairOfNears(t)
	from, local := dmOf(t, a.pd, 0)
	to, remote := dmOf(t, b.pd, verbs.DMAccessRemoteAtomic)
	word := func(dm *verbs.DM, off int64) uint64 { return binary.NativeEndian.Uint64(dmGet(t, dm, off, 8)) }
	dmPut(t, to, 16, binary.NativeEndian.AppendUint64(nil, 1<<33))
	a.op("fetch and add", verbs.WCOpcodeFetchAdd, a.wr().FetchAdd(opID, 16, remote.RKey(), 9).SGE(32, 8, local.LKey()))
	swapped(t, "fetch and add", word(from, 32), word(to, 16), 1<<33, 1<<33+9)
	a.op("compare and swap", verbs.WCOpcodeCompSwap, a.wr().CompareSwap(opID, 16, remote.RKey(), 1<<33+9, 77).SGE(40, 8, local.LKey()))
	swapped(t, "compare and swap", word(from, 40), word(to, 16), 1<<33+9, 77)
}

// dmBounds has a peer use two regions that meet: the last byte of the first, the first of the second, and nothing beyond.
func dmBounds(t *suite.T) {
	dm, pd := newDM(t, 3*page), newPD(t)
	first, second := must(pd.RegDMMR(dm, 0, page, dmAll))(t), must(pd.RegDMMR(dm, page, page+100, dmAll))(t)
	want, p := make([]byte, 3*page), t.PeerOf(pd)
	dmPut(t, dm, 0, want)
	for _, c := range []struct {
		mr   *verbs.MR
		addr uint64
		text string
		at   int // in device memory; -1: refused
	}{{first, page - 4, "last", page - 4}, {second, 0, "next", page}, {second, page + 96, "end.", 2*page + 96},
		{first, page - 3, "over", -1}, {first, page, "over", -1}, {second, page + 97, "over", -1}, {second, 1 << 63, "over", -1},
		{first, 1<<64 - 4, "over", -1}} {
		if c.at < 0 {
			p.Write("a write out of bounds", c.mr.RKey(), c.addr, []byte(c.text), verbs.WCStatusRemAccessErr)
			continue
		}
		p.Write("write", c.mr.RKey(), c.addr, []byte(c.text))
		copy(want[c.at:], c.text)
	}
	holds(t, "device memory", dmGet(t, dm, 0, 3*page), want)
	t.OK("Close of a region", first.Close())
	p.Write("write to the other region", second.RKey(), 0, []byte("here"))
	t.OK("Close of a region", second.Close())
	t.OK("Close", dm.Close())
}
