//go:build linux && cgo

package verbs_test

import (
	"fmt"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// An extended reliable connection: one receiving queue pair for all shared receive queues of an XRC domain, of which each request
// names one. Both ends are on one device here.
func ExampleDevice_CreateSRQEx() {
	dev, done := open()
	defer done()
	domain, err := dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT))
	check(err)
	pd, err := dev.AllocPD()
	check(err)
	received, err := dev.CreateCQ(16, nil, 0)
	check(err)
	srq, err := dev.CreateSRQEx(verbs.NewSRQInitAttrEx(pd, 16, 1).Type(verbs.SRQTypeXRC).XRCD(domain).CQ(received))
	check(err)
	num, err := srq.Num() // the sender has to know it
	check(err)
	receiver, err := dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(domain))
	check(err)

	sent, err := dev.CreateCQ(16, nil, 0)
	check(err)
	sender, err := dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCSend, sent, nil, pd).MaxSendWR(16).MaxSendSGE(1))
	check(err)
	gid, err := dev.QueryGID(1, 0)
	check(err)
	path := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 64}
	check(verbs.XRCRecvSetup{PortNum: 1, AV: path, PathMTU: verbs.MTU1024, DestQPNum: sender.Num(), MaxDestRDAtomic: 1,
		MinRNRTimer: 12, Timeout: 14}.ToRTS(receiver))
	check(verbs.XRCSendSetup{PortNum: 1, AV: path, PathMTU: verbs.MTU1024, DestQPNum: receiver.Num(), Timeout: 14, RetryCnt: 6,
		RNRRetry: 6, MaxRDAtomic: 1}.ToRTS(sender))

	text, room := []byte("to one of many queues"), make([]byte, 64)
	from, err := pd.RegMR(text, 0)
	check(err)
	into, err := pd.RegMR(room, verbs.MRAccessLocalWrite)
	check(err)
	receives, err := verbs.NewRecvBatch(1, 1)
	check(err)
	receives.WR(0).Recv(7).Add(into.UncheckedSGE(0, 64))
	_, err = srq.PostRecv(receives, 1)
	check(err)
	sends, err := verbs.NewSendBatch(1, 1)
	check(err)
	sends.WR(0).Send(1).ToSRQ(num).Add(from.UncheckedSGE(0, uint32(len(text))))
	_, err = sender.PostSend(sends, 1)
	check(err)

	wcs := make([]verbs.WC, 1)
	for n := 0; n == 0; time.Sleep(time.Millisecond) {
		n, err = received.PollInto(wcs)
		check(err)
	}
	wc := wcs[0]
	fmt.Println(wc.ID, wc.Status, wc.QPNum == receiver.Num())
	fmt.Println(string(room[:wc.ByteLen]))
	// Output:
	// 7 SUCCESS true
	// to one of many queues
}

// A second handle of a queue pair that is in an XRC domain. The queue pair lives until the last handle is closed.
func ExampleDevice_OpenQP() {
	dev, done := open()
	defer done()
	domain, err := dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT))
	check(err)
	first, err := dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(domain))
	check(err)
	second, err := dev.OpenQP(verbs.NewQPOpenAttr(domain, first.Num(), verbs.QPTypeXRCRecv))
	check(err)
	check(first.Close())
	attr, _, err := second.Query()
	fmt.Println(attr.State, err)
	// Output: RESET <nil>
}
