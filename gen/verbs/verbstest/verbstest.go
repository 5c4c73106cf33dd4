// Package verbstest helps to test programs that use gen/verbs without an RDMA device:
//
//	soft, dev := verbstest.Open(t, softverbs.LikeMLX5())
//	a, b := verbstest.Pair(t, dev)
//
// Open and Device close the device when the test ends, and leaks and lints fail the test. A test that should also run on a real device
// opens it by Device.
//
// Package runtime/softverbs/verbstest does the same for other generated packages, without queue pairs.
package verbstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	soft "github.com/verbsgen/verbsgen/runtime/softverbs/verbstest"
)

// Open creates a software device and opens it. At the end of the test it closes both, unless the test did. Leaks and lints fail the test.
func Open(t testing.TB, opts ...softverbs.Option) (*softverbs.Device, *verbs.Device) {
	t.Helper()
	return soft.Open(t, verbs.LoadFrom, opts...)
}

// Device opens the device that the environment variable VERBS_DEVICE names, such as mlx5_0, with the machine's libibverbs. Without the
// variable it opens a software device with opts, like Open. At the end of the test it closes the device, unless the test did, and objects
// that are still open fail the test.
//
//	VERBS_DEVICE=mlx5_0 go test -count=1 ./...                  # on a card
//	VERBS_DEVICE=mlx5_0 rdmacard run -- go test -count=1 ./...  # on the real libmlx5 without a card
func Device(t testing.TB, opts ...softverbs.Option) *verbs.Device {
	t.Helper()
	name := os.Getenv("VERBS_DEVICE")
	if name == "" {
		_, dev := Open(t, opts...)
		return dev
	}
	lib, err := verbs.Load()
	if err != nil {
		t.Fatalf("VERBS_DEVICE is %s: %v", name, err)
	}
	dev, err := lib.OpenDevice(name)
	if err != nil {
		t.Fatalf("VERBS_DEVICE is %s: %v", name, err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("the device cannot be closed: %v", errors.Join(err, dev.CloseAll()))
		}
	})
	return dev
}

// AllowLints lets the test pass in spite of lints with these IDs.
func AllowLints(t testing.TB, ids ...string) { soft.AllowLints(t, ids...) }

// The sizes of an End.
const (
	Depth  = 16   // requests of each queue
	Inline = 64   // bytes of inline data
	Size   = 4096 // bytes of memory
)

// End is one end of a connection of two reliable queue pairs.
type End struct {
	PD             *verbs.PD // of QP and MR
	SendCQ, RecvCQ *verbs.CQ // of QP
	QP             *verbs.QP // connected to the other end
	Mem            []byte    // registered as MR, with all rights
	MR             *verbs.MR // of Mem

	own bool // PD is closed with it
}

// Pair connects two queue pairs of a device, ready to send. They are closed when the test ends.
func Pair(t testing.TB, dev *verbs.Device) (a, b *End) {
	t.Helper()
	a, b, err := Connect(dev, dev)
	return kept(t, a, b, err)
}

// PairOn connects two queue pairs in protection domains of the test, of one device or two, ready to send. At the end of the test it closes
// the queue pairs but not the domains, which must be open until then, or be closed by CloseAll.
func PairOn(t testing.TB, left, right *verbs.PD) (a, b *End) {
	t.Helper()
	a, b, err := ConnectOn(left, right)
	return kept(t, a, b, err)
}

// kept closes the two ends when the test ends.
func kept(t testing.TB, a, b *End, err error) (*End, *End) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(a.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	})
	return a, b
}

// Connect creates a queue pair on each device and connects the two. The devices may be the same. Close both ends. A request without an
// answer ends with RETRY_EXC_ERR after some milliseconds. Programs use endpoint.Pair instead.
func Connect(left, right *verbs.Device) (a, b *End, err error) {
	pds := [2]*verbs.PD{}
	for i, dev := range []*verbs.Device{left, right} {
		if pds[i], err = dev.AllocPD(); err != nil {
			return nil, nil, errors.Join(err, pds[0].Close())
		}
	}
	if a, b, err = ConnectOn(pds[0], pds[1]); err != nil {
		return nil, nil, errors.Join(err, pds[0].Close(), pds[1].Close())
	}
	a.own, b.own = true, true
	return a, b, nil
}

// ConnectOn is Connect with protection domains of the program. Close of an End leaves them open.
func ConnectOn(left, right *verbs.PD) (a, b *End, err error) {
	if a, err = newEnd(left); err != nil {
		return nil, nil, err
	}
	if b, err = newEnd(right); err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	setup := connect.DefaultSetup()
	setup.AccessFlags = verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead | verbs.QPAccessRemoteAtomic
	setup.PathMTU, setup.MinRNRTimer, setup.Timeout, setup.RetryCnt, setup.RNRRetry = verbs.MTU1024, 1, 8, 3, 3
	if err = connect.Pair(context.Background(), a.QP, b.QP, connect.Options{Setup: &setup}); err != nil {
		return nil, nil, errors.Join(err, a.Close(), b.Close())
	}
	return a, b, nil
}

func newEnd(pd *verbs.PD) (e *End, err error) {
	e = &End{PD: pd, Mem: make([]byte, Size)}
	dev := pd.Device()
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if e.SendCQ, err = dev.CreateCQ(2*Depth, nil, 0); err != nil {
		return e, err
	}
	if e.RecvCQ, err = dev.CreateCQ(2*Depth, nil, 0); err != nil {
		return e, err
	}
	const all = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead | verbs.MRAccessRemoteAtomic
	if e.MR, err = e.PD.RegMR(e.Mem, all); err != nil {
		return e, err
	}
	attr := verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: e.SendCQ, RecvCQ: e.RecvCQ, MaxSendWR: Depth, MaxRecvWR: Depth,
		MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: Inline,
	}
	e.QP, err = e.PD.CreateQP(attr)
	return e, err
}

// Wait polls a completion queue until it has n completions, and returns them in order. It gives up after ten seconds.
func Wait(cq *verbs.CQ, n int) ([]verbs.WC, error) {
	var wcs []verbs.WC
	room := make([]verbs.WC, min(max(n, 0), 1024)) // n may be any number
	for late := time.Now().Add(10 * time.Second); len(wcs) < n; runtime.Gosched() {
		got, err := cq.PollInto(room[:min(len(room), n-len(wcs))])
		if err != nil {
			return wcs, err
		}
		if wcs = append(wcs, room[:got]...); time.Now().After(late) {
			return wcs, fmt.Errorf("verbstest: %d completions came in ten seconds, not %d", len(wcs), n)
		}
	}
	return wcs, nil
}

// Close closes the end's objects that are still open.
func (e *End) Close() error {
	var errs []error
	end := func(err error) {
		if !errors.Is(err, os.ErrClosed) { // by the test
			errs = append(errs, err)
		}
	}
	if e.own {
		end(e.PD.CloseAll()) // with the queue pair and the region
	}
	if e.QP != nil {
		end(e.QP.CloseAll())
	}
	if e.MR != nil {
		end(e.MR.Close())
	}
	for _, cq := range []*verbs.CQ{e.SendCQ, e.RecvCQ} {
		if cq != nil {
			end(cq.Close())
		}
	}
	return errors.Join(errs...)
}
