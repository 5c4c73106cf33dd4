package rdmanet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

const (
	network = "rdma"
	// A message begins with how many receives its sender has posted again, modulo 1<<32, and with flags, of 4 bytes each. Data that
	// follows is aligned.
	header = 8
	fin    = 1 // flag: the sender writes no more
	// linger is how long Close waits at most until the peer's card has what was written.
	linger = 5 * time.Second
	// grace is how long Read waits for messages that came before the end, if nothing says that they have been handed out.
	grace = time.Second
)

// Addr is the address of one end: an IP address, and a port of librdmacm.
type Addr struct{ netip.AddrPort }

// Network returns "rdma".
func (Addr) Network() string { return network }

// named is an address that was not looked up.
type named string

func (named) Network() string  { return network }
func (n named) String() string { return string(n) }

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
	done, settled chan struct{}                 // closed by Close, and when that has nothing more to wait for
	completed     func(endpoint.Slot, verbs.WC) // c.complete

	rd, wr half

	mu       sync.Mutex // guards what follows, and the deadlines of rd and wr
	begun    bool       // e and peer are known
	closed   bool
	fin      bool // nothing more is written
	finSent  bool
	flying   int    // requests in flight
	sent     uint32 // messages; one may not be posted yet
	granted  uint32 // receives that the peer has posted again
	reposted uint32 // receives of this end that were posted again
	told     uint32 // of these, what the peer knows of
	eof      bool
	arrived  []piece     // a ring with room for each receive
	first    int         // the oldest of arrived
	count    int         // of arrived
	flushed  bool        // nothing more arrives
	patience *time.Timer // until flushed
	heard    bool        // a message came since ask looked
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
	c := &Conn{own: hello{uint32(o.Messages), uint32(o.Size)}, keepAlive: o.KeepAlive, done: make(chan struct{}), settled: make(chan struct{}),
		arrived: make([]piece, o.Messages)}
	c.rd.wake, c.wr.wake = make(chan struct{}, 1), make(chan struct{}, 1)
	c.completed = c.complete
	return c
}

func (c *Conn) config() endpoint.Config {
	n, size := int(c.own.messages), int(c.own.size)+header
	return endpoint.Config{Sends: n, SendSize: size, Recvs: n, RecvSize: size, Handle: c.handle}
}

// queue makes the queue pair of a connection of rdma_cm.
func (c *Conn) queue(id *conn.Conn) (*verbs.QP, error) {
	e, err := id.NewEndpoint(c.config())
	if err != nil {
		return nil, err
	}
	return e.QP, nil
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

// handle takes the completion of a receive.
func (c *Conn) handle(e *endpoint.Endpoint, wc verbs.WC) {
	if wc.Status != verbs.WCStatusSuccess { // the endpoint has ended, and so have the messages
		c.flush()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.arrive(e, int(wc.ID), int(wc.ByteLen)); err != nil {
		e.Fail(err)
	}
}

// arrive takes a message of n bytes. Its error ends the connection.
func (c *Conn) arrive(e *endpoint.Endpoint, receive, n int) error {
	if n < header {
		return fmt.Errorf("a message of %d bytes came: %w", n, errStranger)
	}
	granted, flags := binary.BigEndian.Uint32(e.Recv(receive)), binary.BigEndian.Uint32(e.Recv(receive)[4:])
	switch {
	case flags&^fin != 0:
		return fmt.Errorf("a message with flags %#x came: %w", flags, errStranger)
	case c.eof && (n > header || flags != 0):
		return fmt.Errorf("a message came after the last one: %w", errStranger)
	case granted-c.granted > c.sent-c.granted:
		return fmt.Errorf("the peer has posted %d receives again, after %d messages: %w", granted, c.sent, errStranger)
	}
	c.heard = true
	if c.granted != granted {
		c.granted = granted
		c.wr.signal()
	}
	if flags == fin {
		c.eof = true
		c.rd.signal()
	}
	if n == header {
		c.reposted++
		if err := e.Repost(receive); err != nil {
			return err
		}
	} else {
		c.arrived[(c.first+c.count)%len(c.arrived)] = piece{receive, header, n}
		c.count++
		c.rd.signal()
	}
	c.tell()
	return nil
}

// complete takes the completion of a request.
func (c *Conn) complete(s endpoint.Slot, _ verbs.WC) {
	s.Free()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying--
	c.wr.signal()
	c.tell()
	c.settle()
}

// credits returns how many messages the peer has receives for. The last of them is kept for the end of what is written, and another one
// to tell the peer of receives: without it, two ends that only write would wait for each other.
func (c *Conn) credits() int { return int(c.peer.messages + c.granted - c.sent) }

// tell sends a message without data if the peer must hear of the end, or of receives that it may wait for. Whatever hinders it, such as a
// queue that is full, calls it again when it has passed.
func (c *Conn) tell() {
	if !c.begun || c.closed && c.finSent || c.e.Err() != nil {
		return
	}
	var flags uint32
	switch last := c.fin && !c.finSent; {
	case last && c.credits() > 0:
		flags = fin
	case !last && c.reposted-c.told >= c.own.messages/2 && (c.credits() > 1 || c.finSent && c.credits() > 0):
	default:
		return
	}
	if s, ok := c.e.TrySlot(); ok {
		c.sent++
		c.finSent = c.post(s, 0, flags) == nil && flags == fin || c.finSent
	}
}

// post sends a message with n bytes of data that are in the slot.
func (c *Conn) post(s endpoint.Slot, n int, flags uint32) error {
	binary.BigEndian.PutUint32(s.Bytes(), c.reposted)
	binary.BigEndian.PutUint32(s.Bytes()[4:], flags)
	s.Send(header + n)
	if err := s.PostFunc(c.completed); err != nil {
		s.Free()
		c.e.Fail(err)
		return c.e.Err()
	}
	c.told = c.reposted
	c.flying++
	return nil
}

// ask asks the card of the peer whether it is there, if nothing has come since the last time. Its error ends the connection.
func (c *Conn) ask() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.e.Err() != nil {
		return
	}
	if !c.heard && c.flying == 0 {
		if s, ok := c.e.TrySlot(); ok {
			s.Write(0, 0, 0)
			if s.PostFunc(c.completed) == nil {
				c.flying++
			}
		}
	}
	c.heard = false
	c.alive.Reset(c.keepAlive)
}

var errNone = errors.New("there is nothing to read")

// next returns the oldest data. If there is none, it waits, or returns errNone.
func (c *Conn) next(wait bool) (piece, error) {
	for {
		c.mu.Lock()
		x, ended, err := c.oldest()
		c.mu.Unlock()
		if err != errNone || !wait {
			return x, err
		}
		news := c.e.Done()
		if ended {
			news = nil
		}
		select {
		case <-c.rd.wake:
		case <-c.done:
		case <-news:
		}
	}
}

// oldest returns the oldest data, and whether the endpoint has ended.
func (c *Conn) oldest() (x piece, ended bool, err error) {
	reason := c.e.Err()
	switch {
	case c.closed:
		err = net.ErrClosed
	case c.rd.late:
		err = os.ErrDeadlineExceeded
	case c.count > 0:
		x = c.arrived[c.first]
	case c.eof:
		err = io.EOF
	case reason != nil && c.flushed:
		err = reason
	case reason != nil && c.patience == nil: // messages that came before the end are still handed out
		c.patience = time.AfterFunc(grace, c.flush)
		fallthrough
	default:
		err = errNone
	}
	return x, reason != nil, err
}

// flush has readers wait no more.
func (c *Conn) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flushed = true
	c.rd.signal()
}

// data returns the bytes of a piece.
func (c *Conn) data(x piece) []byte { return c.e.Recv(x.receive)[x.from:x.to:x.to] }

// taken ends the use of the first n bytes of the oldest data.
func (c *Conn) taken(x piece, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.from += n; x.from < x.to {
		c.arrived[c.first] = x
		return
	}
	c.first = (c.first + 1) % len(c.arrived)
	c.count--
	c.reposted++
	if c.e.Repost(x.receive) == nil {
		c.tell()
	}
}

// Read reads what the peer wrote.
func (c *Conn) Read(p []byte) (n int, err error) {
	if c == nil || c.e == nil {
		return 0, errNever
	}
	c.rd.Lock()
	defer c.rd.Unlock()
	for {
		x, err := c.next(n == 0 && len(p) > 0)
		switch {
		case err == nil:
		case n > 0 || err == errNone:
			return n, nil
		case err == io.EOF:
			return 0, err
		default:
			return 0, c.error("read", err)
		}
		k := copy(p[n:], c.data(x))
		c.taken(x, k)
		if n += k; n == len(p) {
			return n, nil
		}
	}
}

// WriteTo writes to w what the peer writes, up to its end, from the memory in which it came.
func (c *Conn) WriteTo(w io.Writer) (n int64, err error) {
	if c == nil || c.e == nil {
		return 0, errNever
	}
	c.rd.Lock()
	defer c.rd.Unlock()
	for {
		x, err := c.next(true)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, c.error("read", err)
		}
		k, err := w.Write(c.data(x))
		if k < 0 || k > x.to-x.from {
			return n, c.error("read", errWriter)
		}
		n += int64(k)
		if c.taken(x, k); err != nil {
			return n, err
		}
	}
}

// room waits until a message can be sent, and returns a slot for it: for send, or for unused.
func (c *Conn) room() (endpoint.Slot, error) {
	for {
		c.mu.Lock()
		err := c.writable()
		if err == nil && c.credits() > 2 {
			if s, ok := c.e.TrySlot(); ok {
				c.sent++
				c.mu.Unlock()
				return s, nil
			}
		}
		c.mu.Unlock()
		if err != nil {
			return endpoint.Slot{}, err
		}
		select {
		case <-c.wr.wake:
		case <-c.done:
		case <-c.e.Done():
		}
	}
}

// writable returns why nothing can be written.
func (c *Conn) writable() error {
	switch {
	case c.closed:
		return net.ErrClosed
	case c.wr.late:
		return os.ErrDeadlineExceeded
	case c.fin:
		return syscall.EPIPE
	}
	return c.e.Err()
}

// space returns the memory of a slot for data.
func (c *Conn) space(s endpoint.Slot) []byte {
	return s.Bytes()[header : header+min(c.own.size, c.peer.size)]
}

// send sends n bytes of a slot that room returned.
func (c *Conn) send(s endpoint.Slot, n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fin { // since room
		c.sent--
		s.Free()
		return c.writable()
	}
	return c.post(s, n, 0)
}

// unused gives back a slot that room returned.
func (c *Conn) unused(s endpoint.Slot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent--
	s.Free()
	c.tell()
}

// Write sends the bytes of p, and returns when they are posted: like TCP, it does not wait until the peer has them.
func (c *Conn) Write(p []byte) (n int, err error) {
	if c == nil || c.e == nil {
		return 0, errNever
	}
	c.wr.Lock()
	defer c.wr.Unlock()
	for first := true; first || n < len(p); first = false {
		s, err := c.room()
		if err != nil {
			return n, c.error("write", err)
		}
		k := copy(c.space(s), p[n:])
		if k == 0 {
			c.unused(s)
			break
		}
		if err := c.send(s, k); err != nil {
			return n, c.error("write", err)
		}
		n += k
	}
	return n, nil
}

// ReadFrom sends what it reads from r, up to its end, and reads it to the memory from which it is sent. Other calls that write wait until
// it returns.
func (c *Conn) ReadFrom(r io.Reader) (n int64, err error) {
	if c == nil || c.e == nil {
		return 0, errNever
	}
	c.wr.Lock()
	defer c.wr.Unlock()
	for {
		k, err := c.from(r)
		n += int64(k)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// from sends what one Read returns.
func (c *Conn) from(r io.Reader) (n int, err error) {
	s, err := c.room()
	if err != nil {
		return 0, c.error("write", err)
	}
	read := 0
	defer func() { // also when r panics
		if read <= 0 {
			c.unused(s)
		}
	}()
	b := c.space(s)
	if read, err = r.Read(b); read > len(b) {
		read, err = 0, errReader
	}
	if read <= 0 {
		return 0, err
	}
	if e := c.send(s, read); e != nil {
		return 0, c.error("write", e)
	}
	return read, err
}

// CloseWrite ends what this end writes: the peer reads io.EOF after it. Read goes on.
func (c *Conn) CloseWrite() error {
	if c == nil || c.e == nil {
		return errNever
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.writable(); err != nil && err != os.ErrDeadlineExceeded {
		return c.error("close", err)
	}
	c.fin = true
	c.wr.signal()
	c.tell()
	return nil
}

// Close ends the connection. It waits until the card of the peer has what was written, at most 5 s, and then closes everything. A
// Read or Write that waits returns net.ErrClosed, and so does a second Close.
func (c *Conn) Close() error {
	if c == nil || c.e == nil {
		return errNever
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return c.error("close", net.ErrClosed)
	}
	c.closed, c.fin = true, true
	close(c.done)
	for _, t := range []*time.Timer{c.alive, c.rd.timer, c.wr.timer} {
		if t != nil {
			t.Stop()
		}
	}
	c.tell()
	c.settle()
	c.mu.Unlock()
	var lost error
	patience := time.NewTimer(linger)
	defer patience.Stop()
	select {
	case <-c.settled:
	case <-c.e.Done():
	case <-patience.C:
		lost = errLost
	}
	if err := errors.Join(lost, unlessClosed(c.whole.Close())); err != nil {
		return c.error("close", err)
	}
	return nil
}

// settle notes that Close has nothing to wait for.
func (c *Conn) settle() {
	if c.closed && c.finSent && c.flying == 0 {
		close(c.settled)
	}
}

// LocalAddr returns an Addr, and of a Conn of Upgrade the address of its side.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is LocalAddr of the peer.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// Endpoint returns the endpoint, to look at its device and its queue pair, for example. Requests that the program posts would disturb the
// connection.
func (c *Conn) Endpoint() *endpoint.Endpoint { return c.e }

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Conn) SetDeadline(t time.Time) error { return c.set(t, &c.rd, &c.wr) }

// SetReadDeadline has Read fail with os.ErrDeadlineExceeded from t on, also one that waits; the zero value means never.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.set(t, &c.rd) }

// SetWriteDeadline has Write fail with os.ErrDeadlineExceeded from t on, also one that waits; the zero value means never.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.set(t, &c.wr) }

func (c *Conn) set(t time.Time, halves ...*half) error {
	if c == nil || c.e == nil {
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

func (c *Conn) error(op string, err error) error {
	return &net.OpError{Op: op, Net: network, Source: c.local, Addr: c.remote, Err: err}
}

var (
	errNever  = fmt.Errorf("rdmanet: the connection is nil or was never made; Dial, Accept and Upgrade make one: %w", net.ErrClosed)
	errLost   = errors.New("not all that was written has arrived")
	errWriter = errors.New("the io.Writer returned an impossible count")
	errReader = errors.New("the io.Reader returned an impossible count")
)

// unlessClosed is an error other than that of something that is closed already.
func unlessClosed(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
