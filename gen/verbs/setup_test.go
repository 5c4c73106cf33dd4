//go:build linux && cgo

package verbs_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// need ends the test if there is an error.
func need(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSetups brings a queue pair of each type to RTS: the device takes each change, no rule has a word on it, and what the queue pair
// has then is what it was given.
func TestSetups(t *testing.T) {
	_, dev := verbstest.Open(t, softverbs.LikeMLX5(), softverbs.NetRaw()) // a lint fails the test
	pd, err := dev.AllocPD()
	need(t, err)
	cq, err := dev.CreateCQ(16, nil, 0)
	need(t, err)
	domain, err := dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT))
	need(t, err)
	gid, err := dev.QueryGID(1, 0)
	need(t, err)
	path := func() verbs.AHAttr { return verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 3} }
	const rights = verbs.QPAccessRemoteWrite
	rc := verbs.RCSetup{PortNum: 1, AccessFlags: rights, AV: path(), PathMTU: verbs.MTU512, DestQPNum: 21, RQPSN: 22, SQPSN: 23,
		MaxDestRDAtomic: 4, MaxRDAtomic: 2, MinRNRTimer: 5, Timeout: 6, RetryCnt: 3, RNRRetry: 2}
	uc := verbs.UCSetup{PortNum: 1, AccessFlags: rights, AV: path(), PathMTU: verbs.MTU512, DestQPNum: 21, RQPSN: 22, SQPSN: 23}
	send := verbs.XRCSendSetup{PortNum: 1, AccessFlags: rights, AV: path(), PathMTU: verbs.MTU512, DestQPNum: 21, RQPSN: 22,
		SQPSN: 23, MaxRDAtomic: 2, Timeout: 6, RetryCnt: 3, RNRRetry: 2}
	recv := verbs.XRCRecvSetup{PortNum: 1, AccessFlags: rights, AV: path(), PathMTU: verbs.MTU512, DestQPNum: 21, RQPSN: 22,
		SQPSN: 23, MaxDestRDAtomic: 4, MinRNRTimer: 5, Timeout: 6}
	connected := verbs.QPInfo{PathMTU: verbs.MTU512, DestQPNum: 21, RQPSN: 22, SQPSN: 23, AccessFlags: rights}
	requests, answers := connected, connected
	requests.MaxRDAtomic, requests.Timeout, requests.RetryCnt, requests.RNRRetry = 2, 6, 3, 2
	answers.MaxDestRDAtomic, answers.MinRNRTimer, answers.Timeout = 4, 5, 6
	both := requests
	both.MaxDestRDAtomic, both.MinRNRTimer = 4, 5
	for _, c := range []struct {
		attr *verbs.QPInitAttrEx
		to   func(*verbs.QP) error
		want verbs.QPInfo
	}{
		{verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, cq, pd), rc.ToRTS, both},
		{verbs.NewQPInitAttrEx(verbs.QPTypeUC, cq, cq, pd), uc.ToRTS, connected},
		{verbs.NewQPInitAttrEx(verbs.QPTypeUD, cq, cq, pd), verbs.UDSetup{PortNum: 1, QKey: 24, SQPSN: 23}.ToRTS,
			verbs.QPInfo{QKey: 24, SQPSN: 23}},
		{verbs.NewQPInitAttrEx(verbs.QPTypeRawPacket, cq, cq, pd), verbs.RawPacketSetup{PortNum: 1}.ToRTS, verbs.QPInfo{}},
		{verbs.NewQPInitAttrEx(verbs.QPTypeXRCSend, cq, nil, pd), send.ToRTS, requests},
		{verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(domain), recv.ToRTS, answers},
	} {
		qp, err := dev.CreateQPEx(c.attr)
		need(t, err)
		if err := c.to(qp); err != nil {
			t.Error(err)
			continue
		}
		info, init, err := qp.Query()
		need(t, err)
		if info.State != verbs.QPStateRTS || info.PortNum != 1 {
			t.Errorf("%v: state %v, port %d", init.Type, info.State, info.PortNum)
		}
		if c.want.PathMTU != 0 && info.AV.HopLimit != 3 {
			t.Errorf("%v: path %+v", init.Type, info.AV)
		}
		c.want.State, c.want.PortNum, c.want.AV, c.want.Cap, c.want.AltAV, c.want.PathMigState = info.State, info.PortNum, info.AV,
			info.Cap, info.AltAV, info.PathMigState
		if c.want.PathMTU == 0 {
			c.want.PathMTU = info.PathMTU // means nothing
		}
		if *info != c.want {
			t.Errorf("%v: %+v, want %+v", init.Type, *info, c.want)
		}
	}
	need(t, errors.Join(domain.CloseAll(), pd.CloseAll(), cq.Close()))
}

// TestSetupRefused leaves a queue pair in the state before the change that is refused.
func TestSetupRefused(t *testing.T) {
	_, dev := verbstest.Open(t)
	pd, err := dev.AllocPD()
	need(t, err)
	cq, err := dev.CreateCQ(1, nil, 0)
	need(t, err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq})
	need(t, err)
	if err := (verbs.RCSetup{PortNum: 1, PathMTU: verbs.MTU256}).ToRTS(qp); err == nil {
		t.Error("a queue pair without a path is set up")
	}
	if info, _, err := qp.Query(); err != nil || info.State != verbs.QPStateInit {
		t.Error(info, err)
	}
	need(t, errors.Join(pd.CloseAll(), cq.Close()))
}

// TestAlternatePath sets what only an alternate path and a change of capacity need. The device has neither, and the error names the
// setters.
func TestAlternatePath(t *testing.T) {
	lib, err := verbs.LoadFrom(softverbs.New())
	need(t, err)
	dev, err := lib.OpenDevice("soft0")
	need(t, err)
	a, b, err := verbstest.Connect(dev, dev)
	need(t, err)
	path := verbs.AHAttr{PortNum: 1, DLID: 5}
	for want, attr := range map[string]*verbs.QPAttr{
		"attr_mask PathMigState|AltAV/AltPKeyIndex/AltPortNum/AltTimeout (0x44000): ": new(verbs.QPAttr).AltAV(path).AltPortNum(1).
			AltPKeyIndex(0).AltTimeout(14).PathMigState(verbs.MigStateRearm),
		"leave QPAttr.MaxSendWR, QPAttr.MaxRecvWR, ": new(verbs.QPAttr).MaxSendWR(64).MaxRecvWR(64).
			MaxSendSGE(1).MaxRecvSGE(1).MaxInlineData(0),
	} {
		if err := a.QP.Modify(attr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	need(t, errors.Join(a.Close(), b.Close(), dev.Close()))
}

// TestCPtr gives the C object of an open handle alone.
func TestCPtr(t *testing.T) {
	_, dev := verbstest.Open(t)
	pd, err := dev.AllocPD()
	need(t, err)
	context := *(*unsafe.Pointer)(pd.CPtr()) // the first field of struct ibv_pd
	if context == nil || context != dev.CPtr() {
		t.Errorf("the domain is of the context %p, and the device has %p", context, dev.CPtr())
	}
	need(t, pd.Close())
	if p := pd.CPtr(); p != nil {
		t.Errorf("a closed domain has %p", p)
	}
	if p := (*verbs.PD)(nil).CPtr(); p != nil {
		t.Errorf("no domain has %p", p)
	}
}
