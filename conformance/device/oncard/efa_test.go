//go:build linux && cgo

package oncard

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
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

// efaEnd is an end without a completion channel, which the device has not, and the GID of its port.
type efaEnd struct {
	*link.End
	gid verbs.GID
}

// efaQKey is the key of all datagrams here.
const efaQKey = 0x1d1d

func newEFAEnd(t *testing.T, dev *verbs.Device) efaEnd {
	t.Helper()
	return efaEnd{link.Bare(t, dev, verbs.MRAccessLocalWrite), must(link.First(dev))(t).Port.GID()}
}

// newDatagramEnd makes a UD queue pair that can have so many sends and receives. With 0 it asks for no elements of them either.
func newDatagramEnd(t *testing.T, name string, sends, receives uint32) efaEnd {
	dev := open(t, name)
	e := newEFAEnd(t, dev)
	if attr := must(dev.QueryDevice())(t); attr.VendorID != 0x1d0f {
		t.Errorf("vendor %#x", attr.VendorID)
	}
	e.QP = must(e.PD.CreateQP(verbs.QPInitAttr{
		Type: verbs.QPTypeUD, SendCQ: e.CQ, RecvCQ: e.CQ, MaxSendWR: sends, MaxRecvWR: receives, MaxSendSGE: min(sends, 1),
		MaxRecvSGE: min(receives, 1),
	}))(t)
	must(0, verbs.UDSetup{PortNum: 1, QKey: efaQKey}.ToRTS(e.QP))(t)
	return e
}

// move sends a text to another end, and returns what came.
func (e efaEnd) move(t *testing.T, to efaEnd, ah *verbs.AH, text string) verbs.WC {
	t.Helper()
	to.Recv(t, 7, 128, 128)
	n := uint32(copy(e.Buf, text))
	succeeds(t, e.End, func(w verbs.SendWR) {
		must(0, ah.Address(w.Send(1).Add(e.MR.UncheckedSGE(0, n)), to.QP.Num(), efaQKey))(t)
	})
	wc := must(to.Wait())(t)
	if wc.Err() != nil {
		t.Fatal(wc.Err())
	}
	return wc
}

func (e efaEnd) way(t *testing.T, to efaEnd) *verbs.AH {
	return must(e.PD.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: to.gid, HopLimit: 1}))(t)
}

// sendByEFA is the child of TestEFA.
func sendByEFA(t *testing.T) {
	a, b := newDatagramEnd(t, "efa_0", 8, 0), newDatagramEnd(t, "efa_1", 0, 8)
	for _, attr := range []*verbs.QPInitAttrEx{
		verbs.NewQPInitAttrEx(verbs.QPTypeUD, a.CQ, a.CQ, a.PD).MaxSendWR(8).MaxSendSGE(1),
		verbs.NewQPInitAttrEx(verbs.QPTypeUD, a.CQ, a.CQ, a.PD),
	} {
		if err := must(a.PD.Device().CreateQPEx(attr))(t).Close(); err != nil {
			t.Error(err)
		}
	}
	wc := a.move(t, b, a.way(t, b), "datagram")
	const header = 40
	if wc.ID != 7 || wc.ByteLen != header+8 || wc.SrcQP != a.QP.Num() {
		t.Fatalf("received %+v", wc)
	}
	lib := filepath.Base(mapped(t, "libefa*.so*"))
	fmt.Printf("\x01%.6s moved %q\n", lib, b.Buf[128+header:128+header+8])
}
