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
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
)

// Requests of mlx5 in streams of commands, on the real libmlx5.

// dvEnd is a queue pair that is connected with itself, with requests of mlx5.
type dvEnd struct {
	*link.End
	lib    *mlx5dv.Lib
	dev    *verbs.Device
	stream *verbs.QPStream
	view   *mlx5dv.QPEx
}

func newDVEnd(t *testing.T, ops mlx5dv.QPSendOp) *dvEnd {
	t.Helper()
	lib, dev := dvOf(t)
	e := &dvEnd{lib: lib, dev: dev, End: link.Bare(t, dev, verbs.MRAccessLocalWrite)}
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeRC, e.CQ, e.CQ, e.PD).MaxSendWR(16).MaxRecvWR(4).MaxSendSGE(4).MaxRecvSGE(1).
		SendOps(verbs.QPOpSend | verbs.QPOpSendWithInv)
	e.QP = must(e.lib.CreateQP(e.dev, attr, mlx5dv.NewQPInitAttr().SendOps(ops)))(t)
	cfg := link.Default()
	modify(t, e.QP, cfg.Init(1), cfg.RTR(wayTo(t, dev), verbs.MTU1024, e.QP.Num()), cfg.RTS())
	e.stream = must(e.QP.Stream())(t)
	e.view = must(e.lib.QPEx(e.stream))(t)
	return e
}

// wayTo is the way to the first port of a device.
func wayTo(t *testing.T, dev *verbs.Device) verbs.AHAttr {
	t.Helper()
	return verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(link.First(dev))(t).Port.GID(), HopLimit: 1}
}

// post posts n requests of a batch by the stream, and waits for as many completions as there are statuses.
func (e *dvEnd) post(t *testing.T, b *verbs.SendBatch, n int, want ...verbs.WCStatus) []verbs.WC {
	t.Helper()
	must(e.stream.Post(b, n))(t)
	wcs := must(verbstest.Wait(e.CQ, len(want)))(t)
	for i, wc := range wcs {
		if wc.Status != want[i] {
			t.Errorf("completion %+v, want %v", wc, want[i])
		}
	}
	return wcs
}

const ok = verbs.WCStatusSuccess

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
	send := must(verbs.NewSendBatch(3, 1))(t)
	for i := range uint64(3) {
		e.Recv(t, i, 100*i, 100)
	}
	copy(e.Buf[1000:], "first third")
	send.WR(0).Send(10).Add(e.MR.UncheckedSGE(1000, 5))
	w := must(e.view.WR(send, 1))(t)
	wqe := rawSend(e.QP.Num(), "second")
	must(0, w.RawWQE(11, wqe))(t)
	clear(wqe) // it was copied
	send.WR(2).Send(12).Add(e.MR.UncheckedSGE(1006, 5)).Flags(verbs.SendSignaled)
	var sent []uint64
	for _, wc := range e.post(t, send, 3, ok, ok, ok, ok, ok) {
		if wc.ID >= 10 {
			sent = append(sent, wc.ID)
			continue
		}
		got := string(e.Buf[100*wc.ID : 100*wc.ID+uint64(wc.ByteLen)])
		if want := []string{"first", "second", "third"}[wc.ID]; got != want {
			t.Errorf("message %d is %q", wc.ID, got)
		}
	}
	if len(sent) != 2 || sent[0] != 11 || sent[1] != 12 {
		t.Errorf("sent %v", sent)
	}
	if n, err := e.QP.PostSend(send, 3); n != 0 || !strings.Contains(err.Error(), "only a stream of commands posts") {
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
	ah := must(e.PD.CreateAH(wayTo(t, e.dev)))(t)
	w.Send(2)
	must(0, w.SetDCAddr(ah, 1, 2))(t)
	wants("an address on RC", b, syscall.EOPNOTSUPP, "request 1: this queue pair has no mlx5dv_wr_set_dc_addr")
	must(0, ah.Close())(t)
	wants("a closed AH", b, os.ErrClosed, "request 1: AH is closed")
	if err := w.SetDCAddr(ah, 1, 2); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed AH is taken: %v", err)
	}
	b = batch()
	w = must(e.view.WR(b, 0))(t)
	must(0, w.RawWQE(1, rawSend(e.QP.Num(), "x")))(t)
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
	plain := must(e.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: e.CQ, RecvCQ: e.CQ, MaxSendWR: 1, MaxRecvWR: 1,
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
	must(0, e.QP.Close())(t)
	if _, err := e.stream.Post(b, 2); err == nil {
		t.Error("posted to a closed queue pair")
	}
}

// TestDirectMemCpy copies local memory, between two sends.
func TestDirectMemCpy(t *testing.T) {
	e := newDVEnd(t, mlx5dv.QPSendOpMemcpy)
	send := must(verbs.NewSendBatch(3, 1))(t)
	e.Recv(t, 1, 0, 100)
	copy(e.Buf[1000:], "copied")
	at := uint64(uintptr(unsafe.Pointer(&e.Buf[0])))
	w := must(e.view.WR(send, 0))(t)
	must(0, w.MemCpy(2, e.MR.LKey(), at+2000, e.MR.LKey(), at+1000, 6))(t)
	w.Flags(verbs.SendSignaled)
	send.WR(1).Send(3).Add(e.MR.UncheckedSGE(2000, 6)).Flags(verbs.SendSignaled)
	for _, wc := range e.post(t, send, 2, ok, ok, ok) {
		if wc.ID == 2 && mlx5dv.WCOpcode(wc.Opcode) != mlx5dv.WCOpcodeMemCpy {
			t.Errorf("completion %+v", wc)
		}
	}
	if got := string(e.Buf[:6]); got != "copied" {
		t.Errorf("received %q", got)
	}
	must(0, w.MemCpy(2, e.MR.LKey(), at, e.MR.LKey(), at, 0))(t)
	if n, err := e.stream.Post(send, 1); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a copy of nothing, which libmlx5 refuses: %d, %v", n, err)
	}
}

// TestDirectMKeys has a memory key lead to pieces of memory, by one request and by setters, and sends what it leads to.
func TestDirectMKeys(t *testing.T) {
	e := newDVEnd(t, mlx5dv.QPSendOpMRList|mlx5dv.QPSendOpMkeyConfigure)
	key := must(e.lib.CreateMKey(mlx5dv.MKeyInitAttr{PD: e.PD, Flags: mlx5dv.MKeyFlagIndirect, MaxEntries: 4}))(t)
	at := uint64(uintptr(unsafe.Pointer(&e.Buf[0])))
	copy(e.Buf[1000:], "one")
	copy(e.Buf[2000:], "two")
	pieces := func(order ...uint64) (out []verbs.SGE) {
		for _, off := range order {
			out = append(out, verbs.SGE{Addr: at + off, Length: 3, LKey: e.MR.LKey()})
		}
		return out
	}
	send := must(verbs.NewSendBatch(4, 1))(t)
	e.Recv(t, 0, 0, 100)
	e.Recv(t, 1, 100, 100)
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
	e.post(t, send, 4, ok, ok, ok, ok, ok, ok)
	if a, b := string(e.Buf[:6]), string(e.Buf[100:107]); a != "onetwo" || b != "woonetw" {
		t.Errorf("received %q and %q", a, b)
	}
	must(0, key.Close())(t)
	if n, err := e.stream.Post(send, 4); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("with a closed key: %d, %v", n, err)
	}
}

// TestDirectMKeyReceives has a key lead to pieces that repeat with a stride, and receives through it. A key that the other end may
// invalidate leads nowhere then.
func TestDirectMKeyReceives(t *testing.T) {
	e := newDVEnd(t, mlx5dv.QPSendOpMRInterleaved)
	flags := mlx5dv.MKeyFlagIndirect | mlx5dv.MKeyFlagRemoteInvalidate
	key := must(e.lib.CreateMKey(mlx5dv.MKeyInitAttr{PD: e.PD, Flags: flags, MaxEntries: 4}))(t)
	at := uint64(uintptr(unsafe.Pointer(&e.Buf[0])))
	recv, list, send := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(1, 1))(t), must(verbs.NewSendBatch(1, 1))(t)
	w := must(e.view.WR(list, 0))(t)
	if err := w.MRInterleaved(1, key, verbs.MRAccessLocalWrite, 2, []mlx5dv.MRInterleaved{
		{Addr: at, Bytes: 2, Skip: 3, LKey: e.MR.LKey()}, {Addr: at + 100, Bytes: 1, Skip: 1, LKey: e.MR.LKey()},
	}); err != nil {
		t.Fatal(err)
	}
	w.Flags(verbs.SendInline | verbs.SendSignaled)
	e.post(t, list, 1, ok)

	copy(e.Buf, strings.Repeat(".", 200))
	copy(e.Buf[1000:], "abABcd")
	recv.WR(0).Recv(2).SGE(0, 6, key.LKey())
	must(e.QP.PostRecv(recv, 1))(t)
	send.WR(0).Send(3).Add(e.MR.UncheckedSGE(1000, 6)).Flags(verbs.SendSignaled)
	e.post(t, send, 1, ok, ok)
	if a, b := string(e.Buf[:8]), string(e.Buf[100:104]); a != "ab...Bc." || b != "A.d." {
		t.Errorf("received %q and %q", a, b)
	}

	must(e.QP.PostRecv(recv, 1))(t)
	send.WR(0).SendInv(4, key.RKey()).Flags(verbs.SendSignaled)
	e.post(t, send, 1, ok, ok)
	must(e.QP.PostRecv(recv, 1))(t)
	send.WR(0).Send(5).Add(e.MR.UncheckedSGE(1000, 6)).Flags(verbs.SendSignaled)
	e.post(t, send, 1, verbs.WCStatusLocProtErr, verbs.WCStatusRemOpErr)
}
