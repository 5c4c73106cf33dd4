//go:build linux && cgo

package oncard

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/efadv"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// fail has something go wrong at a device of the card of this process until the end of the test.
func fail(t *testing.T, device string, f card.Faults) {
	t.Helper()
	c := must(card.Open(os.Getenv("CARD_WIRE")))(t)
	must(0, c.SetFaults(device, f))(t)
	t.Cleanup(func() { must(0, c.SetFaults(device, card.Faults{}))(t) })
}

// allRemoved reports which calls on removed devices do not say so.
func allRemoved(calls map[string]error) (wrong []string) {
	for name, err := range calls {
		if !errors.Is(err, verr.ErrDeviceRemoved) || !errors.Is(err, syscall.EIO) {
			wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// errorOf is the error of a call that returns a value too.
func errorOf[T any](_ T, err error) error { return err }

// TestRemovedDirect calls functions of mlx5dv on a device that was removed, of the package and of its objects. All that was made is closed.
func TestRemovedDirect(t *testing.T) {
	lib, dev := dvOf(t)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	obj := must(lib.DevXCreate(dev, []byte{0: 0x09, 1: 0x39, 15: 0}, make([]byte, 16)))(t)
	umem := must(lib.RegUMem(dev, make([]byte, 100), verbs.MRAccessLocalWrite))(t)
	must(lib.CreateMKey(mlx5dv.MKeyInitAttr{PD: pd, Flags: mlx5dv.MKeyFlagIndirect, MaxEntries: 5}))(t)
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
	fail(t, card.Devices[0], card.Faults{Removed: true})
	query := make([]byte, 32)
	query[0], query[1] = 0x09, 0x3b
	for _, wrong := range allRemoved(map[string]error{
		"DevXObj.Query": obj.Query(query, make([]byte, 32)),
		"DevXCreate":    errorOf(lib.DevXCreate(dev, []byte{0: 0x09, 1: 0x39, 15: 0}, make([]byte, 16))),
		"RegUMem":       errorOf(lib.RegUMem(dev, make([]byte, 100), verbs.MRAccessLocalWrite)),
		"CreateMKey":    errorOf(lib.CreateMKey(mlx5dv.MKeyInitAttr{PD: pd, Flags: mlx5dv.MKeyFlagIndirect, MaxEntries: 5})),
		"CreateQP": errorOf(lib.CreateQP(dev, verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, cq, pd).MaxSendWR(1).MaxSendSGE(1),
			mlx5dv.NewQPInitAttr())),
		"MapDMOp": errorOf(lib.MapDMOp(dm, 0)),
	}) {
		t.Error(wrong)
	}
	if err := umem.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := dev.CloseAll(); err != nil {
		t.Errorf("CloseAll: %v", err)
	}
}

// removedEFA is the child of TestRemovedEFA.
func removedEFA(t *testing.T) {
	dev := open(t, "efa_0")
	efa := must(efadv.Load(dev.Lib()))(t)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	attr := verbs.QPInitAttr{Type: verbs.QPTypeDriver, SendCQ: cq, RecvCQ: cq, MaxSendWR: 8, MaxSendSGE: 1}
	fail(t, "efa_0", card.Faults{Removed: true})
	fmt.Printf("\x01removed %s\n", strings.Join(allRemoved(map[string]error{
		"CreateDriverQP": errorOf(efa.CreateDriverQP(pd, attr, efadv.DriverQPTypeSRD)),
		"CreateCQ":       errorOf(efa.CreateCQ(dev, verbs.NewCQInitAttrEx(16, 0), efadv.NewCQInitAttr())),
	}), "; "))
	if err := dev.CloseAll(); err != nil {
		t.Error(err)
	}
}

// TestRemovedEFA calls functions of efadv on a device that was removed.
func TestRemovedEFA(t *testing.T) {
	cmd, _, out := child(t, "removed", onEFA(t, "efa")...)
	if said := line(t, out); said != "removed" {
		t.Error(said)
	}
	ends(t, cmd, out)
}
