//go:build linux && cgo

package oncard

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/efadv"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
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

// TestEFADV has the bindings of libefa, over those of libibverbs, send by SRD between two devices of efa, in a child process. A device of
// mlx5 is refused by libefa.
func TestEFADV(t *testing.T) {
	_, _, out := child(t, "srd", onEFA(t, "mlx5")...)
	if said := line(t, out); said != `libefa moved "by SRD", 2 times` {
		t.Error(said)
	}
}

// newSRDEnd makes an SRD queue pair on a completion queue of libefa by efadv_create_driver_qp, or as an extended one by efadv_create_qp_ex.
func newSRDEnd(t *testing.T, efa *efadv.Lib, dev *verbs.Device, extended bool) efaEnd {
	e := newEFAEnd(t, dev)
	e.CQ = must(efa.CreateCQ(dev, verbs.NewCQInitAttrEx(16, verbs.WCFieldByteLen), efadv.NewCQInitAttr().WCFlags(efadv.WCFlagSGID)))(t)
	if extended {
		attr := verbs.NewQPInitAttrEx(verbs.QPTypeDriver, e.CQ, e.CQ, e.PD).MaxSendWR(8).MaxRecvWR(8).MaxSendSGE(1).MaxRecvSGE(1).
			SendOps(verbs.QPOpSend)
		e.QP = must(efa.CreateQPEx(dev, attr, efadv.NewQPInitAttr(efadv.DriverQPTypeSRD)))(t)
	} else {
		e.QP = must(efa.CreateDriverQP(e.PD, verbs.QPInitAttr{Type: verbs.QPTypeDriver, SendCQ: e.CQ, RecvCQ: e.CQ, MaxSendWR: 8, MaxRecvWR: 8,
			MaxSendSGE: 1, MaxRecvSGE: 1}, efadv.DriverQPTypeSRD))(t)
	}
	must(0, verbs.UDSetup{PortNum: 1, QKey: efaQKey}.ToRTS(e.QP))(t)
	return e
}

// sendBySRD is the child of TestEFADV.
func sendBySRD(t *testing.T) {
	lib := must(verbs.Load())(t)
	efa := must(efadv.Load(lib))(t)
	var devs []*verbs.Device
	for _, name := range []string{"efa_0", "efa_1"} {
		devs = append(devs, must(lib.OpenDevice(name))(t))
	}
	if d := must(efa.QueryDevice(devs[0]))(t); d.MaxSendSGE != 2 || d.InlineBufSize != 32 ||
		d.Caps != efadv.DeviceCapsCQWithSGID|efadv.DeviceCapsRNRRetry|efadv.DeviceCapsRDMARead || d.MaxRDMASize != 1<<30 {
		t.Errorf("device %+v", *d)
	}
	a, b := newSRDEnd(t, efa, devs[0], false), newSRDEnd(t, efa, devs[1], true)
	if a.QP.PD() != a.PD || b.QP.PD() != b.PD || a.CQ.Device() != devs[0] {
		t.Error("the new objects do not know what they were made from")
	}
	refusedHandles(t, efa, a, b, devs)
	sendOnly(t, efa, a)
	first, there := a.way(t, b), b.way(t, a)
	if x, y := must(efa.QueryAH(first))(t), must(efa.QueryAH(there))(t); x.AHN == 0 && y.AHN == 0 {
		t.Error("both address handles have the number 0")
	}
	moved := string(b.Buf[128:][:a.move(t, b, first, "by SRD").ByteLen])
	if back := string(a.Buf[128:][:b.move(t, a, there, "by SRD").ByteLen]); back != moved {
		t.Errorf("moved %q and back %q", moved, back)
	}
	if err := devs[0].Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "QP") {
		t.Errorf("Close of a device with queues: %v", err)
	}
	for _, dev := range devs {
		if err := dev.CloseAll(); err != nil {
			t.Error(err)
		}
	}
	fmt.Printf("\x01%.6s moved %q, 2 times\n", filepath.Base(mapped(t, "libefa*.so*")), moved)
}

// sendOnly makes queue pairs that have no receives, nor elements of them, by both functions.
func sendOnly(t *testing.T, efa *efadv.Lib, e efaEnd) {
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeDriver, e.CQ, e.CQ, e.PD).MaxSendWR(8).MaxSendSGE(1).SendOps(verbs.QPOpSend)
	for _, qp := range []*verbs.QP{
		must(efa.CreateDriverQP(e.PD, verbs.QPInitAttr{Type: verbs.QPTypeDriver, SendCQ: e.CQ, RecvCQ: e.CQ, MaxSendWR: 8, MaxSendSGE: 1},
			efadv.DriverQPTypeSRD))(t),
		must(efa.CreateQPEx(e.PD.Device(), attr, efadv.NewQPInitAttr(efadv.DriverQPTypeSRD)))(t),
	} {
		if err := qp.Close(); err != nil {
			t.Error(err)
		}
	}
	if depth, err := efa.MaxRQDepth(e.PD.Device(), efadv.NewRQDepthAttr()); err == nil && depth == 0 {
		t.Error("no receives are possible")
	} else if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("efadv_get_max_rq_depth: %v", err)
	}
}

// refusedHandles gives libefa what it must not get, or lacks.
func refusedHandles(t *testing.T, efa *efadv.Lib, a, b efaEnd, devs []*verbs.Device) {
	_, err := efa.CreateDriverQP(a.PD, verbs.QPInitAttr{Type: verbs.QPTypeDriver, SendCQ: b.CQ, RecvCQ: a.CQ, MaxSendWR: 1, MaxRecvWR: 1,
		MaxSendSGE: 1, MaxRecvSGE: 1}, efadv.DriverQPTypeSRD)
	if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "efadv_create_driver_qp: send_cq: CQ ") ||
		!strings.Contains(err.Error(), "belongs to device efa_1") {
		t.Errorf("a queue of another device: %v", err)
	}
	_, err = efa.CreateDriverQP(a.PD, verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: a.CQ, RecvCQ: a.CQ, MaxSendWR: 1, MaxRecvWR: 1,
		MaxSendSGE: 1, MaxRecvSGE: 1}, efadv.DriverQPTypeSRD)
	if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "the type in the attributes is not DRIVER") {
		t.Errorf("type UD: %v", err)
	}
	_, err = efa.CreateDriverQP(a.PD, verbs.QPInitAttr{Type: verbs.QPTypeDriver, SendCQ: a.CQ, RecvCQ: a.CQ}, 3)
	if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "[VR-efadv_create_driver_qp-driver_qp_type-") {
		t.Errorf("transport 3: %v", err)
	}
	if _, err = efa.QueryMR(a.MR); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("efadv_query_mr: %v", err)
	}
	stream := must(b.QP.Stream())(t)
	if _, err = efa.QPEx(stream); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("efadv_qp_from_ibv_qp_ex: %v", err)
	}
	dv := must(mlx5dv.Load(must(verbs.Load())(t)))(t)
	if _, err = dv.QPEx(stream); !errors.Is(err, syscall.EOPNOTSUPP) || !strings.Contains(err.Error(), "of another provider") {
		t.Errorf("the view of mlx5 of a queue pair of efa: %v", err)
	}
	mlx5 := open(t, "mlx5_0")
	if _, err = efa.QueryDevice(mlx5); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "another loaded library") {
		t.Errorf("a device of another Lib: %v", err)
	}
	lib := must(efadv.Load(mlx5.Lib()))(t)
	if _, err = lib.QueryDevice(mlx5); !errors.Is(err, syscall.EOPNOTSUPP) || !strings.Contains(err.Error(), "the device is not one of EFA") {
		t.Errorf("a device of mlx5: %v", err)
	}
	closed := must(devs[0].AllocPD())(t)
	if err := closed.Close(); err != nil {
		t.Error(err)
	}
	_, err = efa.CreateDriverQP(closed, verbs.QPInitAttr{Type: verbs.QPTypeDriver}, efadv.DriverQPTypeSRD)
	if err == nil || !strings.Contains(err.Error(), "is closed") {
		t.Errorf("a closed PD: %v", err)
	}
}
