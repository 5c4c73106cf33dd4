//go:build linux

package conformance

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestQueryQP reads back what a connection was made with, and follows the state.
func TestQueryQP(t *testing.T) {
	b := open(t)
	x, y := pair(t, b.dev)
	info, init, err := x.QP.Query()
	if err != nil {
		t.Fatal(err)
	}
	if info.State != verbs.QPStateRTS || info.PathMTU != verbs.MTU1024 || info.DestQPNum != y.QP.Num() || info.PortNum != 1 {
		t.Errorf("%v, MTU %v, peer %d of %d, port %d", info.State, info.PathMTU, info.DestQPNum, y.QP.Num(), info.PortNum)
	}
	if may := verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead | verbs.QPAccessRemoteAtomic; info.AccessFlags != may {
		t.Errorf("the peer may %v, want %v", info.AccessFlags, may)
	}
	if info.Timeout != 14 || info.RetryCnt != 6 || info.RNRRetry != 6 || info.MinRNRTimer != 12 || info.MaxRDAtomic != 1 ||
		info.MaxDestRDAtomic != 1 {
		t.Errorf("timers and counts: %+v", info)
	}
	gid := must(b.dev.QueryGID(1, 0))(t)
	if !info.AV.IsGlobal || info.AV.GRH.DGID != gid || info.AV.GRH.HopLimit != 64 || info.AV.GRH.SGIDIndex != 0 || info.AV.PortNum != 1 {
		t.Errorf("the way: %+v, want to %v", info.AV, gid)
	}
	if init.Type != verbs.QPTypeRC || init.SignalAll || init.Cap != info.Cap || info.Cap.MaxSendWR < 16 || info.Cap.MaxRecvWR < 16 ||
		info.Cap.MaxSendSGE < 1 || info.Cap.MaxRecvSGE < 1 {
		t.Errorf("made as %+v, room %+v", init, info.Cap)
	}
	if err := x.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)); err != nil {
		t.Fatal(err)
	}
	if info, _, err = x.QP.Query(verbs.QPFieldState); err != nil || info.State != verbs.QPStateErr {
		t.Errorf("after the move to ERR: %v, %v", info, err)
	}
	if err := b.soft.Fail("ibv_query_qp", 1, syscall.EOPNOTSUPP); err != nil {
		t.Fatal(err)
	}
	if info, init, err = x.QP.Query(); info != nil || init != nil || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("refused: %v, %v, %v", info, init, err)
	}
	if err := x.QP.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err = x.QP.Query(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestQueryQPFresh asks of a queue pair that was only made, and of one that signals every request.
func TestQueryQPFresh(t *testing.T) {
	dev := open(t).dev
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(4, nil, 0))(t)
	qp := must(pd.CreateQP(verbs.QPInitAttr{
		Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxSendWR: 3, MaxSendSGE: 2, MaxInlineData: 40,
		SignalAll: true,
	}))(t)
	info, init, err := qp.Query()
	if err != nil || info.State != verbs.QPStateReset || init.Type != verbs.QPTypeUD || !init.SignalAll {
		t.Fatalf("%+v, %+v, %v", info, init, err)
	}
	if c := info.Cap; c.MaxSendWR < 3 || c.MaxSendSGE < 2 || c.MaxInlineData < 40 {
		t.Errorf("room %+v", c)
	}
	if err := qp.Modify(verbs.NewQPAttr(verbs.QPStateInit).PortNum(1).PKeyIndex(0).QKey(0x1234567)); err != nil {
		t.Fatal(err)
	}
	if info, _, err = qp.Query(verbs.QPFieldState, verbs.QPFieldQKey); err != nil || info.State != verbs.QPStateInit ||
		info.QKey != 0x1234567 {
		t.Errorf("%+v, %v", info, err)
	}
	if err := qp.Modify(new(verbs.QPAttr).QKey(0x7654321)); err != nil {
		t.Fatal(err)
	}
	if info, _, err = qp.Query(); err != nil || info.State != verbs.QPStateInit || info.QKey != 0x7654321 {
		t.Errorf("after a change of the key alone: %+v, %v", info, err)
	}
}
