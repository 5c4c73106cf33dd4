// Package rdmanet is package net over RDMA: its connections are net.Conns, and its Listener is a net.Listener.
//
//	n, err := conn.New(lib) // lib is of package rdmacm
//	l, err := rdmanet.Listen(n, "10.0.0.1:7471", rdmanet.Options{})
//	c, err := l.Accept() // on one machine
//	c, err := rdmanet.Dial(ctx, n, "10.0.0.1:7471", rdmanet.Options{}) // on another one
//
// Upgrade makes one without librdmacm, from a connection that the program has, as tls.Client does.
//
// A [Conn] is a stream of bytes over the SENDs of a reliable queue pair, with registered memory at both ends. Write copies its bytes to
// that memory and returns when they are posted, and Read copies them out. Conn.ReadFrom and Conn.WriteTo, which io.Copy calls, save these
// copies. An end sends only what its peer has posted receives for, so a peer that does not read stops the writer, and costs no memory.
//
// Both ends must use this package. It has no encryption: use crypto/tls over it where the network needs that.
//
// The package is written by hand and belongs beside the generated one.
package rdmanet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

// Options is how connections are made. The zero value is good for most. The ends may differ.
type Options struct {
	// Messages is how many messages of the peer may wait to be read, 8 to 1<<15; 0 means 32. As many of this end may be in flight.
	Messages int
	// Size is the size of a message in bytes, 64 to 1<<24; 0 means 16 KiB. The smaller one of the two ends counts. A connection has
	// 2 * Messages * Size bytes of registered memory, which is locked.
	Size int
	// KeepAlive is how long an end hears nothing until it asks whether the peer's card answers; 0 means 15 s, and a negative value never. If
	// the peer's machine has lost power, or the cable is cut, the connection ends some seconds later. A process that hangs is not noticed.
	KeepAlive time.Duration

	// CM is how Dial and Accept connect. QP and Attr.PrivateData are the package's, and counts of 0 mean 6.
	CM conn.Options
	// Connect is how Upgrade connects. Data is the package's.
	Connect connect.Options
}

const (
	retries   = 6 // 7 is for ever on soft-RoCE
	leastMsgs = 8
	mostMsgs  = 1 << 15
	leastSize = 64
	mostSize  = 1 << 24
)

func (o *Options) check() error {
	if o.Messages == 0 {
		o.Messages = 32
	}
	if o.Size == 0 {
		o.Size = 16 << 10
	}
	if o.KeepAlive == 0 {
		o.KeepAlive = 15 * time.Second
	}
	if !(hello{uint32(o.Messages), uint32(o.Size)}).valid() || o.Messages > mostMsgs || o.Size > mostSize {
		return fmt.Errorf("rdmanet: Options: %d messages of %d bytes; Messages is %d to %d, and Size %d to %d: %w", o.Messages, o.Size,
			leastMsgs, mostMsgs, leastSize, mostSize, syscall.EINVAL)
	}
	if a := &o.CM.Attr; a.RetryCount == 0 {
		a.RetryCount = retries
	}
	if a := &o.CM.Attr; a.RNRRetryCount == 0 {
		a.RNRRetryCount = retries
	}
	return nil
}

// hello is what an end says of itself when it connects: how many receives it has, and their size without header.
type hello struct{ messages, size uint32 }

var magic = []byte("rdmanet\x01")

func (h hello) valid() bool {
	return h.messages >= leastMsgs && h.messages <= mostMsgs && h.size >= leastSize && h.size <= mostSize
}

func (o *Options) hello() []byte {
	b := binary.BigEndian.AppendUint32(bytes.Clone(magic), uint32(o.Messages))
	return binary.BigEndian.AppendUint32(b, uint32(o.Size))
}

var errStranger = fmt.Errorf("the peer does not use package rdmanet, or another version of it: %w", syscall.EPROTO)

// parse reads the hello of a peer, which librdmacm may follow by zeros.
func parse(b []byte) (h hello, err error) {
	rest, ok := bytes.CutPrefix(b, magic)
	if !ok || len(rest) < 8 {
		return h, errStranger
	}
	h = hello{binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])}
	if !h.valid() {
		return h, errStranger
	}
	return h, nil
}

// Dial connects to the address of a Listener, which is a host and a port as net.Dial takes them. The end of ctx ends only Dial. The caller
// calls Close.
func Dial(ctx context.Context, n *conn.Network, addr string, o Options) (*Conn, error) {
	c, err := dial(ctx, n, addr, o)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: named(addr), Err: err}
	}
	return c, nil
}

func dial(ctx context.Context, n *conn.Network, addr string, o Options) (*Conn, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	at, err := resolve(ctx, addr)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, a := range at {
		c := newConn(o)
		cm := o.CM
		cm.Attr.PrivateData = o.hello()
		cm.QP = func(id *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) { return c.queue(id) }
		id, err := n.Dial(ctx, a, cm)
		if err == nil {
			if err = c.beginCM(id); err == nil {
				return c, nil
			}
			err = errors.Join(err, id.Close())
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// beginCM is begin for a connection of rdma_cm.
func (c *Conn) beginCM(id *conn.Conn) error {
	local, e1 := id.ID.LocalAddr()
	remote, e2 := id.ID.PeerAddr()
	c.local, c.remote = Addr{local}, Addr{remote}
	if err := errors.Join(e1, e2); err != nil {
		return err
	}
	return c.begin(id.Endpoint(), id, id.Peer.PrivateData)
}

// resolve looks an address up. Without a host it is that of all devices.
func resolve(ctx context.Context, addr string) (at []netip.AddrPort, err error) {
	if ctx == nil {
		return nil, fmt.Errorf("the context is nil; pass context.Background for one without an end: %w", syscall.EINVAL)
	}
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", service)
	if err != nil {
		return nil, err
	}
	ips := []netip.Addr{netip.IPv4Unspecified()}
	if host != "" {
		if ips, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host); err != nil {
			return nil, err
		}
	}
	for _, ip := range ips {
		at = append(at, netip.AddrPortFrom(ip.Unmap(), uint16(port)))
	}
	return at, nil
}

// Upgrade makes a connection on a device with the process at the other end of side, which calls Upgrade too. The Conn owns side from then
// on, to notice the end of the peer, and so does Upgrade, which closes it if it fails. The end of ctx ends only Upgrade. The caller calls
// Close.
func Upgrade(ctx context.Context, dev *verbs.Device, side net.Conn, o Options) (*Conn, error) {
	if side == nil {
		return nil, fmt.Errorf("rdmanet: Upgrade: the connection is nil: %w", syscall.EINVAL)
	}
	c, err := upgrade(ctx, dev, side, o)
	if err != nil {
		return nil, &net.OpError{Op: "upgrade", Net: network, Source: side.LocalAddr(), Addr: side.RemoteAddr(), Err: errors.Join(err,
			unlessClosed(side.Close()))}
	}
	return c, nil
}

func upgrade(ctx context.Context, dev *verbs.Device, side net.Conn, o Options) (*Conn, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	c := newConn(o)
	c.local, c.remote = side.LocalAddr(), side.RemoteAddr()
	e, err := endpoint.New(dev, c.config())
	if err != nil {
		return nil, err
	}
	setup := connect.DefaultSetup()
	setup.RetryCnt, setup.RNRRetry = retries, retries
	if o.Connect.Setup != nil {
		setup = *o.Connect.Setup
	}
	setup.AccessFlags |= verbs.QPAccessRemoteWrite // for keepAlive; no memory is open to the peer
	o.Connect.Setup, o.Connect.Data = &setup, o.hello()
	peer, err := e.Connect(ctx, side, o.Connect)
	if err == nil {
		err = c.begin(e, e, peer.Data)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return c, nil
}
