package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
)

// server has the table. Behind its slots the table has an entry for each client: how many of its puts were drained.
type server struct {
	pd    *verbs.PD
	cq    *verbs.CQ // of the puts of all clients
	recvs *verbs.RecvBatch
	table []byte
	mr    *verbs.MR // of the table
	peers [clients]struct {
		qp      *verbs.QP
		ring    []byte
		drained int
	}
	puts int
}

func newServer(dev *verbs.Device) (*server, error) {
	s := &server{table: make([]byte, (slots+clients)*entrySize)}
	for i := range slots + clients {
		s.write(i, "", "")
	}
	ch, chErr := dev.CreateCompChannel()
	var pdErr, cqErr, mrErr, recvsErr error
	s.pd, pdErr = dev.AllocPD()
	s.cq, cqErr = dev.CreateCQ(clients*ringSize, ch, 0)
	s.mr, mrErr = s.pd.RegMR(s.table, verbs.MRAccessRemoteRead)
	s.recvs, recvsErr = verbs.NewRecvBatch(1, 1)
	return s, errors.Join(chErr, pdErr, cqErr, mrErr, recvsErr)
}

// accept connects a client, and tells it where the table and its ring are.
func (s *server) accept(ctx context.Context, conn net.Conn, number int) error {
	p := &s.peers[number]
	p.ring = make([]byte, ringSize*entrySize)
	mr, err := s.pd.RegMR(p.ring, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite)
	if err != nil {
		return err
	}
	attr := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: s.cq, RecvCQ: s.cq, MaxRecvWR: ringSize,
		MaxSendWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1}
	if p.qp, err = s.pd.CreateQP(attr); err != nil {
		return err
	}
	setup := connect.DefaultSetup()
	setup.AccessFlags = verbs.QPAccessRemoteRead | verbs.QPAccessRemoteWrite
	if err := p.qp.Modify(setup.Init()); err != nil {
		return err
	}
	for range ringSize {
		if err := s.expect(number); err != nil {
			return err
		}
	}
	table, tableKey, tableErr := s.mr.Remote()
	ring, ringKey, ringErr := mr.Remote()
	if err := errors.Join(tableErr, ringErr); err != nil {
		return err
	}
	places := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, table), ring)
	places = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(places, tableKey), ringKey)
	_, err = connect.RC(ctx, conn, p.qp, connect.Options{Setup: &setup, Data: places})
	return err
}

// expect posts a receive for a put: the immediate data of a WRITE takes one, and wakes the server. It has no memory.
func (s *server) expect(number int) error {
	s.recvs.WR(0).Recv(uint64(number))
	_, err := s.peers[number].qp.PostRecv(s.recvs, 1)
	return err
}

// serve drains the rings until ctx ends.
func (s *server) serve(ctx context.Context) error {
	wcs := make([]verbs.WC, clients*ringSize)
	for {
		n, err := s.cq.Wait(ctx, wcs)
		if err != nil {
			return err
		}
		for _, wc := range wcs[:n] {
			if err := wc.Err(); err != nil {
				return err
			}
			if err := s.drain(int(wc.ID)); err != nil {
				return err
			}
		}
	}
}

// drain moves the next entry of a client's ring to the table. What clients write is checked: they may write anything.
func (s *server) drain(number int) error {
	p := &s.peers[number]
	key, value, ok := parse(p.ring[p.drained%ringSize*entrySize:][:entrySize])
	if !ok || key == "" {
		return fmt.Errorf("put %d of client %d is not an entry", p.drained, number)
	}
	if err := s.store(key, value); err != nil {
		return err
	}
	if err := s.expect(number); err != nil { // before the client learns that there is room
		return err
	}
	p.drained++
	s.puts++
	s.write(slots+number, "", strconv.Itoa(p.drained))
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
