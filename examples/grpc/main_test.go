//go:build linux && cgo

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm/rdmanet"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"golang.org/x/net/nettest"
)

// address is the one of the device that VERBS_DEVICE names; empty for software.
func address(t testing.TB) string {
	if os.Getenv("VERBS_DEVICE") == "" {
		return ""
	}
	table, err := verbstest.Device(t).GIDTable()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range table {
		if a := e.GID.Addr().Unmap(); a.Is4() {
			return a.String()
		}
	}
	t.Fatalf("the device has no IPv4 address: %v", table)
	return ""
}

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, address(t)); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "HTTP: hello over rdma\ngRPC: SERVING\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestConn has golang.org/x/net judge connections, also those that hold few bytes.
func TestConn(t *testing.T) {
	for name, o := range map[string]rdmanet.Options{"default": {}, "small": {Messages: 8, Size: 64}} {
		t.Run("dial/"+name, func(t *testing.T) { nettest.TestConn(t, dialed(t, o)) })
		t.Run("upgrade/"+name, func(t *testing.T) { nettest.TestConn(t, upgraded(t, o)) })
	}
}

// dialed makes pairs of connections by librdmacm.
func dialed(t testing.TB, o rdmanet.Options) nettest.MakePipe {
	n, addr, err := open(address(t))
	if err != nil {
		t.Fatal(err)
	}
	l, err := rdmanet.Listen(n, net.JoinHostPort(addr, "0"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return pipe(func(ctx context.Context) (net.Conn, error) { return rdmanet.Dial(ctx, n, l.Addr().String(), o) },
		func(context.Context) (net.Conn, error) { return l.Accept() })
}

// upgraded makes them from those of TCP.
func upgraded(t testing.TB, o rdmanet.Options) nettest.MakePipe {
	dev := verbstest.Device(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	upgrade := func(ctx context.Context, side net.Conn, err error) (net.Conn, error) {
		if err != nil {
			return nil, err
		}
		return rdmanet.Upgrade(ctx, dev, side, o)
	}
	return pipe(func(ctx context.Context) (net.Conn, error) {
		side, err := net.Dial("tcp", l.Addr().String())
		return upgrade(ctx, side, err)
	}, func(ctx context.Context) (net.Conn, error) {
		side, err := l.Accept()
		return upgrade(ctx, side, err)
	})
}

func pipe(dial, accept func(context.Context) (net.Conn, error)) nettest.MakePipe {
	return func() (a, b net.Conn, stop func(), err error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		type result struct {
			c   net.Conn
			err error
		}
		came := make(chan result, 1)
		go func() {
			c, err := accept(ctx)
			came <- result{c, err}
		}()
		if a, err = dial(ctx); err != nil {
			return nil, nil, nil, err
		}
		r := <-came
		if r.err != nil {
			return nil, nil, nil, r.err
		}
		return a, r.c, func() { a.Close(); r.c.Close() }, nil
	}
}

// BenchmarkTCP compares rdmanet with TCP on the loopback interface: the time of a round trip, and of a message when one end only writes.
func BenchmarkTCP(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	kinds := []struct {
		name string
		pipe nettest.MakePipe
	}{
		{"tcp", pipe(func(context.Context) (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) },
			func(context.Context) (net.Conn, error) { return l.Accept() })},
		{"rdmanet", dialed(b, rdmanet.Options{})},
	}
	for _, size := range []int{64, 4096, 65536} {
		for _, echo := range []bool{true, false} {
			var took [2]time.Duration
			name := map[bool]string{true: "round trip", false: "stream"}[echo]
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				for i, k := range kinds {
					x, y, stop, err := k.pipe()
					if err != nil {
						b.Fatal(err)
					}
					took[i] = move(b, x, y, size, echo)
					stop()
					b.ReportMetric(float64(took[i].Nanoseconds())/float64(b.N)/1e3, k.name+"-us")
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(took[1])/float64(took[0]), "x-tcp")
			})
		}
	}
}

// move has x send b.N messages, and y send each back if echo is set, otherwise one byte at the end.
func move(b *testing.B, x, y net.Conn, size int, echo bool) time.Duration {
	answer := 1
	if echo {
		answer = size
	}
	go func() {
		buf := make([]byte, size)
		for i := range b.N {
			if _, err := io.ReadFull(y, buf); err != nil {
				return
			}
			if echo || i == b.N-1 {
				y.Write(buf[:answer])
			}
		}
	}()
	buf := make([]byte, size)
	start := time.Now()
	for i := range b.N {
		_, err := x.Write(buf)
		if err == nil && (echo || i == b.N-1) {
			_, err = io.ReadFull(x, buf[:answer])
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}
