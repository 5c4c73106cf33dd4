//go:build linux && cgo

package main

import (
	"testing"
	"time"
)

// TestBetween takes times between stamps of each clock.
func TestBetween(t *testing.T) {
	narrow := clock{kind: device, kHz: 1_000_000, mask: 0xffff}
	for _, test := range []struct {
		name     string
		clock    clock
		from, to uint64
		want     time.Duration
	}{
		{"software", clock{kind: software}, 5, 105, 100},
		{"156.25 MHz", clock{kind: device, kHz: 156_250, mask: ^uint64(0)}, 1000, 1100, 640},
		{"a day of 1 GHz", clock{kind: device, kHz: 1_000_000, mask: ^uint64(0)}, 0, 86_400_000_000_000, 24 * time.Hour},
		{"from the last value to 0", narrow, 0xfff0, 0x0010, 0x20},
		{"bits that do not count", narrow, 0x1234_fff0, 0xffff, 0xf},
	} {
		if got := test.clock.between(test.from, test.to); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestMeasure tells the round trip and the delays of both sides apart. Each of the three clocks has another origin.
func TestMeasure(t *testing.T) {
	cycles := clock{kind: device, kHz: 500_000, mask: 0xffff_ffff} // 2 ns each
	for _, test := range []struct {
		name  string
		clock clock
		stamps
		want sample
	}{
		{"cycles", cycles, stamps{t1: 0, t2: 0xffff_ff00, t5: 0x100, t6: 2_000, responder: 24},
			sample{rtt: 1_000, prober: 976, responder: 24}},
		{"software", clock{kind: software}, stamps{t1: 10, t2: 10, t5: 910, t6: 910, responder: 400},
			sample{rtt: 500, prober: 0, responder: 400}},
	} {
		if got := test.clock.measure(&test.stamps); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestDeparture has a datagram leave when the device says, or when it was posted if the device has no times.
func TestDeparture(t *testing.T) {
	for kind := software; kind <= device; kind++ {
		want := uint64(40)
		if kind == software {
			want = 30
		}
		p := newPeer(&options{interval: 1, timeout: 1}, "there", 0)
		p.next = 1
		a := &agent{q: &queues{clock: clock{kind: kind}, slots: []slot{{packet: packet{Kind: probing}, peer: p, posted: 30}}}}
		if err := a.left(0, 40); err != nil || p.at(0).t2 != want || a.q.done != 1 {
			t.Errorf("%v: %v, left at %d, want %d; %d slots are free", kind, err, p.at(0).t2, want, a.q.done)
		}
	}
}

// TestAcknowledgements brings acknowledgements in time, in any order, late, twice, and of nothing that was sent.
func TestAcknowledgements(t *testing.T) {
	const qpn = 77
	o := &options{interval: time.Second, timeout: time.Second, keep: 10} // two probes may wait
	for _, test := range []struct {
		name  string
		do    func(a *agent, p *peer)
		want  counts
		fails int // acknowledgements that are refused
	}{
		{"in order", func(a *agent, p *peer) { p.left(&a.q.clock, 0, 1); a.ack(ack1, 0, qpn); a.ack(ack2, 0, qpn) }, counts{Answered: 1}, 0},
		{"the second first", func(a *agent, p *peer) { a.ack(ack2, 0, qpn); a.ack(ack1, 0, qpn); p.left(&a.q.clock, 0, 1) },
			counts{Answered: 1}, 0},
		{"one of two", func(a *agent, p *peer) { p.left(&a.q.clock, 0, 1); a.ack(ack1, 0, qpn); p.expire(2e9) }, counts{Lost: 2}, 0},
		{"twice", func(a *agent, p *peer) { a.ack(ack1, 1, qpn); a.ack(ack1, 1, qpn) }, counts{Duplicate: 1}, 0},
		{"twice, after all", func(a *agent, p *peer) {
			p.left(&a.q.clock, 0, 1)
			a.ack(ack1, 0, qpn)
			a.ack(ack2, 0, qpn)
			a.ack(ack2, 0, qpn)
		}, counts{Answered: 1, Duplicate: 1}, 0},
		{"late", func(a *agent, p *peer) { p.expire(2e9); a.ack(ack1, 0, qpn); a.ack(ack2, 0, qpn) }, counts{Lost: 2, Late: 2}, 0},
		{"later than the next probe in its place", func(a *agent, p *peer) {
			p.expire(2e9)
			*p.at(2), p.next = probe{seq: 2}, 3
			a.ack(ack1, 0, qpn)
		}, counts{Lost: 2, Late: 1}, 0},
		{"of a probe that was not sent", func(a *agent, p *peer) { a.ack(ack1, 2, qpn) }, counts{}, 1},
		{"of another queue pair", func(a *agent, p *peer) { a.ack(ack1, 0, qpn+1) }, counts{}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPeer(o, "there", 0)
			p.via, p.next = &route{qpn: qpn}, 2
			*p.at(1) = probe{seq: 1}
			a := &agent{q: &queues{clock: clock{kind: software}}, peers: []*peer{p}}
			test.do(a, p)
			if p.counts != test.want || int(a.foreign) != test.fails {
				t.Errorf("%+v, %d refused; want %+v, %d", p.counts, a.foreign, test.want, test.fails)
			}
			if len(p.samples.last) != int(test.want.Answered) {
				t.Errorf("%d samples", len(p.samples.last))
			}
		})
	}
}

// ack brings an acknowledgement to an agent without a device.
func (a *agent) ack(k kind, seq uint64, qpn uint32) {
	if !a.acknowledged(&packet{Kind: k, Clock: software, Seq: seq}, qpn, 5, 6) {
		a.foreign++
	}
}

// TestWindow limits how many probes to a peer may wait.
func TestWindow(t *testing.T) {
	for _, test := range []struct {
		interval, timeout time.Duration
		want              int
	}{{time.Second, time.Second / 2, 1}, {time.Second, 2 * time.Second, 3}, {1, time.Second, maxWindow}} {
		if p := newPeer(&options{interval: test.interval, timeout: test.timeout}, "", 0); len(p.window) != test.want {
			t.Errorf("a probe each %v, lost after %v: %d may wait, want %d", test.interval, test.timeout, len(p.window), test.want)
		}
	}
}

// TestPacket writes packets and reads them, and reads bytes that are none.
func TestPacket(t *testing.T) {
	want := packet{Kind: ack2, Clock: device, Number: 0x01020304, Seq: 0x05060708090a0b0c, Delay: 1_000_000_007}
	b := make([]byte, headerSize+3)
	want.put(b)
	if got, ok := parsePacket(b); got != want || !ok {
		t.Errorf("%+v, %t", got, ok)
	}
	if _, ok := parsePacket(b[:headerSize-1]); ok {
		t.Error("a short one was accepted")
	}
	for _, at := range []int{0, 3, 4, 5, 6, 24} { // magic, version, kind, clock, the sign of the delay
		damaged := append([]byte(nil), b...)
		damaged[at] ^= 0x80
		if _, ok := parsePacket(damaged); ok {
			t.Errorf("accepted with byte %d damaged", at)
		}
	}
}

// TestPercentiles takes percentiles of the latest samples.
func TestPercentiles(t *testing.T) {
	rtt := func(s *sample) int64 { return s.rtt }
	s := samples{keep: 200}
	if s.percentiles(rtt) != nil {
		t.Error("percentiles of nothing")
	}
	s.add(sample{rtt: 7})
	if got := *s.percentiles(rtt); got != (percentiles{7, 7, 7, 7}) {
		t.Errorf("of one sample: %+v", got)
	}
	for i := range int64(300) {
		s.add(sample{rtt: (i * 7) % 300}) // each value once, in another order
	}
	for i := range int64(200) {
		s.add(sample{rtt: 200 - i, prober: 1})
	}
	if got := *s.percentiles(rtt); got != (percentiles{100, 180, 198, 200}) {
		t.Errorf("of 1 to 200: %+v", got)
	}
	if got := *s.percentiles(func(s *sample) int64 { return s.prober }); got != (percentiles{1, 1, 1, 1}) {
		t.Errorf("older samples are still there: %+v", got)
	}
	s.reset()
	if s.percentiles(rtt) != nil {
		t.Error("percentiles after reset")
	}
}
