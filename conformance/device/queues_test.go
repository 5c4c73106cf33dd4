//go:build linux && cgo

package device

import (
	"bytes"
	"context"
	"encoding/binary"
	"runtime"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestTraffic writes to, reads from and adds to Go memory over a reliable connection while the collector runs hard.
func TestTraffic(t *testing.T) {
	b := open(t)
	near, far, err := link.Pair(b.dev, b.dev)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	send := must(verbs.NewSendBatch(3, 1))(t)
	defer send.Close()
	at, peer := uint64(near.MR.Addr()), uint64(far.MR.Addr())
	for round := range 20 {
		for i := range near.Buf[:1024] {
			near.Buf[i] = byte(i * (round + 1))
		}
		send.WR(0).Write(1, peer, far.MR.RKey()).SGE(at, 1024, near.MR.LKey()).Flags(verbs.SendSignaled)
		send.WR(1).Read(2, peer, far.MR.RKey()).SGE(at+2048, 1024, near.MR.LKey()).Flags(verbs.SendSignaled)
		send.WR(2).FetchAdd(3, peer+3072, far.MR.RKey(), 5).SGE(at+3072, 8, near.MR.LKey()).Flags(verbs.SendSignaled)
		if err := near.Send(send, 3); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(far.Buf[:1024], near.Buf[:1024]) || !bytes.Equal(near.Buf[2048:3072], near.Buf[:1024]) {
			t.Fatalf("round %d: the bytes differ", round)
		}
		if got := binary.NativeEndian.Uint64(far.Buf[3072:]); got != uint64(5*(round+1)) {
			t.Fatalf("round %d: the sum is %d", round, got)
		}
	}
}

// TestDeviceMemoryTraffic moves bytes between two regions of device memory, and to host memory, over a reliable connection.
func TestDeviceMemoryTraffic(t *testing.T) {
	b, made := openWithDM(t)
	t.Logf("device memory: %s", made)
	near, far, err := link.Pair(b.dev, b.dev)
	if err != nil {
		t.Fatal(err)
	}
	const may = verbs.DMAccessZeroBased | verbs.DMAccessLocalWrite | verbs.DMAccessRemoteWrite | verbs.DMAccessRemoteRead |
		verbs.DMAccessRemoteAtomic
	var dms [2]*verbs.DM
	var mrs [2]*verbs.MR
	for i, e := range []*link.End{near, far} {
		dms[i] = must(b.dev.AllocDM(verbs.NewAllocDMAttr(page)))(t)
		mrs[i] = must(e.PD.RegDMMR(dms[i], 0, page, may))(t)
	}
	out := bytes.Repeat([]byte("device to device"), 64)
	if _, err := dms[0].WriteAt(out, 0); err != nil {
		t.Fatal(err)
	}
	dms[0].Flush()
	send := must(verbs.NewSendBatch(3, 1))(t)
	defer send.Close()
	send.WR(0).Write(1, 512, mrs[1].RKey()).SGE(0, uint32(len(out)), mrs[0].LKey()).Flags(verbs.SendSignaled)
	send.WR(1).Read(2, 512, mrs[1].RKey()).Add(near.MR.UncheckedSGE(0, uint32(len(out)))).Flags(verbs.SendSignaled)
	send.WR(2).FetchAdd(3, 2048, mrs[1].RKey(), 7).Add(near.MR.UncheckedSGE(2048, 8)).Flags(verbs.SendSignaled)
	if err := near.Send(send, 3); err != nil {
		t.Fatal(err)
	}
	back := make([]byte, len(out))
	if _, err := dms[1].ReadAt(back, 512); err != nil || !bytes.Equal(back, out) {
		t.Errorf("device memory holds %q, %v", back[:16], err)
	}
	if !bytes.Equal(near.Buf[:len(out)], out) {
		t.Errorf("host memory holds %q", near.Buf[:16])
	}
	if _, err := dms[1].ReadAt(back[:8], 2048); err != nil || binary.NativeEndian.Uint64(back) != 7 {
		t.Errorf("the sum in device memory is %d, %v", binary.NativeEndian.Uint64(back), err)
	}
	if n, err := dms[0].Length(); n != page || !err {
		t.Errorf("length %d", n)
	}
}

// TestWrongKey writes with a key that nobody has: the completion says so, and both sides are unusable.
func TestWrongKey(t *testing.T) {
	b := open(t)
	near, far, err := link.Pair(b.dev, b.dev)
	if err != nil {
		t.Fatal(err)
	}
	send := must(verbs.NewSendBatch(1, 1))(t)
	defer send.Close()
	send.WR(0).Write(1, far.MR.IOVA(), far.MR.RKey()^0x55).Add(near.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	if _, err := near.QP.PostSend(send, 1); err != nil {
		t.Fatal(err)
	}
	if wc := must(near.Wait())(t); wc.Status != 10 { // IBV_WC_REM_ACCESS_ERR
		t.Errorf("completed with status %d, want 10", wc.Status)
	}
}

// TestEvent waits for a completion on Go's poller.
func TestEvent(t *testing.T) {
	b := open(t)
	near, far, err := link.Pair(b.dev, b.dev)
	if err != nil {
		t.Fatal(err)
	}
	if err := near.CQ.ReqNotify(false); err != nil {
		t.Fatal(err)
	}
	send := must(verbs.NewSendBatch(1, 1))(t)
	defer send.Close()
	send.WR(0).Write(1, far.MR.IOVA(), far.MR.RKey()).Add(near.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	if _, err := near.QP.PostSend(send, 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ev := must(near.Ch.Next(ctx))(t)
	if ev.CQ != near.CQ {
		t.Error("the event is of another queue")
	}
	ev.Done()
	if wc := must(near.Wait())(t); wc.Status != 0 {
		t.Errorf("completed with status %d", wc.Status)
	}
}
