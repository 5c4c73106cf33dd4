//go:build linux && cgo

package dmbench

/*
#include <stddef.h>
#include <stdint.h>
#include "../../../runtime/gensupport/abi/verbs_abi.h"

#cgo noescape verbsgen_dmbench_ungated
#cgo nocallback verbsgen_dmbench_ungated

// The crossing of runtime/gensupport/devmem without its gate; keep the two alike.
static void verbsgen_dmbench_ungated(uintptr_t dm, uint64_t off, uint8_t *host, size_t n, int *code)
{
	struct ibv_dm *d = (struct ibv_dm *)dm;

	*code = d->memcpy_to_dm(d, off, host, n);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// GateResult is what the gate of a device memory costs a copy of one length: nanoseconds of one copy in the best of the rounds, which
// others on the machine disturbed least.
type GateResult struct {
	C       float64 // in a loop in C
	Without float64 // without a gate
	With    float64 // by the subject
}

// MeasureGate compares writes of n bytes by the subject with those of without, which are the same without a gate, and with C.
func MeasureGate(s Subject, without func(p []byte, times int) error, n int) (GateResult, error) {
	const rounds, times = 501, 1000
	if n < 1 || s.Object == nil || s.Write == nil || without == nil {
		return GateResult{}, fmt.Errorf("the gate of copies of %d bytes cannot be measured: it takes bytes, an object and both loops", n)
	}
	ct := &contest{s: s, buf: make([]byte, n), times: times}
	turns := [3]func() error{ct.inC, func() error { return without(ct.buf, times) }, func() error { return s.Write(ct.buf, times) }}
	var ns [3]float64
	for round := range rounds {
		for i := range turns {
			if round%2 == 1 { // a drift of the clock favours none
				i = len(turns) - 1 - i
			}
			d, err := timed(turns[i])
			if err != nil {
				return GateResult{}, err
			}
			if took := float64(d) / times; round < 2 || took < ns[i] {
				ns[i] = took
			}
		}
	}
	return GateResult{C: ns[0], Without: ns[1], With: ns[2]}, nil
}

// Ungated copies to a device memory (struct ibv_dm *) by its callback, one crossing for each copy, without a gate.
type Ungated struct {
	Object unsafe.Pointer
	Length uint64
}

// WriteAt checks what the method of runtime/gensupport/devmem checks.
func (u *Ungated) WriteAt(p []byte, off int64) (n int, err error) {
	o, size := uint64(off), uint64(len(p))
	if o < u.Length && size <= u.Length-o {
		if code := ungated(u.Object, o, p); code != 0 {
			return 0, answer(C.int(code))
		}
		return len(p), nil
	}
	return 0, errBeyond
}

var errBeyond = errors.New("outside of the memory")

func ungated(dm unsafe.Pointer, off uint64, p []byte) int {
	var code C.int
	C.verbsgen_dmbench_ungated(C.uintptr_t(uintptr(dm)), C.uint64_t(off), (*C.uint8_t)(unsafe.SliceData(p)), C.size_t(len(p)), &code)
	return int(code)
}
