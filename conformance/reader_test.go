//go:build linux

package conformance

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// standard are the fields that every device with extended queues can be asked for.
const standard = verbs.WCFieldByteLen | verbs.WCFieldImm | verbs.WCFieldQPNum | verbs.WCFieldSrcQP | verbs.WCFieldSLID |
	verbs.WCFieldSL | verbs.WCFieldDLIDPathBits

// extended returns two connected sides whose queues were asked for fields.
func extended(t *testing.T, dev *verbs.Device, fields verbs.WCField) (a, b *link.End) {
	t.Helper()
	at := must(link.First(dev))(t)
	c := link.Default()
	c.Fields = fields
	a, b, err := c.Pair(at, at)
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// read waits for one completion.
func read(t *testing.T, r *verbs.CQReader) verbs.WCEx {
	t.Helper()
	var wcs [4]verbs.WCEx
	for late := time.Now().Add(time.Minute); time.Now().Before(late); {
		n, err := r.PollSpin(wcs[:], 100)
		if err != nil || n > 1 {
			t.Fatalf("PollSpin = %d, %v", n, err)
		}
		if n == 1 {
			return wcs[0]
		}
	}
	t.Fatal("no completion came in ten seconds")
	return verbs.WCEx{}
}

// sendImm sends 17 bytes with immediate data.
func sendImm(t *testing.T, a, b *link.End, id uint64) {
	t.Helper()
	recv, send := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(1, 1))(t)
	defer recv.Close()
	defer send.Close()
	recv.WR(0).Recv(id).SGE(uint64(b.MR.Addr()), 4096, b.MR.LKey())
	if _, err := b.QP.PostRecv(recv, 1); err != nil {
		t.Fatal(err)
	}
	send.WR(0).SendImm(id, 0x01020304).SGE(uint64(a.MR.Addr()), 17, a.MR.LKey()).Flags(verbs.SendSignaled)
	if _, err := a.QP.PostSend(send, 1); err != nil {
		t.Fatal(err)
	}
}

// TestReader reads what came, with every field that the device has, and with few.
func TestReader(t *testing.T) {
	dev := open(t, softverbs.LikeMLX5()).dev
	all := standard | verbs.WCFieldCompletionTS | verbs.WCFieldWallclock | verbs.WCFieldCVLAN | verbs.WCFieldFlowTag
	a, b := extended(t, dev, all)
	sends, recvs := must(a.CQ.Reader(0))(t), must(b.CQ.Reader(all))(t)
	before := time.Now()
	sendImm(t, a, b, 7)
	wc := read(t, recvs)
	if wc.ID != 7 || wc.Status != verbs.WCStatusSuccess || wc.Err() != nil || wc.Opcode != verbs.WCOpcodeRecv ||
		wc.Flags&verbs.WCFlagWithImm == 0 ||
		wc.ByteLen != 17 || wc.ImmData != 0x01020304 || wc.QPNum != b.QP.Num() {
		t.Errorf("received %+v", wc)
	}
	if at := wc.Wallclock(); at.Before(before.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) || wc.CompletionTS == 0 {
		t.Errorf("it came at %v, %d on the device's clock", at, wc.CompletionTS)
	}
	if wc := read(t, sends); wc.ID != 7 || wc.Opcode != verbs.WCOpcodeSend || wc.ByteLen|wc.QPNum != 0 {
		t.Errorf("sent %+v", wc)
	}
	if n, err := recvs.PollInto(make([]verbs.WCEx, 3)); n != 0 || err != nil {
		t.Errorf("an empty queue: %d, %v", n, err)
	}
	if n, err := recvs.PollInto(nil); n != 0 || err != nil {
		t.Errorf("no room: %d, %v", n, err)
	}
}

// TestReaderTakesNoMore reads no more than there is room for, and leaves the fields that it does not read alone.
func TestReaderTakesNoMore(t *testing.T) {
	a, b := extended(t, open(t).dev, standard)
	r := must(b.CQ.Reader(verbs.WCFieldByteLen))(t)
	for id := range uint64(3) {
		sendImm(t, a, b, id)
		must(a.Wait())(t)
	}
	wcs := []verbs.WCEx{{QPNum: 99}, {QPNum: 99}, {QPNum: 99}}
	for want := uint64(0); want < 3; {
		n, err := r.PollInto(wcs[:2])
		if err != nil || n > 2 {
			t.Fatalf("PollInto = %d, %v", n, err)
		}
		for i, wc := range wcs[:n] {
			if wc.ID != want || wc.ByteLen != 17 || wc.QPNum != 99 || wc.ImmData != 0 {
				t.Errorf("completion %d: %+v", i, wc)
			}
			want++
		}
	}
	if wcs[2] != (verbs.WCEx{QPNum: 99}) {
		t.Errorf("beyond the room: %+v", wcs[2])
	}
}

// TestReaderOfFailures leaves nothing in the fields that are not valid.
func TestReaderOfFailures(t *testing.T) {
	a, b := extended(t, open(t).dev, standard)
	sends := must(a.CQ.Reader(standard))(t)
	batch := must(verbs.NewSendBatch(1, 1))(t)
	defer batch.Close()
	batch.WR(0).Write(5, uint64(b.MR.Addr()), b.MR.RKey()+1).SGE(uint64(a.MR.Addr()), 8, a.MR.LKey()).Flags(verbs.SendSignaled)
	if _, err := a.QP.PostSend(batch, 1); err != nil {
		t.Fatal(err)
	}
	wc := read(t, sends)
	if want := (verbs.WCEx{ID: 5, Status: verbs.WCStatusRemAccessErr, VendorErr: wc.VendorErr, QPNum: a.QP.Num()}); wc != want {
		t.Errorf("failed: %+v, want %+v", wc, want)
	}
	var failed *verbs.WCError
	if err := wc.Err(); !errors.As(err, &failed) || failed.ID != 5 || failed.QPNum != a.QP.Num() ||
		!strings.Contains(err.Error(), "REM_ACCESS_ERR") {
		t.Errorf("Err: %v", err)
	}
}

// TestReaderRefused makes no reader of fields that a queue was not asked for, or that no reader reads.
func TestReaderRefused(t *testing.T) {
	dev := open(t, softverbs.StandardFields()).dev
	cq := must(dev.CreateCQEx(verbs.NewCQInitAttrEx(16, verbs.WCFieldByteLen|verbs.WCFieldImm)))(t)
	if cq.Size() < 16 {
		t.Errorf("room for %d", cq.Size())
	}
	plain := must(dev.CreateCQ(1, nil, 0))(t)
	for _, tt := range []struct {
		cq     *verbs.CQ
		fields verbs.WCField
		errno  syscall.Errno
		names  string
	}{
		{cq, verbs.WCFieldByteLen | verbs.WCFieldQPNum | verbs.WCFieldSrcQP, syscall.EINVAL, "QP_NUM|SRC_QP"},
		{cq, verbs.WCFieldTMInfo, syscall.EINVAL, "TM_INFO"},
		{cq, 1 << 40, syscall.EINVAL, "0x10000000000"},
		{plain, 0, syscall.EOPNOTSUPP, "CQ"},
	} {
		if r, err := tt.cq.Reader(tt.fields); r != nil || !errors.Is(err, tt.errno) || !strings.Contains(err.Error(), tt.names) {
			t.Errorf("%v: %v, want %v that names %s", tt.fields, err, tt.errno, tt.names)
		}
	}
	if _, err := dev.CreateCQEx(verbs.NewCQInitAttrEx(16, verbs.WCFieldWallclock)); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("times of a device that has none: %v", err)
	}
	if _, err := dev.CreateCQEx(nil); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("no attributes: %v", err)
	}
	if _, err := (*verbs.CQ)(nil).Reader(0); !errors.Is(err, os.ErrClosed) && !errors.Is(err, syscall.EINVAL) {
		t.Errorf("no queue: %v", err)
	}
}

// TestReaderAfterClose fails, and the error costs no allocation.
func TestReaderAfterClose(t *testing.T) {
	dev := open(t).dev
	cq := must(dev.CreateCQEx(verbs.NewCQInitAttrEx(16, standard).Flags(verbs.CQFlagSingleThreaded).CompVector(0)))(t)
	r := must(cq.Reader(standard))(t)
	var wcs [2]verbs.WCEx
	if n := testing.AllocsPerRun(100, func() { r.PollInto(wcs[:]) }); n != 0 {
		t.Errorf("%v allocations in an empty poll", n)
	}
	if err := cq.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := r.PollSpin(wcs[:], 1000); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("%d, %v", n, err)
	}
	if n := testing.AllocsPerRun(100, func() { r.PollInto(wcs[:]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	var none *verbs.CQReader
	if n, err := none.PollSpin(wcs[:], 1000); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("nil: %d, %v", n, err)
	}
	if _, err := cq.Reader(0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a reader of a closed queue: %v", err)
	}
}

// TestReaderFails returns what was read before an error.
func TestReaderFails(t *testing.T) {
	bed := open(t)
	a, b := extended(t, bed.dev, standard)
	r := must(b.CQ.Reader(standard))(t)
	for id := range uint64(2) {
		sendImm(t, a, b, id)
		must(a.Wait())(t)
	}
	var wcs [4]verbs.WCEx
	for i, verb := range []string{"ibv_start_poll", "ibv_next_poll"} {
		if err := bed.soft.Fail(verb, 1, syscall.EBUSY); err != nil {
			t.Fatal(err)
		}
		if n, err := r.PollInto(wcs[:]); n != i || !errors.Is(err, syscall.EBUSY) {
			t.Errorf("%s fails: %d, %v", verb, n, err)
		}
	}
	if n, err := r.PollInto(wcs[:]); n != 1 || err != nil || wcs[0].ID != 1 {
		t.Errorf("afterwards: %d, %v, %+v", n, err, wcs[0])
	}
}

// TestExtendedQueueIsAQueue polls it without a reader, waits for its events, and closes in order.
func TestExtendedQueueIsAQueue(t *testing.T) {
	a, b := extended(t, open(t).dev, verbs.WCFieldByteLen)
	if err := b.CQ.ReqNotify(false); err != nil {
		t.Fatal(err)
	}
	sendImm(t, a, b, 1)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	ev := must(b.Ch.Next(ctx))(t)
	if ev.CQ != b.CQ {
		t.Error("the event is of another queue")
	}
	ev.Done()
	if wc := must(b.Wait())(t); wc.ID != 1 || wc.ImmData != 0x01020304 {
		t.Errorf("polled %+v", wc)
	}
	if err := b.Ch.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of the channel of an open queue: %v", err)
	}
	for _, close := range []func() error{b.QP.Close, b.CQ.Close, b.Ch.Close} {
		if err := close(); err != nil {
			t.Error(err)
		}
	}
}
