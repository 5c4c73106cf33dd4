//go:build linux

package conformance

import (
	"errors"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestDatagram sends an unreliable datagram with immediate data: the completion tells all of it, and the data stand behind
// the room for the header. One with a wrong key is sent with success, and goes nowhere.
func TestDatagram(t *testing.T) {
	c := link.Default()
	c.Type = verbs.QPTypeUD
	dev := open(t).dev
	at := must(link.First(dev))(t)
	a, b, err := c.Pair(at, at)
	if err != nil {
		t.Fatal(err)
	}
	way, _ := a.Way(b)
	ah := must(a.PD.CreateAH(way))(t)
	recv, send := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(2, 1))(t)
	defer recv.Close()
	defer send.Close()
	recv.WR(0).Recv(7).Add(b.MR.UncheckedSGE(0, 100))
	copy(a.Buf, "datagram")
	for i, key := range []uint32{c.QKey + 1, c.QKey} {
		w := send.WR(i).SendImm(uint64(i), 0xabcd).Add(a.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
		if err := ah.Address(w, b.QP.Num(), key); err != nil {
			t.Fatal(err)
		}
		if w.Opcode() != verbs.WROpcodeSendWithImm {
			t.Errorf("the request is a %v", w.Opcode())
		}
	}
	if err := errors.Join(post(b.QP, recv), a.Send(send, 2)); err != nil {
		t.Fatal(err)
	}
	wc := must(b.Wait())(t)
	if wc.Err() != nil || wc.Opcode != verbs.WCOpcodeRecv || wc.Flags != verbs.WCFlagGRH|verbs.WCFlagWithImm ||
		wc.ImmData != 0xabcd || wc.SrcQP != a.QP.Num() ||
		wc.ByteLen != verbs.GRHSize+8 || string(b.Buf[verbs.GRHSize:wc.ByteLen]) != "datagram" {
		t.Errorf("%v, %v of %+v, %q", wc.Err(), wc.Opcode, wc, b.Buf[:64])
	}
	if n, err := b.CQ.PollInto(make([]verbs.WC, 1)); n != 0 || err != nil {
		t.Errorf("%d more completions, %v", n, err)
	}
}

// TestWCErr reads what a peer's refusal says.
func TestWCErr(t *testing.T) {
	dev := open(t).dev
	a, b := pair(t, dev)
	send := must(verbs.NewSendBatch(1, 1))(t)
	defer send.Close()
	send.WR(0).Write(1, b.MR.IOVA(), b.MR.RKey()+1).Add(a.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	err := a.Send(send, 1)
	var wc *verbs.WCError
	if !errors.As(err, &wc) || wc.Status != verbs.WCStatusRemAccessErr || wc.ID != 1 || wc.QPNum != a.QP.Num() {
		t.Errorf("a wrong rkey: %v", err)
	}
}

// TestNilByName uses nil handles on the data path: each error names its own kind, whichever comes first.
func TestNilByName(t *testing.T) {
	send := must(verbs.NewSendBatch(1, 1))(t)
	defer send.Close()
	address := (*verbs.AH)(nil).Address(send.WR(0), 1, 1)
	_, post := (*verbs.QP)(nil).PostSend(send, 1)
	for kind, err := range map[string]error{"AH": address, "QP": post} {
		if !errors.Is(err, syscall.EINVAL) || err.Error() != "ibv_post_send: "+kind+" is nil; pass one that is open" {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
