//go:build linux && cgo

package softverbs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// connection is what each example works on: a software device and two connected queue pairs of it.
type connection struct {
	soft  *softverbs.Device
	dev   *verbs.Device
	a, b  *verbstest.End
	batch *dpath.SendBatch
}

func connect(opts ...softverbs.Option) *connection {
	soft := softverbs.New(opts...)
	lib, err := verbs.LoadFrom(soft)
	check(err)
	dev, err := lib.OpenDevice("soft0")
	check(err)
	a, b, err := verbstest.Connect(dev, dev)
	check(err)
	batch, err := dpath.NewSendBatch(1, 1)
	check(err)
	return &connection{soft, dev, a, b, batch}
}

// write posts an RDMA write of 8 bytes from one end to the other.
func (c *connection) write(from, to *verbstest.End, id uint64, flags verbs.SendFlags) error {
	c.batch.WR(0).Write(id, to.MR.IOVA(), to.MR.RKey()).Add(from.MR.UncheckedSGE(0, 8)).Flags(flags)
	_, err := from.QP.PostSend(c.batch, 1)
	return err
}

func (c *connection) close() {
	check(c.batch.Close())
	check(c.a.Close())
	check(c.b.Close())
	check(c.dev.Close())
	check(c.soft.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A program that never asks for a completion runs well on soft-RoCE, and stops on a card.
func ExampleLikeMLX5() {
	c := connect(softverbs.LikeMLX5())
	defer c.close()
	posted := 0
	for c.write(c.a, c.b, 1, 0) == nil {
		posted++
	}
	fmt.Println("the queue is full:", errors.Is(c.write(c.a, c.b, 1, 0), syscall.ENOMEM), posted >= verbstest.Depth)
	// Output: the queue is full: true true
}

// The second request ends with an error of the other side, and the one behind it is flushed.
func ExampleFailRequest() {
	c := connect(softverbs.FailRequest(2, softverbs.StatusRemAccess))
	defer c.close()
	for id := range uint64(3) {
		check(c.write(c.a, c.b, id+1, verbs.SendSignaled))
	}
	wcs, err := verbstest.Wait(c.a.SendCQ, 3)
	check(err)
	for _, wc := range wcs {
		fmt.Println(wc.ID, wc.Status)
	}
	// Output:
	// 1 SUCCESS
	// 2 REM_ACCESS_ERR
	// 3 WR_FLUSH_ERR
}

// A program that counts completions, and not requests, waits here for ever.
func ExampleLoseCompletion() {
	c := connect(softverbs.LoseCompletion(1))
	defer c.close()
	check(c.write(c.a, c.b, 1, verbs.SendSignaled))
	check(c.write(c.a, c.b, 2, verbs.SendSignaled))
	wcs, err := verbstest.Wait(c.a.SendCQ, 1)
	check(err)
	fmt.Println("request", wcs[0].ID)
	// Output: request 2
}

// Completions come late, those of one queue pair in their order.
func ExampleDelayCompletions() {
	c := connect(softverbs.DelayCompletions(time.Millisecond, 3*time.Millisecond))
	defer c.close()
	check(c.write(c.a, c.b, 1, verbs.SendSignaled))
	check(c.write(c.a, c.b, 2, verbs.SendSignaled))
	wcs, err := verbstest.Wait(c.a.SendCQ, 2)
	check(err)
	fmt.Println(wcs[0].ID, wcs[1].ID)
	// Output: 1 2
}

// The completion of the first request comes after that of the second, which is on another queue pair.
func ExampleDevice_HoldCompletions() {
	c := connect()
	defer c.close()
	check(c.soft.HoldCompletions("soft0", c.a.QP.Num(), true))
	check(c.write(c.a, c.b, 1, verbs.SendSignaled))
	check(c.write(c.b, c.a, 2, verbs.SendSignaled))
	wcs, err := verbstest.Wait(c.b.SendCQ, 1)
	check(err)
	early, err := c.a.SendCQ.PollInto(make([]dpath.WC, 1))
	check(err)
	fmt.Println(wcs[0].ID, early)
	check(c.soft.HoldCompletions("soft0", c.a.QP.Num(), false))
	wcs, err = verbstest.Wait(c.a.SendCQ, 1)
	check(err)
	fmt.Println(wcs[0].ID)
	// Output:
	// 2 0
	// 1
}

// A cable is pulled out and put in again.
func ExampleDevice_SetPort() {
	c := connect()
	defer c.close()
	for _, up := range []bool{false, true} {
		check(c.soft.SetPort("soft0", 1, up))
		ev, err := c.dev.NextEvent(context.Background())
		check(err)
		fmt.Println(ev.Type, ev.Port)
		ev.Done()
	}
	// Output:
	// PORT_ERR 1
	// PORT_ACTIVE 1
}

// The card is gone. What was made on it can be closed, since this library is told to allow it.
func ExampleDevice_TakeAway() {
	c := connect(softverbs.DisassocDestroy())
	defer c.close()
	check(c.soft.TakeAway("soft0"))
	ev, err := c.dev.NextEvent(context.Background())
	check(err)
	fmt.Println(ev.Type)
	ev.Done()
	_, err = c.dev.QueryPort(1)
	fmt.Println(errors.Is(err, syscall.EIO), errors.Is(c.write(c.a, c.b, 1, verbs.SendSignaled), syscall.EIO))
	// Output:
	// DEVICE_FATAL
	// true true
}
