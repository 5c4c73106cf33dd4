//go:build linux && cgo

package cases

import (
	"errors"
	"fmt"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// fieldAlone receives a message with immediate data on a queue for each field.
func fieldAlone(t *suite.T) {
	const mark = 0x5a
	pd, sends := newPD(t), newCQ(t)
	for i, field := range standardFields {
		recvs := extendedCQ(t, field, 0)
		n := nearOn(t, pd, far.RC, sends, recvs)
		r := must(recvs.Reader(field))(t)
		n.room(uint64(i), 0, 64)
		n.tell("a message", far.Op{Code: far.Send, Data: []byte("seventeen letters"), WithImm: true, Imm: 0x01020304})
		untouched := verbs.WCEx{ByteLen: mark, ImmData: mark, QPNum: mark, SrcQP: mark, SLID: mark, SL: mark, DLIDPathBits: mark}
		wc, want := []verbs.WCEx{untouched}, untouched
		until(t, field.String(), func() bool { return must(r.PollInto(wc))(t) > 0 })
		want.ID, want.Opcode, want.Flags = uint64(i), verbs.WCOpcodeRecv, wc[0].Flags
		switch field {
		case verbs.WCFieldByteLen:
			want.ByteLen = 17
		case verbs.WCFieldImm:
			want.ImmData = 0x01020304
		case verbs.WCFieldQPNum:
			want.QPNum = n.qp.Num()
		case verbs.WCFieldSrcQP: // the rest is valid on UD only
			want.SrcQP = wc[0].SrcQP
		case verbs.WCFieldSLID:
			want.SLID = wc[0].SLID
		case verbs.WCFieldSL:
			want.SL = wc[0].SL
		case verbs.WCFieldDLIDPathBits:
			want.DLIDPathBits = wc[0].DLIDPathBits
		}
		if t.Status(field.String(), wc[0].Status, verbs.WCStatusSuccess); wc[0] != want || wc[0].Flags&verbs.WCFlagWithImm == 0 {
			t.Errorf("%v: %+v, want %+v", field, wc[0], want)
		}
		empty(t, field.String(), r)
	}
}

// messages has the other end send so many, with ids from first on. The receives have completed when it returns: the other end
// was told that they had.
func (n *near) messages(first uint64, count int) {
	for i := range count {
		n.room(first+uint64(i), 64*i, 64)
	}
	for range count {
		n.tell("a message", far.Op{Code: far.Send, Data: []byte("one of many")})
	}
}

// inOrder checks receives with ids from first on.
func inOrder(t *suite.T, what string, first uint64, wcs []verbs.WCEx) {
	for i, wc := range wcs {
		if wc.ID != first+uint64(i) || wc.Status != 0 || wc.Opcode != verbs.WCOpcodeRecv || wc.ByteLen != 11 {
			t.Fatalf("%s: completion %d of %d: %+v", what, i, len(wcs), wc)
		}
	}
}

func fewerThanThere(t *suite.T) {
	n := readNear(t, far.RC, allStandard, 0)
	r := n.readers[n.recvs]
	n.messages(0, 8)
	next := uint64(0)
	until(t, "8 completions are read", func() bool {
		size := []int{1, 2, 2, 2, 2, 1, 1, 1}[next] // fewer than are left
		wcs := make([]verbs.WCEx, size+1)
		got := must(r.PollInto(wcs[:size]))(t)
		if inOrder(t, "fewer than there are", next, wcs[:got]); wcs[size] != (verbs.WCEx{}) {
			t.Errorf("beyond the room: %+v", wcs[size])
		}
		next += uint64(got)
		return next == 8
	})
	empty(t, "after all were read", r)
}

func moreThanThere(t *suite.T) {
	n := readNear(t, far.RC, allStandard, 0)
	r := n.readers[n.recvs]
	for round, count := range []int{1, 3, 2} {
		wcs := make([]verbs.WCEx, 8)
		n.messages(uint64(8*round), count)
		got := 0
		until(t, "the receives are read", func() bool {
			if got += must(r.PollInto(wcs[got:]))(t); got > count {
				t.Fatalf("%d completions of %d receives", got, count)
			}
			return got == count
		})
		inOrder(t, "more room than there are", uint64(8*round), wcs[:count])
		empty(t, "after all were read", r)
	}
}

// failedRead has a WRITE fail between others, and then reads what was flushed.
func failedRead(t *suite.T) {
	n := readNear(t, far.RC, allStandard, 0)
	n.room(7, 0, 64)
	n.writes(0, 3, verbs.SendSignaled)
	n.denied(1)
	n.post(3)
	for id, status := range []verbs.WCStatus{verbs.WCStatusSuccess, verbs.WCStatusRemAccessErr, verbs.WCStatusWRFlushErr} {
		wc := readOne(t, n.readers[n.sends])
		t.Status(fmt.Sprintf("request %d", id), wc.Status, status)
		want := verbs.WCEx{ID: uint64(id), Status: wc.Status, VendorErr: wc.VendorErr, QPNum: n.qp.Num()}
		if status != verbs.WCStatusSuccess {
			is(t, fmt.Sprintf("request %d", id), wc, want)
		}
		var failed *verbs.WCError
		if err := wc.Err(); (err == nil) != (status == verbs.WCStatusSuccess) || err != nil &&
			(!errors.As(err, &failed) || failed.ID != uint64(id) || failed.QPNum != n.qp.Num()) {
			t.Errorf("request %d: its error is %v", id, err)
		}
	}
	wc := readOne(t, n.readers[n.recvs])
	t.Status("the receive", wc.Status, verbs.WCStatusWRFlushErr)
	is(t, "the receive", wc, verbs.WCEx{ID: 7, Status: wc.Status, VendorErr: wc.VendorErr, QPNum: n.qp.Num()})
	empty(t, "the sends", n.readers[n.sends])
	empty(t, "the receives", n.readers[n.recvs])
}

func readAndPolled(t *suite.T) {
	n := readNear(t, far.RC, allStandard, 0)
	n.messages(0, 6)
	for id := uint64(0); id < 6; id += 2 {
		wc := readOne(t, n.readers[n.recvs])
		inOrder(t, "read", id, []verbs.WCEx{wc})
		polled := wait(t, n.recvs)
		inOrder(t, "polled", id+1, []verbs.WCEx{{ID: polled.ID, Status: polled.Status, Opcode: polled.Opcode, ByteLen: polled.ByteLen}})
		is(t, "polled, of the queue pair", polled.QPNum, n.qp.Num())
	}
	empty(t, "after all were read", n.readers[n.recvs])
	idle(t, "polled after all were read", n.recvs)
}

// announcedNear is a near queue pair whose receives are read when an event announces them.
func announcedNear(t *suite.T, ch *verbs.CompChannel) *near {
	recvs := must(t.Device().CreateCQEx(verbs.NewCQInitAttrEx(depth, allStandard).Channel(ch)))(t)
	n := nearOn(t, newPD(t), far.RC, newCQ(t), recvs)
	n.readers = map[*verbs.CQ]*verbs.CQReader{recvs: must(recvs.Reader(allStandard))(t)}
	return n
}

func eventsOfExtended(t *suite.T) {
	ch := newChannel(t)
	n := announcedNear(t, ch)
	n.message(0, false)
	n.received("before it was asked for", 0, verbs.WCOpcodeRecv, 4)
	quietChannel(t, ch, "before it was asked for")
	for id := range uint64(8) {
		t.OK("ReqNotify", n.recvs.ReqNotify(id%2 == 1))
		n.message(id, true)
		announced(t, "a message", ch, n.recvs)
		n.received("announced", id, verbs.WCOpcodeRecv, 4)
	}
	quietChannel(t, ch, "after all were read")
}

// times are compared with each other, and with the clock of this machine by the hour.
func times(t *suite.T) {
	n := readNear(t, far.RC, allStandard|verbs.WCFieldCompletionTS|verbs.WCFieldWallclock, 0)
	var last verbs.WCEx
	for id := range uint64(4) {
		n.messages(id, 1)
		wc := readOne(t, n.readers[n.recvs])
		if inOrder(t, "a message", id, []verbs.WCEx{wc}); id > 0 && (wc.CompletionTS <= last.CompletionTS || wc.WallclockNS < last.WallclockNS) {
			t.Errorf("message %d: at %d and %d, the one before it at %d and %d", id, wc.CompletionTS, wc.WallclockNS, last.CompletionTS,
				last.WallclockNS)
		}
		if off := time.Since(wc.Wallclock()).Abs(); off > time.Hour {
			t.Errorf("message %d: at %v, %v from now", id, wc.Wallclock(), off)
		}
		last = wc
	}
}

// moderatedEvents takes no event before the last of four as a failure: a device may report sooner than it was asked to.
func moderatedEvents(t *suite.T) {
	ch := newChannel(t)
	n := announcedNear(t, ch)
	for _, count := range []uint16{4, 1} {
		t.OK("Modify", n.recvs.Modify(verbs.NewModifyCQAttr().Count(count).Period(10)))
		t.OK("ReqNotify", n.recvs.ReqNotify(false))
		n.messages(0, int(count))
		announced(t, "messages", ch, n.recvs)
		for id := range uint64(count) {
			n.received("moderated", id, verbs.WCOpcodeRecv, 11)
		}
	}
	quietChannel(t, ch, "after all were read")
}

// overrun completes more requests than its queue has room for, and looks at their effect alone.
func overrun(t *suite.T) {
	sends := must(t.Device().CreateCQEx(verbs.NewCQInitAttrEx(1, allStandard).Flags(verbs.CQFlagIgnoreOverrun)))(t)
	n := nearOn(t, newPD(t), far.RC, sends, newCQ(t))
	count := 2 * sends.Size()
	for i := range count {
		n.farRoom(8)
		n.send.WR(0).Send(uint64(i)).Add(n.sge(0, 8)).Flags(verbs.SendSignaled)
		n.post(1)
		n.farGot(fmt.Sprintf("message %d of %d, with room for %d", i, count, sends.Size()))
	}
	silent(t, "an overrun", t.Device())
}
