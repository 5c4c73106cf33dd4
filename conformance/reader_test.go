//go:build linux

package conformance

import (
	"errors"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
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
