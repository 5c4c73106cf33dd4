//go:build linux

package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// pair returns two connected sides on one device.
func pair(t *testing.T, dev *verbs.Device) (a, b *link.End) {
	t.Helper()
	a, b, err := link.Pair(dev, dev)
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// TestConnection sends, writes, reads and adds between two queue pairs.
func TestConnection(t *testing.T) {
	dev := open(t).dev
	a, b := pair(t, dev)
	recv, send := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(4, 1))(t)
	defer recv.Close()
	defer send.Close()
	recv.WR(0).Recv(7).Add(b.MR.UncheckedSGE(0, 4096))
	if n, err := b.QP.PostRecv(recv, 1); n != 1 || err != nil {
		t.Fatalf("PostRecv = %d, %v", n, err)
	}
	copy(a.Buf, "sent in a message")
	send.WR(0).Send(1).Add(a.MR.UncheckedSGE(0, 17)).Flags(verbs.SendSignaled)
	if n, err := a.QP.PostSend(send, 1); n != 1 || err != nil {
		t.Fatalf("PostSend = %d, %v", n, err)
	}
	if wc := must(b.Wait())(t); wc.ID != 7 || wc.Status != 0 || wc.ByteLen != 17 || !bytes.Equal(b.Buf[:17], a.Buf[:17]) {
		t.Errorf("received %+v, %q", wc, b.Buf[:17])
	}
	if wc := must(a.Wait())(t); wc.ID != 1 || wc.Status != 0 {
		t.Errorf("sent %+v", wc)
	}
	copy(a.Buf, "written from afar")
	send.WR(0).Write(2, b.MR.IOVA()+100, b.MR.RKey()).Add(a.MR.UncheckedSGE(0, 17)).Flags(verbs.SendSignaled)
	send.WR(1).Read(3, b.MR.IOVA()+100, b.MR.RKey()).Add(a.MR.UncheckedSGE(200, 17)).Flags(verbs.SendSignaled)
	if n, err := a.QP.PostSend(send, 2); n != 2 || err != nil {
		t.Fatalf("PostSend = %d, %v", n, err)
	}
	for id := uint64(2); id <= 3; id++ {
		if wc := must(a.Wait())(t); wc.ID != id || wc.Status != 0 {
			t.Errorf("%+v", wc)
		}
	}
	if string(b.Buf[100:117]) != "written from afar" || string(a.Buf[200:217]) != "written from afar" {
		t.Errorf("memory holds %q and %q", b.Buf[100:117], a.Buf[200:217])
	}
}

// TestEvents waits for a completion event, is cancelled without one, and keeps a queue with an open event from closing.
func TestEvents(t *testing.T) {
	dev := open(t).dev
	a, b := pair(t, dev)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := b.Ch.Next(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Next without an event: %v", err)
	}
	if err := b.CQ.ReqNotify(false); err != nil {
		t.Fatal(err)
	}
	recv, send := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(1, 1))(t)
	defer recv.Close()
	defer send.Close()
	recv.WR(0).Recv(1).Add(b.MR.UncheckedSGE(0, 64))
	send.WR(0).Send(2).Add(a.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	if _, err := b.QP.PostRecv(recv, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := a.QP.PostSend(send, 1); err != nil {
		t.Fatal(err)
	}
	long, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	ev := must(b.Ch.Next(long))(t)
	if ev.CQ != b.CQ {
		t.Error("the event is of another queue")
	}
	must(b.Wait())(t)
	must(a.Wait())(t)
	if err := b.CQ.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of a queue with a queue pair and an event: %v", err)
	}
	ev.Done()
	ev.Done()
	for _, close := range []func() error{b.QP.Close, b.CQ.Close, b.Ch.Close} {
		if err := close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.QP.PostRecv(recv, 1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("PostRecv after Close: %v", err)
	}
	if _, err := b.CQ.PollInto(make([]verbs.WC, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("PollInto after Close: %v", err)
	}
}

// TestRefusedPost posts what the provider refuses: the index of the request comes back with the errno.
func TestRefusedPost(t *testing.T) {
	dev := open(t).dev
	e := must(link.NewEnd(dev))(t)
	send := must(verbs.NewSendBatch(2, 1))(t)
	defer send.Close()
	send.WR(0).Send(1).Add(e.MR.UncheckedSGE(0, 8))
	if n, err := e.QP.PostSend(send, 1); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a send in INIT: %d, %v", n, err)
	}
}

// TestPostRange posts parts of batches: what a full queue did not take, and a receive of the middle.
func TestPostRange(t *testing.T) {
	a, b := pair(t, open(t).dev)
	send, recv := must(verbs.NewSendBatch(24, 1))(t), must(verbs.NewRecvBatch(24, 1))(t)
	for i := range 24 {
		send.WR(i).Send(uint64(i)).Add(a.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
		recv.WR(i).Recv(uint64(i)).Add(b.MR.UncheckedSGE(0, 8))
	}
	rest := recv.From(2, 22)
	for i := 0; i < 22 && rest.Len() > 0; {
		n, err := b.QP.PostRecvRange(rest)
		if rest = rest.Rest(n); err != nil && !errors.Is(err, syscall.ENOMEM) || n == 0 && err == nil {
			t.Fatalf("PostRecvRange: %d, %v", n, err)
		}
		for ; n > 0; n, i = n-1, i+1 {
			must(a.QP.PostSendRange(send.From(i, 1)))(t)
			if wc := must(b.Wait())(t); wc.ID != uint64(2+i) {
				t.Errorf("receive %d is of request %d, want %d", i, wc.ID, 2+i)
			}
			must(a.Wait())(t)
		}
	}
	if rest.Len() != 0 {
		t.Errorf("%d receives are left", rest.Len())
	}
}

// TestWrongBatch posts batches that are nil, closed or too short: the error says so.
func TestWrongBatch(t *testing.T) {
	a, _ := pair(t, open(t).dev)
	send, recv := must(verbs.NewSendBatch(2, 1))(t), must(verbs.NewRecvBatch(2, 1))(t)
	posts := map[string]func() (int, error){
		"ibv_post_send: SendBatch is nil":                                      func() (int, error) { return a.QP.PostSend(nil, 1) },
		"ibv_post_recv: RecvBatch is nil":                                      func() (int, error) { return a.QP.PostRecv(nil, 1) },
		"ibv_post_send: 3 requests from number 0 on: the SendBatch has only 2": func() (int, error) { return a.QP.PostSend(send, 3) },
		"ibv_post_recv: 2 requests from number 1 on: the RecvBatch has only 2": func() (int,
			error) {
			return a.QP.PostRecvRange(recv.From(1, 2))
		},
	}
	for text, post := range posts {
		if n, err := post(); n != 0 || !errors.Is(err, syscall.EINVAL) || !strings.HasPrefix(err.Error(), text) {
			t.Errorf("%d, %v; want %q", n, err, text)
		}
	}
	if err := errors.Join(send.Close(), recv.Close()); err != nil {
		t.Fatal(err)
	}
	if n, err := a.QP.PostSend(send, 1); n != 0 || !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), "the SendBatch is closed") {
		t.Errorf("a closed SendBatch: %d, %v", n, err)
	}
	if n, err := a.QP.PostRecvRange(recv.From(0, 1)); n != 0 || !errors.Is(err, os.ErrClosed) ||
		!strings.Contains(err.Error(), "the RecvBatch is closed") {
		t.Errorf("a closed RecvBatch: %d, %v", n, err)
	}
}
