//go:build linux && cgo

package cases

import (
	"bytes"
	"cmp"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// statuses are those that one of several kernels or devices answers.
type statuses []verbs.WCStatus

// denied is a request that one of the two ends does not take.
type denied struct {
	n       int
	title   string
	page    string // ibv_post_send when empty
	needs   []suite.Capability
	config  func(*link.Config) // how the connection is other than usual; nil: it is not
	request func(*pair, verbs.SendWR) verbs.SendWR
	inbox   func(*pair) // posts the far end's receive, with id 7; nil: one that is good
	want    statuses    // of the request
	far     statuses    //  of the far end's receive; nil: that end goes on
}

const (
	noRemoteWrite  = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteRead | verbs.MRAccessRemoteAtomic
	noRemoteRead   = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteAtomic
	noRemoteAtomic = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead
	qpNoWrite      = verbs.QPAccessRemoteRead | verbs.QPAccessRemoteAtomic
	qpNoRead       = verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteAtomic
	qpNoAtomic     = verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead
)

func faultAccess() []suite.Case {
	var out []suite.Case
	for _, d := range denials() {
		run := recovers(d.run, func(c *link.Config) {
			if d.config != nil {
				d.config(c)
			}
		})
		out = append(out, fault(d.n, d.title, cmp.Or(d.page, "ibv_post_send"), run, d.needs...))
	}
	return append(out,
		fault(34, "an atomic whose result goes under an lkey of no region", "ibv_post_send", recovers(resultNowhere), suite.Atomics))
}

// resultNowhere has an atomic carried out at the far end whose result has no place at the near one, unless a device looks before.
func resultNowhere(p *pair) {
	p.send.WR(0).FetchAdd(1, p.at(), p.far.MR.RKey(), 1).SGE(uint64(p.near.MR.Addr()), 8, p.near.MR.LKey()^0x40000000)
	p.local(p.send.WR(1).Send(2)).Flags(verbs.SendSignaled)
	p.two("the request", verbs.WCStatusLocQPOpErr, verbs.WCStatusLocProtErr, verbs.WCStatusWRFlushErr)
	p.in("the queue pair", p.near, verbs.QPStateErr)
	holds(p.t, "the own region", p.near.Buf, bytes.Repeat([]byte{0xa5}, link.Size))
}

// run posts the request, not signaled, and a send behind it, for which the far end has a receive.
func (d *denied) run(p *pair) {
	if d.inbox != nil {
		d.inbox(p)
	} else {
		p.receive(p.far, 7, inboxSize)
	}
	d.request(p, p.send.WR(0))
	p.local(p.send.WR(1).Send(2)).Flags(verbs.SendSignaled)
	p.two("the request", d.want...)
	p.in("the queue pair", p.near, verbs.QPStateErr)
	if d.far != nil {
		p.ended("the peer's receive", p.wait(p.far, 1), 0, 7, d.far...)
		p.in("the peer", p.far, verbs.QPStateErr)
	} else {
		p.in("the peer", p.far, verbs.QPStateRTS)
	}
	p.untouched()
}

func write(p *pair, w verbs.SendWR) verbs.SendWR {
	return p.local(w.Write(1, p.at(), p.far.MR.RKey()))
}

func read(p *pair, w verbs.SendWR) verbs.SendWR {
	return p.local(w.Read(1, p.at(), p.far.MR.RKey()))
}

func add(p *pair, w verbs.SendWR) verbs.SendWR {
	return p.local(w.FetchAdd(1, p.at(), p.far.MR.RKey(), 1))
}

// withKey is a write under another remote key.
func withKey(change uint32) func(*pair, verbs.SendWR) verbs.SendWR {
	return func(p *pair, w verbs.SendWR) verbs.SendWR {
		w = write(p, w)
		w.SetRKey(p.far.MR.RKey() ^ change)
		return w
	}
}

// beside is a request to another place.
func beside(op func(*pair, verbs.SendWR) verbs.SendWR, distance int) func(*pair, verbs.SendWR) verbs.SendWR {
	return func(p *pair, w verbs.SendWR) verbs.SendWR {
		w = op(p, w)
		w.SetRemote(p.at() + uint64(distance))
		return w
	}
}

// denials are the rows. A key, bounds or right that the peer's memory lacks is REM_ACCESS everywhere, and a right that its
// queue pair lacks REM_INV_REQ; both ends are in error then. What is wrong at the near end leaves the peer as it was. For
// that the specification has LOC_PROT; soft-RoCE looks at the memory before or after it has taken the request and answers
// LOC_QP_OP for a wrong lkey in 6.1, and flushes the request from 6.12 on.
func denials() []denied {
	flushed := statuses{verbs.WCStatusWRFlushErr}
	access, request := statuses{verbs.WCStatusRemAccessErr}, statuses{verbs.WCStatusRemInvReqErr}
	atomics := needs(suite.Atomics)
	mr := func(a verbs.MRAccess) func(*link.Config) { return func(c *link.Config) { c.MR = a } }
	qp := func(a verbs.QPAccess) func(*link.Config) { return func(c *link.Config) { c.QP = a } }
	return []denied{
		{n: 1, title: "a write under an rkey of no region", request: withKey(0x40000000), want: access, far: flushed},
		{n: 2, title: "a write under an rkey whose key byte is wrong", request: withKey(1), want: access, far: flushed},
		{n: 3, title: "a write past the end of the peer's region", request: beside(write, link.Size-7), want: access, far: flushed},
		{n: 4, title: "a read past the end of the peer's region", request: beside(read, link.Size-7), want: access, far: flushed},
		{n: 5, title: "a write one byte before the peer's region", request: beside(write, -1), want: access, far: flushed},
		{n: 6, title: "a write under the rkey of a region that is gone", page: "ibv_reg_mr", request: stale, want: access, far: flushed},
		{n: 7, title: "a write to a region of another protection domain", page: "ibv_alloc_pd", request: otherPD, want: access, far: flushed},
		{n: 8, title: "a write to a region without REMOTE_WRITE", page: "ibv_reg_mr", config: mr(noRemoteWrite), request: write,
			want: access, far: flushed},
		{n: 9, title: "a read of a region without REMOTE_READ", page: "ibv_reg_mr", config: mr(noRemoteRead), request: read,
			want: access, far: flushed},
		{n: 10, title: "an atomic on a region without REMOTE_ATOMIC", page: "ibv_reg_mr", config: mr(noRemoteAtomic), request: add,
			want: access, far: flushed, needs: atomics},
		{n: 11, title: "a write to a queue pair without REMOTE_WRITE", page: "ibv_modify_qp", config: qp(qpNoWrite), request: write,
			want: request, far: flushed},
		{n: 12, title: "a read from a queue pair without REMOTE_READ", page: "ibv_modify_qp", config: qp(qpNoRead), request: read,
			want: request, far: flushed},
		{n: 13, title: "an atomic to a queue pair without REMOTE_ATOMIC", page: "ibv_modify_qp", config: qp(qpNoAtomic), request: add,
			want: request, far: flushed, needs: atomics},
		{n: 14, title: "a write from under an lkey of no region", request: wrongLKey,
			want: statuses{verbs.WCStatusLocQPOpErr, verbs.WCStatusLocProtErr, verbs.WCStatusWRFlushErr}},
		{n: 15, title: "a write from past the end of the own region", request: pastOwn,
			want: statuses{verbs.WCStatusLocProtErr, verbs.WCStatusWRFlushErr}},
		{n: 16, title: "a read into a region without LOCAL_WRITE", page: "ibv_reg_mr", request: readOnly,
			want: statuses{verbs.WCStatusLocProtErr}},
		// The specification's pair is REM_INV_REQ and LOC_LEN, soft-RoCE's REM_OP and LOC_QP_OP.
		{n: 17, title: "a send longer than the peer's receive", inbox: smallInbox, request: plain,
			want: statuses{verbs.WCStatusRemInvReqErr, verbs.WCStatusRemOpErr},
			far:  statuses{verbs.WCStatusLocLenErr, verbs.WCStatusLocQPOpErr}},
		// The specification has LOC_PROT at the peer.
		{n: 18, title: "a send into a receive under an lkey of no region", page: "ibv_post_recv", inbox: badInbox, request: plain,
			want: statuses{verbs.WCStatusRemOpErr}, far: statuses{verbs.WCStatusLocQPOpErr, verbs.WCStatusLocProtErr}},
		{n: 19, title: "a send into a region without LOCAL_WRITE", page: "ibv_reg_mr", inbox: readOnlyInbox, request: plain,
			want: statuses{verbs.WCStatusRemOpErr}, far: statuses{verbs.WCStatusLocQPOpErr, verbs.WCStatusLocProtErr}},
		{n: 33, title: "an atomic under an rkey of no region", request: addWrongRKey, want: access, far: flushed, needs: atomics},
	}
}

// stale is a write under a key that was good until just now.
func stale(p *pair, w verbs.SendWR) verbs.SendWR {
	mr := must(p.far.PD.RegMR(p.far.Buf, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite))(p.t)
	key := mr.RKey()
	p.t.OK("Close of the region", mr.Close())
	return p.local(w.Write(1, p.at(), key))
}

func otherPD(p *pair, w verbs.SendWR) verbs.SendWR {
	pd := must(p.place.Device.AllocPD())(p.t)
	mr := must(pd.RegMR(p.far.Buf, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite))(p.t)
	return p.local(w.Write(1, p.at(), mr.RKey()))
}

func wrongLKey(p *pair, w verbs.SendWR) verbs.SendWR {
	return w.Write(1, p.at(), p.far.MR.RKey()).SGE(uint64(p.near.MR.Addr()), 8, p.near.MR.LKey()^0x40000000)
}

func addWrongRKey(p *pair, w verbs.SendWR) verbs.SendWR {
	return p.local(w.FetchAdd(1, p.at(), p.far.MR.RKey()^0x40000000, 1))
}

func pastOwn(p *pair, w verbs.SendWR) verbs.SendWR {
	return w.Write(1, p.at(), p.far.MR.RKey()).Add(p.near.MR.UncheckedSGE(link.Size-7, 8))
}

func readOnly(p *pair, w verbs.SendWR) verbs.SendWR {
	into := must(p.near.PD.RegMR(make([]byte, 64), verbs.MRAccessRemoteRead))(p.t)
	return w.Read(1, p.at(), p.far.MR.RKey()).Add(into.UncheckedSGE(0, 8))
}

func plain(p *pair, w verbs.SendWR) verbs.SendWR { return p.local(w.Send(1)) }

func smallInbox(p *pair) { p.receive(p.far, 7, 4) }

func badInbox(p *pair) {
	p.receiveAt(p.far, 7, uint64(p.far.MR.Addr())+inbox, inboxSize, p.far.MR.LKey()^0x40000000)
}

func readOnlyInbox(p *pair) {
	mr := must(p.far.PD.RegMR(make([]byte, inboxSize), verbs.MRAccessRemoteRead))(p.t)
	p.receiveAt(p.far, 7, uint64(mr.Addr()), inboxSize, mr.LKey())
}
