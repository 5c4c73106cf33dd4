package rdmanet

import (
	"encoding/binary"
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

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
