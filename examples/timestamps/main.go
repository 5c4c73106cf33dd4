// Command timestamps shows when the device completed each request, by an extended completion queue (CQ). Such a queue is
// asked for the fields of its completions when it is made. Not every device has timestamps; without them the program says
// when it saw the completions, which is later. A queue pair writes blocks of growing size to its own memory here.
//
//	timestamps                  on a device made of software
//	timestamps -device mlx5_0   on a real one
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

const port = 1 // port of the device

// sizes are the bytes of each write. The first one is only there to measure from.
var sizes = []int{8, 64, 4 << 10, 64 << 10, 1 << 20}

func main() {
	device := flag.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	flag.Parse()
	if err := run(os.Stdout, *device); err != nil {
		fmt.Fprintln(os.Stderr, "timestamps:", err)
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
	dev, err := lib.OpenDevice(device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	cq, fields, err := newCQ(dev)
	if err != nil {
		return err
	}
	if fields == 0 {
		fmt.Fprintln(w, "the device has no timestamps; these are the times when the program saw a completion")
	} else {
		fmt.Fprintln(w, "the device gives", fields)
	}
	if err := post(dev, cq); err != nil {
		return err
	}
	return show(w, dev, cq, fields)
}

// newCQ makes a queue whose completions have all timestamps that the device can give, and returns which these are.
func newCQ(dev *verbs.Device) (*verbs.CQ, verbs.WCField, error) {
	var err error
	for _, fields := range []verbs.WCField{
		verbs.WCFieldWallclock | verbs.WCFieldCompletionTS, verbs.WCFieldWallclock, verbs.WCFieldCompletionTS, 0,
	} {
		var cq *verbs.CQ
		cq, err = dev.CreateCQEx(verbs.NewCQInitAttrEx(uint32(len(sizes)), fields))
		if err == nil {
			return cq, fields, nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			break
		}
	}
	return nil, 0, err
}

// post makes a queue pair that is connected to itself, and posts all writes at once.
func post(dev *verbs.Device, cq *verbs.CQ) error {
	pd, err := dev.AllocPD()
	if err != nil {
		return err
	}
	depth := uint32(len(sizes))
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: depth, MaxSendSGE: 1})
	if err != nil {
		return err
	}
	if err := connectToSelf(qp); err != nil {
		return err
	}
	largest := sizes[len(sizes)-1]
	mem := make([]byte, 2*largest) // the second half is copied to the first
	mr, err := pd.RegMR(mem, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite)
	if err != nil {
		return err
	}
	writes, err := verbs.NewSendBatch(len(sizes), 1)
	if err != nil {
		return err
	}
	for i, size := range sizes {
		from, err := mr.SGE(uint64(largest), uint64(size))
		if err != nil {
			return err
		}
		writes.WR(i).Write(uint64(i), mr.IOVA(), mr.RKey()).Add(from).Flags(verbs.SendSignaled)
	}
	_, err = qp.PostSend(writes, len(sizes))
	return err
}

// connectToSelf makes a queue pair ready to send, with itself as its peer.
func connectToSelf(qp *verbs.QP) error {
	attr, err := qp.Device().QueryPort(port)
	if err != nil {
		return err
	}
	gid, err := qp.Device().QueryGID(port, 0)
	if err != nil {
		return err
	}
	path := verbs.AHAttr{PortNum: port, DLID: attr.LID, IsGlobal: true, DGID: gid, HopLimit: 64}
	return verbs.RCSetup{
		PortNum: port, AV: path, PathMTU: verbs.MTU1024, DestQPNum: qp.Num(), AccessFlags: verbs.QPAccessRemoteWrite,
		MinRNRTimer: 12, Timeout: 14, RetryCnt: 6, RNRRetry: 6,
	}.ToRTS(qp)
}

// show prints for each completion how long it came after the one before.
func show(w io.Writer, dev *verbs.Device, cq *verbs.CQ, fields verbs.WCField) error {
	attr, err := dev.QueryDeviceEx()
	if err != nil {
		return err
	}
	reader, err := cq.Reader(fields)
	if err != nil {
		return err
	}
	var last verbs.WCEx
	var lastSeen time.Time
	for i, size := range sizes {
		wc, err := wait(reader)
		seen := time.Now()
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintf(w, "%7d bytes written: %v later", size, interval(fields, &last, &wc, lastSeen, seen))
			if fields&verbs.WCFieldCompletionTS != 0 {
				fmt.Fprintf(w, ", %d cycles of the device's clock", cycles(last.CompletionTS, wc.CompletionTS, attr.CompletionTimestampMask))
			}
			fmt.Fprintln(w)
		}
		last, lastSeen = wc, seen
	}
	if attr.HCACoreClock != 0 {
		fmt.Fprintf(w, "the device's clock has %d kHz\n", attr.HCACoreClock)
	}
	return nil
}

// interval is the time between two completions, by the device if its completions have a time of day.
func interval(fields verbs.WCField, from, to *verbs.WCEx, fromSeen, toSeen time.Time) time.Duration {
	if fields&verbs.WCFieldWallclock != 0 {
		return to.Wallclock().Sub(from.Wallclock())
	}
	return toSeen.Sub(fromSeen)
}

// cycles is the difference of two timestamps. Only the bits of the mask count, and they start again at 0 after the last value.
func cycles(from, to, mask uint64) uint64 {
	if mask == 0 { // the device does not say
		mask = ^uint64(0)
	}
	return (to - from) & mask
}

// wait polls until a request completes.
func wait(reader *verbs.CQReader) (verbs.WCEx, error) {
	var wcs [1]verbs.WCEx
	for late := time.Now().Add(10 * time.Second); time.Now().Before(late); {
		n, err := reader.PollSpin(wcs[:], 100)
		if err != nil {
			return wcs[0], err
		}
		if n > 0 {
			return wcs[0], wcs[0].Err()
		}
	}
	return wcs[0], errors.New("nothing completed in ten seconds")
}
