// Command srqserver shows a server with one shared receive queue (SRQ): receives that are posted to it serve all clients,
// each of which has a queue pair of its own. When few receives are left, the device sends an event, and the server posts
// more. Server and clients are on one device here.
//
//	srqserver                  on a device made of software
//	srqserver -device mlx5_0   on a real one
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

const (
	clients = 3  // queue pairs that share the receives
	depth   = 8  // receives in the shared queue
	limit   = 4  // an event comes when fewer receives than this are left
	room    = 64 // bytes for a message
)

func main() { start.Program("srqserver", run) }

// run is the server with its clients.
func run(ctx context.Context, w io.Writer, dev *verbs.Device) (err error) {
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	s, err := newServer(dev)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "posted %d receives for %d clients\n", depth, clients)
	return s.serve(ctx, w)
}

// server has the shared queue and the memory of its receives: receive i has the ID i and writes to the i-th part.
type server struct {
	pd       *verbs.PD
	srq      *verbs.SRQ
	received *verbs.CQ
	mem      []byte
	recvs    *verbs.RecvBatch
}

func newServer(dev *verbs.Device) (s *server, err error) {
	s = &server{mem: make([]byte, depth*room)}
	if s.pd, err = dev.AllocPD(); err != nil {
		return nil, err
	}
	ch, err := dev.CreateCompChannel()
	if err != nil {
		return nil, err
	}
	if s.received, err = dev.CreateCQ(depth, ch, 0); err != nil {
		return nil, err
	}
	if s.srq, err = s.pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: depth, MaxSGE: 1}); err != nil {
		return nil, err
	}
	mr, err := s.pd.RegMR(s.mem, verbs.MRAccessLocalWrite)
	if err != nil {
		return nil, err
	}
	if s.recvs, err = verbs.NewRecvBatch(depth, 1); err != nil {
		return nil, err
	}
	for i, w := range s.recvs.All() {
		w.Recv(uint64(i)).Add(mr.UncheckedSGE(uint64(i*room), room))
	}
	if _, err := s.srq.PostRecv(s.recvs, depth); err != nil {
		return nil, err
	}
	return s, s.srq.Modify(verbs.NewSRQAttr().Limit(limit)) // after the post: otherwise the event comes at once
}

// serve connects the clients, has each of them send two messages, and waits for the event.
func (s *server) serve(ctx context.Context, w io.Writer) (err error) {
	var ends [clients]*endpoint.Endpoint
	number := make(map[uint32]int) // of the client, by the number of the server's queue pair
	for i := range ends {
		own, client, err := endpoint.Pair(ctx, s.pd.Device(), endpoint.Config{PD: s.pd, RecvCQ: s.received, SRQ: s.srq, Sends: 1},
			endpoint.Config{Sends: 1, Inline: room}, connect.Options{})
		if err != nil {
			return err
		}
		defer own.Close()
		defer client.Close()
		number[own.QP.Num()], ends[i] = i, client
	}
	var used []int // receives that have completed
	for round := range 2 {
		for i, e := range ends {
			if err := send(ctx, e, fmt.Appendf(nil, "message %d of client %d", round, i)); err != nil {
				return err
			}
			var wcs [1]verbs.WC
			if _, err := s.received.Wait(ctx, wcs[:]); err != nil {
				return err
			}
			if err := wcs[0].Err(); err != nil {
				return err
			}
			slot := int(wcs[0].ID)
			fmt.Fprintf(w, "receive %d got from client %d: %s\n", slot, number[wcs[0].QPNum], s.mem[slot*room:][:wcs[0].ByteLen])
			used = append(used, slot)
		}
	}
	return s.refill(ctx, w, used)
}

// send sends a message of a client.
func send(ctx context.Context, e *endpoint.Endpoint, message []byte) error {
	slot, err := e.Slot(ctx)
	if err != nil {
		return err
	}
	defer slot.Free()
	slot.Send(0).InlineData(message)
	_, err = slot.Do(ctx)
	return err
}

// refill waits until the device says that few receives are left, and posts the used ones again.
func (s *server) refill(ctx context.Context, w io.Writer, used []int) error {
	for {
		event, err := s.pd.Device().NextEvent(ctx)
		if err != nil {
			return err
		}
		mine := event.Type == verbs.EventTypeSRQLimitReached && event.SRQ == s.srq
		event.Done()
		if mine {
			break
		}
	}
	fmt.Fprintf(w, "event: fewer than %d receives are left\n", limit)
	for _, slot := range used {
		if _, err := s.srq.PostRecvRange(s.recvs.From(slot, 1)); err != nil {
			return err
		}
	}
	if err := s.srq.Modify(verbs.NewSRQAttr().Limit(limit)); err != nil { // the event has switched it off
		return err
	}
	fmt.Fprintf(w, "posted %d receives again; the next event comes when fewer than %d are left\n", len(used), limit)
	return nil
}
