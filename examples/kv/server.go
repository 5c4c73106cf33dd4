package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

// server has the table. Behind its slots the table has an entry for each client: how many of its puts were drained.
type server struct {
	pd    *verbs.PD
	mr    *verbs.MR // of the table
	peers []*endpoint.Endpoint

	mu      sync.Mutex // guards the rest
	table   []byte
	drained [clients]int
	puts    int
	fail    context.CancelCauseFunc // called with the first error
}

func newServer(dev *verbs.Device, fail context.CancelCauseFunc) (s *server, err error) {
	s = &server{fail: fail, table: make([]byte, (slots+clients)*entrySize)}
	for i := range slots + clients {
		s.write(i, "", "")
	}
	if s.pd, err = dev.AllocPD(); err != nil {
		return nil, err
	}
	s.mr, err = s.pd.RegMR(s.table, verbs.MRAccessRemoteRead)
	return s, err
}

// accept connects a client, and tells it where the table and its ring are. The ring is the memory of receives: a put is a WRITE to the
// memory of the next one, and its immediate data takes that and wakes the server.
func (s *server) accept(ctx context.Context, side net.Conn, number int) error {
	e, err := endpoint.New(s.pd.Device(), endpoint.Config{PD: s.pd, Sends: 1, Recvs: ringSize, RecvSize: entrySize,
		Access: verbs.MRAccessRemoteWrite, Handle: func(e *endpoint.Endpoint, wc verbs.WC) {
			if wc.Err() != nil { // the client has gone
				return
			}
			if err := s.drain(number, e, int(wc.ID)); err != nil {
				s.fail(err)
			}
		}})
	if err != nil {
		return errors.Join(err, side.Close())
	}
	s.peers = append(s.peers, e)
	var p places
	var tableErr, ringErr error
	p.Table, p.TableKey, tableErr = s.mr.Remote()
	p.Ring, p.RingKey, ringErr = e.MR.Remote()
	data, err := binary.Append(nil, binary.BigEndian, p)
	if err := errors.Join(tableErr, ringErr, err); err != nil {
		return err
	}
	setup := connect.DefaultSetup()
	setup.AccessFlags = verbs.QPAccessRemoteRead
	_, err = e.Connect(ctx, side, connect.Options{Setup: &setup, Data: data})
	return err
}

// close ends all connections.
func (s *server) close() (err error) {
	for _, e := range s.peers {
		err = errors.Join(err, e.Close())
	}
	return err
}

// drain moves an entry of a client's ring to the table. What clients write is checked: they may write anything.
func (s *server) drain(number int, e *endpoint.Endpoint, at int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, value, ok := parse(e.Recv(at))
	if !ok || key == "" {
		return fmt.Errorf("put %d of client %d is not an entry", s.drained[number], number)
	}
	if err := s.store(key, value); err != nil {
		return err
	}
	if err := e.Repost(at); err != nil { // before the client learns that there is room
		return err
	}
	s.drained[number]++
	s.puts++
	s.write(slots+number, "", strconv.Itoa(s.drained[number]))
	return nil
}

func (s *server) store(key, value string) error {
	for i := range slots {
		at := (slot(key) + i) % slots
		if old, _, _ := parse(s.table[at*entrySize:][:entrySize]); old == "" || old == key {
			s.write(at, key, value)
			return nil
		}
	}
	return errors.New("the table is full")
}

func (s *server) write(at int, key, value string) {
	seal(s.table[at*entrySize:][:entrySize], key, value)
}
