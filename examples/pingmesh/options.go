package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// options is the command line.
type options struct {
	device       string
	port         uint8
	gid          int // -1: choose one
	trafficClass uint8
	listen       string
	peers        []string
	agents       int
	each         int // peers of an agent of this process; 0: all others
	interval     time.Duration
	timeout      time.Duration
	duration     time.Duration
	every        time.Duration
	count        int
	size         int
	keep         int
	spin         bool
	json         bool
	metrics      string
	retry        time.Duration // between attempts to meet a peer
}

// errUsage is a wrong command line, which was reported already.
var errUsage = errors.New("wrong use")

func parse(stderr io.Writer, args []string) (*options, error) {
	o := &options{retry: time.Second}
	f := flag.NewFlagSet("pingmesh", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.device, "device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	port := f.Uint("ib-port", 1, "port of the device")
	f.IntVar(&o.gid, "gid-index", -1, "entry of the port's GID table (default: one of RoCEv2)")
	class := f.Uint("traffic-class", 0, "traffic class of all datagrams; its upper six bits are the DSCP")
	f.StringVar(&o.listen, "listen", "", "TCP address where other agents introduce themselves (with -peers :18516)")
	peers := f.String("peers", "", "TCP addresses of agents to probe: HOST[:PORT],... or @FILE with one in each line")
	f.IntVar(&o.agents, "agents", 4, "without -listen and -peers: agents in this process, which probe each other")
	f.IntVar(&o.each, "each", 0, "with -agents: how many of the others an agent probes, those after it; 0 is all")
	f.DurationVar(&o.interval, "interval", 100*time.Millisecond, "between two probes to a peer")
	f.DurationVar(&o.timeout, "timeout", 500*time.Millisecond, "after which a probe is lost")
	f.IntVar(&o.count, "count", 0, "probes to each peer; 0 is no limit (with -agents: 20)")
	f.DurationVar(&o.duration, "duration", 0, "how long to probe; 0 is no limit")
	f.DurationVar(&o.every, "every", 0, "print a report so often, each of the time since the last one; 0 is only at the end")
	f.IntVar(&o.size, "size", 64, "bytes of a probe")
	f.IntVar(&o.keep, "keep", 10000, "answered probes of a peer, the latest ones, of which percentiles are taken")
	f.BoolVar(&o.spin, "spin", false, "poll all the time, where the program would sleep")
	f.BoolVar(&o.json, "json", false, "print reports as lines of JSON")
	f.StringVar(&o.metrics, "metrics", "", "TCP address where reports are served to Prometheus at /metrics; needs -every")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, errUsage
	}
	bad := func(err error) (*options, error) {
		fmt.Fprintln(stderr, "pingmesh:", err)
		return nil, errUsage
	}
	if f.NArg() > 0 || *port < 1 || *port > 255 || *class > 255 || o.gid < -1 || o.gid > 255 {
		return bad(errors.New("no arguments besides flags; -ib-port 1 to 255, -traffic-class and -gid-index up to 255"))
	}
	if o.interval <= 0 || o.timeout <= 0 || o.duration < 0 || o.every < 0 {
		return bad(errors.New("-interval and -timeout are above 0, -duration and -every not below"))
	}
	if o.count < 0 || o.size < headerSize || o.keep < 1 || o.agents < 1 || o.each < 0 {
		return bad(fmt.Errorf("-count and -each are not below 0, -size at least %d, -keep and -agents at least 1", headerSize))
	}
	if o.metrics != "" && o.every == 0 {
		return bad(errors.New("-metrics needs -every: it serves the latest reports"))
	}
	o.port, o.trafficClass = uint8(*port), uint8(*class)
	var err error
	if o.peers, err = hosts(*peers); err != nil {
		return bad(err)
	}
	if o.listen == "" && len(o.peers) > 0 {
		o.listen = ":" + defaultPort
	}
	if o.listen == "" && o.count == 0 && o.duration == 0 {
		o.count = 20
	}
	return o, nil
}

const defaultPort = "18516"

// hosts reads a list of peers. In a file, what follows # is a comment.
func hosts(list string) ([]string, error) {
	lines := strings.Split(list, ",")
	if name, ok := strings.CutPrefix(list, "@"); ok {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		lines = strings.Split(string(text), "\n")
	}
	var all []string
	for _, line := range lines {
		host, _, _ := strings.Cut(line, "#")
		if host = strings.TrimSpace(host); host == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), defaultPort)
		}
		all = append(all, host)
	}
	return all, nil
}
