package connect

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Options is what the caller decides.
type Options struct {
	// Setup has the port, the rights of the peer, the timers and the limits. Connect fills in AV, DestQPNum, RQPSN and SQPSN. PathMTU
	// may be 0: then it is the largest that both ports have. MaxRDAtomic is lowered to what the peer allows.
	Setup verbs.RCSetup
	// HopLimit is how many routers a packet may pass, 1 for none. It counts where peers are reached by GID, as on Ethernet.
	HopLimit uint8
	// Data goes to the peer: the address and the key of memory, for example. It has at most MaxData bytes.
	Data []byte
	// Timeout ends a conversation with a peer that does not answer.
	Timeout time.Duration
}

// Peer is the other end of a connection.
type Peer struct {
	QPN, PSN uint32
	LID      uint16
	GID      verbs.GID // zero when it is reached by its LID
	MTU      verbs.MTU // of the connection
	Data     []byte
}

// Connect connects a queue pair to the one of the process at the other end of conn, which calls Connect too. The queue pair is in
// RESET, or in INIT with receives posted; after Connect both ends may send. conn stays open; its deadline is set, and taken back.
func Connect(conn net.Conn, qp *verbs.QP, o Options) (*Peer, error) {
	self, err := newHello(qp, &o)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(o.Timeout)); err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	peer, err := converse(conn, qp, self, &o)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	_ = conn.SetDeadline(time.Time{}) // an error is that of a peer that has done its work and closed conn
	return peer, nil
}

// newHello gathers what the peer has to know.
func newHello(qp *verbs.QP, o *Options) (*hello, error) {
	if o.Timeout <= 0 {
		return nil, fmt.Errorf("connect: a timeout of %v; give the peer some time, such as 10 * time.Second", o.Timeout)
	}
	if len(o.Data) > MaxData {
		return nil, fmt.Errorf("connect: %d bytes of data; %d are the most: send the rest over the connection", len(o.Data), MaxData)
	}
	port, err := qp.Device().QueryPort(o.Setup.PortNum)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if port.State != verbs.PortStateActive {
		return nil, fmt.Errorf("connect: port %d is %v; bring its link up, on InfiniBand with a subnet manager", o.Setup.PortNum, port.State)
	}
	h := &hello{link: port.LinkLayer, mtu: port.ActiveMTU, lid: port.LID, qpn: qp.Num(), psn: rand.Uint32N(1 << 24),
		reads: o.Setup.MaxDestRDAtomic, data: o.Data}
	if o.Setup.PathMTU != 0 {
		h.mtu = min(h.mtu, o.Setup.PathMTU)
	}
	if h.link == verbs.LinkLayerEthernet && o.HopLimit == 0 {
		return nil,
			errors.New("connect: HopLimit is 0, with which no packet arrives; pass 1 for a peer in the same network, 64 for one behind " +
				"routers")
	}
	h.gids, err = gidsOf(qp.Device(), o.Setup.PortNum, port)
	return h, err
}

// converse exchanges addresses, connects, and waits until the peer has connected too.
func converse(conn net.Conn, qp *verbs.QP, self *hello, o *Options) (*Peer, error) {
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

// connect brings the queue pair to RTS.
func connect(qp *verbs.QP, self, peer *hello, o *Options) (*Peer, error) {
	path, gid, err := route(self, peer, o)
	if err != nil {
		return nil, err
	}
	s := o.Setup
	s.AV, s.PathMTU, s.DestQPNum, s.RQPSN, s.SQPSN = path, min(self.mtu, peer.mtu), peer.qpn, peer.psn, self.psn
	s.MaxRDAtomic = min(s.MaxRDAtomic, peer.reads)
	if err := s.ToRTS(qp); err != nil {
		return nil, fmt.Errorf("to queue pair %d with GID %v, LID %d and an MTU of %v: %w", peer.qpn, gid, peer.lid, s.PathMTU, err)
	}
	return &Peer{QPN: peer.qpn, PSN: peer.psn, LID: peer.lid, GID: gid, MTU: s.PathMTU, Data: peer.data}, nil
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
