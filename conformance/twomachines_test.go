//go:build linux && cgo

package conformance

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/cases"
	"github.com/verbsgen/verbsgen/conformance/suite/remote"
)

var (
	listenFlag = flag.String("listen", "",
		"serve the device to a suite on another machine, on this TCP `address`, and run no test; docs/two-machines.md")
	connectFlag = flag.String("connect", "", "the other ends are those of the machine that listens on this `address`")
	onceFlag    = flag.Bool("once", false, "with -listen: end with the first session that comes to its end")
	idleFlag    = flag.Duration("idle", 0, "with -listen: end after so long without a session (default: never)")
	secretFlag  = flag.String("secret", "",
		"with -listen and -connect: a `file` with the secret that both sides have; a side without it is turned away")
	waitFlag = flag.Duration("wait", 30*time.Second, "with -connect: how long to try while nobody listens, or another is served")
)

// listenAlone does what the listening side does, and ends the program, when it is that. Flags are parsed already.
func listenAlone() {
	if *listenFlag == "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := listen(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// listen serves the device until the context ends.
func listen(ctx context.Context, out io.Writer) error {
	target, err := suite.Open(config())
	if err != nil {
		return err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *listenFlag)
	if err != nil {
		return err
	}
	say := func(format string, args ...any) {
		fmt.Fprintf(out, time.Now().UTC().Format(time.TimeOnly)+" "+format+"\n", args...)
	}
	say("listening on %v for %v", ln.Addr(), target)
	if at, ok := ln.Addr().(*net.TCPAddr); ok && secret == nil && !at.IP.IsLoopback() {
		say("without -secret, anyone who reaches this address can use the device")
	}
	s := &remote.Server{Suite: fingerprint(), About: target.Self(), Secret: secret, Open: target.OpenFar, Once: *onceFlag, Idle: *idleFlag,
		Log: say}
	if err := s.Serve(ctx, ln); err != nil {
		return err
	}
	say("done")
	return nil
}

// connect has the target's cases find their other ends at the listening side, when there is one.
func connect(t *testing.T, target *suite.Target) {
	t.Helper()
	if *connectFlag == "" {
		return
	}
	p, err := remote.Dial(t.Context(), remote.Client{Address: *connectFlag, Suite: fingerprint(), About: target.Self(),
		Secret: secret, Wait: *waitFlag, Log: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Logf("the far side is %v", p.About())
	target.UseFar(p, p.About())
}

// secret is what -secret says, nil without the flag.
var secret []byte

// readSecret reads the file of -secret, before anything is run.
func readSecret() (err error) {
	if *secretFlag != "" {
		secret, err = remote.ReadSecret(*secretFlag)
	}
	return err
}

// fingerprint tells this program's cases from those of another.
func fingerprint() string {
	var ids []string
	for _, c := range cases.All() {
		ids = append(ids, c.ID)
	}
	return remote.Fingerprint(ids)
}
