//go:build linux && cgo

// Package dptest is a provider in C with a queue pair, a completion queue and a completion channel that do nothing but
// notice and answer what a test asks for, and the loops in C that a benchmark compares with. It is for tests of dpath
// and must not know dpath.
package dptest

/*
#include <stdlib.h>
#include "provider.h"
*/
import "C"

import (
	"errors"
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// How is what posts do with requests.
type How int

const (
	Nothing How = C.DP_NOTHING // do not even look at them
	Walk    How = C.DP_WALK    // read all of the chain and write queue entries
	Record  How = C.DP_RECORD  // keep what they said, for Seen
	Pause   How = C.DP_PAUSE   // wait for Resume, before anything else
	Linger  How = C.DP_LINGER  // look at the queue and the requests for some microseconds
)

// Slots is how many requests or completions a provider holds at most.
const Slots = C.DP_SLOTS

// Provider is one provider with its objects. It belongs to one goroutine, but for its channel.
type Provider struct {
	c               *C.struct_dp_provider
	qp, cq, srq, wq gate.Gate
}

// New makes a provider. The caller calls Close.
func New() (*Provider, error) {
	c := C.dp_new()
	if c == nil {
		return nil, errors.New("no provider: out of memory or files")
	}
	p := &Provider{c: c}
	p.qp.Open(unsafe.Pointer(&c.qp))
	p.cq.Open(p.CQObject())
	p.srq.Open(unsafe.Pointer(&c.srq))
	p.wq.Open(unsafe.Pointer(&c.wq))
	return p, nil
}

// Close frees the provider and closes its channel.
func (p *Provider) Close() { C.dp_free(p.c) }

// QP, CQ, SRQ and WQ return open gates of the queues, CQObject and Channel C objects.
func (p *Provider) QP() *gate.Gate           { return &p.qp }
func (p *Provider) CQ() *gate.Gate           { return &p.cq }
func (p *Provider) SRQ() *gate.Gate          { return &p.srq }
func (p *Provider) WQ() *gate.Gate           { return &p.wq }
func (p *Provider) CQObject() unsafe.Pointer { return unsafe.Pointer(&p.c.cq) }
func (p *Provider) Channel() unsafe.Pointer  { return unsafe.Pointer(&p.c.channel) }

// CQContext returns the cq_context of the queue.
func (p *Provider) CQContext() uintptr { return uintptr(p.c.cq.cq_context) }

// Datagrams makes the queue pair one for unreliable datagrams.
func (p *Provider) Datagrams() { p.c.qp.qp_type = C.IBV_QPT_UD }

// Posts chooses what posts do, and forgets what was seen.
func (p *Provider) Posts(how How) {
	p.c.how, p.c.seen_count, p.c.posts = C.enum_dp_how(how), 0, 0
	p.c.refuse, p.c.silent, p.c.astray, p.c.code, p.c.err = -1, 0, 0, 0, 0
}

// Refuse has posts answer code with errno left as err at request number wr.
func (p *Provider) Refuse(wr, code int, err syscall.Errno) {
	p.c.refuse, p.c.code, p.c.err = C.int(wr), C.int(code), C.int(err)
}

// Mislead has posts that refuse give another bad request: none for 0.
func (p *Provider) Mislead(bad uintptr) {
	p.c.silent, p.c.astray = 0, C.uint64_t(bad)
	if bad == 0 {
		p.c.silent = 1
	}
}

// Inside returns how many posts pause. Any goroutine may call it, and Resume.
func (p *Provider) Inside() int { return int(C.dp_inside(p.c)) }

// Resume ends the pause of posts, also of later ones; with false, later posts pause again.
func (p *Provider) Resume(on bool) {
	var c C.int
	if on {
		c = 1
	}
	C.dp_resume(p.c, c)
}

// Calls returns how often posts and polls were made.
func (p *Provider) Calls() (posts, polls int) { return int(p.c.posts), int(p.c.polls) }

// Walked returns how many requests posts walked. It counts too few when two posts walk at once.
func (p *Provider) Walked() int { return int(p.c.head) }

// SGE is an element as C saw it.
type SGE struct {
	Addr         uint64
	Length, LKey uint32
}

// Seen is a request as C saw it: every member of the unions is read.
type Seen struct {
	ID, Remote, Compare, Swap                       uint64
	Opcode, Flags, Imm, RKey, AtomicRKey, QPN, QKey uint32
	AH                                              uint64
	SGEs                                            []SGE
}

// Seen returns the requests that were posted, 4 elements of each.
func (p *Provider) Seen() []Seen {
	all := make([]Seen, p.c.seen_count)
	for i := range all {
		s := &p.c.seen[i]
		all[i] = Seen{ID: uint64(s.id), Remote: uint64(s.remote), Compare: uint64(s.compare), Swap: uint64(s.swap),
			Opcode: uint32(s.opcode), Flags: uint32(s.flags), Imm: uint32(s.imm), RKey: uint32(s.rkey),
			AtomicRKey: uint32(s.atomic_rkey), QPN: uint32(s.qpn), QKey: uint32(s.qkey), AH: uint64(s.ah)}
		for _, e := range s.sges[:s.num] {
			all[i].SGEs = append(all[i].SGEs, SGE{uint64(e.addr), uint32(e.length), uint32(e.lkey)})
		}
	}
	return all
}

// Complete puts n completions into the queue after empty polls that find nothing. Number i has ids from first on, and in each
// field another number that tells the field. With forever set they stay.
func (p *Provider) Complete(first uint64, n, empty int, forever bool) {
	p.c.ready, p.c.empty, p.c.answer, p.c.beyond, p.c.polls, p.c.forever = C.int(n), C.int(empty), 0, 0, 0, 0
	if forever {
		p.c.forever = 1
	}
	for i := range n {
		C.dp_complete(p.c, C.int(i), C.uint64_t(first)+C.uint64_t(i))
	}
}

// Idle has polls find nothing for ever, uncounted.
func (p *Provider) Idle() { C.dp_idle(p.c) }

// Break has polls answer code, when it is below 0, or more completions than there were.
func (p *Provider) Break(code, beyond int) { p.c.answer, p.c.beyond = C.int(code), C.int(beyond) }

// Notified returns how often events were asked for and whether the last time was for solicited ones only.
func (p *Provider) Notified() (times, solicited int) { return int(p.c.notifies), int(p.c.solicited) }

// Feed puts events of the queue into the channel.
func (p *Provider) Feed(times int) { C.dp_feed(p.c, &p.c.cq, C.int(times)) }

// NoErrno has a call fail with EINTR and, when it is repeated, without an errno, as a read of the wrong length does.
const NoErrno syscall.Errno = C.DP_NO_ERRNO

// FailEvent has the next ibv_get_cq_event fail.
func (p *Provider) FailEvent(err syscall.Errno) { p.c.event_err = C.int(err) }

// Acked returns how many events were acknowledged.
func (p *Provider) Acked() int { return int(C.dp_acked(p.c)) }

// Functions returns the addresses of ibv_get_cq_event and ibv_ack_cq_events.
func Functions() (getEvent, ackEvents uintptr) {
	return uintptr(C.dp_functions.get_event), uintptr(C.dp_functions.ack_events)
}

// Context returns the struct ibv_context.
func (p *Provider) Context() unsafe.Pointer { return unsafe.Pointer(&p.c.context) }

// FeedAsync has an asynchronous event come: its type, and the address of an object or the number of a port.
func (p *Provider) FeedAsync(typ uint32, element uintptr) {
	C.dp_feed_async(p.c, C.int(typ), C.uintptr_t(element))
}

// FailAsync has the next ibv_get_async_event fail.
func (p *Provider) FailAsync(err syscall.Errno) { p.c.async_err = C.int(err) }

// AckedAsync returns the event that was acknowledged last, by any provider.
func (p *Provider) AckedAsync() (typ uint32, element uintptr) {
	e := C.dp_acked_async()
	return uint32(e.event_type), uintptr(C.dp_async_element(e))
}

// AsyncFunctions returns the addresses of ibv_get_async_event and ibv_ack_async_event.
func AsyncFunctions() (getEvent, ackEvent uintptr) {
	return uintptr(C.dp_functions.get_async), uintptr(C.dp_functions.ack_async)
}

// SetFD changes the file of the channel and gives the one before.
func (p *Provider) SetFD(fd int) int {
	old := p.c.channel.fd
	p.c.channel.fd = C.int(fd)
	return int(old)
}

// The loops post chains of n requests, or poll for n completions, times over, in C.

func (p *Provider) LoopBuilt(n, times int) { C.dp_loop_built(p.c, C.int(n), C.long(times)) }
func (p *Provider) LoopBoth(n, room, times int) {
	C.dp_loop_both(p.c, C.int(n), C.int(room), C.long(times))
}
func (p *Provider) LoopPoll(n, times int) uint64 {
	return uint64(C.dp_loop_poll(p.c, C.int(n), C.long(times)))
}
func (p *Provider) LoopSpin(n, tries, times int) int {
	return int(C.dp_loop_spin(p.c, C.int(n), C.int(tries), C.long(times)))
}
