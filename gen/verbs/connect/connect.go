package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Options is what the caller decides. The zero value is good for most connections.
type Options struct {
	// Setup has the port, the rights of the peer, the timers and the limits; nil is DefaultSetup. RC fills in DestQPNum, RQPSN, SQPSN and
	// AV. It keeps AV's SL and StaticRate, and for a peer reached by GID also FlowLabel and TrafficClass. If PathMTU is 0, it takes the
	// largest MTU of both ports. It lowers MaxRDAtomic to the peer's limit. UC uses PortNum, PKeyIndex, AccessFlags, PathMTU and AV; UD uses
	// PortNum, PKeyIndex and AV.
	Setup *verbs.RCSetup
	// GID is the entry of the port's table by which the peer reaches this end. If it is zero, both ends choose. InfiniBand uses the LID
	// instead, but the entry must exist.
	GID verbs.GID
	// QKey is for UD: datagrams to this queue pair must have this key. 0 means a random one. A queue pair that is already in RTS keeps its
	// key.
	QKey uint32
	// HopLimit limits the routers on the way to a peer that is reached by GID, as on Ethernet: 1 means no router, 0 means a limit of 64.
	HopLimit uint8
	// Data is sent to the peer, for example the address and the key of memory. It has at most MaxData bytes.
	Data []byte
}

// Patience is the longest time of an exchange whose context has no deadline.
const Patience = 30 * time.Second

// DefaultSetup returns attributes for most connections: port 1, no access to memory, one READ or atomic at a time, and about half a second
// until an mlx5 card gives up a peer that does not answer. On soft-RoCE, and on the software device without LikeMLX5, RetryCnt 7 means
// forever: set 6 there to notice that a peer has died.
func DefaultSetup() verbs.RCSetup {
	return verbs.RCSetup{PortNum: 1, MaxDestRDAtomic: 1, MaxRDAtomic: 1, MinRNRTimer: 12, Timeout: 14, RetryCnt: 7, RNRRetry: 7}
}

// Peer is the other end of a connection.
type Peer struct {
	QPN  uint32    // number of its queue pair
	PSN  uint32    // number of its first packet
	LID  uint16    // of its port; 0 on Ethernet
	GID  verbs.GID // zero if it is reached by its LID
	MTU  verbs.MTU // of the connection
	Data []byte    // its Options.Data

	Path verbs.AHAttr // the way to it; for UD, pass it to PD.CreateAH
	QKey uint32       // for UD, the key of datagrams to it
}

// RC connects qp to a queue pair of the process at the other end of conn, which also calls RC. Before the call, qp is in RESET, or in INIT
// with receives posted. After it, both ends may send. If ctx ends first, RC returns its error. RC sets and removes conn's deadline and
// leaves conn open. After an error, do not use conn for another call.
func RC(ctx context.Context, conn net.Conn, qp *verbs.QP, o Options) (*Peer, error) {
	return begin(ctx, conn, qp, verbs.QPTypeRC, o)
}

// UC is like RC, for queue pairs of type UC. Messages sent before the peer has posted a receive are lost.
func UC(ctx context.Context, conn net.Conn, qp *verbs.QP, o Options) (*Peer, error) {
	return begin(ctx, conn, qp, verbs.QPTypeUC, o)
}

// UD is like RC, for queue pairs of type UD. It returns the peer's address: pass Peer.Path to PD.CreateAH, and Peer.QPN and Peer.QKey to
// requests. The queue pair may already be able to send, since it can have any number of peers, one for each call of UD.
func UD(ctx context.Context, conn net.Conn, qp *verbs.QP, o Options) (*Peer, error) {
	return begin(ctx, conn, qp, verbs.QPTypeUD, o)
}

// Pair connects two queue pairs of one process: it calls RC for each, with the same options. They may belong to two devices.
func Pair(ctx context.Context, a, b *verbs.QP, o Options) error {
	left, right := net.Pipe()
	defer left.Close()
	other := make(chan error, 1)
	go func() {
		defer right.Close()
		_, err := RC(ctx, right, b, o)
		other <- err
	}()
	_, err := RC(ctx, left, a, o)
	if err != nil {
		left.Close() // b would wait
	}
	return errors.Join(err, <-other)
}

func begin(ctx context.Context, conn net.Conn, qp *verbs.QP, kind verbs.QPType, o Options) (*Peer, error) {
	s := settings{RCSetup: DefaultSetup(), kind: kind, hops: cmp.Or(o.HopLimit, 64), key: o.QKey, gid: o.GID, data: o.Data}
	for s.key == 0 {
		s.key = rand.Uint32N(1 << 31) // with the highest bit, it is the privileged users'
	}
	if o.Setup != nil {
		s.RCSetup = *o.Setup
	}
	peer, err := meet(ctx, conn, qp, &s)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if late, ok := ctx.Deadline(); ok && !time.Now().Before(late) {
			<-ctx.Done() // conn has the same deadline, and was the first to notice
		}
	}
	if err != nil && ctx != nil && ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return peer, nil
}

// settings are options with what the caller left out.
type settings struct {
	verbs.RCSetup
	kind  verbs.QPType
	hops  uint8
	key   uint32
	gid   verbs.GID
	ready bool // the queue pair can send already
	data  []byte
}

func meet(ctx context.Context, conn net.Conn, qp *verbs.QP, o *settings) (*Peer, error) {
	err := errors.New("the context, the connection or the queue pair is nil")
	var self *hello
	if ctx != nil && conn != nil && qp != nil {
		self, err = newHello(qp, o)
	}
	if err != nil {
		if conn != nil {
			giveUp(conn)
		}
		return nil, err
	}
	late, ok := ctx.Deadline()
	if !ok {
		late = time.Now().Add(Patience)
	}
	if err := conn.SetDeadline(late); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { defer close(ended); conn.SetDeadline(time.Unix(1, 0)) })
	peer, err := converse(conn, qp, self, o)
	if !stop() {
		<-ended
	}
	_ = conn.SetDeadline(time.Time{}) // an error is that of a peer that has done its work and closed conn
	return peer, err
}

// giveUp tells the peer, which would wait, that this side has no address. It takes a second at most, when nobody reads.
func giveUp(conn net.Conn) {
	if conn.SetDeadline(time.Now().Add(time.Second)) == nil {
		_, _ = conn.Write((&hello{}).wire()) // the error of this side is the one that counts
		_ = conn.SetDeadline(time.Time{})
	}
}

// newHello asks the device for what the peer has to know. A queue pair for datagrams may be in use already, and has a key then.
func newHello(qp *verbs.QP, o *settings) (*hello, error) {
	if o.kind == verbs.QPTypeUD {
		info, _, err := qp.Query(verbs.QPFieldState, verbs.QPFieldQKey)
		if err != nil {
			return nil, err
		}
		if info.State == verbs.QPStateRTS {
			o.ready, o.key = true, info.QKey
		}
	}
	if len(o.data) > MaxData {
		return nil, fmt.Errorf("%d bytes of data; %d are the most: send the rest over the connection", len(o.data), MaxData)
	}
	port, err := qp.Device().QueryPort(o.PortNum)
	if err != nil {
		return nil, err
	}
	if port.State != verbs.PortStateActive {
		return nil, fmt.Errorf("port %d is %v; bring its link up, on InfiniBand with a subnet manager", o.PortNum, port.State)
	}
	h := &hello{kind: o.kind, key: o.key, link: port.LinkLayer, mtu: port.ActiveMTU, lid: port.LID, qpn: qp.Num(), psn: rand.Uint32N(1 << 24),
		reads: o.MaxDestRDAtomic, data: o.data}
	if o.PathMTU != 0 {
		h.mtu = min(h.mtu, o.PathMTU)
	}
	h.gids, err = gidsOf(qp.Device(), o.PortNum, port, o.gid)
	return h, err
}

// converse exchanges addresses, connects, and waits until the peer has connected too.
func converse(conn net.Conn, qp *verbs.QP, self *hello, o *settings) (*Peer, error) {
	var theirs *hello
	err := exchange(conn, self.wire(), func(r io.Reader) (err error) {
		theirs, err = readHello(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	peer, connecting := connect(qp, self, theirs, o)
	word := []byte{ready}
	if connecting != nil {
		word[0] = failed
	}
	err = exchange(conn, word, readReady)
	if connecting != nil {
		return nil, connecting
	}
	return peer, err
}

// connect brings the queue pair to RTS, with the attributes that its type has.
func connect(qp *verbs.QP, self, peer *hello, o *settings) (*Peer, error) {
	if self.kind != peer.kind {
		return nil, fmt.Errorf("the peer has a queue pair of type %v, and this side one of type %v; call the same function on both",
			peer.kind, self.kind)
	}
	path, gid, err := route(self, peer, o)
	if err != nil {
		return nil, err
	}
	s := o.RCSetup
	s.AV, s.PathMTU, s.DestQPNum, s.RQPSN, s.SQPSN = path, min(self.mtu, peer.mtu), peer.qpn, peer.psn, self.psn
	s.MaxRDAtomic = min(s.MaxRDAtomic, peer.reads)
	switch {
	case self.kind == verbs.QPTypeRC:
		err = s.ToRTS(qp)
	case self.kind == verbs.QPTypeUC:
		err = verbs.UCSetup{PKeyIndex: s.PKeyIndex, PortNum: s.PortNum, AccessFlags: s.AccessFlags, AV: s.AV, PathMTU: s.PathMTU,
			DestQPNum: s.DestQPNum, RQPSN: s.RQPSN, SQPSN: s.SQPSN}.ToRTS(qp)
	case !o.ready:
		err = verbs.UDSetup{PKeyIndex: s.PKeyIndex, PortNum: s.PortNum, QKey: o.key, SQPSN: s.SQPSN}.ToRTS(qp)
	}
	if err != nil {
		return nil, fmt.Errorf("to queue pair %d with GID %v, LID %d and an MTU of %v: %w", peer.qpn, gid, peer.lid, s.PathMTU, err)
	}
	return &Peer{QPN: peer.qpn, PSN: peer.psn, LID: peer.lid, GID: gid, MTU: s.PathMTU, Data: peer.data, Path: path, QKey: peer.key}, nil
}

// exchange writes to the peer and reads from it at the same time: over a net.Pipe, a write ends when the peer has read.
func exchange(conn net.Conn, out []byte, read func(io.Reader) error) error {
	written := make(chan error, 1)
	go func() {
		_, err := conn.Write(out)
		written <- err
	}()
	err := read(conn)
	if err != nil {
		conn.SetWriteDeadline(time.Now()) // what the peer does not read is not worth waiting for
	}
	if werr := <-written; err == nil && werr != nil {
		return fmt.Errorf("writing to the peer: %w", werr)
	}
	return err
}
