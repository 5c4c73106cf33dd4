package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs/connect"
)

const (
	maxCallers = 4096
	helloTime  = 5 * time.Second
)

// hello is what an agent says of itself over TCP beside its address. The one that called will send probes, and keeps the connection open
// for as long as they are to be answered.
type hello struct {
	Version uint8
	Number  uint32 // what packets to the sender of this have in their header
	Agent   uint64
}

var errSelf = errors.New("the peer is this agent")

// introduce exchanges addresses with another agent, and returns the way to it.
func (a *agent) introduce(conn net.Conn, number uint32) (*route, error) {
	ctx, cancel := context.WithTimeout(a.life, helloTime)
	defer cancel()
	data, err := binary.Append(nil, binary.BigEndian, hello{version, number, a.id})
	if err != nil {
		return nil, err
	}
	setup := connect.DefaultSetup()
	setup.PortNum, setup.AV.TrafficClass = uint8(a.opts.port), uint8(a.opts.trafficClass)
	peer, err := connect.UD(ctx, conn, a.q.qp, connect.Options{Setup: &setup, GID: a.q.gid, Data: data})
	if err != nil {
		return nil, err
	}
	var theirs hello
	if _, err := binary.Decode(peer.Data, binary.BigEndian, &theirs); err != nil || theirs.Version != version {
		return nil, fmt.Errorf("the peer is no pingmesh of version %d", version)
	}
	if theirs.Agent == a.id {
		return nil, errSelf
	}
	ah, err := a.q.pd.CreateAH(peer.Path)
	return &route{ah: ah, qpn: peer.QPN, qkey: peer.QKey, number: theirs.Number}, err
}

// accept lets others introduce themselves, until stop. That a connection cannot be accepted, for want of descriptors for one, does not
// end it.
func (a *agent) accept() error {
	for a.life.Err() == nil {
		conn, err := a.ln.Accept()
		switch {
		case err == nil:
			a.done.Go(func() { a.introduced(conn) })
		case errors.Is(err, net.ErrClosed): // after stop it is no failure
			return err
		default:
			select {
			case <-time.After(a.opts.retry):
			case <-a.life.Done():
			}
		}
	}
	return nil
}

// introduced answers the probes of an agent until it closes the connection.
func (a *agent) introduced(conn net.Conn) {
	defer a.hold(conn)()
	mine, err := a.join()
	if err != nil {
		return
	}
	defer a.leave(mine)
	r, err := a.introduce(conn, mine)
	if err != nil {
		return
	}
	a.mu.Lock()
	a.callers[mine] = r
	a.mu.Unlock()
	if _, err := conn.Write([]byte{version}); err == nil { // probes may come
		untilClosed(conn)
	}
}

// hold has stop close a connection, and the function that it returns.
func (a *agent) hold(conn net.Conn) (closed func()) {
	stop := context.AfterFunc(a.life, func() { conn.Close() })
	return func() {
		stop()
		conn.Close()
	}
}

// untilClosed waits until the other side has closed the connection. TCP's keep-alive notices a machine that is gone.
func untilClosed(conn net.Conn) {
	conn.SetDeadline(time.Time{})
	io.Copy(io.Discard, conn)
}

// seek meets a peer, and meets it again whenever the connection has ended, until stop. Meanwhile probes go to where the peer was.
func (a *agent) seek(p *peer) {
	tried := sync.OnceFunc(a.met.Done)
	for {
		err := a.visit(p, tried)
		self := errors.Is(err, errSelf)
		a.mu.Lock()
		p.err, p.self = err, self
		a.mu.Unlock()
		tried()
		if self {
			return
		}
		select {
		case <-a.life.Done():
			return
		case <-time.After(a.opts.retry):
		}
	}
}

// visit introduces this agent to a peer, calls met, and waits until the connection ends. It says why it did.
func (a *agent) visit(p *peer, met func()) error {
	conn, err := (&net.Dialer{Timeout: helloTime}).DialContext(a.life, "tcp", p.name)
	if err != nil {
		return err
	}
	defer a.hold(conn)()
	r, err := a.introduce(conn, p.number)
	if err != nil {
		return err
	}
	conn.SetDeadline(time.Now().Add(helloTime))
	_, err = conn.Read(make([]byte, 1))
	if err := errors.Join(a.target(p, r), err); err != nil {
		return err
	}
	met()
	untilClosed(conn)
	return errors.New("the peer closed the connection")
}

// target sends the probes for a peer by another route from now on.
func (a *agent) target(p *peer, r *route) error {
	a.mu.Lock()
	old := p.via
	p.via, p.err = r, nil
	a.mu.Unlock()
	if old != nil {
		return old.ah.Close()
	}
	return nil
}
