//go:build linux && cgo

package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestPeerGone destroys the peer's queue pair: the next WRITE ends with retries exceeded, what follows is flushed.
func TestPeerGone(t *testing.T) {
	w := openWire(t)
	near, far := w.pair(t, hasty)
	if err := write(t, near, memoryOf(far), slack).Err(); err != nil {
		t.Fatal(err)
	}
	if err := far.QP.Close(); err != nil {
		t.Fatal(err)
	}
	w.givesUp(t, near, memoryOf(far))
}

// givesUp wants a WRITE that nobody answers to end within the deadline, and the next to be flushed.
func (w *wire) givesUp(t *testing.T, e *link.End, to place) {
	t.Helper()
	began := time.Now()
	wc := write(t, e, to, hasty.Limit()+slack)
	t.Logf("after %v: %v", time.Since(began), wc.Err())
	ends(t, "a WRITE that nobody answers", wc, verbs.WCStatusRetryExcErr)
	ends(t, "the next one", write(t, e, to, slack), verbs.WCStatusWRFlushErr)
}

// lose makes the network of the first device lose packets that leave, until the end of the test.
func (w *wire) lose(t *testing.T, percent int) {
	t.Helper()
	t.Cleanup(func() { run(t, "tc", "qdisc", "del", "dev", w.nets[0], "root") })
	run(t, "tc", "qdisc", "add", "dev", w.nets[0], "root", "netem", "loss", strconv.Itoa(percent)+"%")
}

// lost returns how many packets were lost on purpose.
func (w *wire) lost(t *testing.T) int {
	t.Helper()
	var disciplines []struct{ Drops int }
	out := run(t, "tc", "-s", "-j", "qdisc", "show", "dev", w.nets[0], "root")
	if err := json.Unmarshal([]byte(out), &disciplines); err != nil || len(disciplines) != 1 {
		t.Fatalf("tc says %s: %v", out, err)
	}
	return disciplines[0].Drops
}

// counter returns the sum of a hardware counter over both devices.
func (w *wire) counter(t *testing.T, name string) int {
	t.Helper()
	sum := 0
	for _, dev := range w.names {
		text := must(os.ReadFile(sysfs.Path("class/infiniband", dev, "ports/1/hw_counters", name)))(t)
		sum += must(strconv.Atoi(strings.TrimSpace(string(text))))(t)
	}
	return sum
}

// TestLoss plays over a network that loses 3 packets of 100: all messages arrive, once and whole, and the device has tried again.
func TestLoss(t *testing.T) {
	w := openWire(t)
	near, far := w.pair(t, link.Patience{Timeout: 12, Retries: 6})
	w.lose(t, 3)
	retries := w.counter(t, "completer_retry_err")
	const rounds = 300
	began := time.Now()
	for n := range rounds {
		if time.Since(began) > time.Minute {
			t.Fatalf("a minute is over at round %d", n)
		}
		for i := range near.Buf[:512] {
			near.Buf[i] = byte(rand.Uint32())
		}
		if err := message(near, far, 512); err != nil {
			t.Fatalf("round %d, there: %v", n, err)
		}
		copy(far.Buf, far.Buf[1024:][:512])
		if err := message(far, near, 512); err != nil {
			t.Fatalf("round %d, back: %v", n, err)
		}
		if !bytes.Equal(near.Buf[1024:][:512], near.Buf[:512]) {
			t.Fatalf("round %d: %x came back, not %x", n, near.Buf[1024:1032], near.Buf[:8])
		}
	}
	lost, tried := w.lost(t), w.counter(t, "completer_retry_err")-retries
	t.Logf("%d rounds in %v, %d packets lost, %d retries", rounds, time.Since(began), lost, tried)
	if lost == 0 || tried == 0 {
		t.Errorf("%d packets were lost and %d retries made, want both", lost, tried)
	}
}

// message sends the first n bytes of a side to offset 1024 of its peer.
func message(from, to *link.End, n uint32) error {
	recv, err := verbs.NewRecvBatch(1, 1)
	if err != nil {
		return err
	}
	defer recv.Close()
	send, err := verbs.NewSendBatch(1, 1)
	if err != nil {
		return err
	}
	defer send.Close()
	recv.WR(0).Recv(2).Add(to.MR.UncheckedSGE(1024, n))
	if _, err := to.QP.PostRecv(recv, 1); err != nil {
		return err
	}
	send.WR(0).Send(1).Add(from.MR.UncheckedSGE(0, n)).Flags(verbs.SendSignaled)
	if err := from.Send(send, 1); err != nil {
		return err
	}
	wc, err := to.WaitFor(slack)
	if err == nil && (wc.ID != 2 || wc.ByteLen != n) {
		err = fmt.Errorf("received %d bytes by request %d", wc.ByteLen, wc.ID)
	}
	return errors.Join(err, wc.Err())
}

// TestBlackout plays over a network that loses everything: the device gives up, in time.
func TestBlackout(t *testing.T) {
	w := openWire(t)
	near, far := w.pair(t, hasty)
	w.lose(t, 100)
	w.givesUp(t, near, memoryOf(far))
	if w.lost(t) == 0 {
		t.Error("no packet was lost")
	}
}
