// Command rcpingpong plays ping-pong over a reliable connection, with itself or with ibv_rc_pingpong of rdma-core on
// the other side. Without an argument it is the server; with one it goes to the server on that host.
//
//	rcpingpong -device mlx5_0 -gid 3
//	rcpingpong -device mlx5_0 -gid 3 first.example.org
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
	"strconv"
	"syscall"

	"github.com/verbsgen/verbsgen/examples/rcpingpong/pingpong"
	"github.com/verbsgen/verbsgen/gen/verbs"
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
		fmt.Fprintln(os.Stderr, "rcpingpong:", err)
		os.Exit(1)
	}
}

// errUsage is a wrong command line, which was told already.
var errUsage = errors.New("wrong use")

// settings is the command line.
type settings struct {
	device string
	port   uint
	host   string
	play   pingpong.Options
}

func parse(stderr io.Writer, args []string) (*settings, error) {
	s := &settings{}
	f := flag.NewFlagSet("rcpingpong", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprint(stderr, "usage: rcpingpong [flags]         wait for a client\n       rcpingpong [flags] HOST    go to the server on HOST\n")
		f.PrintDefaults()
	}
	f.StringVar(&s.device, "device", "", "RDMA device (default: the first)")
	f.UintVar(&s.port, "port", 18515, "TCP port of the server")
	ibPort := f.Uint("ib-port", 1, "port of the device")
	f.IntVar(&s.play.Size, "size", 4096, "length of a message in bytes; the same on both sides")
	f.IntVar(&s.play.Iters, "iters", 1000, "messages from each side; the same on both sides")
	f.IntVar(&s.play.GIDIndex, "gid", -1, "entry of the port's GID table; needed on Ethernet")
	f.BoolVar(&s.play.Events, "events", false, "sleep until completions come")
	f.BoolVar(&s.play.Check, "check", false, "client: compare what comes back")
	f.DurationVar(&s.play.Timeout, "timeout", 0, "for the peer's answers and for each completion (default 10s)")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, errUsage
	}
	s.play.IBPort, s.host = uint8(*ibPort), f.Arg(0)
	if f.NArg() > 1 || s.port > 65535 || *ibPort < 1 || *ibPort > 255 {
		fmt.Fprintln(stderr, "rcpingpong: one HOST at the most, -port up to 65535, -ib-port 1 to 255")
		return nil, errUsage
	}
	return s, nil
}

// run is the command.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) (err error) {
	s, err := parse(stderr, args)
	if err != nil {
		return err
	}
	dev, err := open(s.device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	var r *pingpong.Result
	at := net.JoinHostPort(s.host, strconv.FormatUint(uint64(s.port), 10))
	if s.host == "" {
		ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "waiting on %s\n", ln.Addr())
		r, err = pingpong.Serve(ctx, dev, ln, s.play)
		if err != nil {
			return err
		}
	} else if r, err = pingpong.Play(ctx, dev, at, s.play); err != nil {
		return err
	}
	show(stdout, r, s.play.Iters)
	return nil
}

// open opens a device by its name, or the first.
func open(name string) (*verbs.Device, error) {
	lib, err := verbs.Load()
	if err != nil {
		return nil, err
	}
	if name == "" {
		list, err := lib.Devices()
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, errors.New("this machine has no RDMA device")
		}
		name = list[0].Name
	}
	return lib.OpenDevice(name)
}

// show prints what was measured.
func show(w io.Writer, r *pingpong.Result, iters int) {
	seconds := r.Duration.Seconds()
	fmt.Fprintf(w, "self  %v\npeer  %v\n", r.Self, r.Peer)
	fmt.Fprintf(w, "moved %d bytes in %.3f s: %.0f bytes/s\n", r.Bytes, seconds, float64(r.Bytes)/seconds)
	fmt.Fprintf(w, "took  %.2f us/iter over %d iterations\n", seconds*1e6/float64(iters), iters)
}
