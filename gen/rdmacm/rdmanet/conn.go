package rdmanet

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

const (
	network = "rdma"
	// A message begins with how many receives its sender has posted again, modulo 1<<32, and with flags, 4 bytes each.
	header = 8
	fin    = 1 // flag: the sender writes no more
	// linger is how long Close waits at most until the peer's card has what was written.
	linger = 5 * time.Second
	// grace is how long Read waits for messages that came before the end, if nothing says that they have been handed out.
	grace = time.Second
	// silence is how long a request may be in flight, beyond KeepAlive, while nothing happens.
	silence = 10 * time.Second
)

// Addr is the address of one end: an IP address, and a port of librdmacm.
type Addr struct{ netip.AddrPort }

// Network returns "rdma".
func (Addr) Network() string { return network }

// Conn is a connection: a net.Conn, an io.ReaderFrom and an io.WriterTo. Its methods may be called from several goroutines.
//
// Read returns io.EOF after the last byte that the peer wrote before CloseWrite or Close. All other errors of Read and Write are
// *net.OpErrors around net.ErrClosed, os.ErrDeadlineExceeded, syscall.EPIPE for a Write after CloseWrite, or syscall.ECONNRESET if the
// connection has ended.
type Conn struct {
	local, remote net.Addr
	own, peer     hello
	keepAlive     time.Duration
	e             *endpoint.Endpoint
	whole         io.Closer                     // e, or the connection of rdma_cm that it belongs to
	done          chan struct{}                 // closed by Close
	completed     func(endpoint.Slot, verbs.WC) // c.complete

	rd, wr half
	from   sync.Mutex // held by ReadFrom

	mu       sync.Mutex // guards what follows, and the deadlines of rd and wr
	begun    bool       // e and peer are known
	closed   bool
	fin      bool // nothing more is written
	finSent  bool
	flying   int    // requests in flight
	reserved int    // messages that have a slot, and are not posted yet
	sent     uint32 // messages
	granted  uint32 // receives that the peer has posted again
	reposted uint32 // receives of this end that were posted again
	told     uint32 // of these, what the peer knows of
	eof      bool
	arrived  []piece // a ring with room for each receive
	first    int     // the oldest of arrived
	count    int     // of arrived
	flushed  bool    // nothing more arrives
	heard    bool    // something came or completed since ask looked
	silent   time.Duration
	alive    *time.Timer
}

// piece is a receive, and what was not yet read of it.
type piece struct{ receive, from, to int }

// half is one direction.
type half struct {
	sync.Mutex               // held by who reads or writes
	wake       chan struct{} // has an element if there may be news

	late  bool // the deadline has passed
	turn  int  // counts the deadlines
	timer *time.Timer
}

func (h *half) signal() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func newConn(o Options) *Conn {
	c := &Conn{own: hello{uint32(o.Messages), uint32(o.Size)}, keepAlive: o.KeepAlive, done: make(chan struct{}),
		arrived: make([]piece, o.Messages)}
	c.rd.wake, c.wr.wake = make(chan struct{}, 1), make(chan struct{}, 1)
	c.completed = c.complete
	return c
}

func (c *Conn) config() endpoint.Config {
	n, size := int(c.own.messages), int(c.own.size)+header
	return endpoint.Config{Sends: n, SendSize: size, Recvs: n, RecvSize: size, Handle: c.handle}
}

// begin begins to send, when both ends are connected. The peer may have sent already.
func (c *Conn) begin(e *endpoint.Endpoint, whole io.Closer, said []byte) error {
	peer, err := parse(said)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.e, c.whole, c.peer, c.begun = e, whole, peer, true
	if c.keepAlive > 0 {
		c.alive = time.AfterFunc(c.keepAlive, c.ask)
	}
	c.tell()
	return nil
}

// CloseWrite ends the writing side of this end: the peer reads io.EOF after the last byte. Read goes on.
func (c *Conn) CloseWrite() error {
	if !c.made() {
		return errNever
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.writable(); err != nil && err != os.ErrDeadlineExceeded && err != syscall.EPIPE {
		return c.error("close", err)
	}
	c.fin = true
	c.wr.signal()
	c.tell()
	return nil
}

// Close ends the connection and closes everything. Calls that wait return net.ErrClosed, and so does a second Close. Close first waits
// until the peer's card has received all written bytes, or the peer has ended the connection. If neither happens within 5 s, Close returns
// an error.
func (c *Conn) Close() error {
	if !c.made() {
		return errNever
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return c.error("close", net.ErrClosed)
	}
	c.closed, c.fin = true, true
	close(c.done)
	c.tell()
	c.mu.Unlock()
	return c.error("close", errors.Join(c.settle(), c.abort()))
}

// settle waits until nothing is in flight, and the end was sent.
func (c *Conn) settle() error {
	late := time.NewTimer(linger)
	defer late.Stop()
	for {
		c.mu.Lock()
		settled := c.finSent && c.flying == 0
		c.mu.Unlock()
		if settled {
			return nil
		}
		select {
		case <-c.wr.wake:
		case <-c.e.Done():
			return nil
		case <-late.C:
			return errLost
		}
	}
}

// abort closes everything at once.
func (c *Conn) abort() error {
	c.mu.Lock()
	for _, t := range []*time.Timer{c.alive, c.rd.timer, c.wr.timer} {
		if t != nil {
			t.Stop()
		}
	}
	c.mu.Unlock()
	return unlessClosed(c.whole.Close())
}

// LocalAddr returns an Addr, or for a Conn of Upgrade, the local address of side.
func (c *Conn) LocalAddr() net.Addr {
	if !c.made() {
		return nil
	}
	return c.local
}

// RemoteAddr returns the peer's address, as LocalAddr does for this end.
func (c *Conn) RemoteAddr() net.Addr {
	if !c.made() {
		return nil
	}
	return c.remote
}

// Endpoint returns the endpoint, to look at its device and its queue pair, for example. Requests that the program posts would disturb the
// connection.
func (c *Conn) Endpoint() *endpoint.Endpoint {
	if !c.made() {
		return nil
	}
	return c.e
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Conn) SetDeadline(t time.Time) error { return c.set(t, &c.rd, &c.wr) }

// SetReadDeadline makes Read fail with os.ErrDeadlineExceeded from t on, even a Read that waits; the zero value means never.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.set(t, &c.rd) }

// SetWriteDeadline makes Write fail with os.ErrDeadlineExceeded from t on, even a Write that waits; the zero value means never.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.set(t, &c.wr) }

func (c *Conn) set(t time.Time, halves ...*half) error {
	if !c.made() {
		return errNever
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.error("set", net.ErrClosed)
	}
	for _, h := range halves {
		if h.timer != nil {
			h.timer.Stop()
		}
		h.turn++
		wait, turn := time.Until(t), h.turn
		if h.late = !t.IsZero() && wait <= 0; !h.late && !t.IsZero() {
			h.timer = time.AfterFunc(wait, func() {
				c.mu.Lock()
				defer c.mu.Unlock()
				if h.turn == turn {
					h.late = true
					h.signal()
				}
			})
		}
		h.signal()
	}
	return nil
}

// made reports whether begin was called.
func (c *Conn) made() bool { return c != nil && c.e != nil }

func (c *Conn) error(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: network, Source: c.local, Addr: c.remote, Err: err}
}

var (
	errNever = fmt.Errorf("rdmanet: it is nil or was never made; Dial, Accept, Upgrade and Listen make them: %w", net.ErrClosed)
	errLost  = errors.New("not all that was written has arrived")
)

// unlessClosed is an error other than that of something that is closed already.
func unlessClosed(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
