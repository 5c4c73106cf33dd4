package object

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
)

// TestCloseWaits closes while calls are inside: it waits for the last of them, and lets none begin.
func TestCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pd := make1(t, "PD", "")
		for range 2 {
			check(t, pd.node.Enter("ibv_reg_mr"))
		}
		var done atomic.Bool
		result := make(chan error)
		go func() { err := pd.Close(); done.Store(true); result <- err }()
		for range 2 {
			synctest.Wait()
			if done.Load() {
				t.Fatal("Close did not wait")
			}
			wantIs(t, pd.node.Enter("ibv_reg_mr"), os.ErrClosed)
			wantIs(t, pd.Close(), os.ErrClosed)
			pd.node.Exit()
		}
		if err := <-result; err != nil {
			t.Errorf("Close: %v", err)
		}
		pd.node.Exit() // one too many
	})
}

// TestCloseWaitsForChildren lets a call that is inside make a child: the Close that waited for it is refused.
func TestCloseWaitsForChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pd := make1(t, "PD", "")
		check(t, pd.node.Enter("ibv_reg_mr"))
		result := make(chan error)
		go func() { result <- pd.Close() }()
		synctest.Wait()
		mr := make1(t, "MR", "", pd)
		pd.node.Exit()
		wantErr(t, <-result, syscall.EBUSY, "ibv_close_PD: PD still has MR open; close what is open first: device or resource busy (EBUSY)")
		if err := errors.Join(pd.node.Enter("v"), mr.Close()); err != nil {
			t.Errorf("after the refusal: %v", err)
		}
		pd.node.Exit()
		if err := pd.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestCloseGivesUp closes inside calls, which can never end: the error names them, and the object stays open.
func TestCloseGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pd := make1(t, "PD", "")
		for range 2 {
			check(t, pd.node.Enter("ibv_reg_mr"))
		}
		wantErr(t, pd.Close(), syscall.EBUSY,
			"ibv_close_PD: PD still has 2 calls (the latest of ibv_reg_mr) open; close what is open first: device or resource busy (EBUSY)")
		pd.node.Exit()
		wantErr(t, pd.Close(), syscall.EBUSY,
			"ibv_close_PD: PD still has a call of ibv_reg_mr open; close what is open first: device or resource busy (EBUSY)")
		pd.node.Exit()
		pd.node.Exit() // one too many does not make room for a user too many
		check(t, pd.node.Enter("v"))
		if err := pd.Close(); !errors.Is(err, syscall.EBUSY) {
			t.Errorf("Close with a user inside = %v", err)
		}
		pd.node.Exit()
		if err := pd.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestHold keeps a node open by things that last, and asks that its Close names them and no call that is over.
func TestHold(t *testing.T) {
	const event = "an event without its Done"
	qp := make1(t, "QP", "")
	for range 2 {
		check(t, qp.node.Hold("ibv_get_async_event", event))
	}
	check(t, qp.node.Enter("ibv_query_qp"))
	wantErr(t, qp.Close(), syscall.EBUSY,
		"ibv_close_QP: QP still has a call of ibv_query_qp, an event without its Done (2 times) open; close what is open first: device "+
			"or resource busy (EBUSY)")
	qp.node.Exit()
	qp.node.Release()
	wantErr(t, qp.Close(), syscall.EBUSY,
		"ibv_close_QP: QP still has an event without its Done open; close what is open first: device or resource busy (EBUSY)")
	qp.node.Release()
	qp.node.Release() // one too many does not make room for a use too many
	check(t, qp.node.Hold("v", event))
	if err := qp.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close with a use = %v", err)
	}
	qp.node.Release()
	check(t, qp.Close())
	wantErr(t, qp.node.Hold("v", event), os.ErrClosed, "v: QP is closed")
}
