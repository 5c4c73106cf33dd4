//go:build linux && cgo

package oncard

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/efadv"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

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
