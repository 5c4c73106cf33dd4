// Command pingmesh measures the latency between the machines of a fleet over unreliable datagrams, as R-Pingmesh (SIGCOMM 2024)
// describes it. One process, an agent, probes many peers from one queue pair and answers their probes.
//
//	pingmesh                                            agents on a software device, which probe each other
//	pingmesh -device mlx5_0                             the same on a real device
//	pingmesh -device mlx5_0 -peers @hosts -every 1m -json   on each machine of the fleet
//	pingmesh -device mlx5_0 -listen :18516              only answer
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "pingmesh:", err)
		os.Exit(1)
	}
}

// run is the command: it opens the device, and closes it at the end with all that was made from it.
func run(ctx context.Context, stdout, stderr io.Writer, args []string, soft ...softverbs.Option) (err error) {
	o, err := parse(stderr, args)
	if err != nil {
		return err
	}
	var lib *verbs.Lib
	if o.device == "" {
		o.device = "soft0"
		s := softverbs.New(append(soft, softverbs.Name(o.device))...)
		defer s.Close()
		lib, err = verbs.LoadFrom(s)
	} else {
		lib, err = verbs.Load()
	}
	if err != nil {
		return err
	}
	dev, err := lib.OpenDevice(o.device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	agents, peers, err := newAgents(ctx, dev, o)
	if err != nil {
		return err
	}
	for i, a := range agents {
		a.start(peers[i])
	}
	defer func() {
		for _, a := range agents {
			a.stop()
		}
	}()
	if o.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.duration)
		defer cancel()
	}
	return probeAll(ctx, stdout, agents, o)
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
		for j, other := range agents {
			if i != j {
				others = append(others, other.ln.Addr().String())
			}
		}
		peers = append(peers, others)
	}
	return agents, peers, nil
}

// probeAll has all agents probe and report.
func probeAll(ctx context.Context, w io.Writer, agents []*agent, o *options) error {
	for _, a := range agents {
		a.meet(ctx)
	}
	errs := make([]error, len(agents))
	ended := make(chan struct{})
	var probers sync.WaitGroup
	for i, a := range agents {
		probers.Go(func() { errs[i] = a.probe(ctx) })
	}
	go func() {
		probers.Wait()
		close(ended)
	}()
	var tick <-chan time.Time
	if o.every > 0 {
		ticker := time.NewTicker(o.every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for last := false; ; {
		select {
		case <-tick:
		case <-ended:
			last = true
		}
		for _, a := range agents {
			if err := a.report().write(w, o.json); err != nil {
				return err
			}
		}
		if last {
			return errors.Join(errs...)
		}
	}
}
