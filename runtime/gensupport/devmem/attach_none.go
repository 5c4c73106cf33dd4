//go:build !linux || !cgo

package devmem

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Attach refuses: no struct ibv_dm can exist where verbs are not to be had.
func (d *DM) Attach(c unsafe.Pointer, length uint64, known bool) error {
	if d == nil {
		return writing.none
	}
	d.length, d.known, d.mode = length, known, Refused
	d.refused = newRefusal("this program was built without cgo or not for Linux")
	d.gate.Open(c)
	return d.refused.write
}

// shimWrite and shimRead are not reached: a device memory that was not attached has no handle.
func shimWrite(*gate.Gate, uint64, []byte) int { return int(syscall.ENOSYS) }
func shimRead(*gate.Gate, uint64, []byte) int  { return int(syscall.ENOSYS) }

func shimPieces(*gate.Gate, bool, []byte, []Piece, pieceLimits) (made, code int) {
	return 0, int(syscall.ENOSYS)
}

func fence() {}

// mappedAccess and unmap are not reached: nothing is mapped.
func mappedAccess(*gate.Gate, uint64, int, bool, *uint64) syscall.Errno { return syscall.ENOSYS }
func unmap(_, _ uintptr) syscall.Errno                                  { return syscall.ENOSYS }
