package object

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// stuck is a guard with a call inside that does not return.
type stuck struct{}

func (stuck) End(verb, kind string, most time.Duration, _ func() error) error {
	time.Sleep(most)
	return fail.Busy(verb, kind, []string{"a call"})
}

// TestOneDeadline closes a tree with many calls inside that do not return, and a Close that does not end: all waits together last as
// long as that of one Close. What needs no wait is closed, whatever comes before it.
func TestOneDeadline(t *testing.T) {
	for name, stay := range map[string]func(t *testing.T, dev *handle){
		"a call": func(t *testing.T, dev *handle) { _ = dev.node.Enter("v") },
		"calls of children": func(t *testing.T, dev *handle) {
			for range 3 {
				_ = make1(t, "PD", "", dev).node.Enter("v")
			}
		},
		"guards": func(t *testing.T, dev *handle) {
			for range 3 {
				x := &thing{}
				x.h.Make(x, "QP", Origin{}, unsafe.Pointer(x), "v", x.ends("end"))
				x.h.Guard = stuck{}
				check(t, x.h.Adopt(&dev.node))
			}
		},
		"a move": func(t *testing.T, dev *handle) {
			from, to := make1(t, "PD", "from", dev), make1(t, "PD", "to", dev)
			mr := make1(t, "MR", "", from)
			check(t, mr.node.Enter("v"))
			_, err := BeginMove("v", &mr.node, &from.node, &to.node)
			check(t, err)
		},
		"another Close": func(t *testing.T, dev *handle) {
			pd := make1(t, "PD", "", dev)
			go pd.node.Close("v", func() error { time.Sleep(time.Hour); return nil })
			synctest.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dev := make1(t, "Device", "")
				free := make1(t, "CQ", "", dev)
				stay(t, dev)
				begin := time.Now()
				wantIs(t, CloseTree(&dev.node), syscall.EBUSY)
				if took := time.Since(begin); took != patience {
					t.Errorf("CloseTree took %v, want %v", took, patience)
				}
				if free.node.IsOpen() {
					t.Error("what nobody uses is open")
				}
				time.Sleep(2 * time.Hour) // so that all ends
			})
		})
	}
}

// TestPatienceIsForWaits closes nodes whose destroys last long: they leave the wait for a call as it is.
func TestPatienceIsForWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := make1(t, "Device", "")
		check(t, dev.node.Enter("v"))
		for range 3 {
			x := &thing{}
			x.h.Make(x, "QP", Origin{}, unsafe.Pointer(x), "v", func() error { time.Sleep(patience); return nil })
			x.h.Guard = x
			check(t, x.h.Adopt(&dev.node))
		}
		time.AfterFunc(4*patience-time.Second, dev.node.Exit)
		if err := CloseTree(&dev.node); err != nil {
			t.Error(err)
		}
	})
}

// TestInCallback closes in a callback: nothing that a call uses, and nothing above it, without any wait.
func TestInCallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := make1(t, "Device", "")
		pd, cq := make1(t, "PD", "", dev), make1(t, "CQ", "", dev)
		mr := make1(t, "MR", "", pd)
		check(t, mr.node.Enter("ibv_rereg_mr"))
		begin := time.Now()
		fail.Callback(func() {
			wantErr(t, mr.Close(), syscall.EBUSY,
				"ibv_close_MR: MR still has a call of ibv_rereg_mr open; close what is open first: device or resource busy (EBUSY)")
			for _, h := range []*handle{mr, pd, dev} {
				wantErr(t, CloseTree(&h.node), syscall.EBUSY, "MR is in use by a call, maybe by the one that this callback is of; "+
					"close it when the call has returned: device or resource busy (EBUSY)")
			}
		})
		if !cq.node.IsOpen() {
			t.Error("a refused CloseTree has closed something")
		}
		fail.Callback(func() {
			if err := cq.Close(); err != nil {
				t.Error(err)
			}
		})
		mr.node.Exit()
		ended := mr.node.Close("v", func() error { // as an allocator's Free is called
			fail.Callback(func() {
				wantIs(t, CloseTree(&dev.node), syscall.EBUSY)
				wantIs(t, mr.Close(), os.ErrClosed)
			})
			return nil
		})
		fail.Callback(func() { ended = errors.Join(ended, CloseTree(&dev.node)) })
		if took := time.Since(begin); ended != nil || took > 0 {
			t.Errorf("took %v: %v", took, ended)
		}
	})
}
