//go:build linux && cgo

package conformance

import (
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// destroyers are the verbs that end what creators make.
var destroyers = []string{"ibv_dealloc_pd", "ibv_dereg_mr", "ibv_destroy_cq", "ibv_destroy_qp", "ibv_destroy_srq", "ibv_destroy_ah",
	"ibv_dealloc_mw", "ibv_free_dm", "ibv_destroy_comp_channel", "ibv_close_device"}

// create makes objects of a device, of every kind that another can be made from, until it is refused.
func create(dev *verbs.Device, way verbs.AHAttr) error {
	for {
		pd, err := dev.AllocPD()
		if err != nil {
			return err
		}
		ch, err1 := dev.CreateCompChannel()
		cq, err2 := dev.CreateCQ(4, ch, 0)
		dm, err3 := dev.AllocDM(verbs.NewAllocDMAttr(4096))
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		srq, err1 := pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 1, MaxSGE: 1})
		_, err2 = pd.RegMR(make([]byte, 64), 0)
		_, err3 = pd.RegDMMR(dm, 0, 4096, verbs.DMAccessZeroBased)
		_, err4 := pd.AllocMW(verbs.MWType1)
		_, err5 := pd.CreateAH(way)
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			return err
		}
		qp, err1 := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, SRQ: srq, MaxSendWR: 1, MaxSendSGE: 1})
		if err1 != nil {
			return err1
		}
		if err := qp.Close(); err != nil && !errors.Is(err, os.ErrClosed) && !errors.Is(err, syscall.EBUSY) && !errors.Is(err, syscall.EIO) {
			return err
		}
	}
}

// TestNothingIsLost makes objects while everything is closed and the verbs that destroy fail now and then, also that of an object that
// is refused when it has just been made: nobody has its handle, and CloseAll ends it all the same.
func TestNothingIsLost(t *testing.T) {
	soft := softverbs.New(softverbs.Name("soft0"))
	defer soft.Close()
	lib := must(verbs.LoadFrom(soft))(t)
	for begin := time.Now(); time.Since(begin) < time.Second; {
		dev := must(lib.OpenDevice("soft0"))(t)
		way := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(dev.QueryGID(1, 0))(t), HopLimit: 64}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := create(dev, way); !errors.Is(err, os.ErrClosed) && !errors.Is(err, syscall.ENOMEM) && !errors.Is(err, syscall.EIO) {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		for _, verb := range destroyers {
			for range 3 {
				if err := soft.Fail(verb, 1+rand.Uint64N(8), syscall.EIO); err != nil {
					t.Fatal(err)
				}
			}
		}
		left := 100
		for err := dev.CloseAll(); err != nil; err = dev.CloseAll() {
			if left--; left == 0 {
				t.Fatal(err)
			}
			if !errors.Is(err, syscall.EIO) && !errors.Is(err, syscall.EBUSY) {
				t.Fatal(err)
			}
		}
		wg.Wait()
		if leaks := soft.Leaks(); len(leaks) > 0 {
			t.Fatalf("left behind: %q", leaks)
		}
	}
}
