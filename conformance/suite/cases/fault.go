//go:build linux && cgo

package cases

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// answerDeadline is how long a case waits for a completion that has to come, on a slow machine too.
const answerDeadline = 15 * time.Second

// faults are the ways in which a connection fails: each ends in a status, an errno or an event, within the case's own time,
// and afterwards a new connection works on the same device. Sets of answers are those of soft-RoCE in Linux 6.1, 6.12 and 7.2;
// where the InfiniBand specification has another one, the set holds it too, and the case says so.
func faults() []suite.Case {
	return slices.Concat(faultAccess(), faultPeer(), faultPost(), faultState(), faultQueue(), faultBusy(), faultQuiet())
}

// fault is a case of the family.
func fault(n int, title, page string, run func(*suite.T), needs ...suite.Capability) suite.Case {
	return of(id("fault", n), title, page, run, append(needs, suite.Peer)...)
}

// pair is a connection of the device under test with the peer device or with itself, its ends in two contexts, and room for
// requests.
type pair struct {
	t         *suite.T
	place     link.Place // of the far end
	near, far *link.End
	send      *verbs.SendBatch
	recv      *verbs.RecvBatch
}

// nearPlace is the device under test.
func nearPlace(t *suite.T) link.Place { return link.Place{Device: t.Device(), Port: t.Port()} }

// farPlace is the device of the far end, in a context of its own.
func farPlace(t *suite.T) link.Place {
	dev, port := t.FarSide()
	return link.Place{Device: dev, Port: port}
}

// connect returns a pair whose far end has a context of its own.
func connect(t *suite.T, cfg link.Config) *pair { return connectTo(t, farPlace(t), cfg) }

// connectTo returns a pair whose far end is in a context that is open already.
func connectTo(t *suite.T, place link.Place, cfg link.Config) *pair {
	p := batches(t, place)
	var err error
	p.near, p.far, err = cfg.Pair(nearPlace(t), place)
	needed(t, "a connection", err)
	copy(p.near.Buf, bytes.Repeat([]byte{0xa5}, link.Size))
	copy(p.far.Buf, bytes.Repeat([]byte{0x5a}, link.Size))
	return p
}

// batches returns room for requests that ends with the case, and the place of the far end.
func batches(t *suite.T, place link.Place) *pair {
	return &pair{t: t, place: place, send: sends(t, 8, 1), recv: recvs(t, 8, 1)}
}

// recovers shows something on a connection that shape changes, and that a new one works afterwards.
func recovers(run func(p *pair), shape ...func(*link.Config)) func(*suite.T) {
	return func(t *suite.T) {
		cfg := patient()
		for _, f := range shape {
			f(&cfg)
		}
		p := connect(t, cfg)
		run(p)
		p.recovered()
	}
}

// impatient is a connection that gives a lost answer up after some 20 ms. Only for peers that never answer: a slow machine
// may answer later than that.
func impatient() link.Config {
	c := patient()
	c.Patience = link.Patience{Timeout: 10, Retries: 2}
	return c
}

// patient is a connection of which no answer is given up too early, whose ends wait long enough for those that come.
func patient() link.Config {
	c := link.Default()
	c.Timeout, c.RNRRetry, c.Deadline = 17, 1, answerDeadline
	return c
}

// local is an element of the near end's memory.
func (p *pair) local(w verbs.SendWR) verbs.SendWR {
	return w.Add(p.near.MR.UncheckedSGE(0, 8))
}

// at is the start of the far end's memory.
func (p *pair) at() uint64 { return p.far.MR.IOVA() }

// post posts the first n send requests of the near end.
func (p *pair) post(n int) {
	whole(p.t, "a post", n)(p.near.QP.PostSend(p.send, n))
}

// Receives go to the middle of an end's memory.
const inbox, inboxSize = link.Size / 2, 64

// receive posts a receive of some bytes with an id at an end.
func (p *pair) receive(e *link.End, id uint64, length uint32) {
	p.receiveAt(e, id, uint64(e.MR.Addr())+inbox, length, e.MR.LKey())
}

// receiveAt posts a receive into any place.
func (p *pair) receiveAt(e *link.End, id, addr uint64, length, lkey uint32) {
	p.recv.WR(0).Recv(id).SGE(addr, length, lkey)
	whole(p.t, "posting a receive", 1)(e.QP.PostRecv(p.recv, 1))
}

// wait returns the next n completions of an end.
func (p *pair) wait(e *link.End, n int) []verbs.WC {
	var out []verbs.WC
	for range n {
		wc, err := e.Wait()
		if err != nil {
			p.t.Fatalf("completion %d of %d, after %s: %v", len(out)+1, n, told(out), err)
		}
		out = append(out, wc)
	}
	return out
}

// told writes completions for an error.
func told(wcs []verbs.WC) string {
	var out []string
	for _, wc := range wcs {
		out = append(out, fmt.Sprintf("id %d status %d", wc.ID, wc.Status))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// ended checks that completion wcs[i] is of request id and has one of the statuses.
func (p *pair) ended(what string, wcs []verbs.WC, i int, id uint64, set ...verbs.WCStatus) {
	if wcs[i].ID != id {
		p.t.Errorf("%s: completion %d is of request %d, want %d: %s", what, i, wcs[i].ID, id, told(wcs))
	}
	p.t.Status(what, wcs[i].Status, set...)
}

// one posts the first request of the near end, with the id 1, and checks how it completes.
func (p *pair) one(what string, set ...verbs.WCStatus) {
	p.post(1)
	p.ended(what, p.wait(p.near, 1), 0, 1, set...)
}

// two posts the first two, of which the second must be flushed.
func (p *pair) two(what string, set ...verbs.WCStatus) {
	p.post(2)
	wcs := p.wait(p.near, 2)
	p.ended(what, wcs, 0, 1, set...)
	p.ended("the one behind it", wcs, 1, 2, verbs.WCStatusWRFlushErr)
}

// allEnded checks that completions are of requests 0, 1, … and have all one status. It notes none of them: how many there are
// is the device's affair.
func (p *pair) allEnded(what string, wcs []verbs.WC, status verbs.WCStatus) {
	for i, wc := range wcs {
		if wc.ID != uint64(i) || wc.Status != status {
			p.t.Errorf("%s: completion %d is of request %d with status %d, want %d: %s", what, i, wc.ID, wc.Status, status, told(wcs))
			return
		}
	}
}

// recovered checks that a new connection works on the same two contexts.
func (p *pair) recovered() {
	n := connectTo(p.t, p.place, patient())
	n.local(n.send.WR(0).Write(1, n.at(), n.far.MR.RKey())).Flags(verbs.SendSignaled)
	n.one("a write on a new connection", verbs.WCStatusSuccess)
	holds(p.t, "a write on a new connection", n.far.Buf[:8], n.near.Buf[:8])
}

// in checks the state of an end's queue pair.
func (p *pair) in(what string, e *link.End, set ...verbs.QPState) {
	info, _, err := e.QP.Query(verbs.QPFieldState)
	needed(p.t, what, err)
	p.t.Note(what, info.State.String())
	if !slices.Contains(set, info.State) {
		p.t.Errorf("%s is in %v, want %v", what, info.State, set)
	}
}

// untouched checks that nothing was written to the far end, but what receives are for.
func (p *pair) untouched() {
	want := bytes.Repeat([]byte{0x5a}, link.Size)
	copy(want[inbox:inbox+inboxSize], p.far.Buf[inbox:])
	holds(p.t, "the peer's memory after a request that failed", p.far.Buf, want)
}

// answers checks that a call was refused by a rule, or failed with one of the errnos.
func answers(t *suite.T, what string, err error, set ...syscall.Errno) {
	if suite.Refused(err) != nil {
		t.Saw(what, err)
		return
	}
	t.Errno(what, err, set...)
}
