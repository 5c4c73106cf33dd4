//go:build linux && cgo

package soak

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// queue is a CQ that goroutines poll in several ways.
type queue struct {
	cq      *verbs.CQ
	reader  *verbs.CQReader    // of an extended one
	channel *verbs.CompChannel // or nil
}

// poll settles some completions, and returns their number.
func (q *queue) poll(w *worker) (n int, err error) {
	switch {
	case q.channel != nil && w.rng.IntN(32) == 0:
		return 0, q.wait(w.soak)
	case q.reader != nil:
		if n, err = q.reader.PollSpin(w.wcx[:1+w.rng.IntN(len(w.wcx))], 1+w.rng.IntN(50)); err != nil {
			return 0, err
		}
		for _, c := range w.wcx[:n] {
			w.soak.settle(completion{c.ID, c.Status, c.Opcode, c.ByteLen, c.ImmData, c.Flags, c.QPNum})
		}
	default:
		if n, err = q.cq.PollSpin(w.wcs[:1+w.rng.IntN(len(w.wcs))], 1+w.rng.IntN(50)); err != nil {
			return 0, err
		}
		for _, c := range w.wcs[:n] {
			w.soak.settle(completion{c.ID, c.Status, c.Opcode, c.ByteLen, c.ImmData, c.Flags, c.QPNum})
		}
	}
	return n, nil
}

// wait sleeps until an event comes, or for a moment.
func (q *queue) wait(s *soak) error {
	if err := q.cq.ReqNotify(false); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	ev, err := q.channel.Next(ctx)
	if err == nil {
		ev.Done()
	} else if ctx.Err() != nil {
		err = nil
	}
	return err
}

// newQueue makes a CQ, plain or extended.
func newQueue(dev *verbs.Device, cqe int, ch *verbs.CompChannel, extended bool) (q *queue, err error) {
	q = &queue{channel: ch}
	if !extended {
		q.cq, err = dev.CreateCQ(cqe, ch, 0)
		return q, err
	}
	const fields = verbs.WCFieldByteLen | verbs.WCFieldImm | verbs.WCFieldQPNum
	attr := verbs.NewCQInitAttrEx(uint32(cqe), fields)
	if ch != nil {
		attr.Channel(ch)
	}
	if q.cq, err = dev.CreateCQEx(attr); err != nil {
		return nil, err
	}
	q.reader, err = q.cq.Reader(fields)
	return q, err
}

// chunkSize is the room for one message and the header of a datagram.
const chunkSize = 1600

// basin is where receives are posted: a queue pair's own queue, or a shared one. A sender first makes sure that there is one for it.
type basin struct {
	soak *soak
	post func(b *verbs.RecvBatch, n int) (int, error)
	mem  *memory
	gone func(num uint32) bool // a receive for the queue pair may fail

	mu     sync.Mutex
	chunks []int // free ones
	spare  int   // receives that are posted and for no sender
	out    atomic.Int64
}

func newBasin(s *soak, m *memory, chunks int, gone func(num uint32) bool, post func(b *verbs.RecvBatch, n int) (int, error)) *basin {
	b := &basin{soak: s, post: post, mem: m, gone: gone}
	for i := range chunks {
		b.chunks = append(b.chunks, i)
	}
	return b
}

// reserve makes sure of receives for up to n messages, and returns for how many.
func (b *basin) reserve(w *worker, n int) int {
	b.mu.Lock()
	have := min(b.spare, n)
	b.spare -= have
	take := min(n-have, len(b.chunks))
	ops := make([]*op, take)
	for i := range ops {
		ops[i] = &op{basin: b, chunk: b.chunks[len(b.chunks)-1-i]}
	}
	b.chunks = b.chunks[:len(b.chunks)-take]
	b.mu.Unlock()
	if take == 0 {
		return have
	}
	for i, o := range ops {
		w.soak.ledger.enter(o)
		w.recvs.WR(i).Recv(o.id).Add(b.mem.mr.UncheckedSGE(uint64(o.chunk*chunkSize), chunkSize))
	}
	b.out.Add(int64(take))
	posted, err := b.post(w.recvs, take)
	if !w.soak.explained(err) {
		w.soak.problem("a post of receives: %v", err)
	}
	for _, o := range ops[posted:] {
		w.withdraw(o)
		b.free(o)
	}
	return have + posted
}

// give gives back what no message will use.
func (b *basin) give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spare += n
}

// free ends a receive: its chunk can be used again.
func (b *basin) free(o *op) {
	b.soak.ledger.strike(o)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.chunks = append(b.chunks, o.chunk)
	b.out.Add(-1)
}
