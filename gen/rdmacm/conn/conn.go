// Package conn connects queue pairs by librdmacm as package net connects sockets:
//
//	n, err := conn.New(lib) // a *rdmacm.Lib, of rdmacm.Load
//	o := conn.Options{Attr: rdmacm.ConnAttr{RetryCount: 6, RNRRetryCount: 7}}
//	o.QP = func(c *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) {
//		e, err := c.NewEndpoint(endpoint.Config{Sends: 8, SendSize: 4096})
//		if err != nil {
//			return nil, err
//		}
//		return e.QP, nil
//	}
//	l, err := n.Listen(netip.MustParseAddrPort("10.0.0.1:7471"), conn.ListenOptions{})
//	c, err := l.Accept(ctx, o) // on one machine
//	c, err := n.Dial(ctx, netip.MustParseAddrPort("10.0.0.1:7471"), o) // on another one
//	s, err := c.Endpoint().Slot(ctx)
//
// A [Network] has one event channel and one goroutine for all its connections. They are reliable (PortSpaceTCP). The program supplies
// [Options].QP, a function that creates the queue pair of a new connection: it calls [Conn.NewEndpoint], or c.ID.CreateQP if it does not
// use package endpoint. If the context of Dial or Accept ends, the call returns, and the connection's identifier and queue pair are closed.
// Errors are of type [*Error], with the address and a named status.
//
// The package has no datagrams (PortSpaceUDP). A datagram queue pair serves any number of peers, so librdmacm only reports its address and
// connects nothing. Use rdmacm.ID for datagrams, or verbs/connect.UD.
package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Network makes connections, and hands each event of its channel to the connection that the event is for. All methods may be called from
// several goroutines.
type Network struct {
	events  *rdmacm.EventChannel
	stop    context.CancelFunc // ends the loop
	done    chan struct{}      // closed when the loop has ended
	running sync.WaitGroup     // calls of Dial, Accept and Listen

	mu        sync.Mutex // guards what follows
	closed    bool
	err       error // why the loop has ended
	conns     map[*rdmacm.ID]*Conn
	listeners map[*rdmacm.ID]*Listener
	devices   map[*verbs.Device]bool // of endpoints
}

// New makes a Network with an event channel of its own. The caller calls Close.
func New(lib *rdmacm.Lib) (*Network, error) {
	events, err := lib.CreateEventChannel()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	n := &Network{events: events, stop: stop, done: make(chan struct{}), conns: map[*rdmacm.ID]*Conn{},
		listeners: map[*rdmacm.ID]*Listener{}, devices: map[*verbs.Device]bool{}}
	go n.loop(ctx)
	return n, nil
}

// Close ends running calls with os.ErrClosed, waits for them, and closes all listeners and connections with their queue pairs. It also
// closes the device handles (rdmacm.ID.Device) that NewEndpoint used, except those with objects that the program still has open. A second
// Close returns os.ErrClosed. If Options.QP or Options.Prepare calls Close, it closes nothing and returns syscall.EBUSY, since it would
// wait for itself.
func (n *Network) Close() error {
	if n == nil || n.events == nil {
		return errNever
	}
	if fail.InCallback() {
		return errInside
	}
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return os.ErrClosed
	}
	n.closed = true
	n.mu.Unlock()
	n.stop()
	<-n.done
	n.running.Wait()

	n.mu.Lock()
	var open []interface{ Close() error }
	for _, l := range n.listeners {
		open = append(open, l)
	}
	for _, c := range n.conns {
		open = append(open, c)
	}
	n.mu.Unlock()
	var errs []error
	for _, o := range open {
		errs = append(errs, unlessClosed(o.Close()))
	}
	errs = append(errs, n.events.CloseAll())
	for dev := range n.devices {
		if err := unlessClosed(dev.Close()); !errors.Is(err, syscall.EBUSY) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

var (
	errNever  = fmt.Errorf("conn: it is nil or was never made; New makes a Network, whose methods make the others: %w", syscall.EINVAL)
	errNilCtx = fmt.Errorf("the context is nil; pass context.Background for one without an end: %w", syscall.EINVAL)
	errInside = fmt.Errorf("conn: Close is called by a function of the program whose call it would wait for: Options.QP, Options.Prepare, "+
		"or the Close of something that a connection owns; call it when that has returned: %w",
		syscall.EBUSY)
)

// enter begins a call that Close waits for.
func (n *Network) enter(ctx context.Context) error {
	if n == nil || n.events == nil {
		return errNever
	}
	if ctx == nil {
		return errNilCtx
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return os.ErrClosed
	}
	if n.err != nil {
		return n.err
	}
	n.running.Add(1)
	return nil
}

// reason is why the loop has ended.
func (n *Network) reason() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

// loop hands out events until ctx ends or no more can be read.
func (n *Network) loop(ctx context.Context) {
	defer close(n.done)
	for {
		ev, err := n.events.Next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				err = os.ErrClosed
			}
			n.fail(err)
			return
		}
		n.hand(ev)
	}
}

// fail ends all connections, which would no longer hear of their ends.
func (n *Network) fail(err error) {
	n.mu.Lock()
	n.err = err
	conns := slices.Collect(maps.Values(n.conns))
	n.mu.Unlock()
	for _, c := range conns {
		c.end(err)
	}
}

// hand gives an event to the connection or the listener that it is for. It never waits for a program.
func (n *Network) hand(ev *rdmacm.Event) {
	if ev.Type == rdmacm.EventTypeConnectRequest {
		c := n.add(ev.ID)
		n.mu.Lock()
		l := n.listeners[ev.ListenID]
		n.mu.Unlock()
		if l == nil || !l.offer(c, ev) {
			c.reject(nil)
		}
		return
	}
	n.mu.Lock()
	c, l := n.conns[ev.ID], n.listeners[ev.ID]
	n.mu.Unlock()
	switch {
	case c != nil:
		c.take(ev)
	case l != nil && ev.Type == rdmacm.EventTypeDeviceRemoval:
		l.end(&Error{Op: "listen on", Addr: l.addr, Event: ev.Type})
	}
}

// add has the events of an identifier go to a new connection.
func (n *Network) add(id *rdmacm.ID) *Conn {
	c := &Conn{ID: id, n: n, events: make(chan *rdmacm.Event, 8), done: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns[id] = c
	return c
}

// Conn is one end of a connection.
type Conn struct {
	// The identifier. Network reads its events; do not move it to another channel.
	ID *rdmacm.ID
	// The queue pair that Options.QP made, ready to send.
	QP *verbs.QP
	// What the peer sent, with its private data: after Accept the peer's request, after Dial the peer's answer.
	Peer rdmacm.ConnInfo

	n        *Network
	patience *time.Timer        // of a request that waits for Accept
	events   chan *rdmacm.Event // during Dial and Accept; there is room for every kind of event that take passes on

	closing sync.Mutex // held by Close
	closed  bool

	mu       sync.Mutex // guards what follows
	owned    []io.Closer
	endpoint *endpoint.Endpoint // of NewEndpoint
	err      error              // how the connection ended
	done     chan struct{}      // closed when it has
}

// Own makes Close close objects that the queue pair is made from or works with, such as a PD, a CQ and regions of memory: after the queue
// pair, the latest first. Call it in Options.QP for each object as soon as it is made, so that none stays open if a later step fails.
func (c *Conn) Own(objects ...io.Closer) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owned = append(c.owned, objects...)
}

// Done returns a channel that is closed when the connection ends: the peer ends it, its device goes, or Close is called.
// The channel of a zero Conn is nil.
func (c *Conn) Done() <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.done
}

// Err returns why the connection ended: os.ErrClosed after Close, and nil while it is open.
func (c *Conn) Err() error {
	if c == nil || c.n == nil {
		return errNever
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection and closes its endpoint, its queue pair, the objects given to Own, and its identifier. It waits until
// functions that the endpoint calls have returned, unless one of them calls Close. A second Close returns os.ErrClosed. If Close fails,
// for example because the queue pair is in use, call it again.
func (c *Conn) Close() error {
	if c == nil || c.n == nil {
		return errNever
	}
	c.end(os.ErrClosed)
	if !c.closing.TryLock() {
		if fail.InCallback() {
			return errInside
		}
		if err := unlessClosed(c.Endpoint().Close()); err != nil { // in a function that the other Close waits for
			return err
		}
		c.closing.Lock()
	}
	defer c.closing.Unlock()
	if c.closed {
		return os.ErrClosed
	}
	if c.QP != nil {
		_ = c.ID.Disconnect() // fails where there is no connection, or no longer
	}
	var failed error // of an object that the endpoint owned, and does not keep open
	if e := c.Endpoint(); e != nil {
		if failed = unlessClosed(e.Close()); failed != nil && !errors.Is(e.Close(), os.ErrClosed) {
			return failed
		}
	}
	if c.QP != nil {
		if err := unlessClosed(c.QP.Close()); err != nil {
			return err
		}
	}
	for last := c.lastOwned(); last != nil; last = c.lastOwned() {
		var err error
		fail.Callback(func() { err = last.Close() })
		if err = unlessClosed(err); err != nil {
			return err
		}
		c.mu.Lock()
		c.owned = c.owned[:len(c.owned)-1]
		c.mu.Unlock()
	}
	if err := unlessClosed(c.ID.Close()); err != nil {
		return err
	}
	c.closed = true
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	delete(c.n.conns, c.ID)
	return failed
}

// lastOwned returns the owned object that is to be closed next, nil if there is none.
func (c *Conn) lastOwned() io.Closer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.owned) == 0 {
		return nil
	}
	return c.owned[len(c.owned)-1]
}

// end records the first reason for which the connection ended.
func (c *Conn) end(err error) {
	c.mu.Lock()
	e := c.endpoint
	if c.err == nil {
		c.err = err
		close(c.done)
	}
	c.mu.Unlock()
	e.Fail(err)
}

// ready ends the endpoint if the connection ended before it was made.
func (c *Conn) ready() *Conn {
	if err := c.Err(); err != nil {
		c.Endpoint().Fail(err)
	}
	return c
}

// take takes an event of the identifier.
func (c *Conn) take(ev *rdmacm.Event) {
	switch ev.Type {
	case rdmacm.EventTypeAddrChange, rdmacm.EventTypeTimewaitExit:
		return
	case rdmacm.EventTypeAddrResolved, rdmacm.EventTypeRouteResolved, rdmacm.EventTypeEstablished:
	default:
		peer, _ := c.ID.PeerAddr()
		c.end(&Error{Op: "connection with", Addr: peer, Event: ev.Type, Status: Status(ev.Status)})
	}
	select {
	case c.events <- ev:
	default:
	}
}

// reject rejects a request and closes it. err is why, with the bytes for the peer if it is a Refusal.
func (c *Conn) reject(err error) error {
	var r Refusal
	if p := (*Refusal)(nil); errors.As(err, &p) {
		r = *p
	}
	if e := c.ID.Reject(r.Private); e != nil && len(r.Private) > 0 { // without bytes it fails only if the peer gave up
		err = errors.Join(err, e)
	}
	return c.failed(err)
}

// unlessClosed is an error other than that of a handle that is closed already.
func unlessClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
