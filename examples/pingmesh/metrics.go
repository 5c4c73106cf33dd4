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

// writeSample writes a number of a metric, with labels beside those of the agent and the peer.
type writeSample func(value float64, labels string)

// ServeHTTP answers with the metrics.
func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	m.mu.Lock()
	m.write(&b)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	w.Write(b.Bytes())
}

func (m *metrics) write(b *bytes.Buffer) {
	ofAgents := func(name, kind, help string, write func(r *report, s writeSample)) {
		fmt.Fprintf(b, "# HELP pingmesh_%s %s\n# TYPE pingmesh_%s %s\n", name, help, name, kind)
		for _, r := range m.reports {
			write(r, func(v float64, labels string) {
				fmt.Fprintf(b, "pingmesh_%s{agent=%q%s} %v\n", name, r.Agent, labels, v)
			})
		}
	}
	ofPeers := func(name, kind, help string, write func(p *peerReport, s writeSample)) {
		ofAgents(name, kind, help, func(r *report, s writeSample) {
			for i := range r.Peers {
				p := &r.Peers[i]
				write(p, func(v float64, labels string) { s(v, fmt.Sprintf(",peer=%q%s", p.Peer, labels)) })
			}
		})
	}
	times := func(name, help string, of func(p *peerReport) *percentiles) {
		ofPeers(name, "gauge", help, func(p *peerReport, s writeSample) {
			if t := of(p); t != nil {
				for quantile, ns := range map[string]int64{"0.5": t.P50, "0.9": t.P90, "0.99": t.P99, "1": t.Max} {
					s(float64(ns)/1e9, fmt.Sprintf(",quantile=%q", quantile))
				}
			}
		})
	}
	ofPeers("probes_total", "counter", "Probes by what became of them.", func(p *peerReport, s writeSample) {
		for result, n := range map[string]uint64{"sent": p.Sent, "answered": p.Answered, "lost": p.Lost, "late": p.Late,
			"twice": p.Duplicate, "unsent": p.Unsent} {
			s(float64(n), fmt.Sprintf(",result=%q", result))
		}
	})
	times("rtt_seconds", "Round-trip time of the network in the latest report.", func(p *peerReport) *percentiles { return p.RTT })
	times("prober_delay_seconds", "Delay in the prober in the latest report.", func(p *peerReport) *percentiles { return p.Prober })
	times("responder_delay_seconds", "Delay in the responder in the latest report.",
		func(p *peerReport) *percentiles { return p.Responder })
	ofPeers("peer_error", "gauge", "1 if the peer is not met at present.", func(p *peerReport, s writeSample) {
		failed := 0.0
		if p.Error != "" {
			failed = 1
		}
		s(failed, "")
	})
	ofAgents("foreign_datagrams_total", "counter", "Datagrams that were ignored.",
		func(r *report, s writeSample) { s(float64(r.Foreign), "") })
	ofAgents("report_time_seconds", "gauge", "When the latest report ended, in seconds since 1970.",
		func(r *report, s writeSample) { s(float64(r.To.UnixMilli())/1000, "") })
}
