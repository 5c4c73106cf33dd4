//go:build linux

package conformance

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestDraining stops a queue pair while a request is under way, which waits for a receive: until it has ended the queue
// pair can only be given up.
func TestDraining(t *testing.T) {
	dev := open(t).dev
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(4, nil, 0))(t)
	qp := must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1}))(t)
	itself := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(dev.QueryGID(1, 0))(t)}
	if err := (verbs.RCSetup{PortNum: 1, AV: itself, PathMTU: verbs.MTU1024, DestQPNum: qp.Num(), RNRRetry: 7}).ToRTS(qp); err != nil {
		t.Fatal(err)
	}
	batch := must(verbs.NewSendBatch(1, 1))(t)
	batch.WR(0).Send(1).Flags(verbs.SendSignaled)
	if _, err := qp.PostSend(batch, 1); err != nil {
		t.Fatal(err)
	}
	var err error
	for range 1000 { // a request that has not begun does not stop it
		if err := qp.Modify(verbs.NewQPAttr(verbs.QPStateSQD)); err != nil {
			t.Fatal(err)
		}
		if err = qp.Modify(verbs.NewQPAttr(verbs.QPStateRTS)); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !errors.Is(err, syscall.EINVAL) {
		t.Errorf("RTS while a request is under way: %v", err)
	}
	if err := qp.Modify(verbs.NewQPAttr(verbs.QPStateErr)); err != nil {
		t.Errorf("ERR while a request is under way: %v", err)
	}
}
