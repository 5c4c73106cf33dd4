// Command atomics lets two clients change the same eight bytes of a peer's memory. FETCH_ADD counts, and each client gets
// another number; COMPARE_SWAP takes a lock, and only one client gets it. Nothing runs on the peer for this: its device
// does the work. All ends are on one device here.
//
//	atomics                  on a device made of software
//	atomics -device mlx5_0   on a real one
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func main() {
	device := flag.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	flag.Parse()
	if err := run(os.Stdout, *device); err != nil {
		fmt.Fprintln(os.Stderr, "atomics:", err)
		os.Exit(1)
	}
}

// run opens the device, a software device if the name is empty, and closes it at the end with all that was made from it.
func run(w io.Writer, device string, opts ...softverbs.Option) (err error) {
	var lib *verbs.Lib
	if device == "" {
		device = "soft0"
		soft := softverbs.New(append(opts, softverbs.Name(device))...)
		defer soft.Close()
		lib, err = verbs.LoadFrom(soft)
	} else {
		lib, err = verbs.Load()
	}
	if err != nil {
		return err
	}
	shared, err := mem.New(16)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shared.Close()) }()
	dev, err := lib.OpenDevice(device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	attr, err := dev.QueryDevice()
	if err != nil {
		return err
	}
	if attr.AtomicCap == verbs.AtomicCapNone {
		return fmt.Errorf("%s has no atomic operations", device)
	}
	fmt.Fprintf(w, "%s has atomics: %v\n", device, attr.AtomicCap)
	return share(w, dev, shared)
}

// Places in the shared memory. Each has eight bytes, and its address is a multiple of eight.
const (
	counter = 0
	lock    = 8
)

// share has two clients count together and compete for a lock.
func share(w io.Writer, dev *verbs.Device, shared *mem.Buffer) error {
	count, err := shared.Uint64(counter)
	if err != nil {
		return err
	}
	var clients [2]*client
	for i := range clients {
		if clients[i], err = newClient(dev, shared); err != nil {
			return err
		}
	}
	for i, c := range clients {
		old, err := c.fetchAdd(counter, 1)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "client %d added 1 to %d\n", i, old)
	}
	errs := make(chan error)
	for _, c := range clients {
		go func() { errs <- c.count(99) }()
	}
	if err := errors.Join(<-errs, <-errs); err != nil {
		return err
	}
	fmt.Fprintf(w, "both counted on to 100 at the same time: the counter is %d\n", count.Load())
	for i, c := range clients {
		old, err := c.compareSwap(lock, 0, uint64(1000+i))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "client %d wants the lock: it was %d, got it: %t\n", i, old, old == 0)
	}
	return nil
}

// client is a connection to the server, with what it knows of the shared memory.
type client struct {
	*verbstest.End // queue pair and memory for the old value
	sends          *verbs.SendBatch
	addr           uint64 // of the shared memory
	rkey           uint32
}

// newClient connects a client to a server that shares memory. The server registers it for each connection, since each has a
// protection domain of its own here.
func newClient(dev *verbs.Device, shared *mem.Buffer) (*client, error) {
	end, server, err := verbstest.Connect(dev, dev) // each end may send, and allows the other one atomics
	if err != nil {
		return nil, err
	}
	mr, err := server.PD.RegMRBuffer(shared, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteAtomic)
	if err != nil {
		return nil, err
	}
	sends, err := verbs.NewSendBatch(1, 1)
	return &client{End: end, sends: sends, addr: mr.IOVA(), rkey: mr.RKey()}, err
}

// fetchAdd adds to a number of the server and returns what it was before.
func (c *client) fetchAdd(offset, add uint64) (uint64, error) {
	return c.atomic(c.sends.WR(0).FetchAdd(0, c.addr+offset, c.rkey, add))
}

// count adds 1 n times.
func (c *client) count(n int) error {
	for range n {
		if _, err := c.fetchAdd(counter, 1); err != nil {
			return err
		}
	}
	return nil
}

// compareSwap sets a number of the server if it is still what the client expects, and returns what it was before.
func (c *client) compareSwap(offset, expected, value uint64) (uint64, error) {
	return c.atomic(c.sends.WR(0).CompareSwap(0, c.addr+offset, c.rkey, expected, value))
}

// atomic posts a request and returns the old value, which the device writes to the client's memory.
func (c *client) atomic(wr verbs.SendWR) (uint64, error) {
	old, err := c.MR.SGE(0, 8)
	if err != nil {
		return 0, err
	}
	wr.Add(old).Flags(verbs.SendSignaled)
	if _, err := c.QP.PostSend(c.sends, 1); err != nil {
		return 0, err
	}
	wcs, err := verbstest.Wait(c.SendCQ, 1)
	if err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint64(c.Mem), wcs[0].Err()
}
