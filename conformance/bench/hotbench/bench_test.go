//go:build linux && cgo

package hotbench_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/bench/hotbench"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/ratio"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// sizes are the numbers of completions in one call.
var sizes = []int{1, 16, 64}

const usual = verbs.WCFieldByteLen | verbs.WCFieldQPNum

const all = usual | verbs.WCFieldImm | verbs.WCFieldSrcQP | verbs.WCFieldSLID | verbs.WCFieldSL | verbs.WCFieldDLIDPathBits |
	verbs.WCFieldCompletionTS

// open opens a device whose extended queues and streams do next to nothing.
func open(tb testing.TB) *verbs.Device {
	tb.Helper()
	soft := softverbs.New(append(hotbench.Options(), softverbs.Name("soft0"))...)
	tb.Cleanup(func() { soft.Close() })
	hotbench.Use(soft)
	lib, err := verbs.LoadFrom(hotbench.Device{Device: soft})
	if err != nil {
		tb.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := dev.CloseAll(); err != nil {
			tb.Errorf("closing: %v", err)
		}
	})
	return dev
}

// queue makes an extended queue.
func queue(tb testing.TB) (*verbs.CQ, hotbench.Queue) {
	tb.Helper()
	cq, err := open(tb).CreateCQEx(verbs.NewCQInitAttrEx(64, all))
	if err != nil {
		tb.Fatal(err)
	}
	return cq, hotbench.Newest()
}

// BenchmarkReader compares with C that reads the same fields. The number behind the name is that of completions in a call.
func BenchmarkReader(b *testing.B) {
	cq, c := queue(b)
	for _, row := range []struct {
		name   string
		c      hotbench.Fields
		fields verbs.WCField
	}{{"what all have", hotbench.Base, 0}, {"with length and queue pair", hotbench.Usual, usual},
		{"standard fields and time", hotbench.All, all}} {
		r, err := cq.Reader(row.fields)
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range sizes {
			ratio.Bench(b, fmt.Sprint(row.name, "/", n), n, func(times int) { c.Read(row.c, n, times) }, reading(b, r, n))
		}
	}
}

var sum uint64 // keeps what is looked at from being dropped

func reading(tb testing.TB, r *verbs.CQReader, n int) func(times int) {
	wcs := make([]verbs.WCEx, n)
	return func(times int) {
		ids := uint64(0)
		for range times {
			got, err := r.PollInto(wcs)
			if got != n || err != nil {
				tb.Fatal(got, err)
			}
			for i := range wcs[:got] {
				if wc := &wcs[i]; wc.Status == 0 {
					ids += wc.ID
				}
			}
		}
		sum += ids
	}
}

// TestReading asks that both read, and that ours allocates nothing, not how fast anything is.
func TestReading(t *testing.T) {
	cq, c := queue(t)
	r, err := cq.Reader(all)
	if err != nil {
		t.Fatal(err)
	}
	if c.Read(hotbench.All, 2, 1) == c.Read(hotbench.Usual, 2, 1) {
		t.Error("the loop in C reads nothing")
	}
	wcs := make([]verbs.WCEx, 3)
	if n, err := r.PollInto(wcs); n != 3 || err != nil || wcs[1].ID != wcs[0].ID+1 || wcs[2].ByteLen != 64 || wcs[2].QPNum != 17 ||
		wcs[2].CompletionTS != wcs[2].ID {
		t.Errorf("%d, %v, %+v", n, err, wcs)
	}
	allocs.None(t, "PollInto", func() { r.PollInto(wcs) })
}

// TestMissingFunctions makes no reader that would jump through NULL.
func TestMissingFunctions(t *testing.T) {
	cq, c := queue(t)
	c.Without()
	if _, err := cq.Reader(all); !errors.Is(err, syscall.EOPNOTSUPP) || !strings.Contains(err.Error(), "IMM") {
		t.Errorf("without a function for immediate data: %v", err)
	}
	if _, err := cq.Reader(usual); err != nil {
		t.Errorf("a reader that does not need it: %v", err)
	}
	c.Without()
	if _, err := cq.Reader(usual); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("without a function to go on: %v", err)
	}
}

// stream makes a stream of commands.
func stream(tb testing.TB) (*verbs.QPStream, hotbench.Pair) {
	tb.Helper()
	dev := open(tb)
	pd, err := dev.AllocPD()
	if err != nil {
		tb.Fatal(err)
	}
	cq, err := dev.CreateCQ(16, nil, 0)
	if err != nil {
		tb.Fatal(err)
	}
	qp, err := dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, cq, pd).MaxSendWR(64).MaxSendSGE(1).SendOps(verbs.QPOpRDMAWrite))
	if err != nil {
		tb.Fatal(err)
	}
	s, err := qp.Stream()
	if err != nil {
		tb.Fatal(err)
	}
	return s, hotbench.NewestPair()
}

// BenchmarkStream compares with C that posts the same requests. The number behind the name is that of requests in a post.
func BenchmarkStream(b *testing.B) {
	s, c := stream(b)
	for _, row := range []struct {
		name string
		ours func(testing.TB, *verbs.QPStream, int) func(int)
	}{{"built", built}, {"changed", changed}, {"advanced", advanced}, {"again", again}} {
		for _, n := range sizes {
			ratio.Bench(b, fmt.Sprint(row.name, "/", n), n, func(times int) { c.Stream(n, times) }, row.ours(b, s, n))
		}
	}
}

func batchOf(tb testing.TB, n int) *verbs.SendBatch {
	batch, err := verbs.NewSendBatch(n, 1)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range n {
		batch.WR(i).Write(uint64(i), 0x20000+uint64(i), 9).SGE(0x10000, 64, 7).Flags(verbs.SendSignaled)
	}
	return batch
}

func post(tb testing.TB, s *verbs.QPStream, batch *verbs.SendBatch) {
	if _, err := s.Post(batch, batch.Len()); err != nil {
		tb.Fatal(err)
	}
}

// TestInlined asks the compiler whether it inlines what builds requests, in a program that imports gen/verbs and not package dpath, as this
// one does: a call for each costs more than the whole request.
func TestInlined(t *testing.T) {
	said, err := exec.Command("go", "test", "-c", "-gcflags=-m", "-o", filepath.Join(t.TempDir(), "x"), ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, method := range []string{"(*SendBatch).All", "(*SendBatch).WR", "SendWR.Write", "SendWR.SGE", "SendWR.Flags", "SendWR.SetID",
		"SendWR.SetRemote", "SendWR.SetAddr"} {
		if !strings.Contains(string(said), "inlining call to dpath."+method+"\n") {
			t.Errorf("%s is not inlined", method)
		}
	}
}

// job is what a program knows of a request before it posts it, as in the loop in C.
type job struct {
	id, remote, addr   uint64
	rkey, lkey, length uint32
	flags              verbs.SendFlags
}

func jobs(n int) []job {
	all := make([]job, n)
	for i := range all {
		all[i] = job{uint64(i), 0x20000 + uint64(i), 0x10000 + uint64(i), 9, 7, 64, verbs.SendSignaled}
	}
	return all
}

// built builds every request anew.
func built(tb testing.TB, s *verbs.QPStream, n int) func(times int) {
	batch, jobs := batchOf(tb, n), jobs(n)
	return func(times int) {
		for range times {
			for i, w := range batch.All() {
				j := &jobs[i]
				w.Write(j.id, j.remote, j.rkey).SGE(j.addr, j.length, j.lkey).Flags(j.flags)
			}
			post(tb, s, batch)
		}
	}
}

// changed changes what varies.
func changed(tb testing.TB, s *verbs.QPStream, n int) func(times int) {
	batch, jobs := batchOf(tb, n), jobs(n)
	return func(times int) {
		for range times {
			for i, w := range batch.All() {
				j := &jobs[i]
				w.SetID(j.id)
				w.SetRemote(j.remote)
				w.SetAddr(0, j.addr)
			}
			post(tb, s, batch)
		}
	}
}

// advanced changes what varies by constants, as a program with a ring of buffers does.
func advanced(tb testing.TB, s *verbs.QPStream, n int) func(times int) {
	batch := batchOf(tb, n)
	return func(times int) {
		for range times {
			batch.From(0, n).Advance(verbs.Stride{ID: int64(n), Addr: 64, Remote: 64})
			post(tb, s, batch)
		}
	}
}

// again posts the same requests.
func again(tb testing.TB, s *verbs.QPStream, n int) func(times int) {
	batch := batchOf(tb, n)
	return func(times int) {
		for range times {
			post(tb, s, batch)
		}
	}
}

// TestStreaming asks that both post, and that ours allocates nothing, not how fast anything is.
func TestStreaming(t *testing.T) {
	s, c := stream(t)
	before := hotbench.Written()
	c.Stream(2, 1)
	if got := hotbench.Written() - before; got != 0x20001 {
		t.Errorf("the loop in C wrote to %#x", got)
	}
	batch := batchOf(t, 3)
	before = hotbench.Written()
	post(t, s, batch)
	if got := hotbench.Written() - before; got != 0x20002 {
		t.Errorf("the stream wrote to %#x", got)
	}
	allocs.None(t, "Post", func() { post(t, s, batch) })
}
