package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// TestCrowd has many connections that say nothing, or stop in the middle of a greeting. Who greets is served at once; they are closed.
func TestCrowd(t *testing.T) {
	s := serve(t, func(s *Server) { s.times.Greeting = 2 * time.Second })
	var crowd []net.Conn
	for i := range 200 {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, post("a suite", askHello, "{}")[:i%50]); err != nil {
			t.Error(err)
		}
		crowd = append(crowd, conn)
	}
	newEnd(t, dial(t, s.addr)) // without waiting
	for i, conn := range crowd {
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("connection %d is open", i)
		}
	}
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
	_ = p.line.conn.Close() // as if the client had died: this was no whole session
	s.said(t, "the session ends after 1 ends: the connection was closed, or nothing came for 20s")
	s.free(t)
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
	_ = p.line.conn.Close()
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
	p, err := Dial(t.Context(), client(s.addr))
	if err != nil {
		t.Fatal(err)
	}
	s.said(t, "the session ends after 0 ends: the connection was closed, or nothing came for 2s")
	s.free(t)
	says(t, "a silent client", p.Close(), "is lost: the connection was closed by the other side")
	c := client(s.addr)
	c.times.Ping = 50 * time.Millisecond
	p, err = Dial(t.Context(), c)
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
	hang := make(chan struct{})
	c := client(play(t, func(http.ResponseWriter, *http.Request) { <-hang }))
	defer close(hang)
	c.times.Operation, c.times.Grace = 50*time.Millisecond, 25*time.Millisecond
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
	_, err := Dial(t.Context(), client(s.addr))
	says(t, "a device that cannot be opened", err, "it will not serve: opening the device: the port is down")
	s.free(t)
	p := dial(t, s.addr)
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
	until(t, func() string {
		if now := runtime.NumGoroutine(); now > before {
			return fmt.Sprintf("%d goroutines before, %d after", before, now)
		}
		return ""
	})
}
