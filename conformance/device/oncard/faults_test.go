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
	"time"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/efadv"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestFaults has things go wrong at a device from outside: the program sees what it would see of a card.
func TestFaults(t *testing.T) {
	for _, device := range card.Devices { // of the requester, and of the responder
		t.Run(device, func(t *testing.T) {
			a, b := impatient(t, 7)
			at := a
			if device == card.Devices[1] {
				at = b
			}
			write := func(want verbs.WCStatus) {
				t.Helper()
				if got := writes(t, a, b, 1); got != want {
					t.Fatalf("status %v, want %v", got, want)
				}
			}
			event := func(want verbs.EventType) {
				t.Helper()
				got := must(at.PD.Device().NextEvent(t.Context()))(t)
				if got.Done(); got.Type != want {
					t.Fatalf("event %v of port %d, want %v", got.Type, got.Port, want)
				}
			}
			write(verbs.WCStatusSuccess)
			if at == a {
				fail(t, device, card.Faults{Delay: 20 * time.Millisecond})
				begin := time.Now()
				write(verbs.WCStatusSuccess)
				if took := time.Since(begin); took < 20*time.Millisecond {
					t.Errorf("a delayed request took %v", took)
				}
			}
			fail(t, device, card.Faults{Down: true})
			event(verbs.EventTypePortErr)
			if port := must(at.PD.Device().QueryPort(1))(t); port.State != verbs.PortStateDown {
				t.Errorf("the port is %v", port.State)
			}
			write(verbs.WCStatusRetryExcErr)
			fail(t, device, card.Faults{})
			event(verbs.EventTypePortActive)
			fail(t, device, card.Faults{Removed: true})
			event(verbs.EventTypeDeviceFatal)
			fail(t, device, card.Faults{})
		})
	}
}

// TestLost loses one request of ten: a queue pair that tries again gets all through, and one that does not fails soon.
func TestLost(t *testing.T) {
	for retries, want := range map[uint8]verbs.WCStatus{7: verbs.WCStatusSuccess, 0: verbs.WCStatusRetryExcErr} {
		a, b := impatient(t, retries)
		fail(t, card.Devices[0], card.Faults{Lost: .1})
		if got := writes(t, a, b, 300); got != want {
			t.Errorf("%d retries: %v, want %v", retries, got, want)
		}
		fail(t, card.Devices[0], card.Faults{})
	}
}

// impatient connects two queue pairs that wait for an acknowledgement for microseconds.
func impatient(t *testing.T, retries uint8) (a, b *link.End) {
	c := link.Default()
	c.Patience = link.Patience{Timeout: 1, Retries: retries}
	return pair(t, c)
}

// writes writes n times, one after the other, and returns the status of the first write that fails.
func writes(t *testing.T, a, b *link.End, n int) verbs.WCStatus {
	t.Helper()
	for range n {
		wc := a.Do(t, func(w verbs.SendWR) { w.Write(1, b.MR.IOVA(), b.MR.RKey()).Add(a.MR.UncheckedSGE(0, 8)) })
		if wc.Status != verbs.WCStatusSuccess {
			return wc.Status
		}
	}
	return verbs.WCStatusSuccess
}

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
