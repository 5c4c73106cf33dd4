//go:build linux && cgo

package verbs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// A queue pair is set up for a peer, with the attributes that its type needs. The peer is the queue pair itself here; programs on two
// machines exchange the numbers and the GID, see package connect.
func ExampleRCSetup() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	cq, err := dev.CreateCQ(16, nil, 0)
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1,
		MaxRecvSGE: 1,
	})
	check(err)
	gid, err := dev.QueryGID(1, 0)
	check(err)
	check(verbs.RCSetup{
		PortNum: 1,
		AV:      verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 64},
		PathMTU: verbs.MTU1024, DestQPNum: qp.Num(), RQPSN: 7, SQPSN: 7,
		MinRNRTimer: 12, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
	}.ToRTS(qp))
	attr, _, err := qp.Query()
	fmt.Println(attr.State, attr.PathMTU, err)
	// Output: RTS 1024 <nil>
}

// The steps one by one: receives are posted before the peer can send, and RTS gets an attribute that it may have.
func ExampleRCSetup_Init() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	cq, err := dev.CreateCQ(16, nil, 0)
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 1, MaxRecvSGE: 1})
	check(err)
	gid, err := dev.QueryGID(1, 0)
	check(err)
	s := verbs.RCSetup{PortNum: 1, PathMTU: verbs.MTU1024, MinRNRTimer: 12, Timeout: 14, RetryCnt: 7, RNRRetry: 7}
	check(qp.Modify(s.Init()))
	receives, err := verbs.NewRecvBatch(1, 1)
	check(err)
	defer receives.Close()
	receives.WR(0).Recv(1)
	_, err = qp.PostRecv(receives, 1)
	check(err)
	s.AV, s.DestQPNum = verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 64}, qp.Num() // now known
	check(qp.Modify(s.RTR()))
	fmt.Println(qp.Modify(s.RTS().AccessFlags(verbs.QPAccessRemoteRead)))
	// Output: <nil>
}

// A program with a ring of buffers posts one batch again and again, each time for the buffers that follow.
func ExampleStride() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	cq, err := dev.CreateCQ(16, nil, 0)
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 8, MaxRecvSGE: 1})
	check(err)
	check(qp.Modify(verbs.RCSetup{PortNum: 1}.Init()))
	const size, each = 64, 4 // bytes in a buffer, and receives in a post
	mr, err := pd.RegMR(make([]byte, 8*size), verbs.MRAccessLocalWrite)
	check(err)
	receives, err := verbs.NewRecvBatch(each, 1)
	check(err)
	for i := range each {
		buffer, err := mr.SGE(uint64(i)*size, size)
		check(err)
		receives.WR(i).Recv(uint64(i)).Add(buffer)
	}
	next := receives.From(0, each)
	for range 2 {
		_, err = qp.PostRecvRange(next)
		check(err)
		next.Advance(verbs.Stride{ID: each, Addr: each * size})
	}
	next.Advance(verbs.Stride{ID: -2 * each, Addr: -2 * each * size}) // back to the first buffer
	fmt.Println(receives.WR(3).SGEs()[0].Addr-mr.IOVA(), err)
	// Output: 192 <nil>
}

// Datagrams need little: there is no peer to connect to. Each request names one by an address handle.
func ExampleUDSetup() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	cq, err := dev.CreateCQ(16, nil, 0)
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1, MaxInlineData: 64})
	check(err)
	const qkey = 0x11111111
	check(verbs.UDSetup{PortNum: 1, QKey: qkey}.ToRTS(qp))
	gid, err := dev.QueryGID(1, 0)
	check(err)
	ah, err := pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 64})
	check(err)
	batch, err := verbs.NewSendBatch(1, 1, verbs.InlineRoom(64))
	check(err)
	defer batch.Close()
	w := batch.WR(0).Send(5).InlineData([]byte("to whom it may concern")).Flags(verbs.SendSignaled)
	check(ah.Address(w, qp.Num(), qkey))
	_, err = qp.PostSend(batch, 1)
	check(err)
	var wcs [1]verbs.WC
	for n := 0; n == 0; {
		n, err = cq.PollSpin(wcs[:], 100)
		check(err)
	}
	fmt.Println(wcs[0].ID, wcs[0].Status)
	// Output: 5 SUCCESS
}

// A write of a peer's memory. A queue is polled for many completions at once; a completion with an error has it as Err.
func ExampleCQ_PollInto() {
	a, b, end := connected()
	defer end()
	batch, err := verbs.NewSendBatch(1, 1)
	check(err)
	defer batch.Close()
	piece, err := a.MR.SGE(0, uint64(copy(a.Mem, "written")))
	check(err)
	batch.WR(0).Write(7, b.MR.IOVA(), b.MR.RKey()).Add(piece).Flags(verbs.SendSignaled)
	_, err = a.QP.PostSend(batch, 1)
	check(err)
	wcs := make([]verbs.WC, 16)
	for {
		n, err := a.SendCQ.PollInto(wcs)
		check(err)
		for _, wc := range wcs[:n] {
			fmt.Println(wc.ID, wc.Status, wc.Err())
		}
		if n > 0 {
			break
		}
	}
	fmt.Println(string(b.Mem[:7]))
	// Output:
	// 7 SUCCESS <nil>
	// written
}

// A goroutine sleeps until a completion comes, or until its context ends. The event is requested before the completion can come, and
// Done acknowledges it.
func ExampleCompChannel_Next() {
	dev, done := open()
	defer done()
	channel, err := dev.CreateCompChannel()
	check(err)
	cq, err := dev.CreateCQ(16, channel, 0)
	check(err)
	check(cq.ReqNotify(false))
	pd, err := dev.AllocPD()
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 1, MaxRecvSGE: 1})
	check(err)
	check(qp.Modify(verbs.RCSetup{PortNum: 1}.Init()))
	receives, err := verbs.NewRecvBatch(1, 1)
	check(err)
	defer receives.Close()
	receives.WR(0).Recv(3)
	_, err = qp.PostRecv(receives, 1)
	check(err)
	check(qp.Modify(verbs.NewQPAttr(verbs.QPStateErr))) // flushes the receive

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	event, err := channel.Next(ctx)
	check(err)
	fmt.Println(event.CQ == cq)
	event.Done()
	var wcs [1]verbs.WC
	n, err := cq.PollInto(wcs[:])
	fmt.Println(n, wcs[0].ID, wcs[0].Status, err)
	// Output:
	// true
	// 1 3 WR_FLUSH_ERR <nil>
}

// A goroutine sleeps until completions come, or until its context ends. Wait requests, takes and acknowledges the events.
func ExampleCQ_Wait() {
	dev, done := open()
	defer done()
	channel, err := dev.CreateCompChannel()
	check(err)
	cq, err := dev.CreateCQ(16, channel, 0)
	check(err)
	pd, err := dev.AllocPD()
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 1, MaxRecvSGE: 1})
	check(err)
	check(qp.Modify(verbs.RCSetup{PortNum: 1}.Init()))
	receives, err := verbs.NewRecvBatch(1, 1)
	check(err)
	defer receives.Close()
	receives.WR(0).Recv(3)
	_, err = qp.PostRecv(receives, 1)
	check(err)
	go qp.Modify(verbs.NewQPAttr(verbs.QPStateErr)) // flushes the receive

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	wcs := make([]verbs.WC, 16)
	n, err := cq.Wait(ctx, wcs)
	check(err)
	for _, wc := range wcs[:n] {
		fmt.Println(wc.ID, wc.Status)
	}
	// Output: 3 WR_FLUSH_ERR
}

// Queue pairs take their receives from one shared queue. Its size can be asked for, and it reports when few are left.
func ExamplePD_CreateSRQ() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	cq, err := dev.CreateCQ(16, nil, 0)
	check(err)
	srq, err := pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 16, MaxSGE: 1})
	check(err)
	for range 2 {
		_, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, SRQ: srq, MaxSendWR: 1, MaxSendSGE: 1})
		check(err)
	}
	mr, err := pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite)
	check(err)
	piece, err := mr.SGE(0, 64)
	check(err)
	receives, err := verbs.NewRecvBatch(1, 1)
	check(err)
	defer receives.Close()
	receives.WR(0).Recv(1).Add(piece)
	posted, err := srq.PostRecv(receives, 1)
	check(err)
	check(srq.Modify(verbs.NewSRQAttr().Limit(1))) // an event comes when none is left
	info, err := srq.Query()
	fmt.Println(posted, info.Limit, err)
	// Output: 1 1 <nil>
}
