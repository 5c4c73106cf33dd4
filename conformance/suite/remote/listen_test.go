package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// TestStrangers has a server meet what does not greet as a client does. It turns them away and goes on.
func TestStrangers(t *testing.T) {
	s := serve(t, func(s *Server) { s.Once, s.times.Greeting = true, 200*time.Millisecond })
	for _, c := range []struct {
		sent []byte
		says string
	}{
		{[]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), `it does not speak this protocol: it begins with "GET / HT"`},
		{preamble(1), "it speaks version 1 of the protocol and this side version 3"},
		{helloBytes(t, hello{Suite: "7 cases"}), `it has another suite, "7 cases", and this side "a suite"`},
		{append(preamble(Protocol), 0x7f, 0xff, 0xff, 0xff), "its greeting: a message of 2147483647 bytes"},
		{[]byte("verbs"), "no greeting: it took too long"},
		{append(preamble(Protocol), text(strings.Repeat(" ", 99))[:50]...), "its greeting: it took too long"},
		{nil, "no greeting: it took too long"},
		{helloBytes(t, hello{Suite: "a suite"}), "its proof: it took too long"},
	} {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(c.sent); err != nil {
			t.Error(err)
		}
		s.said(t, "was turned away: "+c.says)
		answer, _ := io.ReadAll(conn)
		if want := preamble(Protocol); !strings.HasPrefix(string(answer), string(want)) { // by which the stranger can tell
			t.Errorf("%q was answered with %q", c.sent, answer)
		}
		_ = conn.Close()
		s.mu.Lock()
		s.lines = nil
		s.mu.Unlock()
	}
	p := dial(t, s.addr)
	newEnd(t, p)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := s.ended(t); err != nil { // with Once, strangers do not count
		t.Error(err)
	}
}

// TestCrowd has more connections than the lobby takes, none of which says a thing. Who greets is served at once.
func TestCrowd(t *testing.T) {
	s := serve(t, nil)
	var crowd []net.Conn
	for range 3 * maxLobby {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		crowd = append(crowd, conn)
	}
	if answer, _ := io.ReadAll(crowd[0]); !strings.HasPrefix(string(answer), string(preamble(Protocol))) && len(answer) > 0 {
		t.Errorf("the oldest one was answered with %q", answer)
	}
	newEnd(t, dial(t, s.addr)) // without waiting
	s.said(t, "too many connections without a greeting")
}

// TestSlowGreetings has 32 connections that send a byte of their greeting now and then, and come again when they are turned away. A
// client is served every time.
func TestSlowGreetings(t *testing.T) {
	s := serve(t, func(s *Server) { s.times.Greeting = time.Second })
	stop := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stop)
	for range 32 {
		all.Go(func() { slowly(s.addr, stop) })
	}
	for range 75 {
		p, err := Dial(t.Context(), client(s.addr)) // without waiting
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		s.free(t)
	}
}

// slowly greets one byte after the other, until stop.
func slowly(addr string, stop chan struct{}) {
	for {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		for i := 0; err == nil; i++ {
			select {
			case <-stop:
				_ = conn.Close()
				return
			case <-time.After(10 * time.Millisecond):
			}
			_, err = conn.Write(preamble(Protocol)[i%10 : i%10+1])
		}
		_ = conn.Close()
	}
}

// TestCrowdOfOneHost fills the lobby from two hosts: the oldest connection of the one with more is put out.
func TestCrowdOfOneHost(t *testing.T) {
	from := func(ip string, n int) *hosted { return &hosted{at: &net.TCPAddr{IP: net.ParseIP(ip), Port: n}} }
	l := &lobby{}
	few := from("10.0.0.1", 1)
	l.enter(few)
	var many []*hosted
	for i := range 2 * maxLobby {
		many = append(many, from("10.0.0.2", i))
		l.enter(many[i])
	}
	if len(l.conns) != maxLobby || few.closed || !many[0].closed || many[len(many)-1].closed {
		t.Errorf("%d wait; closed: of few %t, the first of many %t, the last %t", len(l.conns), few.closed, many[0].closed,
			many[len(many)-1].closed)
	}
	for _, c := range many {
		l.leave(c)
	}
	if l.leave(few); len(l.conns) != 0 {
		t.Errorf("%d are left", len(l.conns))
	}
}

// hosted is a connection of a host.
type hosted struct {
	net.Conn
	at     net.Addr
	closed bool
}

func (c *hosted) RemoteAddr() net.Addr { return c.at }

func (c *hosted) Close() error {
	c.closed = true
	return nil
}

// TestBusy has a second client come while one is served: it is told so, and served when the first is done.
func TestBusy(t *testing.T) {
	s := serve(t, nil)
	first := dial(t, s.addr)
	_, err := Dial(t.Context(), client(s.addr))
	says(t, "the second", err, "it will not serve now: it serves 127.0.0.1:")
	says(t, "the second", err, "(near)")
	time.AfterFunc(50*time.Millisecond, func() { _ = first.Close() })
	c := client(s.addr)
	c.Wait = 20 * time.Second
	second, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	newEnd(t, second)
}

// TestWait has the client come before the server.
func TestWait(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	_ = ln.Close()
	_, err = Dial(t.Context(), client(addr))
	says(t, "nobody listens", err, "connection refused")
	c, told := client(addr), make(chan string, 1)
	c.Wait, c.Log = 20*time.Second, func(format string, _ ...any) { told <- format }
	go func() {
		<-told
		if ln, err = net.Listen("tcp", addr); err == nil {
			_ = (&Server{Suite: "a suite", Open: func() (far.Maker, error) { return newWorld(t), nil },
				Log: func(string, ...any) {}}).Serve(t.Context(), ln)
		}
	}()
	p, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	newEnd(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dial(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled wait: %v", err)
	}
}

// TestOnce and an idle time, with and without guests.
func TestOnce(t *testing.T) {
	t.Parallel()
	idle := 100 * time.Millisecond
	s := serve(t, func(s *Server) { s.Idle = idle })
	if err := s.ended(t); err != nil {
		t.Errorf("idle: %v", err)
	}
	s = serve(t, func(s *Server) { s.Idle, s.Once = idle, true })
	if err := s.ended(t); !errors.Is(err, ErrIdle) || err.Error() != "nobody connected for 100ms" {
		t.Errorf("idle, but one session was wanted: %v", err)
	}
	s = serve(t, func(s *Server) { s.Idle = 2 * time.Second })
	if err := dial(t, s.addr).Close(); err != nil {
		t.Error(err)
	}
	if err := s.ended(t); err != nil {
		t.Errorf("idle after a session: %v", err)
	}
	s = serve(t, func(s *Server) { s.Idle, s.Once = 2*time.Second, true })
	p := dial(t, s.addr)
	e := newEnd(t, p)
	time.Sleep(2500 * time.Millisecond) // a session is not idle
	if err := e.Store(t.Context(), 0, nil); err != nil {
		t.Error(err)
	}
	_ = p.line.wire.conn.Close() // as if the client had died: this was no whole session
	s.said(t, "the session ends after 1 ends: the connection was closed by the other side")
	if err := dial(t, s.addr).Close(); err != nil {
		t.Error(err)
	}
	if err := s.ended(t); err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", s.addr); err == nil {
		t.Error("it still listens")
	}
}

// TestStop ends a server in the middle of an operation. The client is told, and nothing is left open.
func TestStop(t *testing.T) {
	s := serve(t, nil)
	p := dial(t, s.addr)
	e := newEnd(t, p)
	time.AfterFunc(50*time.Millisecond, s.stop)
	_, err := e.Do(t.Context(), far.Op{Code: far.Write, RKey: keyWaits})
	says(t, "an operation", err, "is lost: the far side ended it: it was stopped")
	if err := s.ended(t); err != nil {
		t.Error(err)
	}
	if _, shut := s.world.left(); shut != 1 {
		t.Errorf("%d makers were closed", shut)
	}
	for range maxMisses { // there is none to be had; each says why
		_, err = p.NewEnd(t.Context(), far.RC)
		if !errors.Is(err, ErrGone) {
			t.Errorf("a new end: %v", err)
		}
		says(t, "a new end", err, "the far side is gone: do: the session with the far side at "+s.addr+" is lost: ")
		says(t, "a new end", err, "; then: dial tcp")
	}
	_, err = p.NewEnd(t.Context(), far.RC)
	if !errors.Is(err, ErrGone) || strings.Contains(err.Error(), "then") {
		t.Errorf("it is tried again: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err = p.NewEnd(t.Context(), far.RC); !errors.Is(err, ErrGone) {
		t.Errorf("after Close: %v", err)
	}
}

// TestListenerClosed closes the listener behind the server's back, which is no end that anybody asked for.
func TestListenerClosed(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		ended <- (&Server{Log: t.Logf}).Serve(t.Context(), ln)
	}()
	_ = ln.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve: %v, want an error that is net.ErrClosed", err)
	}
}

// TestAgain loses the connection: the end of that session says so, the next one works.
func TestAgain(t *testing.T) {
	s := serve(t, nil)
	p := dial(t, s.addr)
	e := newEnd(t, p)
	_ = p.line.wire.conn.Close()
	says(t, "the end", e.Store(t.Context(), 0, nil), "store: the session with the far side at "+s.addr+" is lost: ")
	says(t, "the end, later", e.Store(t.Context(), 0, nil), "store: its session is over: store: the session")
	s.said(t, "the session ends")
	if err := newEnd(t, p).Store(t.Context(), 0, nil); err != nil {
		t.Error(err)
	}
}

// TestSilence has a client that says nothing for too long, and one that lives: it shows so.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := serve(t, func(s *Server) { s.times.Silence = 2 * time.Second })
	w := greeted(t, s.addr)
	a := told(t, w)
	if !a.Over || a.Why != "nothing came or went for 2s" {
		t.Errorf("%+v", a)
	}
	s.free(t)
	c := client(s.addr)
	c.times.Ping = 50 * time.Millisecond
	p, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	e := newEnd(t, p)
	time.Sleep(3 * time.Second)
	if err := e.Store(t.Context(), 0, nil); err != nil {
		t.Error(err)
	}
}

// TestHang has a far side that answers nothing: the call ends by its own limit.
func TestHang(t *testing.T) {
	addr := play(t, helloBytes(t, hello{Suite: "a suite"}), func(r *request) []byte {
		if r.Ask == askNew {
			return text(`{"id":1,"end":1,"at":{"kind":"RC","qpn":1,"mtu":1,"gid":[1]}}`)
		}
		return []byte{0, 0} // half of a length
	})
	c := client(addr)
	c.times.Step, c.times.Operation, c.times.Grace = 100*time.Millisecond, 50*time.Millisecond, 25*time.Millisecond
	p, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	says(t, "an operation", newEnd(t, p).Store(t.Context(), 0, nil), "is lost: nothing came or went for 100ms")
}

// TestStuck has a device whose operation does not even end with its time. Both sides say so; the server gives up.
func TestStuck(t *testing.T) {
	s := serve(t, func(s *Server) { s.times.Operation, s.times.Grace = 50*time.Millisecond, 50*time.Millisecond })
	p := dial(t, s.addr)
	_, err := newEnd(t, p).Do(t.Context(), far.Op{Code: far.Write, RKey: keyStuck})
	says(t, "the client", err, "is lost: the far side ended it: do has not ended within 100ms")
	select {
	case err := <-s.over:
		if !errors.Is(err, errStuck) {
			t.Errorf("the server: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server goes on")
	}
}

// TestNoDevice has a server whose device cannot be opened: the session ends with the reason, the next may do better.
func TestNoDevice(t *testing.T) {
	tries := 0
	s := serve(t, nil)
	open := s.Open
	s.Open = func() (far.Maker, error) {
		if tries++; tries == 1 {
			return nil, errors.New("the port is down")
		}
		return open()
	}
	p := dial(t, s.addr)
	_, err := p.NewEnd(t.Context(), far.RC)
	says(t, "a device that cannot be opened", err, "opening the device: the port is down")
	s.free(t)
	newEnd(t, p)
}

// TestGoroutines counts them before and after sessions.
func TestGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		s := serve(t, nil)
		p := dial(t, s.addr)
		newEnd(t, p)
		s.stop()
		if err := s.ended(t); err != nil {
			t.Error(err)
		}
		_ = p.Close()
	}
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}
