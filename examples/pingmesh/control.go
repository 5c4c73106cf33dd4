package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

const (
	maxCallers = 4096
	maxHello   = 4096 // bytes
	helloTime  = 5 * time.Second
)

// hello is what an agent says of itself over TCP, as a line of JSON: first the one that called, then the other. The caller will
// send probes, and keeps the connection open for as long as they are to be answered.
type hello struct {
	Pingmesh int    `json:"pingmesh"` // version
	GID      string `json:"gid"`
	LID      uint16 `json:"lid"`
	QPN      uint32 `json:"qpn"`
	QKey     uint32 `json:"qkey"`
	Number   uint32 `json:"number"` // what packets to the sender of this line have in their header
}

func (a *agent) hello(number uint32) hello {
	s := &a.q.self
	return hello{Pingmesh: version, GID: s.gid.String(), LID: s.lid, QPN: s.qpn, QKey: s.qkey, Number: number}
}

// hear reads the line of the other agent.
func hear(conn net.Conn) (address, uint32, error) {
	var h hello
	if err := json.NewDecoder(io.LimitReader(conn, maxHello)).Decode(&h); err != nil {
		return address{}, 0, fmt.Errorf("reading the peer's address: %w", err)
	}
	if h.Pingmesh != version {
		return address{}, 0, fmt.Errorf("the peer has version %d; this is version %d", h.Pingmesh, version)
	}
	gid, err := verbs.ParseGID(h.GID)
	return address{gid: gid, lid: h.LID, qpn: h.QPN, qkey: h.QKey}, h.Number, err
}

// way makes the route to an agent.
func (a *agent) way(to address, number uint32) (*route, error) {
	ah, err := a.q.pd.CreateAH(verbs.AHAttr{
		PortNum: uint8(a.opts.port), DLID: to.lid, IsGlobal: true, DGID: to.gid, SGIDIndex: a.q.gid, HopLimit: 64,
		TrafficClass: uint8(a.opts.trafficClass),
	})
	if err != nil {
		return nil, fmt.Errorf("a path to GID %s: %w", to.gid, err)
	}
	return &route{ah: ah, addr: to, number: number}, nil
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
	to, number, err := hear(conn)
	if err != nil {
		return
	}
	r, err := a.way(to, number)
	if err != nil {
		return
	}
	mine, err := a.join(r)
	if err != nil {
		r.ah.Close()
		return
	}
	defer a.leave(mine)
	if json.NewEncoder(conn).Encode(a.hello(mine)) == nil {
		untilClosed(conn)
	}
}

// hold limits the time in which both sides introduce themselves. The connection is closed by stop, and by the function that is returned.
func (a *agent) hold(conn net.Conn) (closed func()) {
	stop := context.AfterFunc(a.life, func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(helloTime))
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
		tried()
		if err == nil {
			return
		}
		a.mu.Lock()
		p.err = err
		a.mu.Unlock()
		select {
		case <-a.life.Done():
			return
		case <-time.After(a.opts.retry):
		}
	}
}

// visit introduces this agent to a peer, and waits until the connection ends, which is an error unless the peer is this agent.
// It calls met in between.
func (a *agent) visit(p *peer, met func()) error {
	conn, err := (&net.Dialer{Timeout: helloTime}).DialContext(a.life, "tcp", p.name)
	if err != nil {
		return err
	}
	defer a.hold(conn)()
	if err := json.NewEncoder(conn).Encode(a.hello(p.number)); err != nil {
		return err
	}
	to, number, err := hear(conn)
	if err != nil {
		return err
	}
	if to == a.q.self {
		a.mu.Lock()
		p.self = true
		a.mu.Unlock()
		return nil
	}
	r, err := a.way(to, number)
	if err != nil {
		return err
	}
	if err := a.target(p, r); err != nil {
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
