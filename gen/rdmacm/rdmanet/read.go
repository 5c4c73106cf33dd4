package rdmanet

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

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
