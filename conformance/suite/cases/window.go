//go:build linux && cgo

package cases

import (
	"bytes"
	"encoding/binary"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// allOfWindow is what a window can grant.
const allOfWindow = verbs.MWAccessRemoteWrite | verbs.MWAccessRemoteRead | verbs.MWAccessRemoteAtomic

// windowUse are the cases of windows that are bound. The far end has the window, and the near end uses it.
func windowUse() []suite.Case {
	mw := func(n int, title, page string, run func(*suite.T), more ...suite.Capability) suite.Case {
		return of(id("mw", n), title, page, run, append(needs(suite.MW, suite.Peer), more...)...)
	}
	post := "VR-ibv_post_send-opcode-0337"
	out := []suite.Case{
		mw(10, "type 1: bound, used, bound to another place, unbound", "ibv_bind_mw", windowOne),
		mw(11, "type 2: bound, invalidated and bound again by one batch of requests", "ibv_post_send", windowTwo).Ruled(
			post, "VR-ibv_post_send-type-0356"),
		mw(12, "type 2: bound and invalidated by a stream of commands", "ibv_wr_post", windowStream),
		mw(13, "atomics through a window", "ibv_post_send", windowAtomic, suite.Atomics).Ruled(post),
		mw(14, "a window that counts addresses from its start", "ibv_post_send", windowFromZero).Ruled("VR-ibv_post_send-mw_access_flags-0366"),
		mw(15, "a SEND that invalidates the peer's window", "ibv_post_send", windowSendInv).Ruled(post),
		mw(16, "a region with a bound window stays registered", "ibv_reg_mr", windowKeepsRegion),
		mw(17, "a request that names a window or a region which is closed", "ibv_post_send", windowClosed),
		mw(18, "binds that are refused at once", "ibv_bind_mw", windowRefused).Ruled(
			"VR-ibv_bind_mw-type-1104", "VR-ibv_bind_mw-mr-1105", "VR-ibv_bind_mw-pd-1106", "VR-ibv_bind_mw-mw_access_flags-1110"),
		mw(19, "a bind on a queue pair of datagrams", "ibv_post_send", windowOnUD).Ruled("VR-ibv_post_send-opcode-0335"),
		mw(21, "a window ends before its region does", "ibv_post_send", windowBounds),
		mw(20, "a SEND that invalidates a key of no window", "ibv_post_send", windowSendInvWrong),
		mw(22, "type 1 and 2 to a region of the form that covers all", "ibv_bind_mw", windowOnEx, suite.MREx),
	}
	for _, d := range windowDenials() {
		out = append(out, mw(d.n, d.title, "ibv_post_send", d.run, d.needs...))
	}
	for _, b := range badBinds() {
		out = append(out, mw(b.n, b.title, "ibv_bind_mw", b.run).Ruled(b.rules...))
	}
	return out
}

// windowed is a pair whose far end has a memory window.
type windowed struct {
	*pair
	mw    *verbs.MW
	binds *verbs.SendBatch // of the far end
}

// newWindow connects a pair, and allocates a window at its far end.
func newWindow(t *suite.T, typ verbs.MWType, shape ...func(*link.Config)) *windowed {
	cfg := patient()
	cfg.MR |= verbs.MRAccessMWBind
	for _, f := range shape {
		f(&cfg)
	}
	w := &windowed{pair: connect(t, cfg), binds: sends(t, 4, 1)}
	w.mw = must(w.far.PD.AllocMW(typ))(t)
	// before the queue pair: soft-RoCE waits 50 s for a window that is bound by one that ends
	t.Finally("the window", func() error { return w.mw.Close() })
	return w
}

// part describes a part of the far end's region.
func (w *windowed) part(offset, length uint64, access verbs.MWAccess) verbs.MWBindAttr {
	return verbs.MWBindAttr{MR: w.far.MR, Addr: w.at() + offset, Length: length, Access: access, SendFlags: verbs.SendSignaled}
}

// request writes a request to bind the window, with the key that follows, and returns that.
func (w *windowed) request(i int, id uint64, bind verbs.MWBindAttr) uint32 {
	return w.requestAfter(i, id, w.mw.RKey(), bind)
}

func (w *windowed) requestAfter(i int, id uint64, before uint32, bind verbs.MWBindAttr) uint32 {
	key := verbs.NextRKey(before)
	bind.ID = id
	w.t.OK("a request to bind", w.mw.Bind(w.binds.WR(i), key, bind))
	return key
}

// postFar posts the first requests of the far end.
func (w *windowed) postFar(n int) {
	whole(w.t, "a post of the far end", n)(w.far.QP.PostSend(w.binds, n))
}

// bound binds a window of type 2, and waits for it.
func (w *windowed) bound(bind verbs.MWBindAttr) uint32 {
	key := w.request(0, 21, bind)
	w.postFar(1)
	w.farEnded("a bind", 21, verbs.WCOpcodeBindMW)
	return key
}

// farEnded waits for a request of the far end, which must succeed.
func (w *windowed) farEnded(what string, id uint64, opcode verbs.WCOpcode) {
	wcs := w.wait(w.far, 1)
	w.ended(what, wcs, 0, id, verbs.WCStatusSuccess)
	if wcs[0].Status == 0 && wcs[0].Opcode != opcode {
		w.t.Errorf("%s: completed as %v, want %v", what, wcs[0].Opcode, opcode)
	}
}

// wr is the request that used posts, and writes begins it as a WRITE.
func (w *windowed) wr() verbs.SendWR { return w.send.WR(0) }

func (w *windowed) writes(addr uint64, key uint32) verbs.SendWR { return w.wr().Write(1, addr, key) }

// used posts a request of the near end, and waits for it.
func (w *windowed) used(what string, r verbs.SendWR, set ...verbs.WCStatus) {
	w.local(r).Flags(verbs.SendSignaled)
	w.one(what, set...)
}

// carries writes to and reads from the part of the far end's region at offset, by an address and a key.
func (w *windowed) carries(what string, offset int, addr uint64, key uint32) {
	fill(w.near.Buf[:8], offset)
	want := bytes.Clone(w.near.Buf[:8])
	w.used("a write "+what, w.writes(addr, key), verbs.WCStatusSuccess)
	holds(w.t, "a write "+what, w.far.Buf[offset:offset+8], want)
	clear(w.near.Buf[:8])
	w.used("a read "+what, w.wr().Read(1, addr, key), verbs.WCStatusSuccess)
	holds(w.t, "a read "+what, w.near.Buf[:8], want)
}

// another checks that a key differs from one before in its last byte alone.
func another(t *suite.T, key, before uint32) {
	if key == before || key&^0xff != before&^0xff {
		t.Errorf("the key is %#x after %#x", key, before)
	}
}

func windowOne(t *suite.T) {
	w := newWindow(t, verbs.MWType1)
	last := w.mw.RKey()
	for i, offset := range []uint64{1024, 2048} {
		t.OK("BindMW", w.bind1(uint64(30+i), w.part(offset, 256, allOfWindow)))
		another(t, w.mw.RKey(), last)
		last = w.mw.RKey()
		w.farEnded("a bind", uint64(30+i), verbs.WCOpcodeBindMW)
		w.carries("to the start of the window", int(offset), w.at()+offset, last)
		w.carries("to the end of the window", int(offset)+248, w.at()+offset+248, last)
	}
	t.OK("BindMW to nothing", w.bind1(40, w.part(0, 0, 0)))
	w.farEnded("a bind to nothing", 40, verbs.WCOpcodeBindMW)
	w.used("a write to a window that is unbound", w.writes(w.at()+2048, w.mw.RKey()), verbs.WCStatusRemAccessErr)
	t.OK("Close of the window", w.mw.Close())
	is(t, "the key of a closed window", w.mw.RKey(), 0)
	fails(t, "SetRKey of a closed window", w.mw.SetRKey(last), os.ErrClosed)
}

// windowOnEx binds to a region that only the windows let a peer use.
func windowOnEx(t *suite.T) {
	for _, typ := range []verbs.MWType{verbs.MWType1, verbs.MWType2} {
		w := newWindow(t, typ)
		bindable := verbs.NewMRInitAttr(link.Size, verbs.MRAccessLocalWrite|verbs.MRAccessMWBind)
		w.far.MR = must(w.far.PD.RegMREx(bindable.Memory(mem.Bytes(w.far.Buf))))(t)
		bind := w.part(1024, 64, allOfWindow)
		if typ == verbs.MWType1 {
			t.OK("BindMW", w.bind1(30, bind))
			w.farEnded("a bind", 30, verbs.WCOpcodeBindMW)
		} else {
			w.bound(bind)
		}
		w.carries("through a window", 1024, w.at()+1024, w.mw.RKey())
		w.used("a write beside the window", w.writes(w.at()+1024, w.far.MR.RKey()), verbs.WCStatusRemAccessErr)
	}
}

func windowTwo(t *suite.T) {
	w := newWindow(t, verbs.MWType2)
	made := w.mw.RKey()
	first := w.request(0, 1, w.part(1024, 64, allOfWindow))
	w.binds.WR(1).LocalInv(2, first).Flags(verbs.SendSignaled)
	second := w.requestAfter(2, 3, first, w.part(2048, 64, allOfWindow))
	w.postFar(3)
	another(t, w.mw.RKey(), made)
	is(t, "the key after both binds", w.mw.RKey(), second)
	another(t, second, first)
	w.farEnded("the first bind", 1, verbs.WCOpcodeBindMW)
	w.farEnded("the invalidation", 2, verbs.WCOpcodeLocalInv)
	w.farEnded("the second bind", 3, verbs.WCOpcodeBindMW)
	w.carries("by the second key", 2048, w.at()+2048, second)
	w.used("a write by the first key", w.writes(w.at()+1024, first), verbs.WCStatusRemAccessErr)
}

// byCommands has queue pairs take requests from a stream of commands.
func byCommands(c *link.Config) {
	c.Ops = verbs.QPOpSend | verbs.QPOpRDMAWrite | verbs.QPOpRDMARead | verbs.QPOpLocalInv | verbs.QPOpBindMW | verbs.QPOpSendWithInv
}

func windowStream(t *suite.T) {
	w := newWindow(t, verbs.MWType2, byCommands)
	stream := must(w.far.QP.Stream())(t)
	made := w.mw.RKey()
	key := w.request(0, 1, w.part(1024, 64, allOfWindow))
	whole(t, "a post of the far end", 1)(stream.Post(w.binds, 1))
	is(t, "the key after the bind", w.mw.RKey(), key)
	another(t, key, made)
	w.farEnded("the bind", 1, verbs.WCOpcodeBindMW)
	w.carries("by the key", 1024, w.at()+1024, key)
	w.receive(w.far, 7, inboxSize)
	w.near.Buf[0] = 1
	w.local(w.send.WR(0).SendInv(1, key)).Flags(verbs.SendSignaled)
	w.toStream(must(w.near.QP.Stream())(t), 1)
	w.ended("the send", w.wait(w.near, 1), 0, 1, verbs.WCStatusSuccess)
	w.invalidated(key)
	again := w.request(0, 3, w.part(2048, 64, allOfWindow))
	w.binds.WR(1).LocalInv(4, again).Flags(verbs.SendSignaled)
	must(stream.Post(w.binds, 2))(t)
	w.farEnded("the bind", 3, verbs.WCOpcodeBindMW)
	w.farEnded("the invalidation", 4, verbs.WCOpcodeLocalInv)
	w.used("a write after it", w.writes(w.at()+2048, again), verbs.WCStatusRemAccessErr)
}

func windowAtomic(t *suite.T) {
	w := newWindow(t, verbs.MWType2)
	key := w.bound(w.part(1024, 64, verbs.MWAccessRemoteAtomic))
	binary.NativeEndian.PutUint64(w.far.Buf[1032:], 40)
	w.used("an addition", w.wr().FetchAdd(1, w.at()+1032, key, 2), verbs.WCStatusSuccess)
	w.used("a swap", w.wr().CompareSwap(1, w.at()+1032, key, 42, 7), verbs.WCStatusSuccess)
	swapped(t, "a swap", binary.NativeEndian.Uint64(w.near.Buf), binary.NativeEndian.Uint64(w.far.Buf[1032:]), 42, 7)
}

func windowFromZero(t *suite.T) {
	w := newWindow(t, verbs.MWType2)
	key := w.bound(w.part(1024, 64, allOfWindow|verbs.MWAccessZeroBased))
	w.carries("to offset 0", 1024, 0, key)
	w.carries("to offset 56", 1024+56, 56, key)
}

// invalidated waits for the receive that has the key which was invalidated.
func (w *windowed) invalidated(key uint32) (flags verbs.WCFlag) {
	wcs := w.wait(w.far, 1)
	w.ended("the receive", wcs, 0, 7, verbs.WCStatusSuccess)
	if wcs[0].ImmData != key || wcs[0].Opcode != verbs.WCOpcodeRecv {
		w.t.Errorf("the receive: %+v; want the key %#x", wcs[0], key)
	}
	return wcs[0].Flags
}

func windowSendInv(t *suite.T) {
	w := newWindow(t, verbs.MWType2)
	key := w.bound(w.part(1024, 64, allOfWindow))
	w.carries("by the key", 1024, w.at()+1024, key)
	w.receive(w.far, 7, inboxSize)
	w.used("a send that invalidates", w.wr().SendInv(1, key), verbs.WCStatusSuccess)
	flags := w.invalidated(key)
	is(t, "the key after its invalidation", w.mw.RKey(), key)
	next := w.bound(w.part(2048, 64, allOfWindow))
	w.carries("by the next key", 2048, w.at()+2048, next)
	w.used("a write by the key that was invalidated", w.writes(w.at()+1024, key), verbs.WCStatusRemAccessErr)
	if flags&verbs.WCFlagWithInv == 0 {
		t.Errorf("the receive has the flags %#x, without WITH_INV", uint32(flags))
	}
}

func windowKeepsRegion(t *suite.T) {
	w := newWindow(t, verbs.MWType2)
	mr := must(w.far.PD.RegMR(make([]byte, 64), rw|verbs.MRAccessMWBind))(t)
	key := w.bound(verbs.MWBindAttr{MR: mr, Addr: mr.IOVA(), Length: 64, Access: verbs.MWAccessRemoteRead, SendFlags: verbs.SendSignaled})
	t.Errno("Close of the region", mr.Close(), syscall.EINVAL, syscall.EBUSY)
	w.invalidate(key)
	t.OK("Close of the region after the invalidation", mr.Close())
	w.bound(w.part(0, 64, verbs.MWAccessRemoteRead))
	t.OK("Close of a bound window", w.mw.Close())
	t.OK("Close of its region", w.far.MR.Close())
}

func windowClosed(t *suite.T) {
	w := newWindow(t, verbs.MWType2, byCommands)
	stream := must(w.far.QP.Stream())(t)
	region := must(w.far.PD.RegMR(make([]byte, 64), rw|verbs.MRAccessMWBind))(t)
	refused := func(what string) {
		for _, post := range []func(*verbs.SendBatch, int) (int, error){w.far.QP.PostSend, stream.Post} {
			none(t, what, os.ErrClosed)(post(w.binds, 1))
		}
	}
	bind := verbs.MWBindAttr{MR: region, Addr: region.IOVA(), Length: 64, Access: verbs.MWAccessRemoteRead, SendFlags: verbs.SendSignaled}
	w.request(0, 1, bind)
	t.OK("Close of the region", region.Close())
	refused("a region that is closed")
	fails(t, "Bind to a closed region", w.mw.Bind(w.binds.WR(0), 1, bind), os.ErrClosed)
	w.request(0, 1, w.part(0, 64, verbs.MWAccessRemoteRead))
	t.OK("Close of the window", w.mw.Close())
	refused("a window that is closed")
	fails(t, "Bind of a closed window", w.mw.Bind(w.binds.WR(0), 1, w.part(0, 64, 0)), os.ErrClosed)
	fails(t, "BindMW of a closed window", w.far.QP.BindMW(w.mw, w.part(0, 64, 0)), os.ErrClosed)
	w.mw = must(w.far.PD.AllocMW(verbs.MWType2))(t)
	w.bound(w.part(0, 64, verbs.MWAccessRemoteRead))
}

func windowRefused(t *suite.T) {
	w := newWindow(t, verbs.MWType1)
	two := must(w.far.PD.AllocMW(verbs.MWType2))(t)
	refusedBy(t, "VR-ibv_bind_mw-type-1104", w.far.QP.BindMW(two, w.part(0, 64, 0)))
	refusedBy(t, "VR-ibv_bind_mw-mr-1105", w.far.QP.BindMW(w.mw, verbs.MWBindAttr{Length: 64}))
	other := must(w.place.Device.AllocPD())(t)
	mr := must(other.RegMR(make([]byte, 64), rw|verbs.MRAccessMWBind))(t)
	t.Errno("a region of another domain", w.far.QP.BindMW(w.mw, verbs.MWBindAttr{MR: mr, Addr: mr.IOVA(), Length: 64}), syscall.EPERM)
	t.Errno("type 1, ZERO_BASED", w.far.QP.BindMW(w.mw, w.part(0, 64, verbs.MWAccessZeroBased)), syscall.EINVAL)
	w.bound1(w.part(0, 64, verbs.MWAccessRemoteRead))
}

// bind1 binds a window of type 1.
func (w *windowed) bind1(id uint64, bind verbs.MWBindAttr) error {
	bind.ID = id
	return w.far.QP.BindMW(w.mw, bind)
}

// bound1 binds a window of type 1, and waits for it.
func (w *windowed) bound1(bind verbs.MWBindAttr) {
	w.t.OK("BindMW", w.bind1(21, bind))
	w.farEnded("a bind", 21, verbs.WCOpcodeBindMW)
}

func windowOnUD(t *suite.T) {
	qp := queuePairOf(t, verbs.QPTypeUD)
	batch, pd := must(verbs.NewSendBatch(1, 1))(t), qp.PD()
	mr := must(pd.RegMR(make([]byte, 64), rw|verbs.MRAccessMWBind))(t)
	mw := must(pd.AllocMW(verbs.MWType2))(t)
	t.OK("a request to bind", mw.Bind(batch.WR(0), verbs.NextRKey(mw.RKey()), verbs.MWBindAttr{MR: mr, Addr: mr.IOVA(), Length: 64}))
	n, err := qp.PostSend(batch, 1)
	is(t, "requests posted of a bind", n, 0)
	mayBreak(t, "a bind", err, "VR-ibv_post_send-opcode-0335", syscall.EINVAL)
	t.OK("closing the batch", batch.Close())
}

// The specification has REM_INV_REQ at both ends. Soft-RoCE has acknowledged the send by then.
func windowSendInvWrong(t *suite.T) {
	w := newWindow(t, verbs.MWType2)
	w.receive(w.far, 7, inboxSize)
	w.used("the send", w.wr().SendInv(1, w.far.MR.RKey()), verbs.WCStatusSuccess, verbs.WCStatusRemInvReqErr)
	w.ended("the receive", w.wait(w.far, 1), 0, 7, verbs.WCStatusRemInvReqErr)
	w.in("the peer", w.far, verbs.QPStateErr)
}

func windowBounds(t *suite.T) {
	w := newWindow(t, verbs.MWType2)
	key := w.bound(w.part(1024, 64, allOfWindow))
	w.carries("to the end", 1080, w.at()+1080, key)
	w.local(w.send.WR(0).Write(1, w.at()+1081, key)).Flags(verbs.SendSignaled)
	w.post(1)
	wcs := w.wait(w.near, 1)
	if wcs[0].Status == verbs.WCStatusSuccess {
		t.Fatalf("a peer can write past the end of the window")
	}
	w.ended("a write past the end", wcs, 0, 1, verbs.WCStatusRemAccessErr)
	w.in("the peer", w.far, verbs.QPStateErr)
}
