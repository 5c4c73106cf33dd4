//go:build linux

package conformance

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/dpath"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// BenchmarkScale prints what a queue pair costs among few and among 10,000, in processor time and in memory of Go; and what a poll of one
// completion queue, and a new protection domain on one device, cost one goroutine and 64. Run it with -benchtime 1x.
func BenchmarkScale(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured once: run with -benchtime 1x")
	}
	soft := softverbs.New(softverbs.Name("soft0"))
	defer soft.Close()
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		b.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		b.Fatal(err)
	}
	defer dev.CloseAll()
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t, "queue pairs that are open\tcreate, ns\tclose, ns\tGo memory, bytes")
	for _, n := range []int{100, 1000, 10_000} {
		made, closed, bytes := growQPs(b, dev, n)
		fmt.Fprintf(t, "%d\t%.0f\t%.0f\t%.0f\n", n, made, closed, bytes)
	}
	fmt.Fprintln(t, "goroutines\tpoll of one CQ, ns\tnew PD on one device, ns")
	for _, goroutines := range []int{1, 64} {
		fmt.Fprintf(t, "%d\t%.0f\t%.0f\n", goroutines, pollTogether(b, dev, goroutines), domainsTogether(b, dev, goroutines))
	}
	b.ReportMetric(0, "ns/op")
}

// growQPs makes n queue pairs on one protection domain and closes them; the costs are of one. A few more were made before.
func growQPs(b *testing.B, dev *verbs.Device, n int) (made, closed, bytes float64) {
	pd, err := dev.AllocPD()
	if err != nil {
		b.Fatal(err)
	}
	cq, err := dev.CreateCQ(16, nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	attr := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1}
	qps := make([]*verbs.QP, n)
	create := func(i int) (err error) {
		qps[i], err = pd.CreateQP(attr)
		return err
	}
	end := func(i int) error { return qps[i].Close() }
	share(b, 100, 1, create)
	share(b, 100, 1, end)
	before := heap()
	spent := share(b, n, 1, create)
	grown := heap() - before
	ended := share(b, n, 1, end)
	if err := pd.Close(); err != nil {
		b.Fatal(err)
	}
	if err := cq.Close(); err != nil {
		b.Fatal(err)
	}
	return each(spent, n), each(ended, n), float64(grown) / float64(n)
}

func each(d time.Duration, n int) float64 { return float64(d) / float64(n) }

// heap returns the bytes of Go's heap that are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func pollTogether(b *testing.B, dev *verbs.Device, goroutines int) float64 {
	const polls = 1 << 18
	cq, err := dev.CreateCQ(16, nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer cq.Close()
	return each(share(b, polls, goroutines, func(int) error {
		var wcs [4]dpath.WC
		_, err := cq.PollInto(wcs[:])
		return err
	}), polls)
}

func domainsTogether(b *testing.B, dev *verbs.Device, goroutines int) float64 {
	const domains = 1 << 13
	return each(share(b, domains, goroutines, func(int) error {
		pd, err := dev.AllocPD()
		if err != nil {
			return err
		}
		return pd.Close()
	}), domains)
}
