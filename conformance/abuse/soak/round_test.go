//go:build linux && cgo

package soak

import (
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// round posts some requests in a lane of a connection, waits until all have completed, and looks at the data.
func (w *worker) round(l *link) {
	var lane int
	select {
	case lane = <-l.lanes:
	default:
		w.pause()
		return
	}
	defer func() { l.lanes <- lane }()
	from, to := l.a, l.b
	if l.typ != verbs.QPTypeXRCSend && w.rng.IntN(2) == 0 {
		from, to = to, from
	}
	ops := w.build(l, from, to, lane)
	if len(ops) == 0 {
		return
	}
	first := w.sign(ops)
	posted := w.post(from, first, len(ops))
	for _, o := range ops[posted:] {
		w.withdraw(o)
	}
	if ops = ops[:posted]; posted == 0 {
		return
	}
	if !ops[posted-1].signaled {
		w.soak.problem("%d requests were posted, of %d and then %d", posted, first, posted-first)
		return
	}
	w.soak.counts.rounds.Add(1)
	w.soak.counts.requests.Add(int64(posted))
	switch w.poll(l, []*queue{from.send, to.recv}[:1+min(1, messages(ops))], func() bool { return settled(l, ops) }) {
	case done:
		w.verify(l, ops)
	case missing:
		for _, o := range ops {
			if !o.settled(l.broken.Load()) {
				w.soak.counts.lost.Add(1)
			}
		}
	}
	for _, o := range ops {
		if o.count {
			if o.completed.Load() > 0 && !o.failed.Load() {
				to.hub.counted.Add(1)
			} else {
				to.hub.perhaps.Add(1)
			}
		}
		if !l.gone() || o.signaled && o.completed.Load() > 0 && !o.message {
			w.soak.ledger.strike(o)
		}
	}
}

func messages(ops []*op) (n int) {
	for _, o := range ops {
		if o.message {
			n++
		}
	}
	return n
}

// settled reports whether nothing more is to come for requests.
func settled(l *link, ops []*op) bool {
	broken := l.broken.Load()
	for _, o := range ops {
		if !o.settled(broken) {
			return false
		}
	}
	return true
}

func (o *op) settled(broken bool) bool {
	return (!o.signaled || o.completed.Load() > 0) && (!o.message || broken || o.delivered.Load() > 0)
}

// sign has some requests signaled, and the last one of each of two posts. It returns where the first post ends.
func (w *worker) sign(ops []*op) (first int) {
	first = len(ops)
	if w.rng.IntN(2) == 0 {
		first = w.rng.IntN(len(ops) + 1)
	}
	for i, o := range ops {
		if o.signaled = w.rng.IntN(3) == 0 || i == first-1 || i == len(ops)-1; o.signaled {
			w.sends.WR(i).Flags(verbs.SendSignaled)
		}
	}
	return first
}

// post posts requests up to first, and then those up to n, as a stream if the queue pair has one. It returns how many were posted.
func (w *worker) post(s *side, first, n int) int {
	plain := s.qp.PostSendRange
	if s.stream != nil && w.rng.IntN(4) > 0 {
		plain = s.stream.PostRange
	}
	posted, err := plain(w.sends.From(0, first))
	if err == nil && first < n {
		var more int
		more, err = plain(w.sends.From(first, n-first))
		posted += more
	}
	if err == nil && posted != n {
		w.soak.problem("a post of %d requests returns %d without an error", n, posted)
	}
	w.soak.ok("a post", err)
	return posted
}

// withdraw ends a request that was not posted.
func (w *worker) withdraw(o *op) {
	w.soak.ledger.strike(o)
	if o.completed.Load() > 0 || o.delivered.Load() > 0 {
		w.soak.problem("request %d was not posted, and completed", o.id)
	}
	if o.message {
		o.to.basin.give(1)
	}
}

// build fills the worker's batch with random requests; the last one is signaled.
func (w *worker) build(l *link, from, to *side, lane int) (ops []*op) {
	n := 1 + w.rng.IntN(slots)
	room := to.basin.reserve(w, w.rng.IntN(n+1))
	word, err := uint64(0), error(nil)
	if to.mem != nil {
		if word, err = to.mem.word(counter(lane)); err != nil {
			n = 0
		}
	}
	for i := range n {
		o := &op{link: l, from: from, to: to, lane: lane, slot: i}
		kind := w.choose(l.typ, room > 0)
		if kind == nothing {
			break
		}
		if o.message = kind == send || kind == sendImm || kind == writeImm; o.message {
			room--
		}
		w.soak.ledger.enter(o)
		if !w.fill(o, kind, &word) {
			w.withdraw(o)
			break
		}
		ops = append(ops, o)
	}
	to.basin.give(room)
	return ops
}

// kind is a kind of request.
type kind int

const (
	nothing kind = iota
	send
	sendImm
	writeImm
	write
	read
	fetchAdd
	compareSwap
	count
)

// choose picks a request that a connection can do; messages only if there is a receive for them.
func (w *worker) choose(typ verbs.QPType, room bool) kind {
	switch {
	case typ == verbs.QPTypeRC && room:
		return send + kind(w.rng.IntN(int(count)))
	case typ == verbs.QPTypeRC:
		return write + kind(w.rng.IntN(int(count-write)+1))
	case typ == verbs.QPTypeUC && room:
		return send + kind(w.rng.IntN(3))
	case room:
		return send + kind(w.rng.IntN(2))
	}
	return nothing
}

// fill makes request number o.slot of the batch, with its data.
func (w *worker) fill(o *op, k kind, word *uint64) bool {
	wr, near := w.sends.WR(o.slot), o.from.mem
	if k == count && o.to.own {
		k = fetchAdd // only requests of its domain reach the counter
	}
	switch k {
	case fetchAdd, compareSwap, count:
		return w.fillAtomic(o, k, word)
	case read:
		return w.fillRead(o)
	}
	most := dataSize
	if o.link.typ == verbs.QPTypeUD {
		most = 1024
	}
	short := w.rng.IntN(4) == 0
	if short {
		most = inline
	}
	data := sealed(w.rng, o.id, headSize+w.rng.IntN(most-headSize+1))
	o.size = len(data)
	switch k {
	case send:
		wr.Send(o.id)
		o.opcode = verbs.WCOpcodeSend
	case sendImm:
		wr.SendImm(o.id, uint32(o.id))
		o.opcode = verbs.WCOpcodeSend
	case write, writeImm:
		o.opcode, o.data = verbs.WCOpcodeRDMAWrite, o.to.mem
		if remote, rkey := o.to.mem.remote(target(o.lane, o.slot)), o.to.mem.mr.RKey(); k == write {
			wr.Write(o.id, remote, rkey)
		} else {
			wr.WriteImm(o.id, remote, rkey, uint32(o.id))
		}
	}
	if short {
		wr.InlineData(data)
	} else if near.write(data, source(o.lane, o.slot)) != nil {
		return false
	} else {
		cut := w.rng.IntN(len(data))
		wr.Add(near.mr.UncheckedSGE(uint64(source(o.lane, o.slot)), uint32(cut)))
		wr.Add(near.mr.UncheckedSGE(uint64(source(o.lane, o.slot)+cut), uint32(len(data)-cut)))
	}
	return w.address(o, wr)
}

// address names the receiver, where a connection does not.
func (w *worker) address(o *op, wr verbs.SendWR) bool {
	switch o.link.typ {
	case verbs.QPTypeUD:
		return w.soak.ok("AH.Address", o.from.ah.Address(wr, o.to.num, qkey))
	case verbs.QPTypeXRCSend:
		wr.ToSRQ(o.to.srqn)
	}
	return true
}

func (w *worker) fillRead(o *op) bool {
	data := sealed(w.rng, o.id, headSize+w.rng.IntN(dataSize-headSize+1))
	at := source(o.lane, o.slot)
	o.size, o.opcode, o.data = len(data), verbs.WCOpcodeRDMARead, o.from.mem
	w.sends.WR(o.slot).Read(o.id, o.to.mem.remote(at), o.to.mem.mr.RKey()).
		Add(o.from.mem.mr.UncheckedSGE(uint64(target(o.lane, o.slot)), uint32(len(data))))
	return o.to.mem.write(data, at) == nil
}

func (w *worker) fillAtomic(o *op, k kind, word *uint64) bool {
	wr, m := w.sends.WR(o.slot), o.to.mem
	o.opcode, o.atomic, o.old, o.new = verbs.WCOpcodeFetchAdd, true, *word, *word
	switch k {
	case count:
		m, o.count, o.atomic = o.to.hub.counter, true, false
		wr.FetchAdd(o.id, m.remote(0), m.mr.RKey(), 1)
	case fetchAdd:
		add := w.rng.Uint64()
		o.new += add
		wr.FetchAdd(o.id, m.remote(counter(o.lane)), m.mr.RKey(), add)
	default:
		o.opcode = verbs.WCOpcodeCompSwap
		compare, swap := o.old, w.rng.Uint64()
		if w.rng.IntN(4) == 0 {
			compare++
		} else {
			o.new = swap
		}
		wr.CompareSwap(o.id, m.remote(counter(o.lane)), m.mr.RKey(), compare, swap)
	}
	*word = o.new
	wr.Add(o.from.mem.mr.UncheckedSGE(uint64(fetched(o.lane, o.slot)), 8))
	return true
}

// verify compares memory with what the requests that succeeded do.
func (w *worker) verify(l *link, ops []*op) {
	broken := l.broken.Load() // then a request that was not signaled may have failed
	var last *op
	for _, o := range ops {
		if o.failed.Load() || broken && !o.signaled || o.message && o.delivered.Load() == 0 {
			continue
		}
		if o.atomic {
			if got, err := o.from.mem.word(fetched(o.lane, o.slot)); err == nil && got != o.old {
				w.soak.problem("request %d, %v, fetched %#x; the word was %#x", o.id, o.opcode, got, o.old)
			}
			last = o
		}
		if o.data == nil {
			continue
		}
		p := make([]byte, o.size)
		if o.data.read(p, target(o.lane, o.slot)) != nil {
			continue // it is closed
		}
		if id, err := opened(p); err != nil || id != o.id {
			w.soak.problem("request %d, %v of %d bytes: its data is that of %d: %v", o.id, o.opcode, o.size, id, err)
		}
	}
	if last == nil || broken {
		return
	}
	if got, err := last.to.mem.word(counter(last.lane)); err == nil && got != last.new {
		w.soak.problem("after request %d the word is %#x, want %#x", last.id, got, last.new)
	}
}
