package gate_test

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// patience is how long most tests have End wait.
const patience = time.Minute

// object stands for a C object: like one, it stays where it is.
var object int

// TestEnd closes a gate, in vain and for good.
func TestEnd(t *testing.T) {
	var g gate.Gate
	if g.IsOpen() || g.Object() != nil {
		t.Error("the zero value is open")
	}
	none := func() error { t.Error("destroy runs"); return nil }
	if err := g.End("v", "QP", patience, none); !errors.Is(err, os.ErrClosed) || err.Error() != "v: QP was never opened" {
		t.Errorf("End of a zero gate: %v", err)
	}
	g.Open(unsafe.Pointer(&object))
	err := g.End("v", "QP", patience, func() error {
		if g.IsOpen() {
			t.Error("the gate is open while destroy runs")
		}
		if err := g.End("v", "QP", patience, none); !errors.Is(err, os.ErrClosed) {
			t.Errorf("End during End: %v", err)
		}
		return syscall.EBUSY
	})
	if err != syscall.EBUSY || !g.IsOpen() || g.Object() != unsafe.Pointer(&object) {
		t.Errorf("End that fails: %v, open: %t", err, g.IsOpen())
	}
	func() {
		defer func() { recover() }()
		g.End("v", "QP", patience, func() error { panic("destroy") })
	}()
	if !g.IsOpen() {
		t.Error("a panic in destroy has closed the gate")
	}
	if err := g.End("v", "QP", patience, func() error { return nil }); err != nil || g.IsOpen() || g.Refusal() != fail.ErrnoClosed {
		t.Errorf("End: %v, open: %t, refusal %#x", err, g.IsOpen(), g.Refusal())
	}
	if err := g.End("v", "QP", patience, none); !errors.Is(err, os.ErrClosed) || err.Error() != "v: QP is closed" {
		t.Errorf("End of a closed gate: %v", err)
	}
}

// TestCopy copies an open gate: the copy is closed, and says why.
func TestCopy(t *testing.T) {
	var gates [2]gate.Gate
	gates[0].Open(unsafe.Pointer(&object))
	copy(gates[1:], gates[:1])
	if gates[1].IsOpen() || gates[1].Refusal() != fail.ErrnoCopied {
		t.Errorf("the copy is open: %t, refusal %#x", gates[1].IsOpen(), gates[1].Refusal())
	}
	if !gates[0].IsOpen() || new(gate.Gate).Refusal() != fail.ErrnoNeverOpened {
		t.Errorf("the original is open: %t; refusal of the zero value %#x", gates[0].IsOpen(), new(gate.Gate).Refusal())
	}
}
