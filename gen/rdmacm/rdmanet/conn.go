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

// handle takes the completion of a receive.
func (c *Conn) handle(e *endpoint.Endpoint, wc verbs.WC) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if wc.Status != verbs.WCStatusSuccess { // the endpoint has ended, and so have the messages
		c.flushed = true
		c.rd.signal()
		return
	}
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
	if n > header {
		c.arrived[(c.first+c.count)%len(c.arrived)] = piece{receive, header, n}
		c.count++
		c.rd.signal()
	} else {
		c.repost(e, receive)
	}
	c.tell()
	return nil
}

func (c *Conn) repost(e *endpoint.Endpoint, receive int) {
	c.reposted++
	if err := e.Repost(receive); err != nil {
		e.Fail(err)
	}
}

// complete takes the completion of a request.
func (c *Conn) complete(s endpoint.Slot, _ verbs.WC) {
	s.Free()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying--
	c.heard = true
	c.wr.signal()
	c.tell()
}

// credits returns how many messages the peer has receives for. The last of them is kept for the end of what is written, and another one
// to tell the peer of receives: without it, two ends that only write would wait for each other.
func (c *Conn) credits() int { return int(c.peer.messages+c.granted-c.sent) - c.reserved }

// tell sends a message without data if the peer must hear of the end, or of receives that it may wait for. When what hinders it has passed,
// such as a full queue, it is called again.
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
	if s, ok := c.e.TrySlot(); ok && c.post(s, 0, flags) == nil && flags == fin {
		c.finSent = true
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
	c.sent++
	c.flying++
	return nil
}

// ask asks the card of the peer whether it is there, if nothing has happened since the last time. The failure of that request ends the
// connection, and so does one that lasts too long: with 7 retries it may never end.
func (c *Conn) ask() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.e.Err() != nil {
		return
	}
	switch c.silent += c.keepAlive; {
	case c.heard:
		c.silent = 0
	case c.flying > 0:
		if c.silent >= c.keepAlive+silence {
			c.e.Fail(fmt.Errorf("the peer's card does not answer: %w", syscall.ETIMEDOUT))
		}
	default:
		if s, ok := c.e.TrySlot(); ok {
			if s.Write(0, 0, 0); s.PostFunc(c.completed) != nil {
				s.Free()
			} else {
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
	var late <-chan time.Time
	for {
		c.mu.Lock()
		x, err := c.oldest()
		c.mu.Unlock()
		if err != errNone || !wait {
			return x, err
		}
		ended := c.e.Done()
		if late != nil {
			ended = nil
		}
		select {
		case <-c.rd.wake:
		case <-c.done:
		case <-ended:
			late = time.After(grace)
		case <-late:
			c.mu.Lock()
			c.flushed = true
			c.mu.Unlock()
		}
	}
}

func (c *Conn) oldest() (piece, error) {
	switch {
	case c.closed:
		return piece{}, net.ErrClosed
	case c.rd.late:
		return piece{}, os.ErrDeadlineExceeded
	case c.count > 0:
		return c.arrived[c.first], nil
	case c.eof:
		return piece{}, io.EOF
	case c.flushed || c.ended() == net.ErrClosed:
		return piece{}, c.ended()
	}
	return piece{}, errNone
}

// ended returns why the endpoint has ended, nil if it has not.
func (c *Conn) ended() error {
	err := c.e.Err()
	if errors.Is(err, os.ErrClosed) { // by Network.Close
		return net.ErrClosed
	}
	return err
}

// data returns the bytes of a piece.
func (c *Conn) data(x piece) []byte { return c.e.Recv(x.receive)[x.from:x.to:x.to] }

// take takes n bytes off the oldest data, and reports whether these were the last.
func (c *Conn) take(x piece, n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.from += n; x.from < x.to {
		c.arrived[c.first] = x
		return false
	}
	c.first = (c.first + 1) % len(c.arrived)
	c.count--
	return true
}

// read posts a receive again whose data has been read.
func (c *Conn) read(x piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.repost(c.e, x.receive)
	c.tell()
}

// Read reads bytes that the peer wrote.
func (c *Conn) Read(p []byte) (n int, err error) {
	if !c.made() {
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
		default:
			return 0, c.error("read", err)
		}
		k := copy(p[n:], c.data(x))
		if c.take(x, k) {
			c.read(x)
		}
		if n += k; n == len(p) {
			return n, nil
		}
	}
}

// WriteTo reads until the peer ends the stream, and writes the bytes to w from the memory in which they arrived. If w fails, the rest of
// the last message is lost.
func (c *Conn) WriteTo(w io.Writer) (n int64, err error) {
	if !c.made() {
		return 0, errNever
	}
	for {
		x, err := c.message()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, c.error("read", err)
		}
		k, err := w.Write(c.data(x))
		c.read(x)
		if n += int64(k); err != nil {
			return n, err
		}
	}
}

// message takes the oldest data.
func (c *Conn) message() (piece, error) {
	c.rd.Lock()
	defer c.rd.Unlock()
	x, err := c.next(true)
	if err == nil {
		c.take(x, x.to-x.from)
	}
	return x, err
}

// room waits until a message can be sent, and reserves a slot for it: for send, or for unused.
func (c *Conn) room() (endpoint.Slot, error) {
	defer c.wr.signal() // others may wait, too
	for {
		c.mu.Lock()
		err := c.writable()
		if err == nil && c.credits() > 2 {
			if s, ok := c.e.TrySlot(); ok {
				c.reserved++
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
	return c.ended()
}

// space returns the memory of a slot for data.
func (c *Conn) space(s endpoint.Slot) []byte {
	return s.Bytes()[header : header+min(c.own.size, c.peer.size)]
}

// send sends n bytes of a slot that room returned.
func (c *Conn) send(s endpoint.Slot, n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reserved--
	if c.fin { // since room
		s.Free()
		return c.writable()
	}
	return c.post(s, n, 0)
}

// unused gives back a slot that room returned.
func (c *Conn) unused(s endpoint.Slot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reserved--
	s.Free()
	c.wr.signal()
	c.tell()
}

// Write sends the bytes of p, and returns when they are posted: like TCP, it does not wait until the peer has them.
func (c *Conn) Write(p []byte) (n int, err error) {
	if !c.made() {
		return 0, errNever
	}
	c.wr.Lock()
	defer c.wr.Unlock()
	c.mu.Lock()
	err = c.writable()
	c.mu.Unlock()
	for err == nil && n < len(p) {
		var s endpoint.Slot
		if s, err = c.room(); err == nil {
			k := copy(c.space(s), p[n:])
			if err = c.send(s, k); err == nil {
				n += k
			}
		}
	}
	return n, c.error("write", err)
}

// ReadFrom reads r until it ends, into the memory from which the bytes are sent. One ReadFrom runs at a time.
func (c *Conn) ReadFrom(r io.Reader) (n int64, err error) {
	if !c.made() {
		return 0, errNever
	}
	c.from.Lock()
	defer c.from.Unlock()
	for err == nil {
		var k int
		k, err = c.pass(r)
		n += int64(k)
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// pass sends what one Read returns.
func (c *Conn) pass(r io.Reader) (n int, err error) {
	s, err := c.room()
	if err != nil {
		return 0, c.error("write", err)
	}
	read := 0
	defer func() { // also when r panics
		if read == 0 {
			c.unused(s)
		}
	}()
	if read, err = r.Read(c.space(s)); read == 0 {
		return 0, err
	}
	c.wr.Lock() // not between the messages of a Write
	defer c.wr.Unlock()
	if e := c.send(s, read); e != nil {
		return 0, c.error("write", e)
	}
	return read, err
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
