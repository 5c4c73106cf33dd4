package remote

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// times are the limits on waiting.
type times struct {
	Greeting  time.Duration // all of a greeting, on the listening side
	Step      time.Duration // a write, the rest of a message that has begun
	Operation time.Duration // one operation of the device
	Grace     time.Duration // for one that does not keep to its time; the connecting side waits twice as long
	Silence   time.Duration // between two requests
	Ping      time.Duration // after so long without a request, the connecting side shows that it is there
	Busy      time.Duration // between two tries to connect
	Again     time.Duration // for tries to have a lost session anew
}

var defaultTimes = times{Greeting: 3 * time.Second, Step: 10 * time.Second, Operation: 12 * time.Second, Grace: 3 * time.Second,
	Silence: 45 * time.Second, Ping: 10 * time.Second, Busy: 500 * time.Millisecond, Again: 5 * time.Second}

// Server is what serves a device.
type Server struct {
	Suite string // as in Client
	About About  // this side
	// Secret is what a connecting side must have too, see ReadSecret; nil serves whoever comes.
	Secret []byte
	// Open gives the maker of one session's ends. It is called anew for each session.
	Open func() (far.Maker, error)
	Once bool          // serve one session that comes to its end
	Idle time.Duration // how long to go on without a session; 0 for ever
	Log  func(format string, args ...any)

	times times
	mu    sync.Mutex
	guest string // who is served
	idle  *time.Timer
}

// ErrIdle is told when nobody came.
var ErrIdle = errors.New("nobody connected")

var errDone = errors.New("the session is over")

// Serve serves who comes to a listener, one after the other, until the context ends (no error), or with Once the session is
// over (no error), or nobody came for the time in Idle (no error, but with Once ErrIdle). It closes the listener and all
// that its sessions opened.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if s.times == (times{}) {
		s.times = defaultTimes
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(ctx, func() { _ = ln.Close() })()
	if s.Idle > 0 {
		s.idle = time.AfterFunc(s.Idle, func() { end(ErrIdle) })
		defer s.idle.Stop()
	}
	err := s.accept(ctx, ln, end)
	_ = ln.Close()
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return err
	case errors.Is(cause, ErrIdle) && s.Once:
		return fmt.Errorf("%w for %v", ErrIdle, s.Idle)
	case errors.Is(cause, errDone), errors.Is(cause, ErrIdle), errors.Is(cause, context.Canceled):
		return nil
	default:
		return cause
	}
}

// accept takes connections until the listener is closed, and waits for their end. Those that have not greeted wait in the lobby.
func (s *Server) accept(ctx context.Context, ln net.Listener, end context.CancelCauseFunc) error {
	var all sync.WaitGroup
	defer all.Wait()
	l := &lobby{}
	for {
		conn, err := ln.Accept()
		if err != nil && ctx.Err() == nil && !errors.Is(err, net.ErrClosed) { // no descriptors are left, for one
			s.Log("a connection cannot be accepted: %v; trying again", err)
			select {
			case <-time.After(s.times.Busy):
			case <-ctx.Done():
			}
			continue
		}
		if err != nil {
			end(err) // what is served ends too
			return err
		}
		l.enter(conn)
		all.Go(func() {
			defer conn.Close()
			defer l.leave(conn)
			s.welcome(ctx, conn, l, end)
		})
	}
}

// welcome greets who connected, and serves it unless another is served.
func (s *Server) welcome(ctx context.Context, conn net.Conn, l *lobby, end context.CancelCauseFunc) {
	from := conn.RemoteAddr()
	w := &wire{conn: conn, step: s.times.Step, until: time.Now().Add(s.times.Greeting)}
	defer context.AfterFunc(ctx, w.stop)()
	h, v, err := s.greeting(w)
	if err == nil && !v.Never {
		if other := s.claim(fmt.Sprintf("%s (%s)", from, h.About.Host.Name)); other != "" {
			v.Refused = "it serves " + other
		} else {
			defer s.release()
			l.leave(conn)
		}
	}
	if err == nil {
		err = w.send(v)
	}
	switch {
	case errors.Is(err, net.ErrClosed): // by the lobby
		s.Log("%s was turned away: too many connections without a greeting", from)
	case err != nil:
		s.Log("%s was turned away: %v", from, err)
	case v.Refused != "":
		s.Log("%s was turned away: %s", from, v.Refused)
	default:
		w.until = time.Time{}
		err = s.serve(ctx, w, h, from)
		switch {
		case errors.Is(err, errStuck):
			end(err)
		case err == nil && s.Once:
			end(errDone)
		}
	}
}

// greeting is the listening side's part of it, up to the verdict, which proves that this side has the secret if the other one has it.
func (s *Server) greeting(w *wire) (h *hello, v *verdict, err error) {
	mine := hello{Suite: s.Suite, About: s.About, Nonce: nonce(), Secret: s.Secret != nil}
	if h, err = w.met(s.Suite); err != nil {
		w.until = time.Now().Add(s.times.Greeting)
		_ = w.greet(mine) // by it a stranger can tell who is here
		return nil, nil, err
	}
	if err := w.greet(mine); err != nil {
		return nil, nil, err
	}
	p := &proof{}
	if err := w.read(p, maxHello, w.step); err != nil {
		return nil, nil, fmt.Errorf("its proof: %w", err)
	}
	if !hmac.Equal(p.Proof, prove(s.Secret, connecting, h.Nonce, mine.Nonce)) {
		return h, &verdict{Refused: otherSecret, Never: true}, nil
	}
	return h, &verdict{Proof: prove(s.Secret, listening, h.Nonce, mine.Nonce)}, nil
}

// claim makes a guest the one that is served, or tells who is.
func (s *Server) claim(who string) (other string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guest != "" {
		return s.guest
	}
	s.guest = who
	if s.idle != nil {
		s.idle.Stop()
	}
	return ""
}

func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guest = ""
	if s.idle != nil {
		s.idle.Reset(s.Idle)
	}
}

// serve runs one session.
func (s *Server) serve(ctx context.Context, w *wire, h *hello, from net.Addr) (err error) {
	s.Log("%s: a session with %v begins", from, h.About)
	maker, err := s.Open()
	if err != nil {
		err = fmt.Errorf("opening the device: %w", err)
		_ = w.send(&answer{Why: clean(err.Error(), maxWhy), Over: true})
		s.Log("%s: %v", from, err)
		return err
	}
	run := &session{wire: w, times: s.times, maker: maker}
	err = run.run(ctx)
	if !errors.Is(err, errStuck) {
		err = errors.Join(err, maker.Close())
	}
	if err != nil {
		s.Log("%s: the session ends after %d ends: %v", from, run.made, err)
	} else {
		s.Log("%s: the session is over; it had %d ends", from, run.made)
	}
	return err
}
