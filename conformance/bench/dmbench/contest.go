//go:build linux && cgo

package dmbench

/*
#include <stddef.h>
#include <stdint.h>
#include "../../../runtime/gensupport/verbs_abi.h"

static int naive_to(struct ibv_dm *dm, uint64_t off, const void *host, size_t n)
{
	return dm->memcpy_to_dm(dm, off, host, n);
}

static int naive_from(void *host, struct ibv_dm *dm, uint64_t off, size_t n)
{
	return dm->memcpy_from_dm(host, dm, off, n);
}

static int loop_to(struct ibv_dm *dm, const void *host, size_t n, long times)
{
	int bad = 0;

	while (times-- > 0)
		bad |= dm->memcpy_to_dm(dm, 0, host, n);
	return bad;
}

static int loop_from(void *host, struct ibv_dm *dm, size_t n, long times)
{
	int bad = 0;

	while (times-- > 0)
		bad |= dm->memcpy_from_dm(host, dm, 0, n);
	return bad;
}
*/
import "C"

import (
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h
)

// Subject is what is measured: a device memory and the loops that copy by the public methods. Each loop makes times copies
// of all of p at offset 0, by direct calls of the method (no interface, no closure in between), and gives the first error.
type Subject struct {
	Object unsafe.Pointer // struct ibv_dm *
	Write  func(p []byte, times int) error
	Read   func(p []byte, times int) error
	Most   int // bytes that it has; 0: enough for all Sizes
}

// Result is the comparison for one length and direction. Ratios are to the C loop of the same round.
type Result struct {
	Bytes  int
	Read   bool
	C      float64 // one copy in the C loop, nanoseconds
	Ratio  float64 // the subject
	Naive  float64 // a plain cgo call for each copy
	Allocs float64 // of the subject, for each copy
}

const (
	// Rounds is the number of rounds whose median counts.
	Rounds = 51
	// turn is how long one contestant runs in one round, about.
	turn = 100 * time.Microsecond
)

// contest is one length and direction.
type contest struct {
	s     Subject
	read  bool
	buf   []byte
	times int
	c     []float64 // nanoseconds of a C copy, by round
	ratio []float64
	naive []float64
}

// Measure compares copies of n bytes, at least one. Host memory is read and written in the cache: it is the cost on the processor's
// side that is compared.
func Measure(s Subject, n int, read bool) (Result, error) {
	if n < 1 || s.Object == nil || s.Write == nil || s.Read == nil {
		return Result{}, fmt.Errorf("copies of %d bytes cannot be measured: it takes bytes, an object and both loops", n)
	}
	ct := &contest{s: s, read: read, buf: make([]byte, n), times: 1}
	// Doubles the number of copies until a turn is long enough to be timed. It also warms up.
	for {
		d, err := timed(ct.inC)
		if err != nil {
			return Result{}, err
		}
		if d >= turn || ct.times > 1<<24 {
			break
		}
		ct.times *= 2
	}
	for range Rounds {
		if err := ct.round(); err != nil {
			return Result{}, err
		}
	}
	var failed error
	allocs := testing.AllocsPerRun(100, func() {
		if err := ct.loop(1); err != nil {
			failed = err
		}
	})
	return Result{Bytes: n, Read: read, C: median(ct.c), Ratio: median(ct.ratio),
		Naive: median(ct.naive), Allocs: allocs}, failed
}

// round lets each contestant have its turn, the C loop before and after so that a drift of the clock shows on both sides.
func (ct *contest) round() error {
	before, err := timed(ct.inC)
	if err != nil {
		return err
	}
	subject, err := timed(func() error { return ct.loop(ct.times) })
	if err != nil {
		return err
	}
	after, err := timed(ct.inC)
	if err != nil {
		return err
	}
	naive, err := timed(ct.naively)
	if err != nil {
		return err
	}
	c := float64(before+after) / 2
	ct.c = append(ct.c, c/float64(ct.times))
	ct.ratio = append(ct.ratio, float64(subject)/c)
	ct.naive = append(ct.naive, float64(naive)/c)
	return nil
}

func timed(f func() error) (time.Duration, error) {
	begin := time.Now()
	err := f()
	return time.Since(begin), err
}

func (ct *contest) loop(times int) error {
	if ct.read {
		return ct.s.Read(ct.buf, times)
	}
	return ct.s.Write(ct.buf, times)
}

func (ct *contest) inC() error {
	dm := (*C.struct_ibv_dm)(ct.s.Object)
	var code C.int
	if ct.read {
		code = C.loop_from(unsafe.Pointer(&ct.buf[0]), dm, C.size_t(len(ct.buf)), C.long(ct.times))
	} else {
		code = C.loop_to(dm, unsafe.Pointer(&ct.buf[0]), C.size_t(len(ct.buf)), C.long(ct.times))
	}
	return answer(code)
}

func (ct *contest) naively() error {
	n := naive{(*C.struct_ibv_dm)(ct.s.Object)}
	var err error
	for i := 0; i < ct.times && err == nil; i++ {
		if ct.read {
			err = n.readAt(ct.buf, 0)
		} else {
			err = n.writeAt(ct.buf, 0)
		}
	}
	return err
}

// naive is what a binding does that passes typed pointers and leaves their checks to cgo.
type naive struct{ dm *C.struct_ibv_dm }

func (n naive) writeAt(p []byte, off int64) error {
	return answer(C.naive_to(n.dm, C.uint64_t(off), unsafe.Pointer(&p[0]), C.size_t(len(p))))
}

func (n naive) readAt(p []byte, off int64) error {
	return answer(C.naive_from(unsafe.Pointer(&p[0]), n.dm, C.uint64_t(off), C.size_t(len(p))))
}

func answer(code C.int) error {
	if code != 0 {
		return fmt.Errorf("the provider answered %d", int(code))
	}
	return nil
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
