//go:build linux && cgo

package verbs_test

import (
	"fmt"
	"log"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// Datagrams go to an address handle that each request names. Here a queue pair sends to itself. Their inline data needs no memory region.
func ExampleQPStream_Post_datagrams() {
	lib, err := verbs.LoadFrom(softverbs.New(softverbs.Name("soft0")))
	if err != nil {
		log.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.CloseAll()
	pd, err := dev.AllocPD()
	if err != nil {
		log.Fatal(err)
	}
	cq, err := dev.CreateCQ(16, nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	const qkey = 0x11111111
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeUD, cq, cq, pd).MaxSendWR(4).MaxSendSGE(1).MaxRecvWR(1).MaxRecvSGE(1).MaxInlineData(64)
	qp, err := dev.CreateQPEx(attr.SendOps(verbs.QPOpSend))
	if err != nil {
		log.Fatal(err)
	}
	if err := (verbs.UDSetup{PortNum: 1, QKey: qkey}).ToRTS(qp); err != nil {
		log.Fatal(err)
	}
	gid, err := dev.QueryGID(1, 0)
	if err != nil {
		log.Fatal(err)
	}
	ah, err := pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 1})
	if err != nil {
		log.Fatal(err)
	}
	stream, err := qp.Stream()
	if err != nil {
		log.Fatal(err)
	}
	batch, err := verbs.NewSendBatch(2, 1, verbs.InlineRoom(16))
	if err != nil {
		log.Fatal(err)
	}
	for i := range 2 {
		w := batch.WR(i).Send(uint64(i)).InlineData([]byte("hello")).Flags(verbs.SendSignaled)
		if err := ah.Address(w, qp.Num(), qkey); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(stream.Post(batch, 2))
	fmt.Println(ah.Close())
	_, err = stream.Post(batch, 1) // a request keeps the handle that it names, and says that it is closed
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// <nil>
	// ibv_wr_start: request 0: the AH of the request is closed; give it one that is open, by AH.Address; nothing was posted
}
