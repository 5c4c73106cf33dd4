//go:build linux && cgo

package oncard

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// onEFA is the environment of a child with two devices of efa, and more.
func onEFA(t *testing.T, more ...string) []string {
	return onDevices(t, append([]string{"efa", "efa"}, more...)...)
}

// onDevices is the environment of a child with other devices.
func onDevices(t *testing.T, devices ...string) []string {
	return must(card.Build(t.TempDir(), card.Options{Devices: devices}))(t).Variables()
}

// compiled returns a program of a C file.
func compiled(t *testing.T, file string, more ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{"-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o", program, file}, more...)
	if said, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, said)
	}
	return program
}

// TestSRD compiles testdata/srd.c, which sends by SRD with the real libefa, and runs it.
func TestSRD(t *testing.T) {
	cmd := exec.Command(compiled(t, "testdata/srd.c", "-libverbs", "-lefa"))
	cmd.Env = append(cmd.Environ(), onEFA(t)...)
	if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), "all arrived") {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestEFA has the bindings send datagrams between two devices of efa, in a child process.
func TestEFA(t *testing.T) {
	_, _, out := child(t, "efa", onEFA(t)...)
	if said := line(t, out); said != `libefa moved "datagram"` {
		t.Error(said)
	}
}

// datagramEnd is a UD queue pair without a completion channel, which the device has not.
type datagramEnd struct {
	pd  *verbs.PD
	cq  *verbs.CQ
	qp  *verbs.QP
	mr  *verbs.MR
	at  *far.Port
	buf []byte
}

// newDatagramEnd makes an end that can have so many sends and receives. With 0 it asks for no elements of them either.
func newDatagramEnd(t *testing.T, name string, sends, receives uint32) *datagramEnd {
	dev := open(t, name)
	e := &datagramEnd{buf: make([]byte, 256), at: must(far.OpenPort(dev, "", 1, 0))(t), pd: must(dev.AllocPD())(t)}
	if attr := must(dev.QueryDevice())(t); attr.VendorID != 0x1d0f {
		t.Errorf("vendor %#x", attr.VendorID)
	}
	e.mr = must(e.pd.RegMR(e.buf, verbs.MRAccessLocalWrite))(t)
	e.cq = must(dev.CreateCQ(16, nil, 0))(t)
	e.qp = must(e.pd.CreateQP(verbs.QPInitAttr{
		Type: verbs.QPTypeUD, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: sends, MaxRecvWR: receives, MaxSendSGE: min(sends, 1),
		MaxRecvSGE: min(receives, 1),
	}))(t)
	steps := verbs.UDSetup{PortNum: 1, QKey: 0x1d1d}
	for _, attr := range []*verbs.QPAttr{steps.Init(), steps.RTR(), steps.RTS()} {
		if err := e.qp.Modify(attr); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func (e *datagramEnd) wait(t *testing.T) verbs.WC {
	var wcs [1]verbs.WC
	for {
		if n := must(e.cq.PollSpin(wcs[:], 1000))(t); n == 1 {
			return wcs[0]
		}
	}
}

// sendByEFA is the child of TestEFA.
func sendByEFA(t *testing.T) {
	a, b := newDatagramEnd(t, "efa_0", 8, 0), newDatagramEnd(t, "efa_1", 0, 8)
	for _, attr := range []*verbs.QPInitAttrEx{
		verbs.NewQPInitAttrEx(verbs.QPTypeUD, a.cq, a.cq, a.pd).MaxSendWR(8).MaxSendSGE(1),
		verbs.NewQPInitAttrEx(verbs.QPTypeUD, a.cq, a.cq, a.pd),
	} {
		if err := must(a.pd.Device().CreateQPEx(attr))(t).Close(); err != nil {
			t.Error(err)
		}
	}
	ah := must(a.pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: b.at.GID(), HopLimit: 1}))(t)
	recv, batch := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(1, 1))(t)
	defer recv.Close()
	defer batch.Close()
	recv.WR(0).Recv(7).Add(b.mr.UncheckedSGE(0, 128))
	must(b.qp.PostRecv(recv, 1))(t)
	copy(a.buf, "datagram")
	if err := ah.Address(batch.WR(0).Send(1).Add(a.mr.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled), b.qp.Num(), 0x1d1d); err != nil {
		t.Fatal(err)
	}
	must(a.qp.PostSend(batch, 1))(t)
	if wc := a.wait(t); wc.Err() != nil {
		t.Fatal(wc.Err())
	}
	wc := b.wait(t)
	const header = 40
	if wc.Err() != nil || wc.ID != 7 || wc.ByteLen != header+8 || wc.SrcQP != a.qp.Num() {
		t.Fatalf("received %+v", wc)
	}
	lib := filepath.Base(mapped(t, "libefa*.so*"))
	fmt.Printf("\x01%.6s moved %q\n", lib, b.buf[header:header+8])
}
