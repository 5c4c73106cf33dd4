//go:build linux

package conformance

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// BenchmarkScale reports what a queue pair costs among 5,000 to 10,000, in processor time, compared with one among fewer, and in memory of
// Go; and what the last of a million asynchronous events costs, compared with the first. Run it with -benchtime 1x.
func BenchmarkScale(b *testing.B) {
	bed := open(b)
	soft, dev := bed.soft, bed.dev
	once(b, "queue pairs", func(b *testing.B) {
		made, closed, bytes := growQPs(b, dev, 1000)
		b.ReportMetric(middle(made[len(made)/2:])/middle(made[:len(made)/2]), "create-x-few")
		b.ReportMetric(middle(closed[:len(closed)/2])/middle(closed[len(closed)/2:]), "close-x-few")
		b.ReportMetric(bytes, "Go-bytes")
	})
	once(b, "events", func(b *testing.B) {
		const few, all = 10_000, 1_000_000
		portEvents(b, soft, dev, few) // what the first event makes stays
		before := heap()
		first := portEvents(b, soft, dev, few)
		portEvents(b, soft, dev, all-3*few)
		b.ReportMetric(portEvents(b, soft, dev, few)/first, "event-x-first")
		b.ReportMetric(float64(heap()-before)/all, "Go-bytes")
	})
}

// once runs a benchmark that measures by itself, in rounds.
func once(b *testing.B, name string, do func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		if b.N > 1 {
			b.Skip("measured in rounds: run with -benchtime 1x")
		}
		do(b)
		b.ReportMetric(0, "ns/op")
	})
}

// portEvents has a port go down and up, takes the n events that this sends, and returns the processor time of one.
func portEvents(b *testing.B, soft *softverbs.Device, dev *verbs.Device, n int) float64 {
	return each(share(b, n, 1, func(i int) error {
		if err := soft.SetPort("soft0", 1, i%2 == 1); err != nil {
			return err
		}
		e, err := dev.NextEvent(b.Context())
		if err != nil {
			return err
		}
		e.Done()
		return nil
	}), n)
}

// growQPs makes ten times n queue pairs on one protection domain and closes them in the same order. The costs are of one among each n,
// the bytes of one among all. All are made in memory that the process did not have before: memory that it has is quicker.
func growQPs(b *testing.B, dev *verbs.Device, n int) (made, closed []float64, bytes float64) {
	pd, cq := must(dev.AllocPD())(b), must(dev.CreateCQ(16, nil, 0))(b)
	attr := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1}
	qps := make([]*verbs.QP, 10*n)
	parts := func(do func(i int) error) (costs []float64) {
		for part := 0; part < len(qps); part += n {
			costs = append(costs, each(share(b, n, 1, func(i int) error { return do(part + i) }), n))
		}
		return costs
	}
	before := heap()
	made = parts(func(i int) (err error) {
		qps[i], err = pd.CreateQP(attr)
		return err
	})
	bytes = float64(heap()-before) / float64(len(qps))
	closed = parts(func(i int) error { return qps[i].Close() })
	if err := pd.Close(); err != nil {
		b.Fatal(err)
	}
	if err := cq.Close(); err != nil {
		b.Fatal(err)
	}
	return made, closed, bytes
}

func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func each(d time.Duration, n int) float64 { return float64(d) / float64(n) }

// heap returns the bytes of Go's heap that are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
