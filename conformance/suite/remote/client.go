package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Client says how to reach the listening side.
type Client struct {
	Address string // HOST:PORT
	Suite   string // the cases of this program, by Fingerprint; the listening side's must be the same
	About   About  // this side
	Secret  []byte // shared by both sides, see ReadSecret; nil if the server asks for none
	// Wait is how long to go on trying while nobody listens there yet, or another is served.
	Wait time.Duration
	Log  func(format string, args ...any)

	times times
}

// ErrGone is what a new end fails with when the listening side cannot be reached any more.
var ErrGone = errors.New("the far side is gone")

// Peer is the listening side, as the connecting one sees it. It makes ends there.
type Peer struct {
	cfg    Client
	scheme string
	dialer http.Transport
	ctx    context.Context // until Close
	close  context.CancelFunc

	mu     sync.Mutex
	about  About
	line   *line // nil: there is no session
	lost   error // why the last session ended
	misses int   // tries in a row that found nobody
}

// maxMisses is how often a lost far side is tried before every new end fails at once.
const maxMisses = 3

// line is one session: a connection. It is used with the peer's lock held.
type line struct {
	conn *http.ClientConn
	used time.Time
}

// Dial connects and greets. Close ends the session.
func Dial(ctx context.Context, c Client) (*Peer, error) {
	if c.times == (times{}) {
		c.times = defaultTimes
	}
	p := &Peer{cfg: c, scheme: "http", dialer: http.Transport{DialContext: (&net.Dialer{Timeout: c.times.Step}).DialContext,
		TLSHandshakeTimeout: c.times.Step, ExpectContinueTimeout: c.times.Step, MaxResponseHeaderBytes: maxMessage}}
	if c.Secret != nil {
		p.scheme = "https"
		var err error
		if p.dialer.TLSClientConfig, err = shared(c.Secret); err != nil {
			return nil, err
		}
	}
	if err := p.dialUntil(ctx, c.Wait); err != nil {
		return nil, fmt.Errorf("-connect %s: %w", c.Address, err)
	}
	p.ctx, p.close = context.WithCancel(context.Background())
	go p.keep()
	return p, nil
}

// About reports who is at the far side.
func (p *Peer) About() About {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.about
}

// dialUntil tries until it has a session, the wait is over, or an error says that waiting does not help.
func (p *Peer) dialUntil(ctx context.Context, wait time.Duration) error {
	end := time.Now().Add(wait)
	told := false
	for {
		err := p.dial(ctx)
		var later *notYet
		if !errors.As(err, &later) || time.Until(end) < p.cfg.times.Busy {
			return err
		}
		if !told {
			p.cfg.Log("%s: %v; trying for %v", p.cfg.Address, err, wait)
			told = true
		}
		select {
		case <-time.After(p.cfg.times.Busy):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// notYet is an error that may be gone a little later.
type notYet struct{ error }

func (e *notYet) Unwrap() error { return e.error }

// dial makes a session.
func (p *Peer) dial(ctx context.Context) error {
	conn, err := p.dialer.NewClientConn(ctx, p.scheme, p.cfg.Address)
	var notTLS tls.RecordHeaderError
	switch {
	case errors.Is(err, errSecret):
		return err
	case errors.As(err, &notTLS) && string(notTLS.RecordHeader[:]) == "HTTP/":
		return errors.New("it was started without -secret, and this side with it; start both sides with the same file")
	case err != nil:
		return &notYet{err}
	}
	a, err := p.exchange(ctx, conn, askHello, &request{About: p.cfg.About}, p.cfg.times.Operation)
	if err != nil {
		_ = conn.Close()
		var told *farError
		switch {
		case errors.Is(err, errBusy) && errors.As(err, &told):
			return &notYet{fmt.Errorf("it will not serve now: %s", told.why)}
		case errors.As(err, &told):
			return fmt.Errorf("it will not serve: %s", told.why)
		}
		return err
	}
	p.about, p.line, p.misses = cleanAbout(a.About), &line{conn, time.Now()}, 0
	return nil
}

// keep shows the far side now and then that this one is there.
func (p *Peer) keep() {
	tick := time.NewTicker(p.cfg.times.Ping)
	defer tick.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
		p.mu.Lock()
		if p.line != nil && time.Since(p.line.used) >= p.cfg.times.Ping {
			_, _ = p.ask(context.Background(), p.line, askPing, &request{}) // the next end tells
		}
		p.mu.Unlock()
	}
}

// Close ends the session. Ends that are still open are closed by the far side.
func (p *Peer) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.close()
	if p.line == nil {
		return nil
	}
	_, err := p.ask(context.Background(), p.line, askBye, &request{})
	if p.line != nil {
		_ = p.line.conn.Close()
		p.line = nil
	}
	return err
}

// ask sends a request and reads the answer. An error of the connection ends the session; one that the far side tells of the
// operation does not. The lock is held.
func (p *Peer) ask(ctx context.Context, l *line, ask string, r *request) (answer, error) {
	if p.line != l || l == nil {
		return answer{}, fmt.Errorf("%s: its session is over: %w", ask, p.lost)
	}
	if err := ctx.Err(); err != nil {
		return answer{}, fmt.Errorf("%s: %w", ask, err)
	}
	r.Within = p.cfg.times.Operation
	if end, limited := ctx.Deadline(); limited {
		r.Within = min(r.Within, time.Until(end))
	}
	a, err := p.exchange(ctx, l.conn, ask, r, r.Within)
	l.used = time.Now()
	var told *farError
	switch {
	case err == nil, errors.As(err, &told) && !told.over:
		return a, err
	case told != nil:
		err = fmt.Errorf("the far side ended it: %s", told.why)
	}
	p.lost = fmt.Errorf("%s: the session with the far side at %s is lost: %w", ask, p.cfg.Address, err)
	_ = l.conn.Close()
	p.line = nil
	return answer{}, p.lost
}

// exchange sends a request and reads its answer. The far side keeps to the time for the operation, so the connection is not
// given up with ctx but by its own limit, or when ctx is cancelled before its time.
func (p *Peer) exchange(ctx context.Context, conn *http.ClientConn, ask string, r *request, within time.Duration) (a answer, err error) {
	limit := within + 2*p.cfg.times.Grace
	own, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), limit, fmt.Errorf("nothing came or went for %v", limit))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel()
		}
	})()
	sent, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	req, err := http.NewRequestWithContext(own, http.MethodPost, p.scheme+"://"+p.cfg.Address+"/"+ask, bytes.NewReader(sent))
	if err != nil {
		return a, err
	}
	req.Header.Set(suiteHeader, p.cfg.Suite)
	if ask == askHello { // a server of TLS closes the connection behind the header, and its answer is lost if more came
		req.Header.Set("Expect", "100-continue")
	}
	res, err := conn.RoundTrip(req)
	if err != nil {
		return a, plain(own, err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(http.MaxBytesReader(nil, res.Body, maxMessage))
	if err != nil {
		return a, plain(own, err)
	}
	switch its := res.Header.Get(suiteHeader); {
	case its == "" && strings.Contains(string(got), "to an HTTPS server"):
		return a, errors.New("it serves only those who have its secret; start this side with the same file as -secret")
	case its == "":
		return a, fmt.Errorf("it does not speak this protocol: it answers %q; is it a suite with -listen?", clean(res.Status, maxText))
	case its != p.cfg.Suite:
		return a, otherSuite(its, p.cfg.Suite)
	case res.StatusCode != http.StatusOK:
		return a, &farError{ask, clean(strings.TrimSpace(string(got)), maxWhy), res.StatusCode, res.Close}
	}
	if err := json.Unmarshal(got, &a); err != nil {
		return a, fmt.Errorf("an answer that cannot be read: %w", err)
	}
	return a, a.check(ask, r)
}

var errClosed = errors.New("the connection was closed by the other side")

// plain words the errors of a connection that everybody meets.
func plain(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case strings.Contains(err.Error(), "malformed HTTP"):
		return fmt.Errorf("it does not speak this protocol: %s; is it a suite with -listen, built from the same source?",
			clean(err.Error(), maxWhy))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		strings.Contains(err.Error(), "server closed idle connection"):
		return &notYet{errClosed} // by a proxy that has nobody behind it yet, for one
	}
	return &notYet{err}
}

// farError is an error that the far side tells of. Its connection may be over.
type farError struct {
	ask, why string
	status   int
	over     bool
}

func (e *farError) Error() string { return e.ask + " at the far side: " + e.why }

func (e *farError) Unwrap() error { return statuses[e.status] }
