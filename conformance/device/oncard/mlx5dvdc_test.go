//go:build linux && cgo

package oncard

import (
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

const dcKey = 0x1122334455

// dcEnd has memory that either end of DC can use, and the way to its port.
type dcEnd struct {
	*link.End // with no queue pair
	lib       *mlx5dv.Lib
	dev       *verbs.Device
	way       verbs.AHAttr
}

func newDCEnd(t *testing.T) *dcEnd {
	lib, dev := dvOf(t)
	return &dcEnd{link.Bare(t, dev, link.Default().MR), lib, dev, wayTo(t, dev)}
}

// target makes a DCT with two receives of 100 bytes.
func (e *dcEnd) target(t *testing.T) *verbs.QP {
	srq := must(e.PD.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
	dct := must(e.lib.CreateQP(e.dev, verbs.NewQPInitAttrEx(verbs.QPTypeDriver, e.CQ, e.CQ, e.PD).SRQ(srq),
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
		recv.WR(i).Recv(uint64(10 + i)).Add(e.MR.UncheckedSGE(uint64(100*i), 100))
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

// initiator makes one whose completions come to a queue.
func (e *dcEnd) initiator(t *testing.T, cq *verbs.CQ) *dci {
	d := &dci{batch: must(verbs.NewSendBatch(1, 2))(t)}
	t.Cleanup(func() { d.batch.Close() })
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeDriver, cq, cq, e.PD).MaxSendWR(16).MaxSendSGE(2).
		SendOps(verbs.QPOpSend | verbs.QPOpRDMARead | verbs.QPOpRDMAWrite | verbs.QPOpAtomicFetchAndAdd)
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
	must(0, fill(w))(t)
	w.Flags(verbs.SendSignaled)
	must(d.stream.Post(d.batch, 1))(t)
}

// onMemory reads from a DCT whose memory begins with ABCDEFGH, and adds to that.
func (e *dcEnd) onMemory(t *testing.T, d *dci, to hello) {
	t.Helper()
	way := e.way
	way.DGID = to.GID
	ah := must(e.PD.CreateAH(way))(t)
	at := e.MR.UncheckedSGE(2000, 8)
	for i, want := range []string{"ABCDEFGH", "ABCDEFGH", "BBCDEFGH"} {
		d.post(t, func(w mlx5dv.QPExWR) error {
			if i == 1 {
				w.FetchAdd(uint64(i), to.Addr, to.Key, 1).Add(at)
			} else {
				w.Read(uint64(i), to.Addr, to.Key).Add(at)
			}
			return w.SetDCAddr(ah, to.QPN, dcKey)
		})
		if wc := must(e.Wait())(t); wc.Err() != nil || string(e.Buf[2000:2008]) != want {
			t.Errorf("operation %d on memory: %+v, %q, want %q", i, wc, e.Buf[2000:2008], want)
		}
	}
}

// TestDirectDC sends from a DCI to a DCT, by a stream of the DCI too, and works on its memory. A request with another key is not taken, and
// fails its stream.
func TestDirectDC(t *testing.T) {
	e := newDCEnd(t)
	dct, d := e.target(t), e.initiator(t, e.CQ)
	ah := must(e.PD.CreateAH(e.way))(t)
	copy(e.Buf[1000:], "direct")
	send := func(id uint64, to func(mlx5dv.QPExWR) error) {
		t.Helper()
		d.post(t, func(w mlx5dv.QPExWR) error {
			w.Send(id).Add(e.MR.UncheckedSGE(1000, 6))
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
			wc := must(e.Wait())(t)
			got[wc.ID] = wc
		}
		text := string(e.Buf[100*i : 100*i+6])
		if s, r := got[uint64(i)], got[uint64(10+i)]; s.Err() != nil || r.Err() != nil || r.ByteLen != 6 || text != "direct" {
			t.Errorf("request %d: %+v, %+v, %q", i, s, r, text)
		}
	}
	copy(e.Buf[3000:], "ABCDEFGH")
	e.onMemory(t, d, hello{e.way.DGID, dct.Num(), e.MR.RKey(), e.MR.UncheckedSGE(3000, 8).Addr})
	noKey := func(id uint64, stream uint16) {
		t.Helper()
		send(id, func(w mlx5dv.QPExWR) error { return w.SetDCAddrStream(ah, dct.Num(), dcKey+1, stream) })
		if wc := must(e.Wait())(t); wc.ID != id || wc.Status != verbs.WCStatusRetryExcErr {
			t.Errorf("another key: %+v", wc)
		}
	}
	read := func(stream uint16, want verbs.WCStatus) {
		t.Helper()
		d.post(t, func(w mlx5dv.QPExWR) error {
			w.Read(6, e.MR.UncheckedSGE(3000, 8).Addr, e.MR.RKey()).Add(e.MR.UncheckedSGE(2000, 8))
			return w.SetDCAddrStream(ah, dct.Num(), dcKey, stream)
		})
		if wc := must(e.Wait())(t); wc.Status != want {
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
		must(0, qp.Modify(a))(t)
	}
}
