//go:build ignore

//verbsgen:face int ibv_memcpy_to_dm(struct ibv_dm *, uint64_t, const void *, size_t)
//verbsgen:runtime
//verbsgen:kept kept by the handles: a copy stays within the device memory
//verbsgen:lints the data path checks nothing before a call
//verbsgen:face int ibv_memcpy_from_dm(void *, struct ibv_dm *, uint64_t, size_t)
//verbsgen:runtime
//verbsgen:kept kept by the handles: a copy stays within the device memory
//verbsgen:lints the data path checks nothing before a call
//verbsgen:of DM
//verbsgen:field DM mem devmem.DM

package verbs

import (
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
)

// memory returns &dm.mem, and nil for nil. A test for nil here would keep WriteAt from being inlined: package devmem makes it. So would a
// return of the call.
func (dm *DM) memory() *devmem.DM { return (*devmem.DM)(unsafe.Pointer(dm)) }

const _ = -unsafe.Offsetof(DM{}.mem) // DM begins with it: any other constant is out of range

// attach begins the use of the memory of the C object.
func (dm *DM) attach(c unsafe.Pointer, length uint64, known bool) {
	dm.mem.Removed = dm.dev.removed
	_ = dm.mem.Attach(c, length, known) // the first copy returns its error
}

// WriteAt copies p to offset off of the device memory, as io.WriterAt: all of it, or none and an error. It
// returns syscall.EFAULT for a range beyond the end, and syscall.EINVAL for an odd length or offset if the device
// copies words of 4 bytes. It allocates nothing. Close waits for a copy; a later one returns os.ErrClosed.
//
// C: ibv_memcpy_to_dm, ibv_alloc_dm(3).
func (dm *DM) WriteAt(p []byte, off int64) (n int, err error) {
	n, err = dm.memory().WriteAt(p, off)
	return
}

// ReadAt copies from offset off of the device memory to p, as io.ReaderAt but never short and never io.EOF: it
// returns syscall.EFAULT for a range beyond the end. Its other errors are those of WriteAt.
//
// C: ibv_memcpy_from_dm, ibv_alloc_dm(3).
func (dm *DM) ReadAt(p []byte, off int64) (n int, err error) {
	n, err = dm.memory().ReadAt(p, off)
	return
}

// PutUint32 stores one word at offset off, a multiple of 4, in the host's byte order, with one access of 4
// bytes.
//
// C: ibv_memcpy_to_dm, ibv_alloc_dm(3).
func (dm *DM) PutUint32(off int64, v uint32) error { return dm.memory().PutUint32(off, v) }

// GetUint32 loads one word from offset off, a multiple of 4, in the host's byte order, with one access of 4
// bytes.
//
// C: ibv_memcpy_from_dm, ibv_alloc_dm(3).
func (dm *DM) GetUint32(off int64) (v uint32, err error) {
	v, err = dm.memory().GetUint32(off)
	return
}

// PutUint64 stores eight bytes at offset off, a multiple of 4, in the host's byte order. mlx5 stores them as two words of 4 bytes, so a
// concurrent reader may see one new and one old word.
//
// C: ibv_memcpy_to_dm, ibv_alloc_dm(3).
func (dm *DM) PutUint64(off int64, v uint64) error { return dm.memory().PutUint64(off, v) }

// GetUint64 loads eight bytes from offset off, a multiple of 4, in the host's byte order, on mlx5 as two words of 4 bytes.
//
// C: ibv_memcpy_from_dm, ibv_alloc_dm(3).
func (dm *DM) GetUint64(off int64) (v uint64, err error) {
	v, err = dm.memory().GetUint64(off)
	return
}

// WriteV copies each piece of p to the device memory, in order, as WriteAt does. Where a copy needs a call into C, one call copies up to
// 64 pieces. WriteV returns how many were copied: all, or the index of the first that failed and the error.
//
// C: ibv_memcpy_to_dm, ibv_alloc_dm(3).
func (dm *DM) WriteV(p []byte, pieces []DMPiece) (done int, err error) {
	return dm.memory().WriteV(p, pieces)
}

// ReadV copies each piece of p from the device memory, in order, as ReadAt does; otherwise it is like WriteV.
//
// C: ibv_memcpy_from_dm, ibv_alloc_dm(3).
func (dm *DM) ReadV(p []byte, pieces []DMPiece) (done int, err error) {
	return dm.memory().ReadV(p, pieces)
}

// Wide returns a DMWide, which copies with accesses of up to 32 bytes. No provider promises that these work: see DMWide for what they give
// up.
func (dm *DM) Wide() DMWide { return dm.memory().Wide() }

// Flush makes what this goroutine wrote visible to the device before anything that follows. WriteAt does not: call
// Flush after the last write and before telling a peer, where no post on this device's own queue comes between.
func (dm *DM) Flush() { dm.memory().Flush() }

// Mode returns how copies reach the device memory.
func (dm *DM) Mode() DMMode { return dm.memory().Mode() }

// Length returns the length in bytes; false for an imported DM whose length is not known.
func (dm *DM) Length() (uint64, bool) { return dm.memory().Length() }

// DMMode is how the bytes of a device memory are reached: DM.Mode returns it.
type DMMode = devmem.Mode

// Modes of a device memory.
const (
	DMDetached = devmem.Detached // it is closed, or a copy by value: every copy is an error
	DMDirect4  = devmem.Direct4  // from Go, in accesses of four bytes to the provider's mapping
	DMShim     = devmem.Shim     // by the provider's functions, one call of C for each copy
	DMRefused  = devmem.Refused  // not at all: every copy returns why
)

// DMPiece is one of the copies that DM.WriteV and DM.ReadV make.
type DMPiece = devmem.Piece

// DMWide makes copies with wider accesses than DM. Its methods are ReadAt and WriteAt: go doc
// github.com/verbsgen/verbsgen/runtime/gensupport/devmem.Wide says what they give up.
type DMWide = devmem.Wide
