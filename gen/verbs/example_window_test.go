//go:build linux && cgo

package verbs_test

import (
	"fmt"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
)

// A peer may write to 64 bytes of a region, by a key that the owner takes back later. The peer here writes twice.
func ExampleMW_Bind() {
	dev, done := open()
	defer done()
	owner, peer, err := verbstest.Connect(dev, dev)
	check(err)
	mem := make([]byte, 4096)
	mr, err := owner.PD.RegMR(mem, verbs.MRAccessLocalWrite|verbs.MRAccessMWBind)
	check(err)
	mw, err := owner.PD.AllocMW(verbs.MWType2)
	check(err)
	batch, err := verbs.NewSendBatch(1, 1)
	check(err)
	post := func(qp *verbs.QP, cq *verbs.CQ) verbs.WCStatus {
		batch.WR(0).Flags(verbs.SendSignaled)
		_, err := qp.PostSend(batch, 1)
		check(err)
		var wcs [1]verbs.WC
		for n := 0; n == 0; {
			n, err = cq.PollInto(wcs[:])
			check(err)
		}
		return wcs[0].Status
	}
	check(mw.Bind(batch.WR(0), verbs.NextRKey(mw.RKey()), verbs.MWBindAttr{
		MR: mr, Addr: mr.IOVA() + 128, Length: 64, Access: verbs.MWAccessRemoteWrite,
	}))
	fmt.Println("bound:", post(owner.QP, owner.SendCQ))

	text := "through the window"
	copy(peer.Mem, text)
	batch.WR(0).Write(1, mr.IOVA()+128, mw.RKey()).SGE(uint64(peer.MR.Addr()), uint32(len(text)), peer.MR.LKey())
	fmt.Println("written:", post(peer.QP, peer.SendCQ), string(mem[128:128+len(text)]))

	batch.WR(0).LocalInv(2, mw.RKey())
	fmt.Println("invalidated:", post(owner.QP, owner.SendCQ))
	batch.WR(0).Write(3, mr.IOVA()+128, mw.RKey()).SGE(uint64(peer.MR.Addr()), uint32(len(text)), peer.MR.LKey())
	fmt.Println("written:", post(peer.QP, peer.SendCQ))
	check(batch.Close())
	// Output:
	// bound: SUCCESS
	// written: SUCCESS through the window
	// invalidated: SUCCESS
	// written: REM_ACCESS_ERR
}
