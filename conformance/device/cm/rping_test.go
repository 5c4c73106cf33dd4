//go:build linux && cgo

package cm

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// How long rping plays. In each round the client announces a text, which the server reads; then a place, where the server writes the
// text. The server says after each that it is done.
const (
	rpingCount = 20
	rpingSize  = 60
	rpingInfo  = 16 // bytes of a message: address, key and length, in network byte order
)

// pinger is one end of the game. In the memory of its queue pair are a message that comes, one that goes, the text and its echo.
type pinger struct {
	*end
	lent *verbs.MR // of the same memory, for the peer; nil of a server
}

// Places of a pinger's memory. There are two receives, as the peer may send before the first is posted again.
const (
	atIn, atOut  = 0, 2 * rpingInfo
	atText, atTo = 1024, 2048
)

// newPinger posts the receives of a queue pair that is not connected yet.
func newPinger(t *testing.T, e *end) *pinger {
	t.Helper()
	for i := range 2 {
		receive(t, e, uint64(i), atIn+i*rpingInfo, rpingInfo)
	}
	return &pinger{end: e}
}

// tell sends a message that names memory of this end.
func (p *pinger) tell(t *testing.T, off, n int) {
	t.Helper()
	out := p.buf.Bytes()[atOut:][:rpingInfo]
	binary.BigEndian.PutUint64(out, uint64(p.buf.Addr())+uint64(off))
	if p.lent != nil {
		binary.BigEndian.PutUint32(out[8:], p.lent.RKey())
	}
	binary.BigEndian.PutUint32(out[12:], uint32(n))
	post(t, p.end, atOut, rpingInfo, func(w verbs.SendWR) verbs.SendWR { return w.Send(2) })
}

// told waits for a message, and for the completion of the send before it, and returns the memory that the message names.
func (p *pinger) told(t *testing.T, sent int) (addr uint64, key, n uint32) {
	t.Helper()
	for got := false; !got || sent > 0; {
		switch wc := completed(t, p.end); wc.Opcode {
		case verbs.WCOpcodeRecv:
			if wc.ByteLen != rpingInfo || got {
				t.Fatalf("a message of %d bytes", wc.ByteLen)
			}
			in := p.buf.Bytes()[atIn+wc.ID*rpingInfo:][:rpingInfo]
			addr, key, n = binary.BigEndian.Uint64(in), binary.BigEndian.Uint32(in[8:]), binary.BigEndian.Uint32(in[12:])
			receive(t, p.end, wc.ID, atIn+int(wc.ID)*rpingInfo, rpingInfo)
			got = true
		default:
			sent--
		}
	}
	return addr, key, n
}

// text is what rping announces in a round, with its final zero.
func text(round, n int) string {
	s := fmt.Sprintf("rdma-ping-%d: ", round)
	for c := byte('A' + round%('z'-'A'+1)); len(s) < n-1; c++ {
		if c > 'z' {
			c = 'A'
		}
		s += string(c)
	}
	return s + "\x00"
}

// serve plays the server of rping.
func (p *pinger) serve(t *testing.T) {
	t.Helper()
	for round := range rpingCount {
		sent := min(round, 1)
		addr, key, n := p.told(t, sent)
		post(t, p.end, atText, int(n), func(w verbs.SendWR) verbs.SendWR { return w.Read(3, addr, key) })
		completed(t, p.end)
		if got, want := string(p.buf.Bytes()[atText:][:n]), text(round, rpingSize); got != want {
			t.Fatalf("round %d: read %q, want %q", round, got, want)
		}
		p.tell(t, 0, 0)
		addr, key, _ = p.told(t, 1)
		post(t, p.end, atText, int(n), func(w verbs.SendWR) verbs.SendWR { return w.Write(4, addr, key) })
		completed(t, p.end)
		p.tell(t, 0, 0)
	}
	completed(t, p.end)
}

// ask plays the client of rping.
func (p *pinger) ask(t *testing.T) {
	t.Helper()
	for round := range rpingCount {
		want := text(round, rpingSize)
		copy(p.buf.Bytes()[atText:], want)
		clear(p.buf.Bytes()[atTo:][:rpingSize])
		p.tell(t, atText, rpingSize)
		p.told(t, 1)
		p.tell(t, atTo, rpingSize)
		p.told(t, 1)
		if got := string(p.buf.Bytes()[atTo:][:rpingSize]); got != want {
			t.Fatalf("round %d: the peer wrote %q, want %q", round, got, want)
		}
	}
}

func (p *pinger) close(t *testing.T) {
	t.Helper()
	if p.lent != nil {
		check(t, p.lent.Close())
	}
	p.end.close(t)
	check(t, p.dev.Close())
}

// TestRpingConnects has the C program connect to a server in Go, once as it usually does and once with a queue pair that it made itself. It
// compares what the server wrote.
func TestRpingConnects(t *testing.T) {
	for _, more := range []string{"-V", "-Vq"} {
		t.Run(more, func(t *testing.T) {
			b := kernelBed(t)
			c := b.channel(t)
			_, at := b.listen(t, c)
			args := []string{"-c", "-a", b.server.String(), "-I", b.client.String(),
				"-p", strconv.Itoa(int(at.Port())), "-C", strconv.Itoa(rpingCount), "-S", strconv.Itoa(rpingSize), "-v", more}
			cmd, said := peer(t, "rping", args...)
			p := newPinger(t, newEnd(t, next(t, c, rdmacm.EventTypeConnectRequest).ID))
			check(t, p.id.Accept(rdmacm.ConnAttr{ResponderResources: 1, InitiatorDepth: 1, RNRRetryCount: 7}))
			next(t, c, rdmacm.EventTypeEstablished)
			p.serve(t)
			next(t, c, rdmacm.EventTypeDisconnected)
			check(t, p.id.Disconnect())
			ended(t, cmd, said)
			showed(t, said, "ping data: ")
			p.close(t)
		})
	}
}

// TestRpingListens connects to the C program.
func TestRpingListens(t *testing.T) {
	b := kernelBed(t)
	c := b.channel(t)
	const port = 7174
	cmd, said := peer(t, "rping", "-s", "-a", b.server.String(), "-p", strconv.Itoa(port), "-S", strconv.Itoa(rpingSize), "-v")
	var p *pinger
	b.connected(t, c, netip.AddrPortFrom(b.server, port), func(e *end) { p = newPinger(t, e) })
	p.lent = must(p.pd.RegMRFrom(p.buf, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteRead|verbs.MRAccessRemoteWrite))(t)
	p.ask(t)
	check(t, p.id.Disconnect())
	next(t, c, rdmacm.EventTypeDisconnected)
	ended(t, cmd, said)
	showed(t, said, "server ping data: ")
	p.close(t)
}

// showed compares the texts that the program printed.
func showed(t *testing.T, said *words, before string) {
	t.Helper()
	for round := range rpingCount {
		if want := before + strings.TrimRight(text(round, rpingSize), "\x00") + "\n"; !strings.Contains(said.out.String(), want) {
			t.Fatalf("rping did not print %q, but\n%s", want, said)
		}
	}
}
