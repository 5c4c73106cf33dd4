//go:build linux && cgo

package dmbench

/*
#include <stddef.h>
#include <stdint.h>
#include "../../../runtime/gensupport/verbs_abi.h"

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
	"strconv"
	"testing"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/ratio"
)

// Subject is what is measured: a device memory and the loops that copy by the public methods. Each loop makes times copies
// of all of p at offset 0, by direct calls of the method (no interface, no closure in between), and gives the first error.
type Subject struct {
	Object unsafe.Pointer // struct ibv_dm *
	Write  func(p []byte, times int) error
	Read   func(p []byte, times int) error
	Most   int // bytes that it has; 0: enough for all Sizes
}

// Sizes are the lengths that are measured, in bytes.
var Sizes = []int{4, 8, 16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20}

// Measure compares copies of n bytes, at least one: nanoseconds of one in the C loop, the ratio of the subject to it, and the subject's
// allocations for each. Host memory is read and written in the cache: it is the cost on the processor's side that is compared.
func Measure(s Subject, n int, read bool) (ns, x, allocs float64, err error) {
	if n < 1 || s.Object == nil || s.Write == nil || s.Read == nil {
		return 0, 0, 0, fmt.Errorf("copies of %d bytes cannot be measured: it takes bytes, an object and both loops", n)
	}
	dm, buf, ours := (*C.struct_ibv_dm)(s.Object), make([]byte, n), s.Write
	if read {
		ours = s.Read
	}
	note := func(e error) {
		if err == nil {
			err = e
		}
	}
	copies := func(times int) { note(ours(buf, times)) }
	ns, x = ratio.Measure(func(times int) {
		var code C.int
		if read {
			code = C.loop_from(unsafe.Pointer(&buf[0]), dm, C.size_t(n), C.long(times))
		} else {
			code = C.loop_to(dm, unsafe.Pointer(&buf[0]), C.size_t(n), C.long(times))
		}
		if code != 0 {
			note(fmt.Errorf("the provider answered %d", int(code)))
		}
	}, copies)
	return ns, x, testing.AllocsPerRun(100, func() { copies(1) }), err
}

// Run measures the subject as sub-benchmarks of b, one for each length and direction. Each is measured once, whatever b.N is.
func Run(b *testing.B, s Subject) {
	for i, way := range []string{"WriteAt", "ReadAt"} {
		for _, n := range Sizes {
			if s.Most != 0 && n > s.Most {
				continue
			}
			b.Run(way+"/"+label(n), func(b *testing.B) {
				if b.N > 1 {
					b.Skip("measured in rounds: run with -benchtime 1x")
				}
				ns, x, allocs, err := Measure(s, n, i == 1)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(ns, "C-ns")
				b.ReportMetric(x, "x-C")
				b.ReportMetric(allocs, "allocs/copy")
			})
		}
	}
}

func label(n int) string {
	switch {
	case n >= 1<<20:
		return strconv.Itoa(n>>20) + "M"
	case n >= 1<<10:
		return strconv.Itoa(n>>10) + "K"
	}
	return strconv.Itoa(n)
}
