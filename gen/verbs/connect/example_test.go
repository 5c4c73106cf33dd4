//go:build linux && cgo

package connect_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// newUD makes a queue pair for datagrams, and the queue of its completions.
func newUD(pd *verbs.PD) (*verbs.QP, *verbs.CQ) {
	cq, err := pd.Device().CreateCQ(4, nil, 0)
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1,
		MaxRecvSGE: 1, MaxInlineData: 16, SignalAll: true})
	check(err)
	return qp, cq
}

// Two queue pairs for datagrams meet over a pipe, and one sends to the other. Between machines the pipe is a TCP connection.
func ExampleUD() {
	lib, err := verbs.LoadFrom(softverbs.New())
	check(err)
	dev, err := lib.OpenDevice("soft0")
	check(err)
	pd, err := dev.AllocPD()
	check(err)
	mem := make([]byte, verbs.GRHSize+16)
	mr, err := pd.RegMR(mem, verbs.MRAccessLocalWrite)
	check(err)
	from, sent := newUD(pd)
	to, received := newUD(pd)

	near, far := net.Pipe()
	met := make(chan error)
	go func() {
		_, err := connect.UD(context.Background(), far, to, connect.Options{Data: []byte("the receiver")})
		met <- err
	}()
	peer, err := connect.UD(context.Background(), near, from, connect.Options{})
	check(errors.Join(err, <-met))
	ah, err := pd.CreateAH(peer.Path)
	check(err)

	recvs, err := verbs.NewRecvBatch(1, 1)
	check(err)
	recvs.WR(0).Recv(1).Add(mr.UncheckedSGE(0, uint32(len(mem))))
	_, err = to.PostRecv(recvs, 1)
	check(err)
	sends, err := verbs.NewSendBatch(1, 1, verbs.InlineRoom(16))
	check(err)
	check(ah.Address(sends.WR(0).Send(2).InlineData([]byte("hello")), peer.QPN, peer.QKey))
	_, err = from.PostSend(sends, 1)
	check(err)
	for _, cq := range []*verbs.CQ{sent, received} {
		wcs, err := verbstest.Wait(cq, 1)
		check(err)
		check(wcs[0].Err())
	}
	fmt.Printf("%s got %q\n", peer.Data, mem[verbs.GRHSize:][:5])
	check(dev.CloseAll())
	// Output:
	// the receiver got "hello"
}
