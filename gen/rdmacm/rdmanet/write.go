package rdmanet

import (
	"io"
	"net"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

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
