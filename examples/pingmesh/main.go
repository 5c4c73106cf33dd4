// Command pingmesh measures the latency between the machines of a fleet over unreliable datagrams, as R-Pingmesh (SIGCOMM 2024)
// describes it. One process, an agent, probes many peers from one queue pair, with an address handle for each, and answers their
// probes.
//
//	pingmesh                                                agents on a software device, which probe each other
//	pingmesh -device mlx5_0                                 the same on a real device
//	pingmesh -device mlx5_0 -peers @hosts -every 1m -json   on each machine of the fleet, which all have the same list
//	pingmesh -device mlx5_0 -listen :18516                  only answer
//	pingmesh -every 10s -metrics :9516                      for Prometheus, at http://localhost:9516/metrics
//
// # What is measured
//
// A probe has six times. The prober posts it at t1, and it leaves at t2. It arrives at the responder at t3, whose first
// acknowledgement leaves at t4; a second one brings t4 - t3. The first one arrives at t5, and the prober sees it at t6.
//
//	round-trip time    (t5 - t2) - (t4 - t3)   of the network
//	prober's delay     (t6 - t1) - (t5 - t2)   before the probe leaves and after the acknowledgement has arrived
//	responder's delay  t4 - t3
//
// No clock is compared with that of another machine. t1 and t6 are the program's. The others are those of completions: in cycles
// of the device. If it has no clock, as soft-RoCE, they are the program's too: what leaves has the time before it was posted, and
// what arrives the time when the program saw it. The round-trip time is then never too short, but contains the delay of the prober,
// which is not reported. A report names the clocks of both sides.
//
// # How agents meet
//
// An agent listens on TCP. Whoever wants to probe it connects, both introduce themselves by package connect, and the connection stays
// open for as long as probes are to be answered. An agent that was restarted is met again within a second or so; until then
// probes go where it was, and are lost. Agents may start in any order. An agent that finds its own address in the list leaves it
// out. Anyone who reaches the TCP port may have probes answered; keep it inside the fleet. An agent answers up to 4096 others, if the
// process may have as many open files (ulimit -n).
//
// # Reports
//
// The table and the JSON (type report) have for each peer how many probes were sent, answered and lost, and percentiles of the
// latest answered ones. A probe is lost if both acknowledgements have not come within -timeout; those that come later are counted
// as late, and those that come again as twice. A turn is unsent if the peer was never met, or 64 probes wait. Interrupt and
// SIGTERM end the probing with a last report. An agent ends with an error if its queue pair fails, as soft-RoCE's does when its
// port goes down; let a supervisor start it again.
//
// # Metrics
//
// With -metrics, Prometheus reads the latest reports, and the counters since the start. dashboard.json is a dashboard for Grafana.
//
//	pingmesh_probes_total{agent,peer,result}              probes that were sent, answered, lost, late, twice or unsent
//	pingmesh_rtt_seconds{agent,peer,quantile}             round-trip time of the network
//	pingmesh_prober_delay_seconds{agent,peer,quantile}    delay in the prober
//	pingmesh_responder_delay_seconds{agent,peer,quantile} delay in the responder
//	pingmesh_peer_error{agent,peer}                       1 if the peer is not met at present
//	pingmesh_foreign_datagrams_total{agent}               datagrams that were ignored
//	pingmesh_report_time_seconds{agent}                   when the latest report ended
//
// A quantile is 0.5, 0.9, 0.99 or 1, which is the longest. A time that was not measured has no sample.
//
// # Size and speed
//
// These are some 1,200 lines of Go besides comments and tests, and none of C. A probe allocates nothing. One process on a software
// device answers some 22,000 of its own probes in a second, each of which is three datagrams, on a machine with two busy cores:
//
//	pingmesh -agents 2 -interval 1us -duration 5s
package main

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func main() {
	start.Main("pingmesh", func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
		return run(ctx, stdout, stderr, args)
	})
}

// run is the command.
func run(ctx context.Context, stdout, stderr io.Writer, args []string, soft ...softverbs.Option) error {
	o, err := parse(stderr, args)
	if err != nil {
		return err
	}
	return start.On(o.device, func(dev *verbs.Device) error { return mesh(ctx, stdout, stderr, dev, o) }, soft...)
}

// mesh has the agents of this process probe and report.
func mesh(ctx context.Context, stdout, stderr io.Writer, dev *verbs.Device, o *options) (err error) {
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	agents, peers, err := newAgents(ctx, dev, o)
	if err != nil {
		return err
	}
	for i, a := range agents {
		a.start(peers[i])
		defer a.stop()
	}
	if o.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.duration)
		defer cancel()
	}
	m := &metrics{}
	if o.metrics != "" {
		server, err := m.serve(ctx, o.metrics, stderr)
		if err != nil {
			return err
		}
		defer server.Close()
	}
	return probeAll(ctx, stdout, agents, o, m)
}

// newAgents makes the one agent that the options describe, or several that have all others as peers.
func newAgents(ctx context.Context, dev *verbs.Device, o *options) (agents []*agent, peers [][]string, err error) {
	n, at := 1, o.listen
	if at == "" {
		n, at = o.agents, "127.0.0.1:0"
	}
	for range n {
		ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at)
		if err != nil {
			return nil, nil, err
		}
		a, err := newAgent(dev, ln, o)
		if err != nil {
			return nil, nil, errors.Join(err, ln.Close())
		}
		agents = append(agents, a)
	}
	if o.listen != "" {
		return agents, [][]string{o.peers}, nil
	}
	for i := range agents {
		var others []string
		for _, other := range slices.Concat(agents[i+1:], agents[:i]) {
			if o.each == 0 || len(others) < o.each {
				others = append(others, other.ln.Addr().String())
			}
		}
		peers = append(peers, others)
	}
	return agents, peers, nil
}

// probeAll has all agents probe and report, also to m.
func probeAll(ctx context.Context, w io.Writer, agents []*agent, o *options, m *metrics) error {
	for _, a := range agents {
		a.meet(ctx)
	}
	errs, ended := make([]error, len(agents)), make(chan struct{})
	go func() {
		defer close(ended)
		var probers sync.WaitGroup
		for i, a := range agents {
			probers.Go(func() { errs[i] = a.probe(ctx) })
		}
		probers.Wait()
	}()
	var tick <-chan time.Time
	if o.every > 0 {
		tick = time.Tick(o.every)
	}
	for last := false; ; {
		select {
		case <-tick:
		case <-ended:
			last = true
		}
		for _, a := range agents {
			r := a.report()
			if err := r.write(w, o.json); err != nil {
				return err
			}
			m.add(r)
		}
		if last {
			return errors.Join(errs...)
		}
	}
}
