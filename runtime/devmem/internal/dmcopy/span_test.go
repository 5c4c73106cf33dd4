//go:build linux

package dmcopy

import (
	"bytes"
	"math"
	"runtime/metrics"
	"testing"
)

// TestBounds asks for ranges beside and behind the span: nothing is accessed, which between islands would be a fault, and
// nothing is after Close.
func TestBounds(t *testing.T) {
	dev := island(t, 4096, true)
	fill(dev, 1)
	before := bytes.Clone(dev)
	s := over(dev)
	host := make([]byte, 8192)
	refused := func(off uint64, n int, want Outcome) {
		t.Helper()
		if w, r := Write(s, off, host[:n]), Read(host[:n], s, off, ReadChunk); w != want || r != want {
			t.Errorf("%d bytes at %d: write %d, read %d, want %d", n, off, w, r, want)
		}
	}
	granule := func(off uint64, want Outcome) {
		t.Helper()
		if v, how := Load(s, off); v != 0 || how != want || Store(s, off, 1) != want {
			t.Errorf("the granule at %d: %#x, outcome %d, want %d", off, v, how, want)
		}
	}
	const wraps = math.MaxUint64 - 3
	for _, r := range []struct {
		off uint64
		n   int
	}{{4096, 4}, {4092, 8}, {4, 4096}, {wraps, 4}, {wraps, 8}, {wraps, 64}, {math.MaxInt64 - 3, 4}} {
		refused(r.off, r.n, Beyond)
	}
	granule(4096, Beyond)
	granule(wraps, Beyond)
	length := s.Close()
	if length != 4096 || s.Close() != 0 {
		t.Errorf("Close gives %d", length)
	}
	refused(0, 4, Closed)
	refused(0, 4096, Closed)
	granule(0, Closed)
	s.Reopen(length)
	if v, how := Load(s, 0); how != Copied || v == 0 || !bytes.Equal(dev, before) {
		t.Error("the span is not as it was before Close")
	}
}

// TestStop asks the runtime whether Close stops the world: it counts its stops.
func TestStop(t *testing.T) {
	const name = "/sched/pauses/total/other:seconds"
	stops := func() (n uint64) {
		sample := []metrics.Sample{{Name: name}}
		metrics.Read(sample)
		if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
			t.Fatalf("no metric %s", name)
		}
		for _, c := range sample[0].Value.Float64Histogram().Counts {
			n += c
		}
		return n
	}
	s := over(make([]byte, 64))
	before := stops()
	if s.Close() != 64 || stops() != before+1 {
		t.Errorf("Close stops the world %d times, want 1", stops()-before)
	}
	if s.Close(); stops() != before+1 {
		t.Error("Close of a closed span stops the world")
	}
}
