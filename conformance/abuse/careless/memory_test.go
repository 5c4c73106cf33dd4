//go:build linux && cgo

package careless

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

var escaped *[4096]byte // has an array lie on Go's heap

// goHeap is the address of memory that Go's collector may free.
func goHeap() uintptr {
	escaped = new([4096]byte)
	return uintptr(unsafe.Pointer(escaped))
}

const access = verbs.MRAccessLocalWrite

// unmapped is the address of a page that was unmapped.
func unmapped() uintptr {
	addr := lowPage()
	unmap(addr)
	return addr
}

// lowPage maps a page below what the kernel chooses, so that no other thread maps it after it was unmapped. The heap of C may begin there.
func lowPage() uintptr {
	var errno syscall.Errno
	for low := uintptr(0x1000_0000); low < 0x8000_0000; low += 0x1000_0000 {
		var addr uintptr
		addr, _, errno = syscall.Syscall6(syscall.SYS_MMAP, low, 4096, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON|unix.MAP_FIXED_NOREPLACE, ^uintptr(0), 0)
		if errno == 0 {
			return addr
		}
	}
	panic(errno)
}

func unmap(addr uintptr) {
	if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, addr, 4096, 0); errno != 0 {
		panic(errno)
	}
}

func newBuffer() *mem.Buffer {
	b, err := mem.New(4096)
	if err != nil {
		panic(err)
	}
	return b
}

// closedBuffer is a buffer that was closed.
func closedBuffer() *mem.Buffer {
	b := newBuffer()
	closed(b)
	return b
}

// unpinned is a pin that has ended.
func unpinned() *mem.Pin {
	p, err := mem.PinBytes(make([]byte, 64))
	if err != nil {
		panic(err)
	}
	p.Unpin()
	return p
}

func memoryMistakes() []mistake {
	heap := []string{"Go's heap", "PinBytes"}
	return []mistake{
		{name: "address of Go's heap", says: heap, make: func(w *world) error {
			return result(w.a.PD.RegMRFrom(mem.Addr(goHeap(), 64), access))
		}},
		{name: "address of Go's stack", says: []string{"stack"}, make: func(w *world) error {
			var local [64]byte
			return result(w.a.PD.RegMRFrom(mem.Addr(uintptr(unsafe.Pointer(&local)), 64), access))
		}},
		{name: "address of Go's heap with an iova", says: heap, make: func(w *world) error {
			return result(w.a.PD.RegMRIOVAFrom(mem.Addr(goHeap(), 64), 4096, access))
		}},
		{name: "address of Go's heap as an attribute", says: heap, make: func(w *world) error {
			return result(w.a.PD.RegMREx(verbs.NewMRInitAttr(64, access).Memory(mem.Addr(goHeap(), 64))))
		}},
		{name: "change to an address of Go's heap", says: heap, make: func(w *world) error {
			return w.a.MR.Rereg(new(verbs.MRChange).Memory(mem.Addr(goHeap(), 64)))
		}},
		{name: "end in Go's heap", says: heap, make: func(w *world) error {
			at := goHeap()
			return result(w.a.PD.RegMRFrom(mem.Addr(at-1<<20, 1<<20+64), access))
		}},
		{name: "unpinned memory", says: []string{"Pin was unpinned"}, make: func(w *world) error {
			return w.a.MR.Rereg(new(verbs.MRChange).Memory(unpinned()))
		}},
		{name: "closed buffer", says: []string{"buffer of 4096 bytes is closed"}, make: func(w *world) error {
			return result(w.a.PD.RegMRFrom(closedBuffer(), access))
		}},
		{name: "change to a closed buffer", says: []string{"buffer of 4096 bytes is closed"}, make: func(w *world) error {
			return w.a.MR.Rereg(new(verbs.MRChange).Memory(closedBuffer()))
		}},
		{name: "beyond the address space", says: []string{"within the address space"}, make: func(w *world) error {
			return result(w.a.PD.RegMRFrom(mem.Addr(^uintptr(0)-4095, 8192), access))
		}},
		{name: "a buffer larger than the address space", says: []string{"cannot allocate memory"}, make: hugeBuf},
		{name: "posted slice", says: []string{"LOC_PROT_ERR"}, make: func(w *world) error {
			return w.completion(w.write(uint64(goHeap()), w.a.MR.LKey(), uint64(w.b.MR.Addr()), w.b.MR.RKey()))
		}},
		{name: "a file truncated under a region", says: []string{"REM_OP_ERR|REM_ACCESS_ERR"}, make: truncatedPeer},
		{name: "memory unmapped under a region", says: []string{"LOC_PROT_ERR|LOC_QP_OP_ERR"}, make: unmappedRegion},
	}
}

// unmappedRegion sends from registered memory that was unmapped. A kernel keeps its pages; the software device has nothing to read.
func unmappedRegion(w *world) error {
	at := lowPage()
	mr, err := w.a.PD.RegMRFrom(mem.Addr(at, 4096), access)
	unmap(at)
	if err != nil {
		return nil
	}
	return w.completion(w.write(uint64(at), mr.LKey(), uint64(w.b.MR.Addr()), w.b.MR.RKey()))
}
