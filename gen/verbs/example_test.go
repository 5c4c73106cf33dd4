//go:build linux && cgo

package verbs_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// connected returns two connected queue pairs of a device made of software.
func connected() (a, b *verbstest.End, end func()) {
	soft := softverbs.New()
	lib, err := verbs.LoadFrom(soft)
	check(err)
	dev, err := lib.OpenDevice("soft0")
	check(err)
	a, b, err = verbstest.Connect(dev, dev)
	check(err)
	return a, b, func() { check(errors.Join(a.Close(), b.Close(), dev.Close(), soft.Close())) }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Elements of work requests are pieces of a region, counted from its first byte: also in a zero-based region, in one with an
// iova, and in device memory. The peer counts from IOVA.
func ExampleMR_SGE() {
	a, b, end := connected()
	defer end()
	batch, err := verbs.NewSendBatch(1, 1)
	check(err)
	defer batch.Close()

	copy(a.Mem[100:], "written")
	piece, err := a.MR.SGE(100, 7)
	check(err)
	addr, rkey, err := b.MR.Remote()
	check(err)
	batch.WR(0).Write(1, addr+200, rkey).Add(piece).Flags(verbs.SendSignaled)
	_, err = a.QP.PostSend(batch, 1)
	check(err)
	wcs, err := verbstest.Wait(a.SendCQ, 1)
	check(err)
	fmt.Printf("%v %q\n", wcs[0].Status, b.Mem[200:207])

	_, err = a.MR.SGE(4090, 7)
	fmt.Println(err)
	// Output:
	// SUCCESS "written"
	// 7 bytes at offset 4090 lie beyond the end of the memory region, which has 4096
}

// A pin keeps Go memory in its place, and a region of it keeps the pin.
func ExamplePD_RegMRFrom() {
	a, _, end := connected()
	defer end()
	pin, err := mem.PinBytes(make([]byte, 1000))
	check(err)
	mr, err := a.PD.RegMRFrom(pin, verbs.MRAccessLocalWrite)
	check(err)
	pin.Unpin() // the memory stays pinned until the region is closed
	fmt.Println(mr.Length(), "bytes")
	check(mr.Close())
	_, err = mr.SGE(0, 10)
	fmt.Println(errors.Is(err, os.ErrClosed))
	// Output:
	// 1000 bytes
	// true
}

// Inline data is copied into the batch when the request is built, and sent from there: it needs no region, and the program may
// change it at once. InlineData sets the flag SendInline. The queue pair must allow as many bytes, see QPInitAttr.MaxInlineData.
func ExampleQP_PostSend_inline() {
	a, b, end := connected()
	defer end()
	batch, err := verbs.NewSendBatch(1, 1, verbs.InlineRoom(verbstest.Inline))
	check(err)
	defer batch.Close()

	head, text := []byte("head "), []byte("and text")
	batch.WR(0).Write(1, b.MR.IOVA(), b.MR.RKey()).InlineData(head, text).Flags(verbs.SendSignaled)
	clear(text)
	_, err = a.QP.PostSend(batch, 1)
	check(err)
	wcs, err := verbstest.Wait(a.SendCQ, 1)
	check(err)
	fmt.Printf("%v %q\n", wcs[0].Status, b.Mem[:13])
	// Output: SUCCESS "head and text"
}

// The form by address, for data that is not copied before the post: it need not be registered either, but it must not move.
func ExampleQP_PostSend_inlineByAddress() {
	a, b, end := connected()
	defer end()
	batch, err := verbs.NewSendBatch(1, 1)
	check(err)
	defer batch.Close()

	pin, err := mem.PinBytes([]byte("from its place"))
	check(err)
	batch.WR(0).Write(1, b.MR.IOVA(), b.MR.RKey()).SGE(uint64(pin.Addr()), uint32(pin.Len()), 0).Flags(verbs.SendSignaled | verbs.SendInline)
	_, err = a.QP.PostSend(batch, 1)
	pin.Unpin() // it was copied
	check(err)
	wcs, err := verbstest.Wait(a.SendCQ, 1)
	check(err)
	fmt.Printf("%v %q\n", wcs[0].Status, b.Mem[:14])
	// Output: SUCCESS "from its place"
}
