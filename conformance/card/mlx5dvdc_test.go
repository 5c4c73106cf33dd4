//go:build linux && cgo

package card

import (
	"errors"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestDirectDC sends from a DCI to a DCT, by a stream of the DCI too. A request with another key is not taken.
func TestDirectDC(t *testing.T) {
	const key = 0x1122334455
	lib, dev := dvOf(t)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	buf := make([]byte, 4096)
	mr := must(pd.RegMR(buf, verbs.MRAccessLocalWrite))(t)
	gid := must(far.OpenPort(dev, "", 1, 0))(t).GID()
	way := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 1}

	srq := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
	dct := must(lib.CreateQP(dev, verbs.NewQPInitAttrEx(verbs.QPTypeDriver, cq, cq, pd).SRQ(srq),
		mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCT).DCTAccessKey(key)))(t)
	modify(t, dct, verbs.NewQPAttr(verbs.QPStateInit).PKeyIndex(0).PortNum(1).AccessFlags(verbs.QPAccessRemoteWrite))
	if dct.Num() != 0 {
		t.Errorf("a DCT has the number %#x before RTR", dct.Num())
	}
	modify(t, dct, verbs.NewQPAttr(verbs.QPStateRTR).PathMTU(verbs.MTU1024).MinRNRTimer(1).AV(way))
	if dct.Num() == 0 {
		t.Fatal("a DCT has no number behind RTR")
	}
	recv := must(verbs.NewRecvBatch(2, 1))(t)
	defer recv.Close()
	for i := range 2 {
		recv.WR(i).Recv(uint64(10 + i)).Add(mr.UncheckedSGE(uint64(100*i), 100))
	}
	must(srq.PostRecv(recv, 2))(t)

	attr := verbs.NewQPInitAttrEx(verbs.QPTypeDriver, cq, cq, pd).MaxSendWR(16).MaxSendSGE(1).SendOps(verbs.QPOpSend)
	dci := must(lib.CreateQP(dev, attr, mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCI).LogDCIStreams(2).LogDCIErrored(1)))(t)
	modify(t, dci, verbs.NewQPAttr(verbs.QPStateInit).PKeyIndex(0).PortNum(1),
		verbs.NewQPAttr(verbs.QPStateRTR).PathMTU(verbs.MTU1024),
		verbs.NewQPAttr(verbs.QPStateRTS).Timeout(1).RetryCnt(1).RNRRetry(1).MaxRDAtomic(1).SQPSN(0))
	stream := must(dci.Stream())(t)
	view := must(lib.QPEx(stream))(t)
	ah := must(pd.CreateAH(way))(t)
	send := must(verbs.NewSendBatch(2, 1))(t)
	defer send.Close()
	copy(buf[1000:], "direct")
	post := func(id uint64, to func(mlx5dv.QPExWR) error) {
		t.Helper()
		w := must(view.WR(send, 0))(t)
		w.Send(id).Add(mr.UncheckedSGE(1000, 6)).Flags(verbs.SendSignaled)
		if err := to(w); err != nil {
			t.Fatal(err)
		}
		must(stream.Post(send, 1))(t)
	}
	for i, to := range []func(mlx5dv.QPExWR) error{
		func(w mlx5dv.QPExWR) error { return w.SetDCAddr(ah, dct.Num(), key) },
		func(w mlx5dv.QPExWR) error { return w.SetDCAddrStream(ah, dct.Num(), key, 1) },
	} {
		post(uint64(i), to)
		got := map[uint64]verbs.WC{}
		for range 2 {
			wc := completion(t, cq)
			got[wc.ID] = wc
		}
		text := string(buf[100*i : 100*i+6])
		if s, r := got[uint64(i)], got[uint64(10+i)]; s.Err() != nil || r.Err() != nil || r.ByteLen != 6 || text != "direct" {
			t.Errorf("request %d: %+v, %+v, %q", i, s, r, text)
		}
	}
	if err := lib.DCIStreamIDReset(dci, 1); err == nil {
		t.Error("the card has a command that resets a stream")
	}
	post(5, func(w mlx5dv.QPExWR) error { return w.SetDCAddr(ah, dct.Num(), key+1) })
	if wc := completion(t, cq); wc.ID != 5 || wc.Status != verbs.WCStatusRetryExcErr {
		t.Errorf("another key: %+v", wc)
	}
	if _, err := lib.CreateQP(dev, attr, mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCI).LogDCIStreams(9)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("512 streams: %v", err)
	}
}

func modify(t *testing.T, qp *verbs.QP, attrs ...*verbs.QPAttr) {
	t.Helper()
	for _, a := range attrs {
		if err := qp.Modify(a); err != nil {
			t.Fatal(err)
		}
	}
}
