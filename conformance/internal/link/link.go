//go:build linux && cgo

// Package link makes connected queue pairs for tests.
//
// It owns the states that a reliable connection goes through, and the waiting for its completions. It knows nothing of
// what the tests send.
package link

import (
	"errors"
	"fmt"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/dpath"
)

// Size is the length of a side's memory in bytes.
const Size = 4096

// access is what a side lets its peer do.
const access = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead | verbs.MRAccessRemoteAtomic

// End is one side of a connection. It is closed with its device.
type End struct {
	PD  *verbs.PD
	Ch  *verbs.CompChannel
	CQ  *verbs.CQ
	QP  *verbs.QP
	Buf []byte // registered as MR
	MR  *verbs.MR
}

// NewEnd makes a side in state INIT.
func NewEnd(dev *verbs.Device) (e *End, err error) {
	e = &End{Buf: make([]byte, Size)}
	if e.PD, err = dev.AllocPD(); err != nil {
		return nil, err
	}
	if e.Ch, err = dev.CreateCompChannel(); err != nil {
		return nil, err
	}
	if e.CQ, err = dev.CreateCQ(64, e.Ch, 0); err != nil {
		return nil, err
	}
	if e.QP, err = e.PD.CreateQP(verbs.NewQPInitAttr(verbs.QPTypeRC, e.CQ, e.CQ).MaxSendWR(16).MaxRecvWR(16).MaxSendSGE(1).MaxRecvSGE(1)); err != nil {
		return nil, err
	}
	if e.MR, err = e.PD.RegMR(e.Buf, access); err != nil {
		return nil, err
	}
	may := verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead | verbs.QPAccessRemoteAtomic
	return e, e.QP.Modify(verbs.NewQPAttr(verbs.QPStateInit).PKeyIndex(0).PortNum(1).AccessFlags(may))
}

// Patience is how long a side waits for the acknowledgement of its peer, and how often it then tries again.
type Patience struct {
	Timeout uint8 // 4.096 us, doubled so many times
	Retries uint8 // of 7, some devices never come to an end
}

// Usual is patience for a peer that is there.
var Usual = Patience{Timeout: 14, Retries: 6}

// Limit is the time after which a request is given up for sure: a device may wait up to four times as long as it was told.
func (p Patience) Limit() time.Duration {
	return 4 * (time.Duration(p.Retries) + 1) * (4096 * time.Nanosecond << p.Timeout)
}

// Connect brings a side to RTS, towards a queue pair behind a GID. Both use entry index of their GID tables.
func (e *End) Connect(gid verbs.GID, index uint8, qpn uint32) error {
	return e.ConnectWith(gid, index, qpn, Usual)
}

// ConnectWith does what Connect does, with other patience.
func (e *End) ConnectWith(gid verbs.GID, index uint8, qpn uint32, p Patience) error {
	way := verbs.NewAHAttr(1).IsGlobal(true).DGID(gid).SGIDIndex(index).HopLimit(64)
	rtr := verbs.NewQPAttr(verbs.QPStateRTR).PathMTU(verbs.MTU1024).DestQPNum(qpn).RQPSN(0).MaxDestRDAtomic(1).MinRNRTimer(12).AV(way)
	if err := e.QP.Modify(rtr); err != nil {
		return err
	}
	return e.QP.Modify(verbs.NewQPAttr(verbs.QPStateRTS).Timeout(p.Timeout).RetryCnt(p.Retries).RNRRetry(6).SQPSN(0).MaxRDAtomic(1))
}

// Pair gives two connected sides, which may be on one device.
func Pair(first, second *verbs.Device) (a, b *End, err error) { return PairWith(first, second, Usual) }

// PairWith does what Pair does, with other patience.
func PairWith(first, second *verbs.Device, p Patience) (a, b *End, err error) {
	gids := [2]verbs.GID{}
	for i, dev := range []*verbs.Device{first, second} {
		if gids[i], err = dev.QueryGID(1, 0); err != nil {
			return nil, nil, err
		}
	}
	if a, err = NewEnd(first); err != nil {
		return nil, nil, err
	}
	if b, err = NewEnd(second); err != nil {
		return nil, nil, err
	}
	return a, b, errors.Join(a.ConnectWith(gids[1], 0, b.QP.Num(), p), b.ConnectWith(gids[0], 0, a.QP.Num(), p))
}

// Wait polls one completion, for ten seconds at the most.
func (e *End) Wait() (dpath.WC, error) { return e.WaitFor(10 * time.Second) }

// WaitFor polls one completion, for some time at the most.
func (e *End) WaitFor(limit time.Duration) (dpath.WC, error) {
	var wcs [1]dpath.WC
	for end := time.Now().Add(limit); time.Now().Before(end); {
		n, err := e.CQ.PollSpin(wcs[:], 1000)
		if n == 1 || err != nil {
			return wcs[0], err
		}
	}
	return dpath.WC{}, fmt.Errorf("no completion in %v", limit)
}

// Send posts the first n requests of a batch, each signaled, and waits for their completions: the first that is no
// success is an error.
func (e *End) Send(b *dpath.SendBatch, n int) error {
	if posted, err := e.QP.PostSend(b, n); err != nil {
		return fmt.Errorf("request %d: %w", posted, err)
	}
	for range n {
		wc, err := e.Wait()
		if err != nil {
			return err
		}
		if wc.Status != 0 {
			return fmt.Errorf("request with id %d completed with status %d", wc.ID, wc.Status)
		}
	}
	return nil
}
