//go:build linux && cgo

package cases

import (
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// windowDenial is a request that a window of type 2 does not let through. It is bound to bytes 1024 to 1087 of the region.
type windowDenial struct {
	n       int
	title   string
	needs   []suite.Capability
	access  verbs.MWAccess
	before  func(w *windowed, key uint32) // after the bind
	request func(w *windowed, key uint32) verbs.SendWR
}

func windowWrite(distance int) func(*windowed, uint32) verbs.SendWR {
	return func(w *windowed, key uint32) verbs.SendWR { return w.writes(w.at()+uint64(1024+distance), key) }
}

func windowRead(w *windowed, key uint32) verbs.SendWR { return w.wr().Read(1, w.at()+1024, key) }

func windowAdd(w *windowed, key uint32) verbs.SendWR { return w.wr().FetchAdd(1, w.at()+1024, key, 1) }

func windowDenials() []windowDenial {
	return []windowDenial{
		{n: 30, title: "a write through a window without REMOTE_WRITE", access: verbs.MWAccessRemoteRead | verbs.MWAccessRemoteAtomic,
			request: windowWrite(0)},
		{n: 31, title: "a read through a window without REMOTE_READ", access: verbs.MWAccessRemoteWrite | verbs.MWAccessRemoteAtomic,
			request: windowRead},
		{n: 32, title: "an atomic through a window without REMOTE_ATOMIC", access: verbs.MWAccessRemoteWrite | verbs.MWAccessRemoteRead,
			request: windowAdd, needs: needs(suite.Atomics)},
		{n: 33, title: "a write past the end of a window and of its region", access: allOfWindow, request: windowWrite(link.Size)},
		{n: 34, title: "a write before a window and its region", access: allOfWindow, request: windowWrite(-1025)},
		{n: 35, title: "a write under the key from before the bind", access: allOfWindow,
			request: func(w *windowed, key uint32) verbs.SendWR { return w.writes(w.at()+1024, key&^0xff|(key-1)&0xff) }},
		{n: 36, title: "a write through a window that was invalidated", access: allOfWindow, before: (*windowed).invalidate,
			request: windowWrite(0)},
		{n: 37, title: "a write through a window that was closed", access: allOfWindow, before: func(w *windowed, _ uint32) {
			w.t.OK("Close of the window", w.mw.Close())
		}, request: windowWrite(0)},
		{n: 38, title: "a write over another queue pair than the one that bound the window", access: allOfWindow,
			before: (*windowed).elsewhere, request: windowWrite(0)},
	}
}

// run posts the request, which must end in REM_ACCESS and change nothing.
func (d *windowDenial) run(t *suite.T) {
	w := newWindow(t, verbs.MWType2)
	key := w.bound(w.part(1024, 64, d.access))
	if d.before != nil {
		d.before(w, key)
	}
	w.used("the request", d.request(w, key), verbs.WCStatusRemAccessErr)
	w.in("the peer", w.far, verbs.QPStateErr)
	w.untouched()
}

// invalidate takes the key away.
func (w *windowed) invalidate(key uint32) {
	w.binds.WR(0).LocalInv(2, key).Flags(verbs.SendSignaled)
	w.postFar(1)
	w.farEnded("the invalidation", 2, verbs.WCOpcodeLocalInv)
}

// elsewhere connects another queue pair, in the same domain as the one that bound the window.
func (w *windowed) elsewhere(uint32) {
	cfg := patient()
	near := must(cfg.NewEnd(nearPlace(w.t)))(w.t)
	far := must(cfg.NewEnd(w.place))(w.t)
	far.QP = must(w.far.PD.CreateQP(suite.OneEach(cfg.Type, w.far.CQ)))(w.t)
	w.t.OK("Modify to INIT", far.QP.Modify(cfg.Init(w.place.Port.Number())))
	w.t.OK("connecting", near.ConnectTo(far))
	w.t.OK("connecting", far.ConnectTo(near))
	w.near, w.far.QP = near, far.QP
}

// badBind is a bind that is posted, and completes with an error.
type badBind struct {
	n     int
	title string
	rules []string
	typ   verbs.MWType
	mr    verbs.MRAccess // of the region; 0: all that a window can grant
	bind  func(w *windowed) verbs.MWBindAttr
	after func(w *windowed) // a bind before that succeeds
	may   bool              // soft-RoCE of Linux 6.1 does not look
}

func badBinds() []badBind {
	with := func(offset, length uint64, access verbs.MWAccess) func(w *windowed) verbs.MWBindAttr {
		return func(w *windowed) verbs.MWBindAttr { return w.part(offset, length, access) }
	}
	two, one := verbs.MWType2, verbs.MWType1
	const right, write, flags, length = "VR-ibv_bind_mw-access-1111", "VR-ibv_bind_mw-access-1112",
		"VR-ibv_bind_mw-mw_access_flags-1109", "VR-ibv_bind_mw-length-1113"
	return []badBind{
		{n: 50, title: "type 1 to a region without MW_BIND", rules: []string{right}, typ: one, mr: rw,
			bind: with(0, 64, verbs.MWAccessRemoteRead)},
		{n: 51, title: "type 2 to a region without MW_BIND", typ: two, mr: rw, bind: with(0, 64, verbs.MWAccessRemoteRead)},
		{n: 52, title: "REMOTE_WRITE to a region without LOCAL_WRITE", rules: []string{write}, typ: one,
			mr: verbs.MRAccessMWBind | verbs.MRAccessRemoteRead, bind: with(0, 64, verbs.MWAccessRemoteWrite)},
		{n: 53, title: "longer than the region", rules: []string{length}, typ: one, bind: with(0, link.Size+1, verbs.MWAccessRemoteRead)},
		{n: 54, title: "past the end of the region", typ: two, bind: with(1, link.Size, verbs.MWAccessRemoteRead)},
		{n: 55, title: "LOCAL_WRITE as a right of a peer", rules: []string{flags}, typ: one, may: true, bind: with(0, 64, 1)},
		{n: 56, title: "type 2 of no bytes", typ: two, bind: with(0, 0, verbs.MWAccessRemoteRead)},
		{n: 57, title: "type 2 while it is bound", typ: two, bind: with(1024, 64, verbs.MWAccessRemoteRead), after: func(w *windowed) {
			w.bound(w.part(0, 64, verbs.MWAccessRemoteRead))
		}},
		{n: 58, title: "a window whose key the program does not know", typ: one, bind: with(0, 64, verbs.MWAccessRemoteRead),
			after: func(w *windowed) {
				w.t.OK("SetRKey", w.mw.SetRKey(w.mw.RKey()^0x80))
			}},
	}
}

// run binds the window, which must fail; the key from before is set, and a new queue pair can bind the window.
func (b *badBind) run(t *suite.T) {
	w := newWindow(t, b.typ, func(c *link.Config) {
		if b.mr != 0 {
			c.MR = b.mr
		}
	})
	if b.after != nil {
		b.after(w)
	}
	before := w.mw.RKey()
	if b.typ == verbs.MWType1 {
		t.OK("BindMW", w.bind1(21, b.bind(w)))
	} else {
		w.request(0, 21, b.bind(w))
		w.postFar(1)
	}
	another(t, w.mw.RKey(), before)
	wcs, set := w.wait(w.far, 1), []verbs.WCStatus{verbs.WCStatusMWBindErr}
	if b.may {
		set = append(set, verbs.WCStatusSuccess)
	}
	if w.ended("the bind", wcs, 0, 21, set...); wcs[0].Status == verbs.WCStatusSuccess {
		return
	}
	w.in("the queue pair", w.far, verbs.QPStateErr)
	t.OK("SetRKey", w.mw.SetRKey(before))
	is(t, "the key after SetRKey", w.mw.RKey(), before)
}
