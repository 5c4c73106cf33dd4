//go:build linux && cgo && amd64 && !race && !asan

package hotguard_test

import (
	"testing"

	"github.com/verbsgen/verbsgen/conformance/bench/hotbench"
	"github.com/verbsgen/verbsgen/conformance/bench/hotguard"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// call is one call of the hot path, made with what is open for as long as the test.
type call struct {
	name  string
	times int // that are counted at once
	open  func(t *testing.T, provider string) func(times int) error
}

// calls are those whose instructions are counted. Each is a row of testdata/counts.txt.
var calls = []call{
	{"post 1, built", 8000, func(t *testing.T, _ string) func(int) error { return posting(t, 1, build) }},
	{"post 64, built", 2000, func(t *testing.T, _ string) func(int) error { return posting(t, 64, build) }},
	{"post 64, built by WR", 2000, func(t *testing.T, _ string) func(int) error { return posting(t, 64, buildByWR) }},
	{"post 64, changed", 2000, func(t *testing.T, _ string) func(int) error { return posting(t, 64, change) }},
	{"post 64, advanced", 2000, func(t *testing.T, _ string) func(int) error { return posting(t, 64, advance) }},
	{"receive 64, built", 2000, func(t *testing.T, _ string) func(int) error { return receiving(t, 64) }},
	{"poll 1", 8000, func(t *testing.T, _ string) func(int) error { return polling(t, 1) }},
	{"poll 64", 2000, func(t *testing.T, _ string) func(int) error { return polling(t, 64) }},
	{"reader 64", 2000, func(t *testing.T, _ string) func(int) error { return reading(t, 64) }},
	{"stream 1, built", 8000, func(t *testing.T, _ string) func(int) error { return streaming(t, 1, build) }},
	{"stream 1, again", 8000, func(t *testing.T, _ string) func(int) error { return streaming(t, 1, again) }},
	{"stream 64, built", 2000, func(t *testing.T, _ string) func(int) error { return streaming(t, 64, build) }},
	{"stream 64, changed", 2000, func(t *testing.T, _ string) func(int) error { return streaming(t, 64, change) }},
	{"stream 64, advanced", 2000, func(t *testing.T, _ string) func(int) error { return streaming(t, 64, advance) }},
	{"stream 64, again", 2000, func(t *testing.T, _ string) func(int) error { return streaming(t, 64, again) }},
	{"device memory, write 64", 40000, func(t *testing.T, provider string) func(int) error {
		dm, buf := memory(t, provider), make([]byte, 64)
		return repeat(func() error { _, err := dm.WriteAt(buf, 0); return err })
	}},
	{"device memory, read 64", 40000, func(t *testing.T, provider string) func(int) error {
		dm, buf := memory(t, provider), make([]byte, 64)
		return repeat(func() error { _, err := dm.ReadAt(buf, 0); return err })
	}},
}

func repeat(f func() error) func(int) error {
	return func(times int) error {
		for range times {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
}

// device opens a software device.
func device(t *testing.T, opts ...softverbs.Option) *verbs.Device {
	t.Helper()
	soft := softverbs.New(append(opts, softverbs.Name("soft0"))...)
	t.Cleanup(func() { soft.Close() })
	hotbench.Use(soft)
	lib, err := verbs.LoadFrom(hotbench.Device{Device: soft})
	if err != nil {
		t.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.CloseAll(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return dev
}

// pair makes a queue pair and its completion queue.
func pair(t *testing.T, dev *verbs.Device) (*verbs.QP, *verbs.CQ) {
	t.Helper()
	pd, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	cq, err := dev.CreateCQ(64, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	qp, err := dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, cq, pd).MaxSendWR(64).MaxSendSGE(1).MaxRecvWR(64).MaxRecvSGE(1).
		SendOps(verbs.QPOpRDMAWrite))
	if err != nil {
		t.Fatal(err)
	}
	return qp, cq
}

// idle makes a queue pair and its completion queue, on a provider that does next to nothing.
func idle(t *testing.T) (*verbs.QP, *verbs.CQ) {
	t.Helper()
	dev := device(t)
	qp, cq := pair(t, dev)
	hotguard.Idle(dev.CPtr())
	return qp, cq
}

// build writes a batch of WRITEs.
func build(batch *verbs.SendBatch) {
	for i, w := range batch.All() {
		w.Write(uint64(i), 0x20000+uint64(i), 9).SGE(0x10000, 64, 7).Flags(verbs.SendSignaled)
	}
}

// buildByWR takes each request by its number.
func buildByWR(batch *verbs.SendBatch) {
	for i := range batch.Len() {
		batch.WR(i).Write(uint64(i), 0x20000+uint64(i), 9).SGE(0x10000, 64, 7).Flags(verbs.SendSignaled)
	}
}

// change changes what varies of a batch that was built.
func change(batch *verbs.SendBatch) {
	for i, w := range batch.All() {
		w.SetID(uint64(i))
		w.SetRemote(0x20000 + uint64(i))
		w.SetAddr(0, 0x10000+uint64(i))
	}
}

// advance changes the same by constants.
func advance(batch *verbs.SendBatch) {
	batch.From(0, batch.Len()).Advance(verbs.Stride{ID: 64, Addr: 64, Remote: 64})
}

// again leaves a batch as it is.
func again(*verbs.SendBatch) {}

func posting(t *testing.T, n int, prepare func(*verbs.SendBatch)) func(int) error {
	qp, _ := idle(t)
	batch, err := verbs.NewSendBatch(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	build(batch)
	return repeat(func() error {
		prepare(batch)
		_, err := qp.PostSend(batch, n)
		return err
	})
}

func receiving(t *testing.T, n int) func(int) error {
	qp, _ := idle(t)
	batch, err := verbs.NewRecvBatch(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	return repeat(func() error {
		for i, w := range batch.All() {
			w.Recv(uint64(i)).SGE(0x10000, 64, 7)
		}
		_, err := qp.PostRecv(batch, n)
		return err
	})
}

func polling(t *testing.T, n int) func(int) error {
	_, cq := idle(t)
	wcs := make([]verbs.WC, n)
	return repeat(func() error { _, err := cq.PollInto(wcs); return err })
}

func reading(t *testing.T, n int) func(int) error {
	cq, err := device(t, hotbench.Options()...).CreateCQEx(verbs.NewCQInitAttrEx(64, verbs.WCFieldByteLen|verbs.WCFieldQPNum))
	if err != nil {
		t.Fatal(err)
	}
	r, err := cq.Reader(verbs.WCFieldByteLen | verbs.WCFieldQPNum)
	if err != nil {
		t.Fatal(err)
	}
	wcs := make([]verbs.WCEx, n)
	return repeat(func() error { _, err := r.PollInto(wcs); return err })
}

func streaming(t *testing.T, n int, prepare func(*verbs.SendBatch)) func(int) error {
	qp, _ := pair(t, device(t))
	s, err := qp.Stream()
	if err != nil {
		t.Fatal(err)
	}
	batch, err := verbs.NewSendBatch(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	build(batch)
	return repeat(func() error {
		prepare(batch)
		_, err := s.Post(batch, n)
		return err
	})
}

// memory allocates device memory of a provider that maps it.
func memory(t *testing.T, provider string) *verbs.DM {
	t.Helper()
	p, err := fakeprov.Load(provider)
	if err != nil {
		t.Fatal(err)
	}
	dm, err := device(t, softverbs.MaxDMSize(4096), softverbs.Override("alloc_dm", p.Op("alloc_dm")),
		softverbs.Override("free_dm", p.Op("free_dm"))).AllocDM(verbs.NewAllocDMAttr(4096))
	if err != nil {
		t.Fatal(err)
	}
	return dm
}
