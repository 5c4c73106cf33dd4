package main

import (
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// prepare fills in the requests for one size, and returns their flags beside SendSignaled.
func (x *side) prepare(size int) (flags verbs.SendFlags) {
	if size <= x.inline {
		flags = verbs.SendInline
	}
	local, remote := x.mr.UncheckedSGE(0, uint32(size)), x.peer.Addr+x.peer.Half
	for i := range x.sends.Len() {
		w, id := x.sends.WR(i), uint64(i)
		switch x.kind() {
		case "write":
			w.Write(id, remote, x.peer.RKey)
		case "read":
			w.Read(id, remote, x.peer.RKey)
		case "send":
			w.Send(id)
		case "atomic":
			if x.swap {
				w.CompareSwap(id, remote, x.peer.RKey, 0, 1)
			} else {
				w.FetchAdd(id, remote, x.peer.RKey, 1)
			}
		}
		w.Add(local).Flags(flags | verbs.SendSignaled)
	}
	return flags
}

// last is the word with the last byte of a message.
type last struct {
	load  func() (uint32, error)
	store func(uint32) error
	shift int64 // of the byte in the word
}

// lastOf returns the last byte of a message at an offset of the memory.
func (x *side) lastOf(off uint64, size int) (last, error) {
	byteAt := int64(off) + int64(size) - 1
	word, shift := byteAt&^3, byteAt&3*8
	if x.dm != nil {
		return last{func() (uint32, error) { return x.dm.GetUint32(word) },
			func(v uint32) error { defer x.dm.Flush(); return x.dm.PutUint32(word, v) }, shift}, nil
	}
	at, err := x.buf.Uint32(uint64(word))
	return last{func() (uint32, error) { return at.Load(), nil }, func(v uint32) error { at.Store(v); return nil }, shift}, err
}

// put stores the whole word: what is behind the message is not sent.
func (l *last) put(v byte) error { return l.store(uint32(v) * 0x01010101) }

// writeLat has each side write when the last byte of the other's message has come. A round is two messages.
func (x *side) writeLat(size int, end time.Time) (*result, error) {
	x.prepare(size)
	out, err := x.lastOf(0, size)
	if err != nil {
		return nil, err
	}
	in, err := x.lastOf(x.half, size)
	if err != nil {
		return nil, err
	}
	if err := in.put(0); err != nil {
		return nil, err
	}
	if err := x.sync(); err != nil { // neither writes before both have cleared
		return nil, err
	}
	t := newTimes(x.iters, 2)
	var wcs [2]verbs.WC
	for i := 1; i <= x.iters; i++ {
		if !x.client {
			if err := x.await(&in, byte(i), end); err != nil {
				return nil, err
			}
		}
		if err := out.put(byte(i)); err != nil {
			return nil, err
		}
		t.mark()
		if err := x.once(wcs[:], 1, end); err != nil {
			return nil, err
		}
		if x.client {
			if err := x.await(&in, byte(i), end); err != nil {
				return nil, err
			}
		}
	}
	t.mark()
	return t.result(size), nil
}

// once posts the first request and waits until it has completed. The call that posts polls up to spins times.
func (x *side) once(wcs []verbs.WC, spins int, end time.Time) error {
	_, n, err := x.qp.PostAndPoll(x.sends.From(0, 1), x.cq, wcs, spins)
	if err == nil && n == 0 {
		n, err = x.poll(wcs, end)
	}
	if err == nil && n > 0 {
		err = wcs[0].Err()
	}
	return err
}

// await spins until the last byte of a message is there.
func (x *side) await(in *last, v byte, end time.Time) error {
	for i := 1; ; i++ {
		if got, err := in.load(); byte(got>>in.shift) == v || err != nil {
			return err
		}
		if i%(1<<16) == 0 {
			if err := x.late(end); err != nil {
				return err
			}
		}
	}
}

// sendLat has each side send when a message has come. A receive is posted for all that may come.
func (x *side) sendLat(size int, end time.Time) (*result, error) {
	x.prepare(size)
	t := newTimes(x.iters, 2)
	var wcs [4]verbs.WC
	came, went, posted := 0, 0, 0
	for came < x.iters || went < x.iters {
		n, sent := 0, 0
		var err error
		if answers := came; posted < x.iters && went == posted && (answers > posted || x.client && answers == posted) {
			t.mark()
			sent, n, err = x.qp.PostAndPoll(x.sends.From(0, 1), x.cq, wcs[:], 1)
			posted += sent
		}
		if err == nil && n == 0 {
			n, err = x.poll(wcs[:], end)
		}
		if err != nil {
			return nil, err
		}
		for i := range wcs[:n] {
			if err := wcs[i].Err(); err != nil {
				return nil, err
			}
			if wcs[i].ID != received {
				went++
				continue
			}
			came++
			if came+x.rxDepth <= x.iters {
				if _, err := x.qp.PostRecv(x.recvs, 1); err != nil {
					return nil, err
				}
			}
		}
	}
	t.mark()
	return t.result(size), nil
}

// askLat makes a READ or an atomic operation at a time.
func (x *side) askLat(size int, end time.Time) (*result, error) {
	x.prepare(size)
	t := newTimes(x.iters, 1)
	var wcs [1]verbs.WC
	for i := 1; i <= x.iters; i++ {
		t.mark()
		if err := x.once(wcs[:], 1000, end); err != nil {
			return nil, err
		}
	}
	t.mark()
	return t.result(size), nil
}

// received is the ID of receives; those of requests are smaller.
const received = 1 << 32

// postAll posts the receives of a test, as many as may come at once.
func (x *side) postAll(size int) error {
	n := min(x.rxDepth, x.iters)
	if x.client && !x.latency() {
		return nil
	}
	for i := range n {
		x.recvs.WR(i).Recv(received).Add(x.mr.UncheckedSGE(x.half, uint32(size)))
	}
	_, err := x.qp.PostRecv(x.recvs, n)
	return err
}
