// Package rdmanet is package net over RDMA: its connections are net.Conns, and its Listener is a net.Listener.
//
//	n, err := conn.New(lib) // lib is of package rdmacm
//	l, err := rdmanet.Listen(n, "10.0.0.1:7471", rdmanet.Options{})
//	c, err := l.Accept() // on one machine
//	c, err := rdmanet.Dial(ctx, n, "10.0.0.1:7471", rdmanet.Options{}) // on another one
//
// Upgrade creates a Conn without librdmacm, over a connection that the program already has, as tls.Client does.
//
// A [Conn] is a stream of bytes over the SENDs of a reliable queue pair, with registered memory at both ends. Write copies its bytes to
// that memory and returns when the bytes are posted; Read copies received bytes out. Conn.ReadFrom and Conn.WriteTo, which io.Copy calls,
// save these copies. An end sends only as many messages as its peer has posted receives for, so a peer that does not read stops the
// writer, and costs no memory.
//
// Both ends must use this package. It has no encryption: use crypto/tls over it where the network needs that.
package rdmanet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

// Options is how connections are made. The zero value is good for most connections. The two ends may have different Options.
type Options struct {
	// Messages is how many messages of the peer may wait to be read, 8 to 1<<15; 0 means 32. This end may have as many messages in flight.
	Messages int
	// Size is the size of a message in bytes, 64 to 1<<24; 0 means 16 KiB. If the ends differ, the smaller Size counts. A connection has 2 *
	// Messages * (Size + 8) bytes of registered memory, which is locked; they may be 1 GiB at most.
	Size int
	// KeepAlive is how often an end checks that the peer's card answers, if it has received nothing; 0 means 15 s, and a negative value
	// never. If the peer's machine has lost power, or the cable is cut, the connection ends some 10 s later. A process that hangs is not
	// noticed.
	KeepAlive time.Duration

	// CM is how Dial and Accept connect. The package sets QP and Attr.PrivateData. Retry counts of 0 mean 6; both ends use the counts of
	// Dial.
	CM conn.Options
	// Connect is how Upgrade connects. The package sets Data.
	Connect connect.Options
}

const (
	retries   = 6 // 7 is for ever on soft-RoCE
	leastMsgs = 8
	mostMsgs  = 1 << 15
	leastSize = 64
	mostSize  = 1 << 24

	mostMemory = 1 << 30
)

func (o *Options) check() error {
	o.Messages, o.Size, o.KeepAlive = cmp.Or(o.Messages, 32), cmp.Or(o.Size, 16<<10), cmp.Or(o.KeepAlive, 15*time.Second)
	if o.Messages < leastMsgs || o.Messages > mostMsgs || o.Size < leastSize || o.Size > mostSize ||
		2*o.Messages*(o.Size+header) > mostMemory {
		return fmt.Errorf("rdmanet: Options: %d messages of %d bytes; Messages is %d to %d, Size %d to %d, and all memory 1 GiB: %w",
			o.Messages, o.Size, leastMsgs, mostMsgs, leastSize, mostSize, syscall.EINVAL)
	}
	for _, count := range []*uint8{&o.CM.Attr.RetryCount, &o.CM.Attr.RNRRetryCount} {
		*count = cmp.Or(*count, retries)
	}
	return nil
}

// hello is what an end says of itself when it connects: how many receives it has, and their size without header.
type hello struct{ messages, size uint32 }

var magic = []byte("rdmanet\x01")

func (o *Options) hello() []byte {
	b := binary.BigEndian.AppendUint32(bytes.Clone(magic), uint32(o.Messages))
	return binary.BigEndian.AppendUint32(b, uint32(o.Size))
}

var errStranger = fmt.Errorf("the peer does not use package rdmanet, or another version of it: %w", syscall.EPROTO)

// parse reads the hello of a peer, after which librdmacm may put zeros.
func parse(b []byte) (h hello, err error) {
	rest, ok := bytes.CutPrefix(b, magic)
	if !ok || len(rest) < 8 {
		return h, errStranger
	}
	h = hello{binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])}
	if h.messages < leastMsgs || h.messages > mostMsgs || h.size < leastSize || h.size > mostSize {
		return h, errStranger
	}
	return h, nil
}

// Dial connects to a Listener at an address, which is a host and a port: "10.0.0.1:7471". It tries the addresses of a name in turn. The end
// of ctx ends only Dial. The caller calls Close.
func Dial(ctx context.Context, n *conn.Network, addr string, o Options) (*Conn, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	at, err := resolve(ctx, addr)
	for i, a := range at {
		c, e := dial(ctx, n, a, o)
		if e == nil {
			return c, nil
		}
		if i == 0 {
			err = e
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, &net.OpError{Op: "dial", Net: network, Err: lateOr(err)}
}

func dial(ctx context.Context, n *conn.Network, at netip.AddrPort, o Options) (*Conn, error) {
	c, cm := newConn(o), o.CM
	cm.Attr.PrivateData = o.hello()
	cm.QP = func(id *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) { return c.queue(id) }
	id, err := n.Dial(ctx, at, cm)
	if err != nil {
		return nil, err
	}
	return c.beginCM(id)
}

// queue makes the queue pair of a connection of rdma_cm.
func (c *Conn) queue(id *conn.Conn) (*verbs.QP, error) {
	e, err := id.NewEndpoint(c.config())
	if err != nil {
		return nil, err
	}
	return e.QP, nil
}

// beginCM is begin for a connection of rdma_cm, which is closed if it fails.
func (c *Conn) beginCM(id *conn.Conn) (*Conn, error) {
	local, err := id.ID.LocalAddr()
	remote, e := id.ID.PeerAddr()
	c.local, c.remote = Addr{local}, Addr{remote}
	if err = errors.Join(err, e); err == nil {
		err = c.begin(id.Endpoint(), id, id.Peer.PrivateData)
	}
	if err != nil {
		return nil, errors.Join(err, id.Close())
	}
	return c, nil
}

// late is an error of a deadline that has passed, as net.Error has it.
type late struct{ error }

func (late) Timeout() bool   { return true }
func (late) Temporary() bool { return true }
func (l late) Unwrap() error { return l.error }

func lateOr(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return late{err}
	}
	return err
}

// resolve looks an address up. One without a host is that of all devices.
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

// Upgrade creates a connection on a device with the process at the other end of side, which must call Upgrade too. The Conn keeps side, to
// notice when the peer ends, and closes it. If Upgrade fails, it closes side. When ctx ends, Upgrade returns, but a Conn that it has
// returned goes on. The caller calls Close.
func Upgrade(ctx context.Context, dev *verbs.Device, side net.Conn, o Options) (*Conn, error) {
	if side == nil {
		return nil, fmt.Errorf("rdmanet: Upgrade: the connection is nil: %w", syscall.EINVAL)
	}
	c, err := upgrade(ctx, dev, side, o)
	if err != nil {
		side.Close() // the peer would wait
		return nil, &net.OpError{Op: "upgrade", Net: network, Source: side.LocalAddr(), Addr: side.RemoteAddr(), Err: lateOr(err)}
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
