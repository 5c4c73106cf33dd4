//go:build linux && cgo

package dmbench

/*
#include <stddef.h>
#include <stdint.h>
#include "../../../runtime/gensupport/verbs_abi.h"

static void loop_pieces(struct ibv_dm *dm, const uint8_t *host, size_t n, long pieces, long times)
{
	long i;

	while (times-- > 0)
		for (i = 0; i < pieces; i++)
			dm->memcpy_to_dm(dm, (uint64_t)i * n, host + i * n, n);
}
*/
import "C"

import (
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/ratio"
)

// MeasurePieces compares writes of pieces of n bytes, one behind the other, by a method that takes them all, with a loop in C through
// the provider's callback: nanoseconds of one piece in C, and the ratio.
func MeasurePieces(object unsafe.Pointer, pieces, n int, write func([]byte, []devmem.Piece) (int, error)) (ns, x float64, err error) {
	host := make([]byte, pieces*n)
	all := make([]devmem.Piece, pieces)
	for i := range all {
		all[i] = devmem.Piece{Off: int64(i * n), At: i * n, Len: n}
	}
	dm := (*C.struct_ibv_dm)(object)
	ns, x = ratio.Measure(func(times int) {
		C.loop_pieces(dm, (*C.uint8_t)(unsafe.SliceData(host)), C.size_t(n), C.long(pieces), C.long(times))
	}, func(times int) {
		for range times {
			if _, e := write(host, all); e != nil {
				err = e
			}
		}
	})
	return ns / float64(pieces), x, err
}
