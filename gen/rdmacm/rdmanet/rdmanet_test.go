//go:build linux && cgo

package rdmanet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/rdmacm/rdmanet"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// machine is a network of software devices, which leaves nothing open.
type machine struct {
	testing.TB
	*conn.Network
	soft *softverbs.Device
	ctx  context.Context
}

// wantIs reports an error that is not the one wanted.
func wantIs(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func second[T any](_ T, err error) error { return err }

func newMachine(t testing.TB) *machine {
	t.Helper()
	m := &machine{TB: t, soft: softverbs.New()}
	cm := softcm.New(m.soft)
	v, err := verbs.LoadFrom(m.soft)
	m.must(err)
	lib, err := rdmacm.LoadFrom(v, cm)
	m.must(err)
	m.Network, err = conn.New(lib)
	m.must(err)
	var cancel context.CancelFunc
	m.ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(func() {
		cancel()
		if err := m.Network.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		if err := errors.Join(cm.Close(), m.soft.Close()); err != nil {
			t.Error(err)
		}
	})
	return m
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *machine) listen(o rdmanet.Options) *rdmanet.Listener {
	m.Helper()
	l, err := rdmanet.Listen(m.Network, "10.0.0.1:0", o)
	m.must(err)
	m.Cleanup(func() {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			m.Error(err)
		}
	})
	return l
}

// pair connects, and closes both ends at the end.
func (m *machine) pair(o rdmanet.Options) (dialed, accepted *rdmanet.Conn) {
	m.Helper()
	l := m.listen(o)
	dialed, accepted = m.connect(l, o)
	m.Cleanup(func() { dialed.Close(); accepted.Close() })
	return dialed, accepted
}

func (m *machine) connect(l *rdmanet.Listener, o rdmanet.Options) (dialed, accepted *rdmanet.Conn) {
	m.Helper()
	came := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			m.Error(err)
		}
		came <- c
	}()
	dialed, err := rdmanet.Dial(m.ctx, m.Network, l.Addr().String(), o)
	m.must(err)
	return dialed, (<-came).(*rdmanet.Conn)
}

// TestStream sends bytes in both directions at once, in pieces of any size, by Write and Read, by ReadFrom and WriteTo. Each end closes as
// soon as it has written, and everything arrives.
func TestStream(t *testing.T) {
	for _, o := range []rdmanet.Options{{}, {Messages: 8, Size: 64}, {Messages: 100, Size: 100}} {
		m := newMachine(t)
		a, b := m.pair(o)
		sent := make([]byte, 1<<20)
		for i := range sent {
			sent[i] = byte(rand.Uint32())
		}
		var all sync.WaitGroup
		for i, c := range []*rdmanet.Conn{a, b} {
			all.Go(func() {
				var err error
				if i == 0 {
					_, err = io.Copy(c, bytes.NewReader(sent))
				} else {
					for rest := sent; len(rest) > 0 && err == nil; {
						var n int
						n, err = c.Write(rest[:min(len(rest), 1+rand.IntN(5000))])
						rest = rest[n:]
					}
				}
				if err := errors.Join(err, c.CloseWrite()); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				var got bytes.Buffer
				var err error
				if i == 0 {
					_, err = io.Copy(&got, c)
				} else {
					_, err = io.CopyBuffer(&got, struct{ io.Reader }{c}, make([]byte, 77))
				}
				if err != nil || !bytes.Equal(got.Bytes(), sent) {
					t.Errorf("%d bytes, %v", got.Len(), err)
				}
			})
		}
		all.Wait()
	}
}

// TestClose closes an end that has written: the peer reads all of it, although it begins afterwards. Then its writes fail.
func TestClose(t *testing.T) {
	m := newMachine(t)
	a, b := m.pair(rdmanet.Options{Messages: 64, Size: 64})
	sent := bytes.Repeat([]byte("0123456789"), 300)
	_, err := a.Write(sent)
	m.must(errors.Join(err, a.Close()))
	<-b.Endpoint().Done()
	got, err := io.ReadAll(b)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	wantIs(t, second(b.Write(sent)), syscall.ECONNRESET)
	m.must(b.Close())
	for _, f := range []func() error{a.Close, a.CloseWrite, func() error { return a.SetDeadline(time.Time{}) }} {
		wantIs(t, f(), net.ErrClosed)
	}
	a, b = m.pair(rdmanet.Options{})
	m.must(a.CloseWrite())
	if n, err := a.Write(sent); n != 0 || !errors.Is(err, syscall.EPIPE) {
		t.Error(n, err)
	}
	if n, err := b.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
	_, err = b.Write([]byte("go on"))
	m.must(err)
	m.must(b.Close())
	if got, err := io.ReadAll(a); err != nil || string(got) != "go on" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestStalled has a peer read nothing: a write stops, and ends with its deadline. When the peer reads, it goes on.
func TestStalled(t *testing.T) {
	m := newMachine(t)
	a, b := m.pair(rdmanet.Options{Messages: 8, Size: 64})
	m.must(a.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)))
	sent := make([]byte, 1<<20)
	n, err := a.Write(sent)
	var op *net.OpError
	if !errors.As(err, &op) || !op.Timeout() || !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n > 8*64 {
		t.Errorf("%d bytes written, %v", n, err)
	}
	m.must(a.SetWriteDeadline(time.Time{}))
	go func() {
		_, err := a.Write(sent[n:])
		if err := errors.Join(err, a.Close()); err != nil {
			t.Error(err)
		}
	}()
	if got, err := io.ReadAll(b); err != nil || len(got) != len(sent) {
		t.Errorf("%d bytes read, %v", len(got), err)
	}
}

// raw connects a Conn with an endpoint that sends what a test wants.
func raw(t testing.TB, dev *verbs.Device, hello []byte) (*rdmanet.Conn, *endpoint.Endpoint, error) {
	t.Helper()
	near, far := net.Pipe()
	e, err := endpoint.New(dev, endpoint.Config{Sends: 4, SendSize: 1 << 10, Recvs: 64, RecvSize: 1 << 10,
		Handle: func(*endpoint.Endpoint, verbs.WC) {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	done := make(chan bool)
	go func() {
		defer close(done)
		setup := connect.DefaultSetup()
		setup.Timeout, setup.RetryCnt, setup.RNRRetry = 8, 1, 1
		e.Connect(context.Background(), far, connect.Options{Data: hello, Setup: &setup})
	}()
	c, err := rdmanet.Upgrade(context.Background(), dev, near, rdmanet.Options{Size: 64})
	<-done
	return c, e, err
}

var hello = append([]byte("rdmanet\x01"), 0, 0, 0, 64, 0, 0, 1, 0)

func message(posted, flags uint32, data string) []byte {
	return append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, posted), flags), data...)
}

// TestNonsense has peers say what is no hello, and send what is no message.
func TestNonsense(t *testing.T) {
	_, dev := verbstest.Open(t)
	said := func(messages, size uint32) string {
		return string(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("rdmanet\x01"), messages), size))
	}
	for _, h := range []string{"", strings.Replace(said(64, 256), "\x01", "\x02", 1), said(64, 256)[:15], said(7, 256), said(1<<15+1, 256),
		said(64, 63), said(64, 1<<24+1)} {
		if _, _, err := raw(t, dev, []byte(h)); !errors.Is(err, syscall.EPROTO) {
			t.Errorf("hello %q: %v", h, err)
		}
	}
	for name, messages := range map[string][][]byte{
		"empty": {{}}, "short": {{0, 0, 0, 0, 0, 0, 0}}, "flags": {message(0, 2, "x")}, "receives": {message(1, 0, "x")},
		"receives below 0": {message(1<<32-1, 0, "x")}, "data after the end": {message(0, 1, "x"), message(0, 0, "y")},
		"two ends": {message(0, 1, ""), message(0, 1, "")}, "large": {message(0, 0, string(make([]byte, 65)))},
	} {
		t.Run(name, func(t *testing.T) {
			c, e, err := raw(t, dev, hello)
			if err != nil {
				t.Fatal(err)
			}
			send(t, e, messages...)
			<-c.Endpoint().Done()
			if err := c.Endpoint().Err(); !errors.Is(err, syscall.ECONNRESET) || name != "large" && !errors.Is(err, syscall.EPROTO) {
				t.Error(err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func send(t testing.TB, e *endpoint.Endpoint, messages ...[]byte) {
	for _, b := range messages {
		s, err := e.Slot(context.Background())
		if err != nil {
			return // the connection has ended
		}
		s.Send(copy(s.Bytes(), b))
		s.Do(context.Background())
		s.Free()
	}
}

// FuzzPeer has a peer send any bytes, in messages of the first byte's length, to a program that reads and writes. It ends, without a panic.
func FuzzPeer(f *testing.F) {
	f.Add(message(0, 0, "hello"))
	f.Add(append([]byte{8}, append(message(0, 1, ""), message(0, 0, "")...)...))
	f.Add(append([]byte{9}, append(message(1, 0, "x"), message(2, 0, "y")...)...))
	_, dev := verbstest.Open(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 || len(b) > 4096 {
			return
		}
		c, e, err := raw(t, dev, hello)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.SetDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() { io.Copy(io.Discard, c) })
		all.Go(func() { c.Write(make([]byte, 1000)) })
		send(t, e, slices.Collect(slices.Chunk(b[1:], int(b[0])+1))...)
		all.Wait()
		if err := c.Close(); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Error(err)
		}
	})
}

// plain makes the queue pair of a connection that is no rdmanet.
func plain(c *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) {
	e, err := c.NewEndpoint(endpoint.Config{})
	if err != nil {
		return nil, err
	}
	return e.QP, nil
}

// TestStrangers has librdmacm connect peers that are no rdmanet: both ends refuse, and the Listener goes on.
func TestStrangers(t *testing.T) {
	m := newMachine(t)
	l := m.listen(rdmanet.Options{})
	other := conn.Options{QP: plain}
	addr := l.Addr().(rdmanet.Addr).AddrPort
	wantIs(t, second(m.Network.Dial(m.ctx, addr, other)), syscall.ECONNREFUSED)
	plain, err := m.Network.Listen(netip.AddrPortFrom(addr.Addr(), 0), conn.ListenOptions{})
	m.must(err)
	accepted := make(chan error)
	go func() {
		c, err := plain.Accept(m.ctx, other)
		if err == nil {
			<-c.Done()
			err = c.Close()
		}
		accepted <- err
	}()
	_, err = rdmanet.Dial(m.ctx, m.Network, plain.Addr().String(), rdmanet.Options{})
	if e := <-accepted; e != nil || !errors.Is(err, syscall.EPROTO) {
		t.Errorf("a listener that is no rdmanet: %v, %v", err, e)
	}
	a, b := m.connect(l, rdmanet.Options{})
	m.must(errors.Join(a.Close(), b.Close()))
}

// TestGone has peers give up while the Listener makes their connections: Accept does not say so, and returns the next one.
func TestGone(t *testing.T) {
	m := newMachine(t)
	l := m.listen(rdmanet.Options{})
	for range 20 {
		ctx, cancel := context.WithCancel(m.ctx)
		c, err := m.Network.Dial(ctx, l.Addr().(rdmanet.Addr).AddrPort, conn.Options{
			Attr: rdmacm.ConnAttr{PrivateData: hello},
			QP: func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
				defer time.AfterFunc(time.Duration(rand.IntN(200))*time.Microsecond, cancel)
				return plain(c, attr)
			}})
		cancel()
		if err == nil { // it was quick
			m.must(c.Close())
		} else if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	last, err := rdmanet.Dial(m.ctx, m.Network, l.Addr().String(), rdmanet.Options{})
	m.must(err)
	go last.Close()
	for {
		c, err := l.Accept()
		m.must(err)
		_, err = c.Read(make([]byte, 1))
		c.Close()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Fatal(err)
		}
	}
}

// TestNetworkClose closes the network below a connection, and a Listener with connections that nobody accepts.
func TestNetworkClose(t *testing.T) {
	m := newMachine(t)
	o := rdmanet.Options{KeepAlive: time.Hour}
	l := m.listen(o)
	a, _ := m.connect(l, o)
	b, err := rdmanet.Dial(m.ctx, m.Network, l.Addr().String(), o)
	m.must(err)
	m.must(l.Close())
	wantIs(t, l.Close(), net.ErrClosed)
	wantIs(t, second(b.Read(make([]byte, 1))), syscall.ECONNRESET)
	ended := make(chan error)
	go func() { _, err := a.Read(make([]byte, 1)); ended <- err }()
	m.must(m.Network.Close())
	if err := <-ended; !errors.Is(err, net.ErrClosed) && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	if _, err := a.Write(make([]byte, 1)); !errors.Is(err, net.ErrClosed) && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	m.must(a.Close())
}

// readFunc is an io.Reader.
type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// TestBesideReadFrom writes while ReadFrom and WriteTo wait for the program's reader and writer: no call waits for them.
func TestBesideReadFrom(t *testing.T) {
	m := newMachine(t)
	a, b := m.pair(rdmanet.Options{Messages: 8})
	begun, end, all := make(chan bool, 8), make(chan bool), sync.WaitGroup{}
	for range 8 {
		all.Go(func() {
			a.ReadFrom(readFunc(func([]byte) (int, error) { begun <- true; <-end; return 0, io.EOF }))
		})
	}
	<-begun
	reader, writer := io.Pipe() // whose write waits for a read
	all.Go(func() { b.WriteTo(writer) })
	for i := range 3 {
		_, err := a.Write([]byte{byte(i)})
		m.must(err)
	}
	buf := make([]byte, 1)
	_, err := reader.Read(buf)
	m.must(err)
	m.must(b.SetReadDeadline(time.Now()))
	wantIs(t, second(b.Read(buf)), os.ErrDeadlineExceeded)
	if n, err := a.Write(nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	close(end)
	reader.Close()
	all.Wait()
}

// TestLimits refuses sizes that no connection can have, and a deadline that passes is a Timeout.
func TestLimits(t *testing.T) {
	m := newMachine(t)
	for _, o := range []rdmanet.Options{{Messages: 7}, {Messages: 1<<15 + 1}, {Messages: 8 - 1<<32}, {Size: 63}, {Size: 1<<24 + 1},
		{Messages: 1 << 13, Size: 1 << 24}} {
		if _, err := rdmanet.Listen(m.Network, "10.0.0.1:0", o); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%d messages of %d bytes: %v", o.Messages, o.Size, err)
		}
	}
	l := m.listen(rdmanet.Options{})
	ctx, cancel := context.WithTimeout(m.ctx, time.Nanosecond)
	defer cancel()
	_, err := rdmanet.Dial(ctx, m.Network, l.Addr().String(), rdmanet.Options{})
	if e := net.Error(nil); !errors.As(err, &e) || !e.Timeout() {
		t.Error(err)
	}
	near, far := net.Pipe()
	defer far.Close()
	_, dev := verbstest.Open(t)
	_, err = rdmanet.Upgrade(ctx, dev, near, rdmanet.Options{})
	if e := net.Error(nil); !errors.As(err, &e) || !e.Timeout() {
		t.Error(err)
	}
	var c *rdmanet.Conn
	if c.LocalAddr() != nil || c.Endpoint() != nil || c.Close() == nil {
		t.Error("a connection that was never made")
	}
}

// TestAlive has a peer vanish without a word: an end that only reads notices it.
func TestAlive(t *testing.T) {
	_, dev := verbstest.Open(t)
	near, far := net.Pipe()
	setup := connect.DefaultSetup()
	setup.Timeout, setup.RetryCnt = 8, 1
	o := rdmanet.Options{KeepAlive: 5 * time.Millisecond, Connect: connect.Options{Setup: &setup}}
	peer := make(chan *rdmanet.Conn)
	go func() {
		c, err := rdmanet.Upgrade(t.Context(), dev, far, o)
		if err != nil {
			t.Error(err)
		}
		peer <- c
	}()
	a, err := rdmanet.Upgrade(t.Context(), dev, near, o)
	if err != nil {
		t.Fatal(err)
	}
	b := <-peer
	a.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	wantIs(t, second(a.Read(make([]byte, 1))), os.ErrDeadlineExceeded)
	a.SetReadDeadline(time.Now().Add(time.Minute))
	if err := b.Endpoint().QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)); err != nil {
		t.Fatal(err)
	}
	wantIs(t, second(a.Read(make([]byte, 1))), syscall.ECONNRESET)
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}

// TestNoMemory has an Accept fail for the sake of this machine: the error is Temporary, as net/http wants it, and the next one succeeds.
func TestNoMemory(t *testing.T) {
	m := newMachine(t)
	l := m.listen(rdmanet.Options{})
	a, b := m.connect(l, rdmanet.Options{})
	m.must(errors.Join(a.Close(), b.Close()))
	m.must(m.soft.Fail("ibv_reg_mr", 2, syscall.ENOMEM))
	failed := make(chan error)
	go func() {
		_, err := rdmanet.Dial(m.ctx, m.Network, l.Addr().String(), rdmanet.Options{})
		failed <- err
	}()
	_, err := l.Accept()
	var temporary interface{ Temporary() bool }
	if !errors.Is(err, syscall.ENOMEM) || !errors.As(err, &temporary) || !temporary.Temporary() {
		t.Error(err)
	}
	wantIs(t, <-failed, syscall.ECONNREFUSED)
	a, b = m.connect(l, rdmanet.Options{})
	m.must(errors.Join(a.Close(), b.Close(), l.Close()))
	wantIs(t, second(l.Accept()), net.ErrClosed)
}

// TestAllocations: Read and Write allocate nothing.
func TestAllocations(t *testing.T) {
	m := newMachine(t)
	a, b := m.pair(rdmanet.Options{})
	buf := make([]byte, 100)
	go func() {
		buf := make([]byte, 100)
		for {
			if _, err := io.ReadFull(b, buf); err != nil {
				return
			}
			if _, err := b.Write(buf); err != nil {
				return
			}
		}
	}()
	allocs.None(t, "a round trip", func() {
		if _, err := a.Write(buf); err != nil {
			t.Error(err)
		}
		if _, err := io.ReadFull(a, buf); err != nil {
			t.Error(err)
		}
	})
	m.must(a.Close())
}

// TestMany has many connections, of which one after the other ends without a word and is replaced. Nothing is left.
func TestMany(t *testing.T) {
	many, killed := 1000, 200
	if testing.Short() {
		many, killed = 100, 50
	}
	m := newMachine(t)
	o := rdmanet.Options{Messages: 8, Size: 64}
	l := m.listen(o)
	before := runtime.NumGoroutine()
	type ends struct{ a, b *rdmanet.Conn }
	all := make([]ends, many)
	for i := range all {
		all[i].a, all[i].b = m.connect(l, o)
	}
	open := runtime.NumGoroutine()
	buf := make([]byte, 8)
	for i := range killed {
		x := &all[rand.IntN(many)]
		m.must(x.b.Endpoint().QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)))
		x.b.Close()
		if _, err := x.a.Read(buf); !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("connection %d: %v", i, err)
		}
		m.must(x.a.Close())
		x.a, x.b = m.connect(l, o)
		y := &all[rand.IntN(many)]
		_, err := y.a.Write(buf)
		m.must(err)
		_, err = io.ReadFull(y.b, buf)
		m.must(err)
	}
	if n := runtime.NumGoroutine(); n > open+20 {
		t.Errorf("%d goroutines with as many connections as before, when there were %d", n, open)
	}
	for _, x := range all {
		m.must(x.a.Close())
		x.b.Close()
	}
	for until := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}
