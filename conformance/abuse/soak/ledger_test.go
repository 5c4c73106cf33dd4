//go:build linux && cgo

package soak

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// op is one request, of a send queue or a receive. Its number is the ID of its completion.
type op struct {
	id       uint64
	opcode   verbs.WCOpcode // of its completion
	link     *link          // of a send request
	from, to *side
	lane     int
	slot     int // of the lane: where its data is
	size     int
	data     *memory // where the data comes to, at the target of its slot; nil for a message
	atomic   bool    // it changes the word of its lane
	signaled bool
	message  bool   // the other side gets a completion too
	count    bool   // it adds to the counter of a device
	old, new uint64 // the word of the lane, before and after it

	basin *basin // of a receive, with the chunk that the message comes to
	chunk int

	completed atomic.Int32
	failed    atomic.Bool
	delivered atomic.Int32 // completions of the other side
}

// ledger has the requests that may still complete.
type ledger struct {
	next atomic.Uint64
	ops  sync.Map // *op by its number
}

// enter gives a request its number. It is done before the post, since a completion may come before the post is back.
func (l *ledger) enter(o *op) {
	o.id = l.next.Add(1)
	l.ops.Store(o.id, o)
}

func (l *ledger) find(id uint64) *op {
	o, _ := l.ops.Load(id)
	found, _ := o.(*op)
	return found
}

// strike ends a request: another completion of it is one too many. A request that may still complete stays, for as long as the run.
func (l *ledger) strike(o *op) { l.ops.Delete(o.id) }

// completion is what a CQ and a reader have in common.
type completion struct {
	id     uint64
	status verbs.WCStatus
	opcode verbs.WCOpcode
	length uint32
	imm    uint32
	flags  verbs.WCFlag
	qpn    uint32
}

func (c completion) String() string {
	return fmt.Sprintf("completion of %d: %v, %v, %d bytes, immediate %#x, queue pair %#x", c.id, c.status, c.opcode, c.length, c.imm, c.qpn)
}

// settle counts a completion, and looks at what came with it.
func (s *soak) settle(c completion) {
	o := s.ledger.find(c.id)
	if o == nil {
		s.problem("%v: no such request is posted", c)
		return
	}
	good := c.status == verbs.WCStatusSuccess
	if !good {
		s.failed(o, c) // before it counts as completed
	}
	if n := o.completed.Add(1); n > 1 {
		s.problem("%v: it came %d times", c, n)
		return
	}
	if o.basin != nil {
		s.received(o, c, good)
		return
	}
	switch {
	case good && !o.signaled:
		s.problem("%v: it was not signaled", c)
	case good && c.opcode != o.opcode:
		s.problem("%v: it was posted as %v", c, o.opcode)
	case c.qpn != o.from.num:
		s.problem("%v: it was posted to queue pair %#x", c, o.from.num)
	}
}

// failed marks a request that ended with an error.
func (s *soak) failed(o *op, c completion) {
	o.failed.Store(true)
	switch {
	case o.basin == nil:
		s.counts.failed.Add(1)
		if !s.faults && !o.link.gone() {
			s.problem("%v: nothing explains the error", c)
		}
		o.link.broken.Store(true)
	case !s.faults && c.status != verbs.WCStatusWRFlushErr && !o.basin.gone(c.qpn):
		s.problem("%v: nothing explains the error of a receive", c)
	}
}

// received looks at a message, and marks the request that sent it.
func (s *soak) received(o *op, c completion, good bool) {
	b := o.basin
	defer b.free(o)
	if !good {
		return
	}
	var sent *op
	switch {
	case c.opcode == verbs.WCOpcodeRecvRDMAWithImm:
		sent = s.ledger.find(uint64(c.imm))
	case c.opcode == verbs.WCOpcodeRecv:
		sent = s.message(o, c)
	}
	switch {
	case sent == nil:
		if !b.gone(c.qpn) {
			s.problem("%v: no request sent this message", c)
		}
		return
	case sent.delivered.Add(1) > 1:
		s.problem("%v: the message of request %d came twice", c, sent.id)
	case c.qpn != sent.to.num:
		s.problem("%v: the message of request %d was for queue pair %#x", c, sent.id, sent.to.num)
	case c.flags&verbs.WCFlagWithImm != 0 && uint64(c.imm) != sent.id:
		s.problem("%v: the immediate data of request %d is wrong", c, sent.id)
	}
	s.counts.messages.Add(1)
}

// message reads what came to a chunk, and gives the request that sent it; nil if the checksum is wrong.
func (s *soak) message(o *op, c completion) *op {
	p := make([]byte, c.length)
	if o.basin.mem.read(p, o.chunk*chunkSize) != nil {
		return nil // it is closed
	}
	id, err := opened(p)
	if err != nil && c.flags&verbs.WCFlagGRH != 0 && len(p) > verbs.GRHSize {
		id, err = opened(p[verbs.GRHSize:]) // a datagram; the flag is set for others too
	}
	if err != nil {
		if !o.basin.gone(c.qpn) {
			s.problem("%v: %v", c, err)
		}
		return nil
	}
	return s.ledger.find(id)
}
