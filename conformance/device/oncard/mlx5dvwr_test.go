//go:build linux && cgo

package oncard

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Requests of mlx5 in streams of commands, on the real libmlx5.

// dvEnd is a queue pair that is connected with itself, with requests of mlx5.
type dvEnd struct {
	lib    *mlx5dv.Lib
	dev    *verbs.Device
	pd     *verbs.PD
	cq     *verbs.CQ
	qp     *verbs.QP
	stream *verbs.QPStream
	view   *mlx5dv.QPEx
	buf    []byte
	mr     *verbs.MR
}

func newDVEnd(t *testing.T, ops mlx5dv.QPSendOp) *dvEnd {
	t.Helper()
	e := &dvEnd{buf: make([]byte, 4096)}
	e.lib, e.dev = dvOf(t)
	e.pd = must(e.dev.AllocPD())(t)
	e.mr = must(e.pd.RegMR(e.buf, verbs.MRAccessLocalWrite))(t)
	e.cq = must(e.dev.CreateCQ(16, nil, 0))(t)
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeRC, e.cq, e.cq, e.pd).MaxSendWR(16).MaxRecvWR(4).MaxSendSGE(4).MaxRecvSGE(1).
		SendOps(verbs.QPOpSend | verbs.QPOpSendWithInv)
	e.qp = must(e.lib.CreateQP(e.dev, attr, mlx5dv.NewQPInitAttr().SendOps(ops)))(t)
	cfg, at := link.Default(), must(far.OpenPort(e.dev, "", 1, 0))(t)
	way := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: at.GID(), HopLimit: 1}
	for _, attr := range []*verbs.QPAttr{cfg.Init(1), cfg.RTR(way, verbs.MTU1024, e.qp.Num()), cfg.RTS()} {
		if err := e.qp.Modify(attr); err != nil {
			t.Fatal(err)
		}
	}
	e.stream = must(e.qp.Stream())(t)
	e.view = must(e.lib.QPEx(e.stream))(t)
	return e
}

// completions waits for n completions, and has their IDs and lengths.
func (e *dvEnd) completions(t *testing.T, n int) (ids []uint64, wcs []verbs.WC) {
	t.Helper()
	wcs = make([]verbs.WC, n)
	for got := 0; got < n; {
		more := must(e.cq.PollSpin(wcs[got:], 1000))(t)
		for _, wc := range wcs[got : got+more] {
			ids = append(ids, wc.ID)
		}
		got += more
	}
	return ids, wcs
}

// rawSend is a SEND of up to 12 bytes as the device reads it.
func rawSend(qpn uint32, text string) []byte {
	const send, inline, signaled = 0x0a, 1 << 31, 8
	b := make([]byte, 32)
	binary.BigEndian.PutUint32(b, send)
	binary.BigEndian.PutUint32(b[4:], qpn<<8|2)
	b[11] = signaled
	binary.BigEndian.PutUint32(b[16:], inline|uint32(len(text)))
	copy(b[20:], text)
	return b
}

// TestDirectRawWQE posts a request that the program wrote between two of libmlx5, in one stream: they arrive in order.
func TestDirectRawWQE(t *testing.T) {
	e := newDVEnd(t, mlx5dv.QPSendOpRawWQE)
	recv, send := must(verbs.NewRecvBatch(3, 1))(t), must(verbs.NewSendBatch(3, 1))(t)
	for i := range 3 {
		recv.WR(i).Recv(uint64(i)).Add(e.mr.UncheckedSGE(uint64(100*i), 100))
	}
	must(e.qp.PostRecv(recv, 3))(t)
	copy(e.buf[1000:], "first third")
	send.WR(0).Send(10).Add(e.mr.UncheckedSGE(1000, 5))
	w := must(e.view.WR(send, 1))(t)
	wqe := rawSend(e.qp.Num(), "second")
	if err := w.RawWQE(11, wqe); err != nil {
		t.Fatal(err)
	}
	clear(wqe) // it was copied
	send.WR(2).Send(12).Add(e.mr.UncheckedSGE(1006, 5)).Flags(verbs.SendSignaled)
	if n, err := e.stream.Post(send, 3); n != 3 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	_, wcs := e.completions(t, 5)
	var sent []uint64
	for _, wc := range wcs {
		if wc.Status != verbs.WCStatusSuccess {
			t.Errorf("completion %+v", wc)
		}
		if wc.ID >= 10 {
			sent = append(sent, wc.ID)
			continue
		}
		got := string(e.buf[100*wc.ID : 100*wc.ID+uint64(wc.ByteLen)])
		if want := []string{"first", "second", "third"}[wc.ID]; got != want {
			t.Errorf("message %d is %q", wc.ID, got)
		}
	}
	if len(sent) != 2 || sent[0] != 11 || sent[1] != 12 {
		t.Errorf("sent %v", sent)
	}
	if n, err := e.qp.PostSend(send, 3); n != 0 || !strings.Contains(err.Error(), "only a stream of commands posts") {
		t.Errorf("PostSend: %d, %v", n, err)
	}
}

// TestDirectWrongRequests has streams refuse what is not for them, before anything is posted.
func TestDirectWrongRequests(t *testing.T) {
	e := newDVEnd(t, mlx5dv.QPSendOpRawWQE)
	batch := func() *verbs.SendBatch { return must(verbs.NewSendBatch(2, 1))(t) }
	wants := func(what string, b *verbs.SendBatch, errno error, text string) {
		t.Helper()
		if n, err := e.stream.Post(b, 2); n != 0 || !errors.Is(err, errno) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
	b := batch()
	w := must(e.view.WR(b, 1))(t)
	port := must(far.OpenPort(e.dev, "", 1, 0))(t)
	ah := must(e.pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: port.GID(), HopLimit: 1}))(t)
	w.Send(2)
	if err := w.SetDCAddr(ah, 1, 2); err != nil {
		t.Fatal(err)
	}
	wants("an address on RC", b, syscall.EOPNOTSUPP, "request 1: this queue pair has no mlx5dv_wr_set_dc_addr")
	if err := ah.Close(); err != nil {
		t.Fatal(err)
	}
	wants("a closed AH", b, os.ErrClosed, "request 1: AH is closed")
	if err := w.SetDCAddr(ah, 1, 2); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed AH is taken: %v", err)
	}
	b = batch()
	w = must(e.view.WR(b, 0))(t)
	if err := w.RawWQE(1, rawSend(e.qp.Num(), "x")); err != nil {
		t.Fatal(err)
	}
	w.Send(1)
	wants("a SEND that is built, too", b, syscall.EINVAL, "request 0 is a SEND, and mlx5dv_wr_raw_wqe builds it")
	if err := w.RawWQE(1, make([]byte, 1009)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a request of 1009 bytes: %v", err)
	}
	other := newDVEnd(t, mlx5dv.QPSendOpRawWQE)
	if _, err := other.view.WR(b, 0); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("requests of two queue pairs in a batch: %v", err)
	}
	if _, err := other.stream.Post(b, 2); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "of another queue pair") {
		t.Errorf("a batch of another queue pair: %v", err)
	}
	plain := must(e.pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: 1, MaxRecvWR: 1,
		MaxSendSGE: 1, MaxRecvSGE: 1}))(t)
	if _, err := plain.Stream(); err == nil {
		t.Error("a plain queue pair has a stream")
	}
	if _, err := e.lib.QPEx(nil); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("no stream: %v", err)
	}
	if err := (mlx5dv.QPExWR{}).RawWQE(1, nil); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a zero request: %v", err)
	}
	if err := e.qp.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.stream.Post(b, 2); err == nil {
		t.Error("posted to a closed queue pair")
	}
}

// TestDirectMemCpy copies local memory, between two sends.
func TestDirectMemCpy(t *testing.T) {
	e := newDVEnd(t, mlx5dv.QPSendOpMemcpy)
	recv, send := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(3, 1))(t)
	recv.WR(0).Recv(1).Add(e.mr.UncheckedSGE(0, 100))
	must(e.qp.PostRecv(recv, 1))(t)
	copy(e.buf[1000:], "copied")
	at := uint64(uintptr(unsafe.Pointer(&e.buf[0])))
	w := must(e.view.WR(send, 0))(t)
	if err := w.MemCpy(2, e.mr.LKey(), at+2000, e.mr.LKey(), at+1000, 6); err != nil {
		t.Fatal(err)
	}
	w.Flags(verbs.SendSignaled)
	send.WR(1).Send(3).Add(e.mr.UncheckedSGE(2000, 6)).Flags(verbs.SendSignaled)
	if n, err := e.stream.Post(send, 2); n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	_, wcs := e.completions(t, 3)
	for _, wc := range wcs {
		if wc.Status != verbs.WCStatusSuccess || wc.ID == 2 && mlx5dv.WCOpcode(wc.Opcode) != mlx5dv.WCOpcodeMemCpy {
			t.Errorf("completion %+v", wc)
		}
	}
	if got := string(e.buf[:6]); got != "copied" {
		t.Errorf("received %q", got)
	}
	if err := w.MemCpy(2, e.mr.LKey(), at, e.mr.LKey(), at, 0); err != nil {
		t.Fatal(err)
	}
	if n, err := e.stream.Post(send, 1); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a copy of nothing, which libmlx5 refuses: %d, %v", n, err)
	}
}

// TestDirectMKeys has a memory key lead to pieces of memory, by one request and by setters, and sends what it leads to.
func TestDirectMKeys(t *testing.T) {
	e := newDVEnd(t, mlx5dv.QPSendOpMRList|mlx5dv.QPSendOpMkeyConfigure)
	key := must(e.lib.CreateMKey(mlx5dv.MKeyInitAttr{PD: e.pd, Flags: mlx5dv.MKeyFlagIndirect, MaxEntries: 4}))(t)
	at := uint64(uintptr(unsafe.Pointer(&e.buf[0])))
	copy(e.buf[1000:], "one")
	copy(e.buf[2000:], "two")
	pieces := func(order ...uint64) (out []verbs.SGE) {
		for _, off := range order {
			out = append(out, verbs.SGE{Addr: at + off, Length: 3, LKey: e.mr.LKey()})
		}
		return out
	}
	recv, send := must(verbs.NewRecvBatch(2, 1))(t), must(verbs.NewSendBatch(4, 1))(t)
	for i := range 2 {
		recv.WR(i).Recv(uint64(i)).Add(e.mr.UncheckedSGE(uint64(100*i), 100))
	}
	must(e.qp.PostRecv(recv, 2))(t)
	w := must(e.view.WR(send, 0))(t)
	first := w.MRList(10, key, verbs.MRAccessLocalWrite, pieces(1000, 2000))
	w.Flags(verbs.SendInline | verbs.SendSignaled)
	send.WR(1).Send(11).SGE(0, 6, key.LKey()).Flags(verbs.SendSignaled)
	w = must(e.view.WR(send, 2))(t)
	list := pieces(2000, 1000, 2000)
	err := errors.Join(first, w.MKeyConfigure(12, key, 2, mlx5dv.NewMKeyConfAttr()), w.SetMKeyAccessFlags(verbs.MRAccessLocalWrite),
		w.SetMKeyLayoutList(list))
	clear(list) // it was copied
	if err != nil {
		t.Fatal(err)
	}
	w.Flags(verbs.SendInline | verbs.SendSignaled)
	send.WR(3).Send(13).SGE(1, 7, key.LKey()).Flags(verbs.SendSignaled | verbs.SendFence)
	if n, err := e.stream.Post(send, 4); n != 4 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	_, wcs := e.completions(t, 6)
	for _, wc := range wcs {
		if wc.Status != verbs.WCStatusSuccess {
			t.Errorf("completion %+v", wc)
		}
	}
	if a, b := string(e.buf[:6]), string(e.buf[100:107]); a != "onetwo" || b != "woonetw" {
		t.Errorf("received %q and %q", a, b)
	}
	if err := key.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := e.stream.Post(send, 4); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("with a closed key: %d, %v", n, err)
	}
}

// TestDirectMKeyReceives has a key lead to pieces that repeat with a stride, and receives through it. A key that the other end may
// invalidate leads nowhere then.
func TestDirectMKeyReceives(t *testing.T) {
	e := newDVEnd(t, mlx5dv.QPSendOpMRInterleaved)
	flags := mlx5dv.MKeyFlagIndirect | mlx5dv.MKeyFlagRemoteInvalidate
	key := must(e.lib.CreateMKey(mlx5dv.MKeyInitAttr{PD: e.pd, Flags: flags, MaxEntries: 4}))(t)
	at := uint64(uintptr(unsafe.Pointer(&e.buf[0])))
	recv, list, send := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(1, 1))(t), must(verbs.NewSendBatch(1, 1))(t)
	post := func(b *verbs.SendBatch, want ...verbs.WCStatus) {
		t.Helper()
		must(e.stream.Post(b, 1))(t)
		_, wcs := e.completions(t, len(want))
		for i, wc := range wcs {
			if wc.Status != want[i] {
				t.Errorf("completion %+v, want %v", wc, want[i])
			}
		}
	}
	const ok = verbs.WCStatusSuccess
	w := must(e.view.WR(list, 0))(t)
	if err := w.MRInterleaved(1, key, verbs.MRAccessLocalWrite, 2, []mlx5dv.MRInterleaved{
		{Addr: at, Bytes: 2, Skip: 3, LKey: e.mr.LKey()}, {Addr: at + 100, Bytes: 1, Skip: 1, LKey: e.mr.LKey()},
	}); err != nil {
		t.Fatal(err)
	}
	w.Flags(verbs.SendInline | verbs.SendSignaled)
	post(list, ok)

	copy(e.buf, strings.Repeat(".", 200))
	copy(e.buf[1000:], "abABcd")
	recv.WR(0).Recv(2).SGE(0, 6, key.LKey())
	must(e.qp.PostRecv(recv, 1))(t)
	send.WR(0).Send(3).Add(e.mr.UncheckedSGE(1000, 6)).Flags(verbs.SendSignaled)
	post(send, ok, ok)
	if a, b := string(e.buf[:8]), string(e.buf[100:104]); a != "ab...Bc." || b != "A.d." {
		t.Errorf("received %q and %q", a, b)
	}

	must(e.qp.PostRecv(recv, 1))(t)
	send.WR(0).SendInv(4, key.RKey()).Flags(verbs.SendSignaled)
	post(send, ok, ok)
	must(e.qp.PostRecv(recv, 1))(t)
	send.WR(0).Send(5).Add(e.mr.UncheckedSGE(1000, 6)).Flags(verbs.SendSignaled)
	post(send, verbs.WCStatusLocProtErr, verbs.WCStatusRemOpErr)
}
