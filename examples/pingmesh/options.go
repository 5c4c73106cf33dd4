package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
)

// options is the command line.
type options struct {
	device       string
	port         uint
	gid          int // -1: choose one
	trafficClass uint
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

func parse(stderr io.Writer, args []string) (*options, error) {
	o := &options{retry: time.Second}
	f := start.Flags("pingmesh", stderr)
	device := start.Device(f)
	f.UintVar(&o.port, "ib-port", 1, "port of the device")
	f.IntVar(&o.gid, "gid-index", -1, "entry of the port's GID table (default: one of RoCEv2)")
	f.UintVar(&o.trafficClass, "traffic-class", 0, "traffic class of all datagrams; its upper six bits are the DSCP")
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
	if err := start.Parse(f, args); err != nil {
		return nil, err
	}
	var err error
	o.device = *device
	o.peers, err = hosts(*peers)
	switch {
	case f.NArg() > 0 || o.port < 1 || o.port > 255 || o.trafficClass > 255 || o.gid < -1 || o.gid > 255:
		err = errors.New("no arguments besides flags; -ib-port 1 to 255, -traffic-class and -gid-index up to 255")
	case o.interval <= 0 || o.timeout <= 0 || o.duration < 0 || o.every < 0:
		err = errors.New("-interval and -timeout are above 0, -duration and -every not below")
	case o.count < 0 || o.size < headerSize || o.keep < 1 || o.agents < 1 || o.each < 0:
		err = fmt.Errorf("-count and -each are not below 0, -size at least %d, -keep and -agents at least 1", headerSize)
	case o.metrics != "" && o.every == 0:
		err = errors.New("-metrics needs -every: it serves the latest reports")
	}
	if err != nil {
		return nil, start.Wrong(f, err.Error())
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
