//go:build linux && cgo

package oncard

import (
	"testing"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

const dcKey = 0x1122334455

// dcEnd has memory that either end of DC can use, and the address of its port.
type dcEnd struct {
	lib *mlx5dv.Lib
	dev *verbs.Device
	pd  *verbs.PD
	cq  *verbs.CQ
	buf []byte
	mr  *verbs.MR
	way verbs.AHAttr
}

func newDCEnd(t *testing.T) *dcEnd {
	e := &dcEnd{buf: make([]byte, 4096)}
	e.lib, e.dev = dvOf(t)
	e.pd, e.cq = must(e.dev.AllocPD())(t), must(e.dev.CreateCQ(16, nil, 0))(t)
	e.mr = must(e.pd.RegMR(e.buf, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteRead|verbs.MRAccessRemoteWrite|verbs.MRAccessRemoteAtomic))(t)
	e.way = verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(far.OpenPort(e.dev, "", 1, 0))(t).GID(), HopLimit: 1}
	return e
}

// target makes a DCT with two receives of 100 bytes.
func (e *dcEnd) target(t *testing.T) *verbs.QP {
	srq := must(e.pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
	dct := must(e.lib.CreateQP(e.dev, verbs.NewQPInitAttrEx(verbs.QPTypeDriver, e.cq, e.cq, e.pd).SRQ(srq),
		mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCT).DCTAccessKey(dcKey)))(t)
	modify(t, dct, verbs.NewQPAttr(verbs.QPStateInit).PKeyIndex(0).PortNum(1).
		AccessFlags(verbs.QPAccessRemoteWrite|verbs.QPAccessRemoteRead|verbs.QPAccessRemoteAtomic))
	if dct.Num() != 0 {
		t.Errorf("a DCT has the number %#x before RTR", dct.Num())
	}
	modify(t, dct, verbs.NewQPAttr(verbs.QPStateRTR).PathMTU(verbs.MTU1024).MinRNRTimer(1).AV(e.way))
	if dct.Num() == 0 {
		t.Fatal("a DCT has no number behind RTR")
	}
	recv := must(verbs.NewRecvBatch(2, 1))(t)
	defer recv.Close()
	for i := range 2 {
		recv.WR(i).Recv(uint64(10 + i)).Add(e.mr.UncheckedSGE(uint64(100*i), 100))
	}
	must(srq.PostRecv(recv, 2))(t)
	return dct
}

// dci is an initiator that posts one request at a time.
type dci struct {
	*verbs.QP
	stream *verbs.QPStream
	view   *mlx5dv.QPEx
	batch  *verbs.SendBatch
}

func (e *dcEnd) initiator(t *testing.T) *dci {
	d := &dci{batch: must(verbs.NewSendBatch(1, 1))(t)}
	t.Cleanup(func() { d.batch.Close() })
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeDriver, e.cq, e.cq, e.pd).MaxSendWR(16).MaxSendSGE(1).
		SendOps(verbs.QPOpSend | verbs.QPOpRDMARead | verbs.QPOpAtomicFetchAndAdd)
	d.QP = must(e.lib.CreateQP(e.dev, attr, mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCI).LogDCIStreams(2).LogDCIErrored(1)))(t)
	modify(t, d.QP, verbs.NewQPAttr(verbs.QPStateInit).PKeyIndex(0).PortNum(1),
		verbs.NewQPAttr(verbs.QPStateRTR).PathMTU(verbs.MTU1024),
		verbs.NewQPAttr(verbs.QPStateRTS).Timeout(1).RetryCnt(1).RNRRetry(1).MaxRDAtomic(1).SQPSN(0))
	d.stream = must(d.QP.Stream())(t)
	d.view = must(e.lib.QPEx(d.stream))(t)
	return d
}

func (d *dci) post(t *testing.T, fill func(mlx5dv.QPExWR) error) {
	t.Helper()
	w := must(d.view.WR(d.batch, 0))(t)
	if err := fill(w); err != nil {
		t.Fatal(err)
	}
	w.Flags(verbs.SendSignaled)
	must(d.stream.Post(d.batch, 1))(t)
}

// onMemory reads from a DCT whose memory begins with ABCDEFGH, and adds to that.
func (e *dcEnd) onMemory(t *testing.T, d *dci, to hello) {
	t.Helper()
	way := e.way
	way.DGID = to.GID
	ah := must(e.pd.CreateAH(way))(t)
	at := e.mr.UncheckedSGE(2000, 8)
	for i, want := range []string{"ABCDEFGH", "ABCDEFGH", "BBCDEFGH"} {
		d.post(t, func(w mlx5dv.QPExWR) error {
			if i == 1 {
				w.FetchAdd(uint64(i), to.Addr, to.Key, 1).Add(at)
			} else {
				w.Read(uint64(i), to.Addr, to.Key).Add(at)
			}
			return w.SetDCAddr(ah, to.QPN, dcKey)
		})
		if wc := completion(t, e.cq); wc.Err() != nil || string(e.buf[2000:2008]) != want {
			t.Errorf("operation %d on memory: %+v, %q, want %q", i, wc, e.buf[2000:2008], want)
		}
	}
}

// TestDirectDC sends from a DCI to a DCT, by a stream of the DCI too, and works on its memory. A request with another key is not taken, and
// fails its stream.
func TestDirectDC(t *testing.T) {
	e := newDCEnd(t)
	dct, d := e.target(t), e.initiator(t)
	ah := must(e.pd.CreateAH(e.way))(t)
	copy(e.buf[1000:], "direct")
	send := func(id uint64, to func(mlx5dv.QPExWR) error) {
		t.Helper()
		d.post(t, func(w mlx5dv.QPExWR) error {
			w.Send(id).Add(e.mr.UncheckedSGE(1000, 6))
			return to(w)
		})
	}
	for i, to := range []func(mlx5dv.QPExWR) error{
		func(w mlx5dv.QPExWR) error { return w.SetDCAddr(ah, dct.Num(), dcKey) },
		func(w mlx5dv.QPExWR) error { return w.SetDCAddrStream(ah, dct.Num(), dcKey, 1) },
	} {
		send(uint64(i), to)
		got := map[uint64]verbs.WC{}
		for range 2 {
			wc := completion(t, e.cq)
			got[wc.ID] = wc
		}
		text := string(e.buf[100*i : 100*i+6])
		if s, r := got[uint64(i)], got[uint64(10+i)]; s.Err() != nil || r.Err() != nil || r.ByteLen != 6 || text != "direct" {
			t.Errorf("request %d: %+v, %+v, %q", i, s, r, text)
		}
	}
	copy(e.buf[3000:], "ABCDEFGH")
	e.onMemory(t, d, hello{e.way.DGID, dct.Num(), e.mr.RKey(), e.mr.UncheckedSGE(3000, 8).Addr})
	noKey := func(id uint64, stream uint16) {
		t.Helper()
		send(id, func(w mlx5dv.QPExWR) error { return w.SetDCAddrStream(ah, dct.Num(), dcKey+1, stream) })
		if wc := completion(t, e.cq); wc.ID != id || wc.Status != verbs.WCStatusRetryExcErr {
			t.Errorf("another key: %+v", wc)
		}
	}
	read := func(stream uint16, want verbs.WCStatus) {
		t.Helper()
		d.post(t, func(w mlx5dv.QPExWR) error {
			w.Read(6, e.mr.UncheckedSGE(3000, 8).Addr, e.mr.RKey()).Add(e.mr.UncheckedSGE(2000, 8))
			return w.SetDCAddrStream(ah, dct.Num(), dcKey, stream)
		})
		if wc := completion(t, e.cq); wc.Status != want {
			t.Errorf("stream %d: %+v, want %v", stream, wc, want)
		}
	}
	noKey(5, 2) // fails one stream of the two that may
	read(2, verbs.WCStatusWRFlushErr)
	read(1, verbs.WCStatusSuccess)
	if err := e.lib.DCIStreamIDReset(d.QP, 1); err == nil {
		t.Error("a stream was reset that did not fail")
	}
	if err := e.lib.DCIStreamIDReset(d.QP, 2); err != nil {
		t.Error(err)
	}
	read(2, verbs.WCStatusSuccess)
	noKey(7, 2)
	noKey(8, 3)
	read(1, verbs.WCStatusWRFlushErr)
}

func modify(t *testing.T, qp *verbs.QP, attrs ...*verbs.QPAttr) {
	t.Helper()
	for _, a := range attrs {
		if err := qp.Modify(a); err != nil {
			t.Fatal(err)
		}
	}
}
