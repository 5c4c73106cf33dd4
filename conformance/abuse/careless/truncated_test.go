//go:build linux && cgo

package careless

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// file is memory of a file, which cut makes shorter: the mapping stays, and an access ends a program.
type file struct {
	fd   int
	page []byte
}

func newFile() (*file, error) {
	fd, err := unix.MemfdCreate("careless", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err := unix.Ftruncate(fd, 4096); err != nil {
		return nil, err
	}
	page, err := syscall.Mmap(fd, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	return &file{fd, page}, err
}

func (f *file) addr() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(f.page))) }

func (f *file) cut() error { return unix.Ftruncate(f.fd, 0) }

// truncatedPeer adds to a number of the peer in a region whose file was truncated.
func truncatedPeer(w *world) error {
	f, err := newFile()
	if err != nil {
		return nil
	}
	mr, err := w.b.PD.RegMRFrom(mem.Addr(f.addr(), 4096), verbs.MRAccessLocalWrite|verbs.MRAccessRemoteAtomic)
	if err != nil || f.cut() != nil {
		return nil
	}
	b := w.sends(1)
	b.WR(0).FetchAdd(1, uint64(f.addr()), mr.RKey(), 1).SGE(uint64(w.a.MR.Addr()), 8, w.a.MR.LKey())
	return w.completion(b)
}

// hugeBuf asks for more memory than there is, and looks whether the first file descriptor is still open.
func hugeBuf(w *world) (all error) {
	for _, n := range []uint64{1 << 63, 1<<64 - 1, 1<<63 + 1, 1 << 62} {
		buf, err := w.a.PD.AllocBuf(n)
		if err == nil {
			return errors.Join(fmt.Errorf("%d bytes", n), buf.Close())
		}
		all = errors.Join(all, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(0, &st); err != nil {
		return fmt.Errorf("file descriptor 0: %w", err)
	}
	return all
}
