package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// metrics serves the latest report of each agent to Prometheus, with counters since the start, in the text format of
// https://prometheus.io/docs/instrumenting/exposition_formats.
type metrics struct {
	mu      sync.Mutex
	reports []*report // one of each agent
}

// add takes over a report, which comes after that of the same agent.
func (m *metrics) add(r *report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.reports, func(other *report) bool { return other.Agent == r.Agent })
	if at < 0 {
		m.reports = append(m.reports, r)
		return
	}
	before := m.reports[at]
	m.reports[at] = r
	r.Foreign += before.Foreign
	for i := range r.Peers {
		p := &r.Peers[i]
		if j := slices.IndexFunc(before.Peers, func(other peerReport) bool { return other.Peer == p.Peer }); j >= 0 {
			p.counts.add(&before.Peers[j].counts)
		}
	}
}

// serve serves the metrics at a TCP address until the server is closed.
func (m *metrics) serve(ctx context.Context, at string, stderr io.Writer) (*http.Server, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", m)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(ln)
	fmt.Fprintf(stderr, "pingmesh: http://%s/metrics\n", ln.Addr())
	return server, nil
}

func (c *counts) add(d *counts) {
	c.Sent += d.Sent
	c.Answered += d.Answered
	c.Lost += d.Lost
	c.Late += d.Late
	c.Duplicate += d.Duplicate
	c.Unsent += d.Unsent
}

// ofPeers are the metrics of a peer: samples by the labels that they have beside those of the agent and the peer.
var ofPeers = []struct {
	name, kind, help string
	samples          func(p *peerReport) map[string]any
}{
	{"probes_total", "counter", "Probes by what became of them.", func(p *peerReport) map[string]any {
		return map[string]any{`,result="sent"`: p.Sent, `,result="answered"`: p.Answered, `,result="lost"`: p.Lost, `,result="late"`: p.Late,
			`,result="twice"`: p.Duplicate, `,result="unsent"`: p.Unsent}
	}},
	{"rtt_seconds", "gauge", "Round-trip time of the network in the latest report.",
		func(p *peerReport) map[string]any { return p.RTT.quantiles() }},
	{"prober_delay_seconds", "gauge", "Delay in the prober in the latest report.",
		func(p *peerReport) map[string]any { return p.Prober.quantiles() }},
	{"responder_delay_seconds", "gauge", "Delay in the responder in the latest report.",
		func(p *peerReport) map[string]any { return p.Responder.quantiles() }},
	{"peer_error", "gauge", "1 if the peer is not met at present.", func(p *peerReport) map[string]any {
		return map[string]any{"": min(len(p.Error), 1)}
	}},
}

func (p *percentiles) quantiles() map[string]any {
	if p == nil {
		return nil
	}
	return map[string]any{`,quantile="0.5"`: float64(p.P50) / 1e9, `,quantile="0.9"`: float64(p.P90) / 1e9,
		`,quantile="0.99"`: float64(p.P99) / 1e9, `,quantile="1"`: float64(p.Max) / 1e9}
}

// ServeHTTP answers with the metrics.
func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	w.Write(m.text())
}

func (m *metrics) text() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b bytes.Buffer
	begin := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP pingmesh_%s %s\n# TYPE pingmesh_%s %s\n", name, help, name, kind)
	}
	for _, x := range ofPeers {
		begin(x.name, x.kind, x.help)
		for _, r := range m.reports {
			for i := range r.Peers {
				for labels, v := range x.samples(&r.Peers[i]) {
					fmt.Fprintf(&b, "pingmesh_%s{agent=%q,peer=%q%s} %v\n", x.name, r.Agent, r.Peers[i].Peer, labels, v)
				}
			}
		}
	}
	begin("foreign_datagrams_total", "counter", "Datagrams that were ignored.")
	for _, r := range m.reports {
		fmt.Fprintf(&b, "pingmesh_foreign_datagrams_total{agent=%q} %d\n", r.Agent, r.Foreign)
	}
	begin("report_time_seconds", "gauge", "When the latest report ended, in seconds since 1970.")
	for _, r := range m.reports {
		fmt.Fprintf(&b, "pingmesh_report_time_seconds{agent=%q} %v\n", r.Agent, float64(r.To.UnixMilli())/1000)
	}
	return b.Bytes()
}
