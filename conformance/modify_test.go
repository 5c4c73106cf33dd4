//go:build linux

package conformance

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestModifyExplains makes changes of state with attributes missing and in excess, and reads what the errors say.
func TestModifyExplains(t *testing.T) {
	dev := open(t).dev
	pd := must(dev.AllocPD())(t)
	cq := must(dev.CreateCQ(4, nil, 0))(t)
	for _, c := range []struct {
		kind    verbs.QPType
		attr    *verbs.QPAttr
		refused bool
		says    []string
	}{
		{verbs.QPTypeRC, verbs.NewQPAttr(verbs.QPStateInit).PortNum(1).PKeyIndex(0), false,
			[]string{"EINVAL", "attr_mask State|PKeyIndex|PortNum (0x31), RESET to INIT without AccessFlags (0x8): ",
				"[VR-ibv_modify_qp-attr_mask-0220]"}},
		{verbs.QPTypeRC, verbs.NewQPAttr(verbs.QPStateRTS).SQPSN(1), false, []string{"RESET to RTS, which is no transition"}},
		{verbs.QPTypeRC, verbs.NewQPAttr(verbs.QPStateInit).PortNum(1).PKeyIndex(0).AccessFlags(0).Timeout(4), false,
			[]string{"RESET to INIT with Timeout (0x200): "}},
		{verbs.QPTypeUD, verbs.NewQPAttr(verbs.QPStateInit).PortNum(1).PKeyIndex(0), false, []string{"RESET to INIT without QKey (0x40): "}},
		{verbs.QPTypeUC, verbs.NewQPAttr(verbs.QPStateInit).PortNum(1).SQPSN(1).AccessFlags(0), true,
			[]string{"RESET to INIT without PKeyIndex (0x10) and with SQPSN (0x10000): ", "[VR-ibv_modify_qp-attr_mask-0221]"}},
		{verbs.QPTypeUC, verbs.NewQPAttr(verbs.QPStateInit).PortNum(0).PKeyIndex(0).AccessFlags(0), true,
			[]string{"attr.port_num 0: port_num is at least 1, as ports are numbered from 1"}},
	} {
		qp := must(pd.CreateQP(verbs.QPInitAttr{
			Type: c.kind, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1,
		}))(t)
		err := qp.Modify(c.attr)
		var e *verr.Error
		if !errors.Is(err, syscall.EINVAL) || !errors.As(err, &e) || e.Refused != c.refused {
			t.Errorf("%v: %v, refused must be %t", c.kind, err, c.refused)
			continue
		}
		for _, text := range c.says {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%v: the error does not say %q: %v", c.kind, text, err)
			}
		}
	}
}

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
