package conn

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Options is how Dial and Accept connect.
type Options struct {
	// QP makes the queue pair, by c.ID.CreateQP, on the device that c.ID.Device returns. It may change attr, a copy of Attr: Accept calls it
	// when c.Peer has the request, and sends attr.PrivateData as the answer. If it fails, it leaves no queue pair behind; Accept rejects the
	// request then, with the bytes of a Refusal. The connection closes the queue pair, and the objects given to Conn.Own.
	QP func(c *Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error)
	// Private data, responder resources, initiator depth and retries. A count of 0 means no retries. Most programs pass 6 as RetryCount,
	// since 7 means forever on soft-RoCE, and 7 as RNRRetryCount, which means forever everywhere.
	Attr rdmacm.ConnAttr
	// Of Dial, a function that sets options of the identifier before its address is resolved, or nil. The type of service, for example, is
	// set by id.SetOption(rdmacm.OptionLevelID, rdmacm.OptionIDTOS, []byte{tos}). If the function fails, Dial does.
	Prepare func(id *rdmacm.ID) error
	// Of Dial, the local address; the routing tables choose one if it is the zero AddrPort.
	From netip.AddrPort
	// Of Dial, how long the address may take to be resolved, and the route; 0 means 2 s.
	Resolve time.Duration
}

// makeQP calls QP.
func (o *Options) makeQP(c *Conn, attr *rdmacm.ConnAttr) error {
	return c.call(func() (err error) {
		if c.QP, err = o.QP(c, attr); err == nil && c.QP == nil {
			err = errNoQP
		}
		return err
	})
}

// call runs a function of the program. If that does not return, as it panics or ends its goroutine, nothing is left of the connection.
func (c *Conn) call(f func() error) (err error) {
	returned := false
	defer func() {
		if !returned {
			c.reject(nil)
		}
	}()
	fail.Callback(func() { err = f() })
	returned = true
	return err
}

var errNoQP = errors.New("no queue pair; Options.QP makes it, by Conn.NewEndpoint or c.ID.CreateQP")

// Dial connects to the address of a listener. The end of ctx ends only Dial, not a connection that it has returned.
func (n *Network) Dial(ctx context.Context, addr netip.AddrPort, o Options) (*Conn, error) {
	const op = "dial"
	if err := n.enter(ctx); err != nil {
		return nil, &Error{Op: op, Addr: addr, Err: err}
	}
	defer n.running.Done()
	if err := ctx.Err(); err != nil {
		return nil, &Error{Op: op, Addr: addr, Err: err}
	}
	if o.QP == nil {
		return nil, &Error{Op: op, Addr: addr, Err: errNoQP}
	}
	id, err := n.events.CreateID(rdmacm.PortSpaceTCP)
	if err != nil {
		return nil, &Error{Op: op, Addr: addr, Err: err}
	}
	c := n.add(id)
	if err := c.dial(ctx, addr, &o); err != nil {
		return nil, c.failed(err)
	}
	return c.ready(), nil
}

func (c *Conn) dial(ctx context.Context, addr netip.AddrPort, o *Options) error {
	resolve := int(min(o.Resolve, 24*time.Hour).Milliseconds())
	if resolve <= 0 {
		resolve = 2000
	}
	attr := o.Attr
	if o.Prepare != nil {
		if err := c.call(func() error { return o.Prepare(c.ID) }); err != nil {
			return &Error{Op: "prepare to dial", Addr: addr, Err: err}
		}
	}
	if _, err := c.step(ctx, "resolve", addr, rdmacm.EventTypeAddrResolved, c.ID.ResolveAddr(o.From, addr, resolve)); err != nil {
		return err
	}
	if _, err := c.step(ctx, "find a route to", addr, rdmacm.EventTypeRouteResolved, c.ID.ResolveRoute(resolve)); err != nil {
		return err
	}
	if err := o.makeQP(c, &attr); err != nil {
		return &Error{Op: "make a queue pair for", Addr: addr, Err: err}
	}
	ev, err := c.step(ctx, "connect to", addr, rdmacm.EventTypeEstablished, c.ID.Connect(attr))
	if err != nil {
		return err
	}
	c.Peer = ev.Conn
	return nil
}

// step waits for the event of a type that a call leads to; any other one is an error. err is that of the call.
func (c *Conn) step(ctx context.Context, op string, addr netip.AddrPort, want rdmacm.EventType, err error) (*rdmacm.Event, error) {
	if err != nil {
		return nil, &Error{Op: op, Addr: addr, Err: err}
	}
	select {
	case ev := <-c.events:
		if ev.Type != want {
			e := &Error{Op: op, Addr: addr, Event: ev.Type, Status: Status(ev.Status), Private: ev.Conn.PrivateData}
			switch ev.Type {
			case rdmacm.EventTypeAddrError, rdmacm.EventTypeRouteError, rdmacm.EventTypeUnreachable:
				e.Hints = c.ID.Unreached(addr.Addr())
			}
			return nil, e
		}
		return ev, nil
	case <-ctx.Done():
		e := &Error{Op: op, Addr: addr, Err: ctx.Err()}
		if errors.Is(e, context.DeadlineExceeded) {
			e.Hints = c.ID.Unreached(addr.Addr())
		}
		return nil, e
	case <-c.n.done:
		return nil, &Error{Op: op, Addr: addr, Err: c.n.reason()}
	}
}

// failed closes a connection that was not made.
func (c *Conn) failed(err error) error {
	if e := unlessClosed(c.Close()); e != nil {
		return errors.Join(err, e)
	}
	return err
}
