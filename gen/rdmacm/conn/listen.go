package conn

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
)

// ListenOptions says how a Listener treats requests.
type ListenOptions struct {
	// How many requests may wait for Accept, 0 means 128; more are rejected.
	Backlog int
	// How long a request may wait for Accept until it is rejected; 0 means 10 s.
	Patience time.Duration
}

// Listener takes the requests for connections that arrive at an address.
type Listener struct {
	n    *Network
	id   *rdmacm.ID
	addr netip.AddrPort
	o    ListenOptions

	ready chan struct{} // has an element while a request waits
	done  chan struct{} // closed at the end

	mu      sync.Mutex // guards what follows
	waiting []*Conn
	err     error // why the listener has ended
	closed  bool
}

// Listen listens at a local address; with port 0 the kernel chooses a port, which Addr returns.
func (n *Network) Listen(addr netip.AddrPort, o ListenOptions) (*Listener, error) {
	const op = "listen on"
	if err := n.enter(context.Background()); err != nil {
		return nil, &Error{Op: op, Addr: addr, Err: err}
	}
	defer n.running.Done()
	if o.Backlog <= 0 {
		o.Backlog = 128
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	id, err := n.events.CreateID(rdmacm.PortSpaceTCP)
	if err != nil {
		return nil, &Error{Op: op, Addr: addr, Err: err}
	}
	l := &Listener{n: n, id: id, o: o, addr: addr, ready: make(chan struct{}, 1), done: make(chan struct{})}
	if err = id.BindAddr(addr); err == nil {
		l.addr, err = id.LocalAddr()
	}
	n.mu.Lock()
	n.listeners[id] = l
	n.mu.Unlock()
	if err == nil {
		err = id.Listen(0) // as many as it can: the loop takes them at once
	}
	if err != nil {
		return nil, errors.Join(&Error{Op: op, Addr: addr, Err: err}, l.Close())
	}
	return l, nil
}

// Addr returns the address at which the Listener listens.
func (l *Listener) Addr() netip.AddrPort {
	if l == nil {
		return netip.AddrPort{}
	}
	return l.addr
}

// Close rejects the requests that wait, and ends the Listener; connections go on. A second Close returns os.ErrClosed.
func (l *Listener) Close() error {
	if l == nil || l.n == nil {
		return errNever
	}
	l.end(os.ErrClosed)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return os.ErrClosed
	}
	if err := unlessClosed(l.id.Close()); err != nil {
		return err
	}
	l.closed = true
	l.n.mu.Lock()
	defer l.n.mu.Unlock()
	delete(l.n.listeners, l.id)
	return nil
}

// end ends Accept with an error, and rejects what waits.
func (l *Listener) end(err error) {
	l.mu.Lock()
	waiting := l.waiting
	l.waiting = nil
	if l.err == nil {
		l.err = err
		close(l.done)
	}
	l.mu.Unlock()
	for _, c := range waiting {
		c.patience.Stop()
		c.reject(nil)
	}
}

// offer has a request wait, if there is room.
func (l *Listener) offer(c *Conn, ev *rdmacm.Event) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || len(l.waiting) >= l.o.Backlog {
		return false
	}
	c.Peer = ev.Conn
	l.waiting = append(l.waiting, c)
	l.signal()
	c.patience = time.AfterFunc(l.o.Patience, func() {
		if l.remove(c) {
			c.reject(nil)
		}
	})
	return true
}

// signal wakes one Accept.
func (l *Listener) signal() {
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

// remove takes a request away, and reports whether it waited.
func (l *Listener) remove(c *Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, c)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// next waits for a request.
func (l *Listener) next(ctx context.Context) (*Conn, error) {
	for {
		select {
		case <-l.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.done:
			l.mu.Lock()
			defer l.mu.Unlock()
			return nil, l.err
		case <-l.n.done:
			return nil, l.n.reason()
		}
		l.mu.Lock()
		var c *Conn
		if len(l.waiting) > 0 {
			c = l.waiting[0]
			l.waiting = slices.Delete(l.waiting, 0, 1)
			c.patience.Stop()
		}
		if len(l.waiting) > 0 {
			l.signal()
		}
		l.mu.Unlock()
		if c != nil {
			return c, nil
		}
	}
}

// Accept waits for a request, accepts it, and waits until the connection is established. Several goroutines may call it, so that a slow
// peer does not delay others.
//
// An [*Error] with the address of a peer concerns only that peer, and the next Accept may succeed: Options.QP failed, or the peer gave up,
// which the kernel reports only when the request is accepted (EINVAL). The error after Close is os.ErrClosed.
func (l *Listener) Accept(ctx context.Context, o Options) (*Conn, error) {
	if l == nil || l.n == nil {
		return nil, &Error{Op: "accept on", Err: errNever}
	}
	if err := l.n.enter(ctx); err != nil {
		return nil, &Error{Op: "accept on", Addr: l.addr, Err: err}
	}
	defer l.n.running.Done()
	if o.QP == nil {
		return nil, &Error{Op: "accept on", Addr: l.addr, Err: errNoQP}
	}
	c, err := l.next(ctx)
	if err != nil {
		return nil, &Error{Op: "accept on", Addr: l.addr, Err: err}
	}
	const op = "accept a request of"
	peer, _ := c.ID.PeerAddr()
	attr := o.Attr
	if err := o.makeQP(c, &attr); err != nil {
		return nil, c.reject(&Error{Op: op, Addr: peer, Err: err})
	}
	if _, err := c.step(ctx, op, peer, rdmacm.EventTypeEstablished, c.ID.Accept(attr)); err != nil {
		return nil, c.failed(err)
	}
	return c.ready(), nil
}

// Refusal is an error that Options.QP returns to make Accept reject the request. The peer finds the bytes of Private in Error.Private.
type Refusal struct {
	// At most 148 bytes.
	Private []byte
}

// Error says that the request was refused.
func (r *Refusal) Error() string { return "the request was refused" }
