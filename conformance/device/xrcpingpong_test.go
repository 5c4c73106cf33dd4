//go:build linux && cgo

package device

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/examples/rcpingpong/pingpong"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// xrcKind is the ping-pong over extended reliable connections, with one client. Here the server begins, and the sides part when both
// have all messages.
var xrcKind = kind{program: "ibv_xsrq_pingpong", queue: verbs.QPTypeXRCSend, queues: 1, told: 1, fill: 0}

func (k kind) overXRC() bool { return k.queue == verbs.QPTypeXRCSend }

// begins reports whether a side sends before it has received.
func (k kind) begins(client bool) bool { return client != k.overXRC() }

// xrcNumbers are what a side tells beside its pingpong.Address, which has the number of the queue pair that sends.
type xrcNumbers struct{ receiver, srq uint32 }

// xrcEnd is what only a player over XRC has: the sender is among its queue pairs, and the shared receive queue is its only one.
type xrcEnd struct {
	domain     *verbs.XRCD
	receiver   *verbs.QP
	self, peer xrcNumbers
}

// makeXRC makes the domain with its queue, and both queue pairs.
func (p *player) makeXRC(lid uint16, gid verbs.GID) (err error) {
	x := &xrcEnd{}
	p.xrc = x
	if x.domain, err = p.dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT)); err != nil {
		return err
	}
	if p.srq, err = p.dev.CreateSRQEx(verbs.NewSRQInitAttrEx(p.pd, receives, 1).Type(verbs.SRQTypeXRC).XRCD(x.domain).CQ(p.cq)); err != nil {
		return err
	}
	if x.receiver, err = p.dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(x.domain)); err != nil {
		return err
	}
	sender, err := p.dev.CreateQPEx(verbs.NewQPInitAttrEx(p.queue, p.cq, nil, p.pd).MaxSendWR(1).MaxSendSGE(1))
	if err != nil {
		return err
	}
	p.qps = []*verbs.QP{sender}
	for _, qp := range []*verbs.QP{x.receiver, sender} {
		if err := qp.Modify(verbs.XRCRecvSetup{PortNum: 1}.Init()); err != nil { // the same for both kinds
			return err
		}
	}
	x.self.receiver = x.receiver.Num()
	x.self.srq, err = p.srq.Num()
	p.self[0] = pingpong.Address{LID: lid, QPN: sender.Num(), PSN: rand.Uint32N(1 << 24), GID: gid}
	return err
}

// connectXRC connects our sender with the peer's receiver, and the peer's sender with ours. The numbers of packets are the same both ways.
func (p *player) connectXRC() error {
	x, peer := p.xrc, p.peer[0]
	way := verbs.AHAttr{PortNum: 1, DLID: peer.LID, IsGlobal: true, DGID: peer.GID, HopLimit: 64}
	recv := verbs.XRCRecvSetup{AV: way, PathMTU: verbs.MTU1024, DestQPNum: peer.QPN, RQPSN: peer.PSN, SQPSN: p.self[0].PSN,
		MaxDestRDAtomic: 1, MinRNRTimer: 12, Timeout: 14}
	send := verbs.XRCSendSetup{AV: way, PathMTU: verbs.MTU1024, DestQPNum: x.peer.receiver, RQPSN: peer.PSN, SQPSN: p.self[0].PSN,
		MaxRDAtomic: 1, Timeout: 14, RetryCnt: 7, RNRRetry: 7}
	err := errors.Join(x.receiver.Modify(recv.RTR()), x.receiver.Modify(recv.RTS()), p.qps[0].Modify(send.RTR()), p.qps[0].Modify(send.RTS()))
	if err != nil {
		return fmt.Errorf("connecting with %v, %+v: %w", peer, x.peer, err)
	}
	return nil
}

// xrcLine is what a side tells: LID, receiver, sender, first packet, shared receive queue, GID.
func xrcLine(a pingpong.Address, x xrcNumbers) []byte {
	return fmt.Appendf(nil, "%04x:%06x:%06x:%06x:%06x:%x\x00", a.LID, x.receiver, a.QPN, a.PSN, x.srq, a.GID[:])
}

// parseXRCLine reads what the peer told.
func parseXRCLine(line []byte) (a pingpong.Address, x xrcNumbers, err error) {
	var gid []byte
	if _, err := fmt.Sscanf(string(line), "%x:%x:%x:%x:%x:%x", &a.LID, &x.receiver, &a.QPN, &a.PSN, &x.srq, &gid); err != nil ||
		copy(a.GID[:], gid) != len(a.GID) {
		return a, x, fmt.Errorf("the peer's numbers are %q: %v", line, err)
	}
	return a, x, nil
}

// meetXRC sends the peer our numbers and takes its own; a client tells first.
func (p *player) meetXRC(conn net.Conn) (err error) {
	mine := xrcLine(p.self[0], p.xrc.self)
	if p.client {
		if _, err := conn.Write(mine); err != nil {
			return err
		}
	}
	line := make([]byte, len(mine))
	if _, err := io.ReadFull(conn, line); err != nil {
		return fmt.Errorf("the peer's numbers: %w", err)
	}
	p.peer = make([]pingpong.Address, 1)
	if p.peer[0], p.xrc.peer, err = parseXRCLine(line); err != nil {
		return err
	}
	if !p.client {
		if _, err := conn.Write(mine); err != nil {
			return err
		}
	}
	return p.connectXRC()
}

// part ends a game over XRC: neither side closes anything before the other has all messages. A client says so first.
func (p *player) part(conn net.Conn) error {
	if p.xrc == nil {
		return nil
	}
	const end = "END\x00"
	said := make([]byte, len(end))
	tell := func() error { _, err := io.WriteString(conn, end); return err }
	hear := func() error {
		if _, err := io.ReadFull(conn, said); err != nil || string(said) != end {
			return fmt.Errorf("the peer ends with %q: %v", said, err)
		}
		return nil
	}
	if p.client {
		return errors.Join(tell(), hear())
	}
	return errors.Join(hear(), tell())
}

// xrcPrinted are lines that the C program prints of a game.
func (p *player) xrcPrinted() []string {
	line := func(a pingpong.Address, x xrcNumbers) string {
		return fmt.Sprintf("LID %04x, QPN RECV %06x SEND %06x, PSN %06x, SRQN %06x, GID %v\n", a.LID, x.receiver, a.QPN, a.PSN, x.srq, a.GID)
	}
	return []string{" local: " + line(p.peer[0], p.xrc.peer), " remote: " + line(p.self[0], p.xrc.self), "success\n"}
}

// TestXRCLine compares what a side tells with what the C program reads: 66 bytes, with the number of the receiver before the sender's.
func TestXRCLine(t *testing.T) {
	a := pingpong.Address{LID: 0x1a, QPN: 0x2b, PSN: 0x3c, GID: verbs.GID{0: 0xfe, 1: 0x80, 15: 0x4d}}
	x := xrcNumbers{receiver: 0x5e, srq: 0x6f}
	const want = "001a:00005e:00002b:00003c:00006f:fe80000000000000000000000000004d\x00"
	line := xrcLine(a, x)
	if string(line) != want || len(line) != 66 {
		t.Errorf("told %q, want %q", line, want)
	}
	if b, y, err := parseXRCLine([]byte(want)); a != b || x != y || err != nil {
		t.Errorf("read %v and %+v, %v", b, y, err)
	}
	if _, _, err := parseXRCLine([]byte("001a:00005e:00002b:00003c:fe80000000000000000000000000004d\x00")); err == nil {
		t.Error("numbers without those of the queue are read")
	}
}

// TestPingPongXRC plays over extended reliable connections with the C program, in both roles. Soft-RoCE has none: there the program ends
// with the answer that the bindings give, and there is nothing to play with.
func TestPingPongXRC(t *testing.T) {
	b := open(t)
	xrcd, err := b.dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT))
	if err == nil {
		if err := xrcd.Close(); err != nil {
			t.Error(err)
		}
		xrcKind.playBoth(t)
		return
	}
	ours, out := new(syscall.Errno), (*bytes.Buffer)(nil)
	if !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, ours) {
		t.Fatalf("an XRC domain: %v", err)
	}
	for _, host := range [][]string{nil, {"127.0.0.1"}} {
		c, printed := inC(t.Context(), t, xrcKind.program, append([]string{"-d", b.name, "-g", "0", "-p", strconv.Itoa(freePort(t))}, host...)...)
		out = printed
		if err, want := c.Run(), fmt.Sprintf("XRC Domain %d", int(*ours)); err == nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s %s: %v, no %q in\n%s", xrcKind.program, host, err, want, out)
		}
	}
	t.Skipf("%s has no XRC: %v; %s %s", b.name, err, xrcKind.program, strings.TrimSpace(out.String()))
}
