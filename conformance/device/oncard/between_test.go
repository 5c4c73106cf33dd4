//go:build linux && cgo

package oncard

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Queue pairs of two processes; this one starts the other as TestRole.

// echoes is how many messages go there and back.
const echoes = 1000

// echo answers messages.
func echo(t *testing.T) {
	in := bufio.NewReader(os.Stdin)
	e, _ := bigEnd(t, card.Devices[1], os.Stdout)
	e.Recv(t, 1, 0, 0)
	to := told(t, in)
	fmt.Printf("\x01connected %v\n", e.Connect(to.GID, 0, to.QPN))
	for range echoes {
		for wc := must(e.Wait())(t); wc.ID != 1; {
			wc = must(e.Wait())(t)
		}
		e.Recv(t, 1, 0, 0)
		e.Post(t, func(w verbs.SendWR) { w.Send(2) })
	}
	_, _ = in.ReadString('\n')
}

// TestAcknowledgedBeforeReply asks for the completion of each request before the one of the reply to it: the other side got the message,
// and its acknowledgement goes before all that it sends then.
func TestAcknowledgedBeforeReply(t *testing.T) {
	_, in, out := child(t, "echo")
	e, _ := bigEnd(t, card.Devices[0], in)
	to := told(t, out)
	must(0, e.Connect(to.GID, 0, to.QPN))(t)
	if said := line(t, out); said != "connected <nil>" {
		t.Fatal(said)
	}
	for i := range echoes {
		e.Recv(t, 1, 0, 0)
		e.Post(t, func(w verbs.SendWR) { w.Send(2) })
		if a, b := must(e.Wait())(t), must(e.Wait())(t); a.ID != 2 || b.ID != 1 || a.Err() != nil || b.Err() != nil {
			t.Fatalf("message %d: completions %+v, %+v", i, a, b)
		}
	}
}

// say writes where a queue pair and memory are.
func say(t *testing.T, to io.Writer, h hello) {
	fmt.Fprintf(to, "\x01%s\n", must(json.Marshal(h))(t))
}

// serveDCT makes a DCT, and says what it received.
func serveDCT(t *testing.T) {
	e := newDCEnd(t)
	dct := e.target(t)
	copy(e.Buf[3000:], "ABCDEFGH")
	say(t, os.Stdout, hello{e.way.DGID, dct.Num(), e.MR.RKey(), e.MR.UncheckedSGE(3000, 8).Addr})
	wc := must(e.Wait())(t)
	fmt.Printf("\x01%d %q\n", wc.ByteLen, e.Buf[:wc.ByteLen])
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// TestDCBetweenProcesses works on the memory of a DCT of another process, and sends to it.
func TestDCBetweenProcesses(t *testing.T) {
	_, _, out := child(t, "dct")
	e := newDCEnd(t)
	d, to := e.initiator(t, e.CQ), told(t, out)
	e.onMemory(t, d, to)
	copy(e.Buf, "far")
	d.post(t, func(w mlx5dv.QPExWR) error {
		w.Send(1).Add(e.MR.UncheckedSGE(0, 3))
		return w.SetDCAddr(must(e.PD.CreateAH(e.way))(t), to.QPN, dcKey)
	})
	if wc := must(e.Wait())(t); wc.Err() != nil {
		t.Errorf("%+v", wc)
	}
	if said := line(t, out); said != `3 "far"` {
		t.Errorf("received %s", said)
	}
}

// serveFrames receives a frame.
func serveFrames(t *testing.T) {
	e := receiver(t, open(t, card.Devices[1]))
	must(e.QP.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, 1).Specs(&verbs.FlowSpecUDP{})))(t)
	fmt.Printf("\x01ready\n")
	fmt.Printf("\x01%x\n", e.Buf[:must(e.Wait())(t).ByteLen])
}

// TestFramesBetweenProcesses sends a frame to the flow of another process.
func TestFramesBetweenProcesses(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("raw packets need root")
	}
	_, _, out := child(t, "frames")
	s, frame := newSender(t, open(t, card.Devices[0])), udp(1, 2, 3)
	if said := line(t, out); said != "ready" {
		t.Fatal(said)
	}
	sendFrame(t, s, frame)
	if said := line(t, out); said != fmt.Sprintf("%x", frame) {
		t.Errorf("received %s, want %x", said, frame)
	}
}
