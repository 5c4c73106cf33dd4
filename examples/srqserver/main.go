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
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

const (
	port    = 1  // port of the device
	clients = 3  // queue pairs that share the receives
	depth   = 8  // receives in the shared queue
	limit   = 4  // an event comes when fewer receives than this are left
	room    = 64 // bytes for a message
)

func main() {
	device := flag.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	flag.Parse()
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	err := run(ctx, os.Stdout, *device)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "srqserver:", err)
		os.Exit(1)
	}
}

// run opens the device, a software device if the name is empty, and closes it at the end with all that was made from it.
func run(ctx context.Context, w io.Writer, device string) (err error) {
	var lib *verbs.Lib
	if device == "" {
		device = "soft0"
		soft := softverbs.New(softverbs.Name(device))
		defer soft.Close()
		lib, err = verbs.LoadFrom(soft)
	} else {
		lib, err = verbs.Load()
	}
	if err != nil {
		return err
	}
	dev, err := lib.OpenDevice(device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	s, err := newServer(dev)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "posted %d receives for %d clients\n", depth, clients)
	return s.serve(ctx, w)
}

// server has the shared queue and the memory of its receives: receive i has the ID i and writes to the i-th part.
type server struct {
	dev            *verbs.Device
	pd             *verbs.PD
	srq            *verbs.SRQ
	sent, received *verbs.CQ
	mem            []byte
	recvs          *verbs.RecvBatch
	sends          *verbs.SendBatch // of the clients
}

func newServer(dev *verbs.Device) (*server, error) {
	s := &server{dev: dev, mem: make([]byte, depth*room)}
	var err error
	if s.pd, err = dev.AllocPD(); err != nil {
		return nil, err
	}
	if s.sent, err = dev.CreateCQ(1, nil, 0); err != nil {
		return nil, err
	}
	if s.received, err = dev.CreateCQ(depth, nil, 0); err != nil {
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
	for i := range depth {
		part, err := mr.SGE(uint64(i*room), room)
		if err != nil {
			return nil, err
		}
		s.recvs.WR(i).Recv(uint64(i)).Add(part)
	}
	if _, err := s.srq.PostRecv(s.recvs, depth); err != nil {
		return nil, err
	}
	if s.sends, err = verbs.NewSendBatch(1, 1, verbs.InlineRoom(room)); err != nil {
		return nil, err
	}
	return s, s.srq.Modify(verbs.NewSRQAttr().Limit(limit)) // after the post: otherwise the event comes at once
}

// serve connects the clients, has each of them send two messages, and waits for the event.
func (s *server) serve(ctx context.Context, w io.Writer) error {
	var qps [clients]*verbs.QP
	number := make(map[uint32]int) // of the client, by the number of the server's queue pair
	for i := range qps {
		own, err := s.pd.CreateQP(verbs.QPInitAttr{
			Type: verbs.QPTypeRC, SendCQ: s.sent, RecvCQ: s.received, SRQ: s.srq, MaxSendWR: 1, MaxSendSGE: 1,
		})
		if err != nil {
			return err
		}
		number[own.Num()] = i
		qps[i], err = s.pd.CreateQP(verbs.QPInitAttr{
			Type: verbs.QPTypeRC, SendCQ: s.sent, RecvCQ: s.sent, MaxSendWR: 1, MaxSendSGE: 1,
			MaxInlineData: room,
		})
		if err != nil {
			return err
		}
		if err := errors.Join(connect(own, qps[i]), connect(qps[i], own)); err != nil {
			return err
		}
	}
	var used []int // receives that have completed
	for round := range 2 {
		for i, qp := range qps {
			s.sends.WR(0).Send(0).InlineData(fmt.Appendf(nil, "message %d of client %d", round, i)).Flags(verbs.SendSignaled)
			if _, err := qp.PostSend(s.sends, 1); err != nil {
				return err
			}
			if _, err := wait(ctx, s.sent); err != nil {
				return err
			}
			wc, err := wait(ctx, s.received)
			if err != nil {
				return err
			}
			slot := int(wc.ID)
			fmt.Fprintf(w, "receive %d got from client %d: %s\n", slot, number[wc.QPNum], s.mem[slot*room:][:wc.ByteLen])
			used = append(used, slot)
		}
	}
	return s.refill(ctx, w, used)
}

// refill waits until the device says that few receives are left, and posts the used ones again.
func (s *server) refill(ctx context.Context, w io.Writer, used []int) error {
	for {
		event, err := s.dev.NextEvent(ctx)
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

// connect makes one end ready to send to the other, which is on the same port.
func connect(qp, to *verbs.QP) error {
	attr, err := qp.Device().QueryPort(port)
	if err != nil {
		return err
	}
	gid, err := qp.Device().QueryGID(port, 0)
	if err != nil {
		return err
	}
	path := verbs.AHAttr{PortNum: port, DLID: attr.LID, IsGlobal: true, DGID: gid, HopLimit: 64}
	return verbs.RCSetup{PortNum: port, AV: path, PathMTU: verbs.MTU1024, DestQPNum: to.Num(), MinRNRTimer: 12, Timeout: 14,
		RetryCnt: 6, RNRRetry: 6}.ToRTS(qp)
}

// wait polls until a request completes.
func wait(ctx context.Context, cq *verbs.CQ) (verbs.WC, error) {
	var wcs [1]verbs.WC
	for ctx.Err() == nil {
		n, err := cq.PollSpin(wcs[:], 100)
		if err != nil {
			return wcs[0], err
		}
		if n > 0 {
			return wcs[0], wcs[0].Err()
		}
	}
	return wcs[0], ctx.Err()
}
