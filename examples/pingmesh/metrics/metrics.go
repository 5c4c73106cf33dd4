package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// report is what is needed of a line of pingmesh -json.
type report struct {
	Pingmesh int       `json:"pingmesh"`
	Agent    string    `json:"agent"`
	To       time.Time `json:"to"`
	Foreign  uint64    `json:"foreign"`
	Peers    []peer    `json:"peers"`
}

type peer struct {
	Peer      string       `json:"peer"`
	Sent      uint64       `json:"sent"`
	Answered  uint64       `json:"answered"`
	Lost      uint64       `json:"lost"`
	Late      uint64       `json:"late"`
	Twice     uint64       `json:"twice"`
	Unsent    uint64       `json:"unsent"`
	RTT       *percentiles `json:"rtt_ns"`
	Prober    *percentiles `json:"prober_delay_ns"`
	Responder *percentiles `json:"responder_delay_ns"`
	Error     string       `json:"error"`
}

// percentiles are in nanoseconds.
type percentiles struct {
	P50 int64 `json:"p50"`
	P90 int64 `json:"p90"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// form is the version of the reports that this program reads.
const form = 1

// metrics are what is served.
type metrics struct {
	probes, foreign                       *prometheus.CounterVec
	rtt, prober, responder, failed, ended *prometheus.GaugeVec

	peers map[string]map[string]bool // by agent, in its latest report
}

func newMetrics(r prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "pingmesh", Name: name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "pingmesh", Name: name, Help: help}, labels)
		r.MustRegister(g)
		return g
	}
	return &metrics{
		probes:    counter("probes_total", "Probes by what became of them.", "agent", "peer", "result"),
		foreign:   counter("foreign_datagrams_total", "Datagrams that were ignored.", "agent"),
		rtt:       gauge("rtt_seconds", "Round-trip time of the network in the latest report.", "agent", "peer", "quantile"),
		prober:    gauge("prober_delay_seconds", "Delay in the prober in the latest report.", "agent", "peer", "quantile"),
		responder: gauge("responder_delay_seconds", "Delay in the responder in the latest report.", "agent", "peer", "quantile"),
		failed:    gauge("peer_error", "1 if the peer is not met at present.", "agent", "peer"),
		ended:     gauge("report_time_seconds", "When the latest report ended, in seconds since 1970.", "agent"),
		peers:     map[string]map[string]bool{},
	}
}

// read adds the reports, until there are no more.
func (m *metrics) read(r io.Reader) error {
	lines := json.NewDecoder(bufio.NewReader(r))
	for n := 1; ; n++ {
		var one report
		err := lines.Decode(&one)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && one.Pingmesh != form {
			err = fmt.Errorf("version %d, not %d", one.Pingmesh, form)
		}
		if err != nil {
			return fmt.Errorf("report %d: %w; pass pingmesh the flag -json", n, err)
		}
		m.add(&one)
	}
}

func (m *metrics) add(r *report) {
	m.foreign.WithLabelValues(r.Agent).Add(float64(r.Foreign))
	m.ended.WithLabelValues(r.Agent).Set(float64(r.To.UnixMilli()) / 1000)
	before, now := m.peers[r.Agent], map[string]bool{}
	for i := range r.Peers {
		p := &r.Peers[i]
		now[p.Peer] = true
		for _, c := range []struct {
			result string
			n      uint64
		}{
			{"sent", p.Sent}, {"answered", p.Answered}, {"lost", p.Lost}, {"late", p.Late}, {"twice", p.Twice}, {"unsent", p.Unsent},
		} {
			m.probes.WithLabelValues(r.Agent, p.Peer, c.result).Add(float64(c.n))
		}
		set(m.rtt, r.Agent, p.Peer, p.RTT)
		set(m.prober, r.Agent, p.Peer, p.Prober)
		set(m.responder, r.Agent, p.Peer, p.Responder)
		failed := 0.0
		if p.Error != "" {
			failed = 1
		}
		m.failed.WithLabelValues(r.Agent, p.Peer).Set(failed)
	}
	m.peers[r.Agent] = now
	for name := range before {
		if !now[name] {
			m.forget(prometheus.Labels{"agent": r.Agent, "peer": name})
		}
	}
}

// forget removes what there is of a peer that the agent does not probe any more.
func (m *metrics) forget(of prometheus.Labels) {
	m.probes.DeletePartialMatch(of)
	for _, g := range []*prometheus.GaugeVec{m.rtt, m.prober, m.responder, m.failed} {
		g.DeletePartialMatch(of)
	}
}

// set sets the quantiles of a time, or removes those of the report before.
func set(g *prometheus.GaugeVec, agent, peer string, p *percentiles) {
	if p == nil {
		g.DeletePartialMatch(prometheus.Labels{"agent": agent, "peer": peer})
		return
	}
	for _, q := range []struct {
		name string
		ns   int64
	}{{"0.5", p.P50}, {"0.9", p.P90}, {"0.99", p.P99}, {"1", p.Max}} {
		g.WithLabelValues(agent, peer, q.name).Set(float64(q.ns) / 1e9)
	}
}
