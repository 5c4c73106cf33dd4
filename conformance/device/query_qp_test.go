//go:build linux && cgo

package device

import (
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestQueryQP reads back what a connection was made with, and follows the state to ERR.
func TestQueryQP(t *testing.T) {
	w := openWire(t)
	near, far := w.pair(t, link.Usual)
	info, init, err := near.QP.Query()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v, %+v", info, init)
	if info.State != verbs.QPStateRTS || info.PathMTU != verbs.MTU1024 || info.DestQPNum != far.QP.Num() || info.PortNum != 1 {
		t.Errorf("%v, MTU %v, peer 0x%x of 0x%x, port %d", info.State, info.PathMTU, info.DestQPNum, far.QP.Num(), info.PortNum)
	}
	c := link.Default()
	if info.Timeout != c.Timeout || info.RetryCnt != c.Retries || info.RNRRetry != c.RNRRetry || info.MinRNRTimer != c.RNRTimer ||
		info.MaxRDAtomic != 1 || info.MaxDestRDAtomic != 1 {
		t.Errorf("timers and counts: %+v", info)
	}
	if info.AccessFlags != c.QP {
		t.Errorf("the peer may %v, want %v", info.AccessFlags, c.QP)
	}
	if gid := must(w.devs[1].QueryGID(1, 0))(t); !info.AV.IsGlobal || info.AV.GRH.DGID != gid || info.AV.GRH.HopLimit != 64 ||
		info.AV.GRH.SGIDIndex != 0 {
		t.Errorf("the way: %+v, want to %v", info.AV, gid)
	}
	if init.Type != verbs.QPTypeRC || init.SignalAll || init.Cap != info.Cap || info.Cap.MaxSendWR < c.SendWR ||
		info.Cap.MaxRecvWR < c.RecvWR {
		t.Errorf("made as %+v, room %+v", init, info.Cap)
	}
	to := memoryOf(far)
	to.RKey++
	if wc := write(t, near, to, slack); wc.Status != verbs.WCStatusRemAccessErr {
		t.Errorf("a wrong rkey: %v", wc.Status)
	}
	for i, e := range []*link.End{near, far} {
		until(t, w.names[i]+": the queue pair is in ERR", slack, func() bool {
			info, _, err := e.QP.Query(verbs.QPFieldState)
			if err != nil {
				t.Fatal(err)
			}
			return info.State == verbs.QPStateErr
		})
	}
}

// TestQueryQPStates follows a queue pair through its states.
func TestQueryQPStates(t *testing.T) {
	w := openWire(t)
	c := link.Default()
	e := must(c.NewReset(must(link.First(w.devs[0]))(t)))(t)
	peer := must(c.NewEnd(must(link.First(w.devs[1]))(t)))(t)
	way, mtu := e.Way(peer)
	for _, step := range []struct {
		attr *verbs.QPAttr
		want verbs.QPState
	}{
		{nil, verbs.QPStateReset},
		{c.Init(1), verbs.QPStateInit},
		{c.RTR(way, mtu, peer.QP.Num()), verbs.QPStateRTR},
		{c.RTS(), verbs.QPStateRTS},
		{verbs.NewQPAttr(verbs.QPStateErr), verbs.QPStateErr},
		{verbs.NewQPAttr(verbs.QPStateReset), verbs.QPStateReset},
	} {
		if step.attr != nil {
			if err := e.QP.Modify(step.attr); err != nil {
				t.Fatalf("to %v: %v", step.want, err)
			}
		}
		if info, _, err := e.QP.Query(verbs.QPFieldState); err != nil || info.State != step.want {
			t.Errorf("%v, %v; want %v", info, err, step.want)
		}
	}
}
