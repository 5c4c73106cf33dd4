//go:build linux && cgo

package dispatch_test

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/dispatch"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Three goroutines write over one queue pair, and each waits for its own request.
func ExampleDispatcher() {
	lib, err := verbs.LoadFrom(softverbs.New())
	check(err)
	dev, err := lib.OpenDevice("soft0")
	check(err)
	defer dev.CloseAll()
	a, b, err := connect(dev) // the completion queue has a channel
	check(err)
	d, err := dispatch.New(nil, a.cq)
	check(err)
	defer d.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var writers sync.WaitGroup
	for i := range uint64(3) {
		writers.Go(func() {
			batch, err := verbs.NewSendBatch(1, 1)
			check(err)
			defer batch.Close()
			ticket, err := d.Ticket()
			check(err)
			defer ticket.Drop() // does nothing once it was waited for
			piece := a.mr.UncheckedSGE(8*i, 8)
			batch.WR(0).Write(ticket.ID(), b.mr.IOVA()+8*i, b.mr.RKey()).Add(piece).Flags(verbs.SendSignaled)
			_, err = a.qp.PostSend(batch, 1)
			check(err)
			wc, err := ticket.Wait(ctx)
			check(err)
			check(wc.Err())
			fmt.Println(wc.ID == ticket.ID(), wc.Status)
		})
	}
	writers.Wait()
	// Output:
	// true SUCCESS
	// true SUCCESS
	// true SUCCESS
}
