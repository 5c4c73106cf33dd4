package object

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

func TestUsers(t *testing.T) {
	pd := make1(t, "PD", "")
	for range 2 {
		if err := pd.node.Enter("ibv_reg_mr"); err != nil {
			t.Fatal(err)
		}
	}
	wantErr(t, pd.Close(), syscall.EBUSY,
		"ibv_close_PD: PD still has 2 calls (the latest of ibv_reg_mr) open; close what is open first: device or resource busy (EBUSY)")
	pd.node.Exit()
	wantErr(t, pd.Close(), syscall.EBUSY,
		"ibv_close_PD: PD still has a call of ibv_reg_mr open; close what is open first: device or resource busy (EBUSY)")
	pd.node.Exit()
	pd.node.Exit() // one too many does not make room for a user too many
	if err := pd.node.Enter("v"); err != nil {
		t.Fatal(err)
	}
	if err := pd.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close with a user inside = %v", err)
	}
	pd.node.Exit()
	if err := pd.Close(); err != nil {
		t.Error(err)
	}
}

// TestHold keeps a node open by things that last, and asks that its Close names them and no call that is over.
func TestHold(t *testing.T) {
	const event = "an event without its Done"
	qp := make1(t, "QP", "")
	for range 2 {
		if err := qp.node.Hold("ibv_get_async_event", event); err != nil {
			t.Fatal(err)
		}
	}
	if err := qp.node.Enter("ibv_query_qp"); err != nil {
		t.Fatal(err)
	}
	wantErr(t, qp.Close(), syscall.EBUSY,
		"ibv_close_QP: QP still has a call of ibv_query_qp, an event without its Done (2 times) open; close what is open first: device or resource busy (EBUSY)")
	qp.node.Exit()
	qp.node.Release()
	wantErr(t, qp.Close(), syscall.EBUSY,
		"ibv_close_QP: QP still has an event without its Done open; close what is open first: device or resource busy (EBUSY)")
	qp.node.Release()
	qp.node.Release() // one too many does not make room for a use too many
	if err := qp.node.Hold("v", event); err != nil {
		t.Fatal(err)
	}
	if err := qp.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close with a use = %v", err)
	}
	qp.node.Release()
	if err := qp.Close(); err != nil {
		t.Error(err)
	}
	wantErr(t, qp.node.Hold("v", event), os.ErrClosed, "v: QP is closed")
}
