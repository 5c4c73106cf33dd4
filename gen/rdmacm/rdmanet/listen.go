package rdmanet

import (
	"context"
	"errors"
	"math"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

const (
	waiting = 256              // connections that are made, or wait for Accept, at a time
	shake   = 10 * time.Second // how long it may take to make one
)

// Listener is a net.Listener.
type Listener struct {
	l      *conn.Listener
	o      Options
	ctx    context.Context
	cancel context.CancelCauseFunc
	came   chan accepted
	room   chan struct{} // has an element for each connection that is made or waits
	all    sync.WaitGroup
	closed atomic.Bool
}

type accepted struct {
	c   *Conn
	err error
}

// Listen listens at an address, which is a local host and a port: "10.0.0.1:7471", or ":7471" for the IPv4 addresses of all devices. With
// port 0 Addr returns the port that was chosen. The caller calls Close.
//
// 256 connections can be half open at a time. A peer that begins 256 connections and does not go on delays others for 10 s.
func Listen(n *conn.Network, addr string, o Options) (*Listener, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	l := &Listener{o: o, came: make(chan accepted), room: make(chan struct{}, waiting)}
	at, err := resolve(context.Background(), addr)
	if err == nil {
		l.l, err = n.Listen(at[0], conn.ListenOptions{})
	}
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: network, Err: err}
	}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	l.all.Go(l.next)
	return l, nil
}

// next makes the next connection. As soon as that has begun, another goroutine waits for the one after it.
func (l *Listener) next() {
	select {
	case l.room <- struct{}{}:
	case <-l.ctx.Done():
		return
	}
	defer func() { <-l.room }()
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	patience := time.AfterFunc(math.MaxInt64, cancel)
	defer patience.Stop()
	c, cm, ours := newConn(l.o), l.o.CM, false
	var peer *conn.Conn
	cm.QP = func(id *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
		l.all.Go(l.next)
		peer = id
		patience.Reset(shake)
		if _, err := parse(id.Peer.PrivateData); err != nil {
			return nil, err
		}
		attr.PrivateData = l.o.hello()
		qp, err := c.queue(id)
		ours = err != nil && id.ID.Reject(nil) == nil // otherwise the peer has given up
		return qp, err
	}
	id, err := l.l.Accept(ctx, cm)
	if err == nil {
		c, err = c.beginCM(id)
	}
	switch {
	case err == nil:
		l.hand(accepted{c: c})
	case ours: // the server should know
		l.hand(accepted{err: failure{&net.OpError{Op: "accept", Net: network, Addr: l.Addr(), Err: err}}})
	case peer == nil: // of the listener
		l.cancel(err)
	}
}

// hand gives Accept a connection or an error.
func (l *Listener) hand(a accepted) {
	select {
	case l.came <- a:
	case <-l.ctx.Done():
		if a.c != nil {
			a.c.abort()
		}
	}
}

// failure is an error of one connection. Servers such as that of net/http wait a little after it, and go on.
type failure struct{ *net.OpError }

func (failure) Temporary() bool { return true }
func (f failure) Unwrap() error { return f.OpError }

// Accept returns the next connection, a *Conn. Its error is Temporary if this machine could not make a queue pair, for example because
// memory cannot be locked; the next Accept may succeed. Errors that a peer causes are not returned. After Close the error is
// net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	if l == nil || l.l == nil {
		return nil, errNever
	}
	select {
	case a := <-l.came:
		if a.err != nil {
			return nil, a.err
		}
		return a.c, nil
	case <-l.ctx.Done():
		err := context.Cause(l.ctx)
		if errors.Is(err, os.ErrClosed) {
			err = net.ErrClosed
		}
		return nil, &net.OpError{Op: "accept", Net: network, Addr: l.Addr(), Err: err}
	}
}

// Addr returns the address as an Addr.
func (l *Listener) Addr() net.Addr {
	if l == nil {
		return nil
	}
	return Addr{l.l.Addr()}
}

// Close ends the Listener, and connections that Accept has not returned. Others go on.
func (l *Listener) Close() error {
	if l == nil || l.l == nil {
		return errNever
	}
	if l.closed.Swap(true) {
		return &net.OpError{Op: "close", Net: network, Addr: l.Addr(), Err: net.ErrClosed}
	}
	l.cancel(net.ErrClosed)
	err := unlessClosed(l.l.Close())
	l.all.Wait()
	return err
}
