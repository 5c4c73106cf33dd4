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

// truncatedPeer posts a request to a region of the peer whose file was truncated.
func truncatedPeer(begin func(w verbs.SendWR, at uint64, rkey uint32)) func(w *world) error {
	return func(w *world) error {
		f, err := newFile()
		if err != nil {
			return nil
		}
		mr, err := w.b.PD.RegMRFrom(mem.Addr(f.addr(), 4096), verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite|verbs.MRAccessRemoteRead|
			verbs.MRAccessRemoteAtomic)
		if err != nil || f.cut() != nil {
			return nil
		}
		b := w.sends(1)
		begin(b.WR(0), uint64(f.addr()), mr.RKey())
		b.WR(0).SGE(uint64(w.a.MR.Addr()), 8, w.a.MR.LKey())
		return w.completion(b)
	}
}

// truncatedMistakes reach memory whose file was truncated.
func truncatedMistakes() []mistake {
	status := []string{"REM_OP_ERR|REM_ACCESS_ERR"}
	return []mistake{
		{name: "write", says: status, make: truncatedPeer(func(w verbs.SendWR, at uint64, rkey uint32) { w.Write(1, at, rkey) })},
		{name: "read", says: status, make: truncatedPeer(func(w verbs.SendWR, at uint64, rkey uint32) { w.Read(1, at, rkey) })},
		{name: "fetch and add", says: status, make: truncatedPeer(func(w verbs.SendWR, at uint64, rkey uint32) { w.FetchAdd(1, at, rkey, 1) })},
		{name: "compare and swap", says: status, make: truncatedPeer(func(w verbs.SendWR, at uint64, rkey uint32) {
			w.CompareSwap(1, at, rkey, 0, 1)
		})},
		{name: "result of an atomic", says: []string{"LOC_PROT_ERR"}, make: func(w *world) error {
			f, err := newFile()
			if err != nil {
				return nil
			}
			mr, err := w.a.PD.RegMRFrom(mem.Addr(f.addr(), 4096), access)
			if err != nil || f.cut() != nil {
				return nil
			}
			b := w.sends(1)
			b.WR(0).FetchAdd(1, uint64(w.b.MR.Addr()), w.b.MR.RKey(), 1).SGE(uint64(f.addr()), 8, mr.LKey())
			return w.completion(b)
		}},
		{name: "registered afterwards", says: []string{"ibv_reg_mr: bad address"}, make: func(w *world) error {
			f, err := newFile()
			if err != nil || f.cut() != nil {
				return nil
			}
			return result(w.a.PD.RegMRFrom(mem.Addr(f.addr(), 4096), access))
		}},
		{name: "write by another machine", says: []string{"atomic: IBV_WC_REM_(OP|ACCESS)_ERR, IBV_WC_REM_(OP|ACCESS)_ERR"},
			make: truncatedByPeer},
		{name: "device memory", over: registered, says: []string{"operation not permitted|invalid argument"}, make: func(w *world) error {
			fd, err := w.dm.ExportDMABufFD()
			if err != nil {
				return nil
			}
			return errors.Join(unix.Ftruncate(fd, 0), result(w.dm.WriteAt(make([]byte, 64), 0)))
		}},
	}
}

// truncatedByPeer has the peer of the software device make the atomics.
func truncatedByPeer(w *world) error {
	f, err := newFile()
	if err != nil {
		return nil
	}
	mr, err := w.b.PD.RegMRFrom(mem.Addr(f.addr(), 4096), verbs.MRAccessLocalWrite|verbs.MRAccessRemoteAtomic)
	if err != nil || f.cut() != nil {
		return nil
	}
	peer := w.soft.Peer()
	_, one, err := peer.FetchAdd(mr.RKey(), uint64(f.addr()), 1)
	if err != nil {
		return nil
	}
	_, other, err := peer.CompareSwap(mr.RKey(), uint64(f.addr()), 0, 1)
	if err != nil {
		return nil
	}
	return fmt.Errorf("atomic: %v, %v", one, other)
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
