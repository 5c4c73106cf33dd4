//go:build linux && cgo

package softverbs_test

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// Access flags, as enum ibv_access_flags has them.
const (
	localWrite   = 1 << 0
	remoteWrite  = 1 << 1
	remoteRead   = 1 << 2
	remoteAtomic = 1 << 3
	mwBind       = 1 << 4
	zeroBased    = 1 << 5
	onDemand     = 1 << 6
	hugeTLB      = 1 << 7
	flushGlobal  = 1 << 8
	flushPersist = 1 << 9
	relaxed      = 1 << 20
)

var pageSize = uint64(syscall.Getpagesize())

// bench is a device with an open context and a PD. What a test leaves open is closed at its end, and what it then still
// holds is an error.
type bench struct {
	*testing.T
	dev *softverbs.Device
	lib *harness.Lib
	ctx harness.Obj
	pd  harness.Obj
}

func open(t *testing.T, opts ...softverbs.Option) *bench {
	t.Helper()
	b := &bench{T: t, dev: softverbs.New(opts...)}
	if err := b.dev.Err(); err != nil {
		t.Fatal(err)
	}
	b.lib = harness.Load(b.dev.Symbol)
	b.ctx = b.openDevice(0)
	b.pd = b.must(b.lib.AllocPD(b.ctx))
	t.Cleanup(func() {
		b.ok(b.lib.End("ibv_dealloc_pd", b.pd))
		b.lib.CloseDevice(b.ctx)
		if leaks := b.dev.Leaks(); len(leaks) > 0 {
			t.Errorf("leaks: %q", leaks)
		}
		b.ok(b.dev.Close())
	})
	return b
}

func (b *bench) openDevice(i int) harness.Obj {
	b.Helper()
	list, devs, err := b.lib.DeviceList()
	if err != nil {
		b.Fatal(err)
	}
	defer b.lib.FreeDeviceList(list)
	return b.must(b.lib.Open(devs[i]))
}

func (b *bench) must(o harness.Obj, err error) harness.Obj {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	return o
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Error(err)
	}
}

// want compares an error with an errno; 0 is success.
func (b *bench) want(errno syscall.Errno, err error) {
	b.Helper()
	switch {
	case errno == 0 && err != nil:
		b.Errorf("got %v, want success", err)
	case errno != 0 && !errors.Is(err, errno):
		b.Errorf("got %v, want %v", err, errno)
	}
}

func (b *bench) dereg(mr harness.Obj) {
	b.Helper()
	b.ok(b.lib.End("ibv_dereg_mr", mr))
}

// mapping is anonymous memory that the test owns.
func mapping(t *testing.T, n uint64, prot int) (uintptr, []byte) {
	t.Helper()
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), prot, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.MunmapPtr(p, uintptr(n)) })
	return uintptr(p), unsafe.Slice((*byte)(p), n)
}

func rw(t *testing.T, n uint64) (uintptr, []byte) {
	t.Helper()
	return mapping(t, n, unix.PROT_READ|unix.PROT_WRITE)
}
