//go:build linux && cgo

package verbs_test

import (
	"fmt"
	"log"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// A queue pair is asked for requests when it is made. A stream of commands posts a batch of them, all or none, in one call into C.
func ExampleQP_Stream() {
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
	qp, err := dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, cq,
		pd).MaxSendWR(4).MaxSendSGE(1).SendOps(verbs.QPOpSend | verbs.QPOpRDMAWrite))
	if err != nil {
		log.Fatal(err)
	}
	stream, err := qp.Stream()
	if err != nil {
		log.Fatal(err)
	}
	batch, err := verbs.NewSendBatch(2, 1)
	if err != nil {
		log.Fatal(err)
	}
	batch.WR(0).Write(1, 0x1000, 7).SGE(0x2000, 64, 9)
	batch.WR(1).SendImm(2, 42).SGE(0x2000, 64, 9).Flags(verbs.SendSignaled)
	posted, err := stream.Post(batch, 2)
	fmt.Println(posted, err)
	// Output:
	// 0 ibv_wr_start: request 1 is a SEND_WITH_IMM: this QP was not asked for SEND_WITH_IMM (0x8) when it was made; nothing was posted
}
