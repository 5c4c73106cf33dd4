package remote

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"net"
	"sync"
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
	cfg   Client
	about About

	mu     sync.Mutex
	line   *line // nil: there is no session
	lost   error // why the last session ended
	misses int   // tries in a row that found nobody
	closed bool
	done   chan struct{}
}

// maxMisses is how often a lost far side is tried before every new end fails at once.
const maxMisses = 3

// line is one session. It is used with the peer's lock held.
type line struct {
	wire *wire
	last uint64
	used time.Time
}

// Dial connects and greets. Close ends the session.
func Dial(ctx context.Context, c Client) (*Peer, error) {
	if c.times == (times{}) {
		c.times = defaultTimes
	}
	p := &Peer{cfg: c, done: make(chan struct{})}
	if err := p.dialUntil(ctx, c.Wait); err != nil {
		return nil, fmt.Errorf("-connect %s: %w", c.Address, err)
	}
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
	conn, err := (&net.Dialer{Timeout: p.cfg.times.Step}).DialContext(ctx, "tcp", p.cfg.Address)
	if err != nil {
		return &notYet{err}
	}
	w := &wire{conn: conn, step: p.cfg.times.Step}
	h, err := greeting(w, &p.cfg)
	if err != nil {
		_ = conn.Close()
		return err
	}
	p.about, p.line, p.misses = h.About, &line{wire: w, used: time.Now()}, 0
	return nil
}

// greeting is the connecting side's part of it.
func greeting(w *wire, c *Client) (*hello, error) {
	mine := hello{Suite: c.Suite, About: c.About, Nonce: nonce()}
	if err := w.greet(mine); err != nil {
		return nil, &notYet{err}
	}
	h, err := w.met(c.Suite)
	if errors.Is(err, errClosed) { // a proxy may have nobody behind it yet
		return nil, &notYet{err}
	}
	switch {
	case err != nil:
		return nil, err
	case h.Secret && c.Secret == nil:
		return nil, errors.New("it serves only those who have its secret; start this side with the same file as -secret")
	case !h.Secret && c.Secret != nil:
		return nil, errors.New("it was started without -secret, and this side with it; start both sides with the same file")
	}
	if err := w.send(&proof{prove(c.Secret, connecting, mine.Nonce, h.Nonce)}); err != nil {
		return nil, &notYet{err}
	}
	v := &verdict{}
	if err := w.read(v, maxHello, w.step); err != nil {
		return nil, &notYet{fmt.Errorf("no answer to the greeting: %w", err)}
	}
	switch {
	case v.Never:
		return nil, fmt.Errorf("it will not serve: %s", clean(v.Refused, maxWhy))
	case !hmac.Equal(v.Proof, prove(c.Secret, listening, mine.Nonce, h.Nonce)):
		return nil, errors.New(otherSecret)
	case v.Refused != "":
		return nil, &notYet{fmt.Errorf("it will not serve now: %s", clean(v.Refused, maxWhy))}
	}
	return h, nil
}

// keep shows the far side now and then that this one is there.
func (p *Peer) keep() {
	tick := time.NewTicker(p.cfg.times.Ping)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		p.mu.Lock()
		if p.line != nil && time.Since(p.line.used) >= p.cfg.times.Ping {
			_, _ = p.ask(context.Background(), p.line, &request{Ask: askPing}) // the next end tells
		}
		p.mu.Unlock()
	}
}

// Close ends the session. Ends that are still open are closed by the far side.
func (p *Peer) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	close(p.done)
	if p.line == nil {
		return nil
	}
	_, err := p.ask(context.Background(), p.line, &request{Ask: askBye})
	if p.line != nil {
		_ = p.line.wire.conn.Close()
		p.line = nil
	}
	return err
}

// ask sends a request and reads the answer. An error of the connection ends the session; one that the far side tells of the
// operation does not. The lock is held.
func (p *Peer) ask(ctx context.Context, l *line, r *request) (*answer, error) {
	if p.line != l || l == nil {
		return nil, fmt.Errorf("%s: its session is over: %w", r.Ask, p.lost)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Ask, err)
	}
	within := p.cfg.times.Operation
	if end, limited := ctx.Deadline(); limited {
		within = min(within, time.Until(end))
	}
	if within < time.Millisecond { // what is told to the far side
		return nil, fmt.Errorf("%s: %w", r.Ask, context.DeadlineExceeded)
	}
	l.last++
	r.ID, r.Within = l.last, within.Milliseconds()
	a, err := p.exchange(ctx, l, r, within)
	l.used = time.Now()
	if err != nil {
		p.lost = fmt.Errorf("%s: the session with the far side at %s is lost: %w", r.Ask, p.cfg.Address, err)
		_ = l.wire.conn.Close()
		p.line = nil
		return nil, p.lost
	}
	if a.Why != "" {
		return nil, &farError{r.Ask, clean(a.Why, maxWhy), a.Is}
	}
	return a, nil
}

// exchange sends a request and reads its answer. The far side keeps to the time for the operation, so the connection is not
// given up with ctx but by its own limit, or when ctx is cancelled before its time.
func (p *Peer) exchange(ctx context.Context, l *line, r *request, within time.Duration) (*answer, error) {
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			_ = l.wire.conn.Close()
		}
	})
	defer stop()
	if err := l.wire.send(r); err != nil {
		return nil, err
	}
	a := &answer{}
	if err := l.wire.read(a, maxFrame, within+2*p.cfg.times.Grace); err != nil {
		if errors.Is(ctx.Err(), context.Canceled) {
			return nil, ctx.Err()
		}
		return nil, err
	}
	switch {
	case a.Over:
		return nil, fmt.Errorf("the far side ended it: %s", clean(a.Why, maxWhy))
	case a.ID != r.ID:
		return nil, fmt.Errorf("answer %d came to request %d", a.ID, r.ID)
	}
	return a, a.check(r)
}

// farError is an error that the far side tells of.
type farError struct {
	ask, why string
	is       []string
}

func (e *farError) Error() string { return e.ask + " at the far side: " + e.why }

func (e *farError) Is(target error) bool {
	for _, name := range e.is {
		if sentinels[name] == target {
			return true
		}
	}
	return false
}
