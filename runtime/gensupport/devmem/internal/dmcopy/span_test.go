//go:build linux

package dmcopy

import (
	"bytes"
	"math"
	"runtime/metrics"
	"testing"
)

// TestBounds asks for ranges beside and behind the span, and for odd ones: nothing is accessed, which between islands would be a fault, and
// nothing is after Close, or of a copy of the span.
func TestBounds(t *testing.T) {
	needsAssembly(t)
	dev := island(t, 4096, true)
	fill(dev, 1)
	before := bytes.Clone(dev)
	s := over(dev)
	host := make([]byte, 8192)
	refused := func(s *Span, off int64, n int) {
		t.Helper()
		for i, copies := range []func(*Span, []byte, int64) (int, error){WriteAt, WriteWide, ReadAt, ReadWide} {
			if n, err := copies(s, host[:n], off); n != 0 || err != errRest {
				t.Errorf("copy %d of %d bytes at %d: %d, %v", i, n, off, n, err)
			}
		}
	}
	words := func(s *Span, off, off8 int64) {
		t.Helper()
		v, err := Get32(s, off)
		if put := Put32(s, off, 1); v != 0 || err != errRest || put != errRest {
			t.Errorf("4 bytes at %d: %#x, %v, %v", off, v, err, put)
		}
		v8, err := Get64(s, off8)
		if put := Put64(s, off8, 1); v8 != 0 || err != errRest || put != errRest {
			t.Errorf("8 bytes at %d: %#x, %v, %v", off8, v8, err, put)
		}
	}
	for _, r := range []struct {
		off int64
		n   int
	}{{4096, 4}, {4092, 8}, {4, 4096}, {-4, 4}, {-4, 8}, {-4, 64}, {math.MinInt64, 4}, {math.MaxInt64 - 3, 4}, {math.MaxInt64 - 3, 8},
		{1, 4}, {2, 64}, {0, 3}, {0, 66}, {0, 0}, {0, 4100}} {
		refused(s, r.off, r.n)
	}
	words(s, 4096, 4092)
	words(s, -4, -8)
	words(s, math.MaxInt64-3, math.MaxInt64-3)
	words(s, 2, 6)
	moved := *s
	for _, s := range []*Span{nil, new(Span), &moved} {
		refused(s, 0, 4)
		words(s, 0, 0)
	}
	for _, n := range []int{ReadChunk + 4, Chunk} { // of unknown speed
		if n, err := ReadAt(s, host[:n], 0); n != 0 || err != errRest {
			t.Errorf("a read of %d bytes: %v", n, err)
		}
	}
	if s.IsQuick() {
		t.Error("quick")
	}
	s.Quick()
	if n, err := ReadAt(s, host[:4096], 0); n != 4096 || err != nil || !s.IsQuick() {
		t.Errorf("a quick read: %d, %v", n, err)
	}
	length := s.Close()
	if length != 4096 || s.Close() != 0 {
		t.Errorf("Close gives %d", length)
	}
	refused(s, 0, 4)
	refused(s, 0, 4096)
	words(s, 0, 0)
	s.Reopen(length)
	if v, err := Get32(s, 0); err != nil || v == 0 || !bytes.Equal(dev, before) {
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
