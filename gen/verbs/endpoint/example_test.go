//go:build linux && cgo

package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Three goroutines send over one queue pair, and each waits for its own request. Between machines, endpoint.New and Connect with a TCP
// connection take the place of Pair.
func Example() {
	lib, err := verbs.LoadFrom(softverbs.New())
	must(err)
	dev, err := lib.OpenDevice("soft0")
	must(err)
	came := make(chan string, 3)
	receiver := endpoint.Config{Recvs: 3, RecvSize: 64, Handle: func(e *endpoint.Endpoint, wc verbs.WC) {
		if wc.Err() == nil { // otherwise the connection has ended
			came <- string(e.Recv(int(wc.ID))[:wc.ByteLen])
			must(e.Repost(int(wc.ID)))
		}
	}}
	ctx := context.Background()
	a, b, err := endpoint.Pair(ctx, dev, endpoint.Config{Sends: 2, SendSize: 64}, receiver, connect.Options{})
	must(err)

	var senders sync.WaitGroup
	for i := range 3 {
		senders.Go(func() {
			s, err := a.Slot(ctx) // waits for one of the two
			must(err)
			defer s.Free()
			s.Send(copy(s.Bytes(), fmt.Sprintf("message %d", i)))
			_, err = s.Do(ctx)
			must(err)
		})
	}
	senders.Wait()
	for range 3 {
		fmt.Println(<-came)
	}
	must(errors.Join(a.Close(), b.Close(), dev.Close()))
	// Unordered output:
	// message 0
	// message 1
	// message 2
}

// A program asks from time to time whether its peer's card answers, by a WRITE of nothing. It notices a machine without power and a cut
// cable, which do not close the stream. The peer must allow WRITEs. With a RetryCnt of 7 the WRITE would never fail on soft-RoCE, or on the
// default software device: they retry for ever then.
func Example_alive() {
	lib, err := verbs.LoadFrom(softverbs.New())
	must(err)
	dev, err := lib.OpenDevice("soft0")
	must(err)
	ctx := context.Background()
	setup := connect.DefaultSetup()
	setup.Timeout, setup.RetryCnt = 8, 6 // about 7 times a millisecond; 14 is about 7 times 67 ms
	a, b, err := endpoint.Pair(ctx, dev, endpoint.Config{}, endpoint.Config{Access: verbs.MRAccessRemoteWrite},
		connect.Options{Setup: &setup})
	must(err)
	asked := make(chan bool)
	go func() {
		defer close(asked)
		ticker := time.NewTicker(10 * time.Millisecond) // seconds, in a program
		defer ticker.Stop()
		for range ticker.C {
			s, err := a.Slot(ctx)
			if err == nil {
				s.Write(0, 0, 0)
				_, err = s.Do(ctx)
				s.Free()
			}
			if err != nil {
				return // and the endpoint has ended: everybody who waits for it learns why
			}
			select {
			case asked <- true:
			default:
			}
		}
	}()
	fmt.Println("the peer lives:", <-asked)
	must(b.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr))) // as if its machine had lost power
	<-a.Done()
	fmt.Println("the connection was reset:", errors.Is(a.Err(), syscall.ECONNRESET))
	for range asked { // until the goroutine has returned
	}
	must(errors.Join(a.Close(), b.Close(), dev.Close()))
	// Output:
	// the peer lives: true
	// the connection was reset: true
}

// A READ whose completion calls a function. The slot is freed when that returns.
func ExampleSlot_PostFunc() {
	lib, err := verbs.LoadFrom(softverbs.New())
	must(err)
	dev, err := lib.OpenDevice("soft0")
	must(err)
	ctx := context.Background()
	a, b, err := endpoint.Pair(ctx, dev, endpoint.Config{SendSize: 64},
		endpoint.Config{SendSize: 64, Access: verbs.MRAccessRemoteRead}, connect.Options{})
	must(err)
	copy(b.Mem, "memory of the peer")

	read := make(chan string)
	s, err := a.Slot(ctx)
	must(err)
	s.Read(18, b.MR.IOVA(), b.MR.RKey())
	must(s.PostFunc(func(s endpoint.Slot, wc verbs.WC) {
		must(wc.Err())
		read <- string(s.Bytes()[:18])
	}))
	fmt.Println(<-read)
	must(errors.Join(a.Close(), b.Close(), dev.Close()))
	// Output:
	// memory of the peer
}
