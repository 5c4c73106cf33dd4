package dispatch_test

import (
	"errors"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

const (
	depth = 128  // requests of each queue
	size  = 4096 // bytes of memory
)

// end is a queue pair whose requests complete on a queue with a channel.
type end struct {
	cq *verbs.CQ
	qp *verbs.QP
	mr *verbs.MR
}

// connect makes two connected queue pairs of a device, with a queue each.
func connect(dev *verbs.Device) (a, b end, err error) {
	pd, err := dev.AllocPD()
	if err != nil {
		return a, b, err
	}
	if a, err = newEnd(pd); err != nil {
		return a, b, err
	}
	if b, err = newEnd(pd); err != nil {
		return a, b, err
	}
	gid, err := dev.QueryGID(1, 0)
	if err != nil {
		return a, b, err
	}
	to := func(peer *verbs.QP) verbs.RCSetup {
		return verbs.RCSetup{
			PortNum: 1, AccessFlags: verbs.QPAccessRemoteWrite, AV: verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 1},
			PathMTU: verbs.MTU1024, DestQPNum: peer.Num(), MinRNRTimer: 1, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
		}
	}
	return a, b, errors.Join(to(b.qp).ToRTS(a.qp), to(a.qp).ToRTS(b.qp))
}

func newEnd(pd *verbs.PD) (e end, err error) {
	channel, err := pd.Device().CreateCompChannel()
	if err != nil {
		return e, err
	}
	if e.cq, err = pd.Device().CreateCQ(4*depth, channel, 0); err != nil {
		return e, err
	}
	if e.mr, err = pd.RegMR(make([]byte, size), verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite); err != nil {
		return e, err
	}
	e.qp, err = pd.CreateQP(verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: 1, MaxRecvSGE: 1,
	})
	return e, err
}
