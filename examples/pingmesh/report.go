package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
)

// report is what an agent has measured since the last report. Its JSON is one line; times are in nanoseconds.
type report struct {
	Pingmesh int          `json:"pingmesh"` // version of this form
	Agent    string       `json:"agent"`    // TCP address
	Device   string       `json:"device"`
	GID      string       `json:"gid"`
	Clock    string       `json:"clock"` // of t2 and t5: "device" or "software"
	Size     int          `json:"size"`  // bytes of a probe
	From     time.Time    `json:"from"`
	To       time.Time    `json:"to"`
	Foreign  uint64       `json:"foreign"` // datagrams that were ignored
	Peers    []peerReport `json:"peers"`
}

// peerReport is what was measured of a peer. The percentiles are null if no probe was answered; those of the prober's delay also
// with a software clock, which does not tell that delay from the round trip.
type peerReport struct {
	Peer  string `json:"peer"` // TCP address
	Clock string `json:"clock,omitempty"`
	counts
	RTT       *percentiles `json:"rtt_ns"`
	Prober    *percentiles `json:"prober_delay_ns"`
	Responder *percentiles `json:"responder_delay_ns"`
	Error     string       `json:"error,omitempty"` // why the peer is not met at present
}

// report reports, and begins anew.
func (a *agent) report() *report {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := &report{
		Pingmesh: version, Agent: a.ln.Addr().String(), Device: cmp.Or(a.opts.device, start.Soft), GID: a.q.gid.String(),
		Clock: a.q.clock.kind.String(), Size: a.opts.size, From: a.started, To: time.Now(), Foreign: a.foreign, Peers: []peerReport{},
	}
	for _, p := range a.peers {
		if !p.self {
			r.Peers = append(r.Peers, p.report(a.q.clock.kind))
		}
	}
	a.started, a.foreign = r.To, 0
	return r
}

func (p *peer) report(own clockKind) peerReport {
	r := peerReport{
		Peer: p.name, Clock: p.clock.String(), counts: p.counts,
		RTT:       p.samples.percentiles(func(s *sample) int64 { return s.rtt }),
		Responder: p.samples.percentiles(func(s *sample) int64 { return s.responder }),
	}
	if own != software {
		r.Prober = p.samples.percentiles(func(s *sample) int64 { return s.prober })
	}
	if p.err != nil {
		r.Error = p.err.Error()
	}
	p.counts = counts{}
	p.samples.reset()
	return r
}

// write writes the report as a table, or as a line of JSON.
func (r *report) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	var sum counts
	for i := range r.Peers {
		sum.add(&r.Peers[i].counts)
	}
	fmt.Fprintf(w, "agent %s on %s, GID %s, %s clock: %d of %d probes of %d bytes answered in %.1f s, %d foreign datagrams; times in µs\n",
		r.Agent, r.Device, r.GID, r.Clock, sum.Answered, sum.Sent, r.Size, r.To.Sub(r.From).Seconds(), r.Foreign)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t,
		"peer\tclock\tsent\tlost\tlate\ttwice\tunsent\trtt p50\tp90\tp99\tmax\tprober p50\tp90\tp99\tmax\tresponder "+
			"p50\tp90\tp99\tmax\t")
	for i := range r.Peers {
		p := &r.Peers[i]
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%v\t%v\t%v\t\n", p.Peer, cmp.Or(p.Clock, "-"), p.Sent, p.Lost, p.Late, p.Duplicate,
			p.Unsent, p.RTT, p.Prober, p.Responder)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range r.Peers {
		if p := &r.Peers[i]; p.Error != "" {
			fmt.Fprintf(w, "%s: %s\n", p.Peer, p.Error)
		}
	}
	return nil
}

// String returns the columns of a table, in microseconds.
func (p *percentiles) String() string {
	if p == nil {
		return "-\t-\t-\t-"
	}
	us := func(ns int64) float64 { return float64(ns) / 1000 }
	return fmt.Sprintf("%.1f\t%.1f\t%.1f\t%.1f", us(p.P50), us(p.P90), us(p.P99), us(p.Max))
}
