//go:build linux && cgo

package device

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/overlay"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
)

// TestDeviceMemory allocates, copies, registers and frees.
func TestDeviceMemory(t *testing.T) {
	b, made := openWithDM(t)
	t.Logf("device memory: %s", made)
	dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(2 * page).LogAlignReq(6)))(t)
	if n, known := dm.Length(); n < 2*page || !known || dm.Mode() == devmem.Refused {
		t.Fatalf("length %d, %t, mode %v", n, known, dm.Mode())
	}
	out := bytes.Repeat([]byte("device memory..."), 2*page/16)
	if n, err := dm.WriteAt(out, 0); n != len(out) || err != nil {
		t.Fatalf("WriteAt = %d, %v", n, err)
	}
	if n, err := dm.WriteAt([]byte("at page one"+"."), page); n != 12 || err != nil {
		t.Fatalf("WriteAt = %d, %v", n, err)
	}
	copy(out[page:], "at page one.")
	back := make([]byte, len(out))
	if n, err := dm.ReadAt(back, 0); n != len(back) || err != nil || !bytes.Equal(back, out) {
		t.Fatalf("ReadAt = %d, %v, equal: %t", n, err, bytes.Equal(back, out))
	}
	if err := dm.PutUint32(8, 0xdeadbeef); err != nil {
		t.Error(err)
	}
	if v, err := dm.GetUint32(8); v != 0xdeadbeef || err != nil {
		t.Errorf("GetUint32 = %#x, %v", v, err)
	}
	for _, c := range []struct {
		off  int64
		n    int
		want syscall.Errno
	}{{2 * page, 4, syscall.EFAULT}, {2*page - 4, 8, syscall.EFAULT}, {2, 4, syscall.EINVAL}, {0, 3, syscall.EINVAL}} {
		if n, err := dm.WriteAt(make([]byte, c.n), c.off); n != 0 || !errors.Is(err, c.want) {
			t.Errorf("WriteAt of %d at %d = %d, %v", c.n, c.off, n, err)
		}
		if n, err := dm.ReadAt(make([]byte, c.n), c.off); n != 0 || !errors.Is(err, c.want) {
			t.Errorf("ReadAt of %d at %d = %d, %v", c.n, c.off, n, err)
		}
	}
	if err := dm.Close(); err != nil {
		t.Error(err)
	}
	if _, err := dm.ReadAt(back, 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("ReadAt after Close: %v", err)
	}
}

// TestDeviceMemoryRegions registers device memory and closes in every order.
func TestDeviceMemoryRegions(t *testing.T) {
	b, made := openWithDM(t)
	t.Logf("device memory: %s", made)
	pd := must(b.dev.AllocPD())(t)
	dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(2 * page)))(t)
	const access = verbs.DMAccessZeroBased | verbs.DMAccessLocalWrite | verbs.DMAccessRemoteWrite | verbs.DMAccessRemoteRead |
		verbs.DMAccessRemoteAtomic
	whole := must(pd.RegDMMR(dm, 0, 2*page, access))(t)
	part := must(pd.RegDMMR(dm, overlay.Page, 100, verbs.DMAccessZeroBased))(t)
	if whole.Length() != 2*page || part.Length() != 100 || whole.Addr() != 0 || whole.LKey() == part.LKey() || whole.PD() != pd {
		t.Errorf("lengths %d and %d, address %#x, keys 0x%x and 0x%x", whole.Length(), part.Length(), whole.Addr(), whole.LKey(), part.LKey())
	}
	if line := kernelRegion(t, b.name, whole); line != "" && !strings.Contains(line, " mrlen 8192 ") {
		t.Errorf("the kernel has %s", line)
	}
	if err := dm.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "MR") {
		t.Errorf("Close of registered device memory: %v", err)
	}
	if _, err := dm.WriteAt([]byte("still."+"..."[:2]), 0); err != nil {
		t.Errorf("WriteAt after a refused Close: %v", err)
	}
	if err := pd.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of the PD: %v", err)
	}
	for _, close := range []func() error{whole.Close, part.Close, dm.Close, pd.Close} {
		if err := close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := pd.RegDMMR(dm, 0, 64, verbs.DMAccessZeroBased); !errors.Is(err, os.ErrClosed) {
		t.Errorf("RegDMMR after Close: %v", err)
	}
}

// TestDeviceMemoryRefused names calls that the rules refuse; the last ones need what the device told of itself.
func TestDeviceMemoryRefused(t *testing.T) {
	b, made := openWithDM(t)
	t.Logf("device memory: %s", made)
	attr := must(b.dev.QueryDeviceEx())(t)
	pd := must(b.dev.AllocPD())(t)
	dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(page)))(t)
	reg := func(off, length uint64, access verbs.DMAccess) func() error {
		return func() error { _, err := pd.RegDMMR(dm, off, length, access); return err }
	}
	for id, call := range map[string]func() error{
		"VR-ibv_reg_dm_mr-access-0002":    reg(0, page, verbs.DMAccessLocalWrite),
		"VR-ibv_reg_dm_mr-access-0116":    reg(0, page, verbs.DMAccessZeroBased|verbs.DMAccessRemoteWrite),
		"VR-ibv_reg_dm_mr-access-0117":    reg(0, page, verbs.DMAccessZeroBased|verbs.DMAccessRemoteAtomic),
		"VR-ibv_reg_dm_mr-access-0118":    reg(0, page, verbs.DMAccessZeroBased|1<<6),
		"VR-ibv_reg_dm_mr-dm_offset-0123": reg(4, page, verbs.DMAccessZeroBased),
		"VR-ibv_alloc_dm-log_align_req-0100": func() error {
			_, err := b.dev.AllocDM(verbs.NewAllocDMAttr(64).LogAlignReq(64))
			return err
		},
		"VR-ibv_alloc_dm-length-0097": func() error {
			_, err := b.dev.AllocDM(verbs.NewAllocDMAttr(attr.MaxDMSize + 1))
			return err
		},
	} {
		err := call()
		if got := refusal(err); len(got) != 1 || got[0] != id {
			t.Errorf("%s: %v", id, err)
		}
	}
}
