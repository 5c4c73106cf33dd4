package remote

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// times are the limits on waiting.
type times struct {
	Greeting  time.Duration // the handshake of TLS, and the header of a request
	Step      time.Duration // a request, from its first byte on; connecting
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

	times    times
	ctx      context.Context // of Serve
	end      context.CancelCauseFunc
	mu       sync.Mutex
	session  *session // nil: nobody is served
	sessions sync.WaitGroup
	idle     *time.Timer
}

// ErrIdle is told when nobody came.
var ErrIdle = errors.New("nobody connected")

var (
	errDone    = errors.New("the session is over")
	errStopped = errors.New("it was stopped")
)

// Serve serves who comes to a listener, one after the other, until the context ends (no error), or with Once the session is
// over (no error), or nobody came for the time in Idle (no error, but with Once ErrIdle). It closes the listener and all
// that its sessions opened.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if s.times == (times{}) {
		s.times = defaultTimes
	}
	if s.Secret != nil {
		cfg, err := shared(s.Secret)
		if err != nil {
			return err
		}
		ln = tls.NewListener(ln, cfg)
	}
	s.ctx, s.end = context.WithCancelCause(ctx)
	defer s.end(nil)
	if s.Idle > 0 {
		s.idle = time.AfterFunc(s.Idle, func() { s.end(ErrIdle) })
		defer s.idle.Stop()
	}
	srv := s.server()
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		s.end(err)
	case <-s.ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.Background(), s.times.Grace)
	defer cancel()
	_, _ = srv.Shutdown(soon), srv.Close() // an answer still goes
	s.sessions.Wait()
	switch cause := context.Cause(s.ctx); {
	case errors.Is(cause, ErrIdle) && s.Once:
		return fmt.Errorf("%w for %v", ErrIdle, s.Idle)
	case errors.Is(cause, errDone), errors.Is(cause, ErrIdle), errors.Is(cause, context.Canceled):
		return nil
	default:
		return cause
	}
}

// connKey is the key of a connection in the context of its requests.
type connKey struct{}

// server has the limits of the connections. A session is one of them.
func (s *Server) server() *http.Server {
	return &http.Server{
		Handler:           http.HandlerFunc(s.handle),
		ReadHeaderTimeout: s.times.Greeting,
		ReadTimeout:       s.times.Step,
		WriteTimeout:      s.times.Operation + s.times.Grace + s.times.Step,
		IdleTimeout:       s.times.Silence,
		MaxHeaderBytes:    4096,
		ErrorLog:          log.New(logged(s.Log), "", 0),
		BaseContext:       func(net.Listener) context.Context { return s.ctx },
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState: func(c net.Conn, state http.ConnState) {
			if se := s.of(c); se != nil && state == http.StateClosed {
				err := fmt.Errorf("the connection was closed, or nothing came for %v", s.times.Silence)
				if s.ctx.Err() != nil {
					err = errStopped
				}
				_ = s.finish(se, err)
			}
		},
	}
}

// logged passes on the lines of http.Server.
type logged func(format string, args ...any)

var inOurWords = strings.NewReplacer("http: TLS handshake error from ", "turned away: ",
	"remote error: tls: bad certificate", errSecret.Error(), "client sent an HTTP request to an HTTPS server", "it came without -secret")

func (l logged) Write(line []byte) (int, error) {
	l("%s", clean(inOurWords.Replace(strings.TrimSpace(string(line))), maxWhy))
	return len(line), nil
}

// handle answers one request.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(suiteHeader, s.Suite)
	a, over, err := s.answer(r, http.MaxBytesReader(w, r.Body, maxMessage))
	if over {
		w.Header().Set("Connection", "close")
	}
	if err != nil {
		http.Error(w, clean(err.Error(), maxWhy), statusOf(err))
		return
	}
	_ = json.NewEncoder(w).Encode(a) // if it fails, the connection does
}

// answer does what a request asks for, and says whether the connection is over then, and with it the session.
func (s *Server) answer(r *http.Request, body io.Reader) (a answer, over bool, err error) {
	conn := r.Context().Value(connKey{}).(net.Conn)
	se, ask, suite := s.of(conn), strings.TrimPrefix(r.URL.Path, "/"), r.Header.Get(suiteHeader)
	in := request{}
	data, err := io.ReadAll(body)
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	switch {
	case suite == "":
		err = fmt.Errorf("it does not speak this protocol: it sends %s %s", r.Method, clean(r.URL.Path, maxText))
	case suite != s.Suite:
		err = otherSuite(suite, s.Suite)
	case err != nil:
		err = fmt.Errorf("a message that cannot be read: %w", err)
	case se == nil && ask == askHello:
		if se, err = s.greet(conn, cleanAbout(in.About)); err == nil {
			return answer{About: s.About}, false, nil
		}
	case se == nil:
		err = errors.New("it has no session")
	default:
		a, err = se.inTime(r.Context(), ask, &in)
		if s.ctx.Err() != nil { // the operation may have been cut short
			err = errStopped
		}
		if ask != askBye && !errors.Is(err, errStuck) && !errors.Is(err, errStopped) {
			return a, false, err
		}
	}
	if se != nil {
		return a, true, s.finish(se, err)
	}
	s.Log("%s was turned away: %v", conn.RemoteAddr(), err)
	return a, true, err
}

// of returns the session of a connection; nil: it has none.
func (s *Server) of(conn net.Conn) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil && s.session.conn == conn {
		return s.session
	}
	return nil
}

// greet begins a session, unless another is served.
func (s *Server) greet(conn net.Conn, about About) (*session, error) {
	s.mu.Lock()
	if other := s.session; other != nil {
		s.mu.Unlock()
		return nil, fmt.Errorf("%w %s", errBusy, other.guest)
	}
	se := &session{guest: fmt.Sprintf("%s (%s)", conn.RemoteAddr(), about.Host.Name), conn: conn, times: s.times, ends: map[uint32]*served{}}
	s.session = se
	s.sessions.Add(1)
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Unlock()
	s.Log("%s: a session with %v begins", conn.RemoteAddr(), about)
	var err error
	if se.maker, err = s.Open(); err != nil {
		err = fmt.Errorf("opening the device: %w", err)
	}
	return se, err
}

// finish ends a session. err says why; without one the other side is done.
func (s *Server) finish(se *session, err error) error {
	stuck := errors.Is(err, errStuck)
	if se.maker != nil && !stuck { // a stuck end cannot be closed
		err = errors.Join(err, se.end())
	}
	if err != nil {
		s.Log("%s: the session ends after %d ends: %v", se.conn.RemoteAddr(), se.made, err)
	} else {
		s.Log("%s: the session is over; it had %d ends", se.conn.RemoteAddr(), se.made)
	}
	s.mu.Lock()
	s.session = nil
	if s.idle != nil {
		s.idle.Reset(s.Idle)
	}
	s.mu.Unlock()
	switch {
	case stuck:
		s.end(err)
	case err == nil && s.Once:
		s.end(errDone)
	}
	s.sessions.Done()
	return err
}
