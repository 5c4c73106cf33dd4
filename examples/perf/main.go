// Command perf measures latency and bandwidth of RDMA operations between two machines, with the tests, the options and the columns of
// perftest (ib_write_lat and the others). One side waits, the other goes to it:
//
//	perf write_lat -d mlx5_0
//	perf write_lat -d mlx5_0 -s 8 -n 10000 first.example.org
//
// The tests are write_lat, send_lat, read_lat, atomic_lat, write_bw, send_bw and read_bw. Both sides need the same test and the same -s,
// -n and -a, and the client's kind of memory is its own: --use_ibdm takes device memory. It does not talk to the programs of perftest.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

func main() { start.Main("perf", run) }

// settings is the command line. Names of flags are those of perftest.
type settings struct {
	test                string
	device, host        string
	ibPort, port        uint
	size, iters, inline int
	txDepth, rxDepth    int
	list, cqMod         int
	all, useDM, swap    bool
	direct              bool
	json, histogram     bool
	timeout             time.Duration
}

var tests = []string{"write_lat", "send_lat", "read_lat", "atomic_lat", "write_bw", "send_bw", "read_bw"}

// latency reports whether the test measures one operation at a time; kind is its operation.
func (s *settings) latency() bool { return strings.HasSuffix(s.test, "_lat") }
func (s *settings) kind() string  { kind, _, _ := strings.Cut(s.test, "_"); return kind }

const mostSize = 1 << 23 // the longest of -a, as in perftest

func parse(stderr io.Writer, args []string) (*settings, error) {
	s := &settings{}
	if len(args) > 0 && slices.Contains(tests, args[0]) {
		s.test, args = args[0], args[1:]
	}
	f := start.Flags("perf", stderr)
	f.Usage = func() {
		fmt.Fprintf(stderr, "usage: perf TEST [flags]         wait for a client\n       perf TEST [flags] HOST    go to the server on HOST\n"+
			"TEST is one of %s\n", strings.Join(tests, ", "))
		f.PrintDefaults()
	}
	f.StringVar(&s.device, "d", "", "RDMA device (default: the first)")
	f.UintVar(&s.ibPort, "i", 1, "port of the device")
	f.UintVar(&s.port, "p", 18515, "TCP port of the server")
	f.IntVar(&s.size, "s", 0, "length of a message in bytes (default 2 for latency, 65536 for bandwidth, 8 for atomic_lat)")
	f.IntVar(&s.iters, "n", 0, "messages (default 1000 for latency, 5000 for bandwidth)")
	f.BoolVar(&s.all, "a", false, "run with sizes 2, 4, ... up to 8 MiB, or up to -s where that is given")
	f.IntVar(&s.inline, "I", -1, "largest message that is sent inline (default 220 for latency of write and send, 0 otherwise)")
	f.IntVar(&s.txDepth, "t", 128, "bandwidth: messages that are under way at a time")
	f.IntVar(&s.rxDepth, "r", 512, "send_bw: receives that are posted at a time")
	f.IntVar(&s.list, "l", 1, "bandwidth: requests of one post")
	f.IntVar(&s.cqMod, "Q", 0, "bandwidth: requests of one completion (default 100, at most -t)")
	f.BoolVar(&s.useDM, "use_ibdm", false, "use device memory")
	f.BoolVar(&s.direct, "direct", false, "mlx5: post and poll in Go, without libmlx5")
	atomic := f.String("A", "FETCH_AND_ADD", "atomic_lat: FETCH_AND_ADD or CMP_AND_SWAP")
	f.BoolVar(&s.histogram, "H", false, "latency: print a histogram")
	f.BoolVar(&s.json, "json", false, "print JSON")
	f.DurationVar(&s.timeout, "timeout", time.Minute, "until a test of one size is given up")
	if err := start.Parse(f, args); err != nil {
		return nil, err
	}
	s.host, s.swap = f.Arg(0), *atomic == "CMP_AND_SWAP"
	if !s.swap && *atomic != "FETCH_AND_ADD" {
		s.test = "" // reported below
	}
	s.defaults()
	if problem := s.problem(f.NArg()); problem != "" {
		defer f.Usage()
		return nil, start.Wrong(f, problem)
	}
	return s, nil
}

func (s *settings) defaults() {
	kind, lat := s.kind(), s.latency()
	if s.size == 0 {
		s.size = map[bool]int{true: 2, false: 65536}[lat]
		if s.all {
			s.size = mostSize
		}
		if kind == "atomic" {
			s.size = 8
		}
	}
	if s.iters == 0 {
		s.iters = map[bool]int{true: 1000, false: 5000}[lat]
	}
	if s.inline < 0 {
		s.inline = 0
		if lat && (kind == "write" || kind == "send") && !s.useDM {
			s.inline = 220
		}
	}
	if s.cqMod == 0 {
		s.cqMod = min(100, s.txDepth)
	}
}

// problem says what is wrong with the settings.
func (s *settings) problem(args int) string {
	switch {
	case s.test == "":
		return "name a test first; -A is FETCH_AND_ADD or CMP_AND_SWAP"
	case args > 1:
		return "one HOST at the most"
	case s.port > 65535, s.ibPort < 1, s.ibPort > 255:
		return "-p is up to 65535, -i 1 to 255"
	case s.kind() == "atomic" && (s.size != 8 || s.all):
		return "atomic_lat moves 8 bytes"
	case s.size < 1, s.size > mostSize, s.iters < 1:
		return fmt.Sprintf("-s is 1 to %d, -n at least 1", mostSize)
	case s.useDM && s.inline > 0:
		return "device memory is not sent inline: -I 0"
	case s.txDepth < 1, s.rxDepth < 1, s.list < 1, s.cqMod < 1, s.cqMod > s.txDepth, s.list > s.txDepth:
		return "-t, -r, -l and -Q are at least 1, -l and -Q at most -t"
	}
	return ""
}

// sizes are the lengths that are measured.
func (s *settings) sizes() (all []int) {
	if !s.all {
		return []int{s.size}
	}
	for n := 2; n <= s.size; n *= 2 {
		all = append(all, n)
	}
	return all
}

// run is the command.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) (err error) {
	s, err := parse(stderr, args)
	if err != nil {
		return err
	}
	lib, err := verbs.Load()
	if err != nil {
		return err
	}
	if s.device == "" {
		list, err := lib.Devices()
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return errors.New("this machine has no RDMA device")
		}
		s.device = list[0].Name
	}
	conn, err := meet(ctx, s)
	if err != nil {
		return err
	}
	defer conn.Close()
	results, err := measure(ctx, lib, conn, s)
	if err != nil {
		return err
	}
	return print(stdout, s, results)
}

// meet waits for the client, or goes to the server.
func meet(ctx context.Context, s *settings) (net.Conn, error) {
	at := net.JoinHostPort(s.host, strconv.FormatUint(uint64(s.port), 10))
	if s.host != "" {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", at)
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at)
	if err != nil {
		return nil, err
	}
	defer ln.Close()
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	return ln.Accept()
}
