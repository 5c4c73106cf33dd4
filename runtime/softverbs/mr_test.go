//go:build linux && cgo

package softverbs_test

import (
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// accessCases are what the kernel answers to access flags on good memory.
var accessCases = []struct {
	access uint32
	want   syscall.Errno
}{
	{0, 0}, {localWrite, 0}, {remoteRead, 0}, {localWrite | remoteWrite | remoteRead | remoteAtomic, 0},
	{mwBind, 0}, {localWrite | mwBind, 0},
	{remoteWrite, syscall.EINVAL}, {remoteAtomic, syscall.EINVAL}, {remoteWrite | remoteRead, syscall.EINVAL},
	{localWrite | relaxed, 0}, {1 << 29, 0}, {0x3ff << 20, 0}, // the optional range
	{1 << 10, syscall.EINVAL}, {1 << 19, syscall.EINVAL}, {1 << 30, syscall.EINVAL}, {1 << 31, syscall.EINVAL},
	{zeroBased, syscall.EOPNOTSUPP}, {hugeTLB, syscall.EOPNOTSUPP}, {onDemand, syscall.EOPNOTSUPP},
	{flushGlobal, 0}, {flushPersist, 0},
	{remoteWrite | onDemand, syscall.EINVAL}, // the arguments are looked at before the device's abilities
}

func TestRegMRAccessVerdicts(t *testing.T) {
	b := open(t)
	addr, _ := rw(t, pageSize)
	for _, c := range accessCases {
		mr, err := b.lib.RegMR(b.pd, addr, 64, c.access)
		t.Logf("access 0x%x: %v", c.access, err)
		b.want(c.want, err)
		if err == nil {
			b.dereg(mr)
		}
	}
}

func TestRegMRMemoryVerdicts(t *testing.T) {
	b := open(t)
	addr, _ := rw(t, 2*pageSize)
	ro, _ := mapping(t, pageSize, unix.PROT_READ)
	none, _ := mapping(t, pageSize, unix.PROT_NONE)
	hole, pages := rw(t, 3*pageSize)
	b.ok(unix.Mprotect(pages[pageSize:2*pageSize], unix.PROT_NONE)) // not munmap: others could map there
	const large = 1 << 20                                           // not faulted in
	big, bigPages := rw(t, 2*large)
	b.ok(unix.Mprotect(bigPages[large:large+pageSize], unix.PROT_READ))
	for _, c := range []struct {
		what   string
		addr   uintptr
		length uint64
		access uint32
		want   syscall.Errno
	}{
		{"large", big, large, localWrite, 0},
		{"large, a page read-only", big, 2 * large, localWrite, syscall.EFAULT},
		{"large, a page read-only, only read", big, 2 * large, remoteRead, 0},
		{"large, beyond the mapping", big, 1 << 30, 0, syscall.EFAULT},
		{"both pages", addr, 2 * pageSize, localWrite, 0},
		{"odd addr and length", addr + 7, 13, localWrite, 0},
		{"across a page border", addr + uintptr(pageSize) - 1, 2, localWrite, 0},
		{"length 0", addr, 0, localWrite, syscall.EINVAL},
		{"length 2^63", addr, 1 << 63, localWrite, syscall.EINVAL},
		{"wrap", addr, math.MaxUint64, localWrite, syscall.EINVAL},
		{"NULL", 0, pageSize, localWrite, syscall.EFAULT},
		{"NULL, only read", 0, pageSize, 0, syscall.EFAULT},
		{"beyond the mapping", addr, 1 << 40, localWrite, syscall.EFAULT},
		{"hole", hole, 3 * pageSize, localWrite, syscall.EFAULT},
		{"before the hole", hole, pageSize, localWrite, 0},
		{"read-only", ro, pageSize, 0, 0},
		{"read-only, remote read", ro, pageSize, remoteRead, 0},
		{"read-only, local write", ro, pageSize, localWrite, syscall.EFAULT},
		{"read-only, window", ro, pageSize, mwBind, syscall.EFAULT},
		{"no access", none, pageSize, 0, syscall.EFAULT},
	} {
		mr, err := b.lib.RegMR(b.pd, c.addr, c.length, c.access)
		t.Logf("%s: %v", c.what, err)
		b.want(c.want, err)
		if err == nil {
			if m := harness.ReadMR(mr); m.Addr != c.addr || m.Length != c.length || m.PD != b.pd || m.Ctx != b.ctx {
				t.Errorf("mr %+v", m)
			}
			b.dereg(mr)
		}
	}
}

func TestRegMRKnobs(t *testing.T) {
	addr, _ := rw(t, 4*pageSize)
	for _, c := range []struct {
		what   string
		opt    softverbs.Option
		length uint64
		access uint32
		want   syscall.Errno
	}{
		{"ZERO_BASED as Linux 6.1", softverbs.MRUnsupported(0), 64, zeroBased, 0},
		{"no flush", softverbs.CapFlags(0), 64, flushGlobal, syscall.EOPNOTSUPP},
		{"no flush", softverbs.CapFlags(1 << 38), 64, flushPersist, syscall.EOPNOTSUPP},
		{"paged", softverbs.ODP(1, 0xff, 0, 0), 64, onDemand, 0},
		{"paged, huge", softverbs.ODP(1, 0xff, 0, 0), 64, onDemand | hugeTLB, 0},
		{"max_mr_size", softverbs.MaxMRSize(100), 101, localWrite, syscall.EINVAL},
		{"max_mr_size", softverbs.MaxMRSize(100), 100, localWrite, 0},
		{"wrap", softverbs.MaxMRSize(math.MaxUint64), math.MaxUint64, localWrite, syscall.EINVAL},
		{"memlock", softverbs.MemlockLimit(pageSize), pageSize + 1, localWrite, syscall.ENOMEM},
		{"memlock", softverbs.MemlockLimit(pageSize), pageSize, localWrite, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := open(t, c.opt)
			for range 2 { // what was pinned is given back
				mr, err := b.lib.RegMR(b.pd, addr, c.length, c.access)
				b.want(c.want, err)
				if err == nil {
					b.dereg(mr)
				}
			}
		})
	}
}

func TestIova(t *testing.T) {
	b := open(t)
	addr, mem := rw(t, 2*pageSize)
	for _, c := range []struct {
		addr uintptr
		iova uint64
		want syscall.Errno
	}{
		{addr, 0, 0}, {addr, 5 * pageSize, 0}, {addr + 64, 64, 0}, {addr + 64, 7*pageSize + 64, 0},
		{addr + 64, 0, syscall.EINVAL}, {addr, 100, syscall.EINVAL},
	} {
		mr, err := b.lib.RegMRIova(b.pd, c.addr, 64, c.iova, localWrite|remoteWrite)
		b.want(c.want, err)
		if err != nil {
			continue
		}
		rkey := harness.ReadMR(mr).RKey
		if s, _ := b.dev.Peer().Write(rkey, c.iova+3, []byte("x")); s != softverbs.StatusSuccess || mem[c.addr-addr+3] != 'x' {
			t.Errorf("iova 0x%x: %v, memory holds %q", c.iova, s, mem[c.addr-addr+3])
		}
		mem[c.addr-addr+3] = 0
		b.dereg(mr)
	}
}

func TestImplicitODP(t *testing.T) {
	addr, mem := rw(t, pageSize)
	b := open(t, softverbs.ODP(3, 0xff, 0, 0))
	mr := b.must(b.lib.RegMR(b.pd, 0, math.MaxUint64, onDemand|localWrite|remoteWrite))
	if m := harness.ReadMR(mr); m.Addr != 0 || m.Length != math.MaxUint64 {
		t.Errorf("mr %+v", m)
	}
	s, _ := b.dev.Peer().Write(harness.ReadMR(mr).RKey, uint64(addr), []byte("any"))
	if s != softverbs.StatusSuccess || string(mem[:3]) != "any" {
		t.Errorf("%v, memory holds %q", s, mem[:3])
	}
	b.dereg(mr)
	_, err := b.lib.RegMR(b.pd, addr, math.MaxUint64, onDemand)
	b.want(syscall.EINVAL, err)
	_, err = b.lib.RegMRIova(b.pd, addr, math.MaxUint64, 0, onDemand)
	b.want(syscall.EINVAL, err)
	_, err = b.lib.RegMRIova(b.pd, 0, math.MaxUint64, 8*pageSize, onDemand)
	b.want(syscall.EINVAL, err)

	b = open(t, softverbs.ODP(1, 0xff, 0, 0))
	_, err = b.lib.RegMR(b.pd, 0, math.MaxUint64, onDemand)
	b.want(syscall.EINVAL, err)
}

func TestKeysAreNeverTakenForOneAnother(t *testing.T) {
	b := open(t)
	addr, _ := rw(t, pageSize)
	seen := map[uint32]bool{}
	for range 100 {
		mr := b.must(b.lib.RegMR(b.pd, addr, 64, localWrite|remoteWrite))
		m := harness.ReadMR(mr)
		if m.LKey == m.RKey || seen[m.LKey] || seen[m.RKey] || m.LKey == 0 || m.RKey == 0 {
			t.Fatalf("keys 0x%x and 0x%x come again", m.LKey, m.RKey)
		}
		seen[m.LKey], seen[m.RKey] = true, true
		b.dereg(mr)
		if s, _ := b.dev.Peer().Write(m.RKey, uint64(addr), []byte("x")); s != softverbs.StatusRemAccess {
			t.Fatalf("write by a stale key: %v", s)
		}
	}
}

func TestStaleRegion(t *testing.T) {
	b := open(t)
	addr, _ := rw(t, pageSize)
	mr := b.must(b.lib.RegMR(b.pd, addr, 64, localWrite))
	b.dereg(mr)
	b.want(syscall.EINVAL, b.lib.End("ibv_dereg_mr", mr))
}

func TestDMABufVerdicts(t *testing.T) {
	b := open(t)
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	b.ok(unix.Ftruncate(fd, int64(4*pageSize)))
	path := filepath.Join(t.TempDir(), "f")
	b.ok(os.WriteFile(path, make([]byte, pageSize), 0o600))
	readOnly, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	b.ok(err)
	defer unix.Close(readOnly)
	for _, c := range []struct {
		off, n, iova uint64
		fd           int
		access       uint32
		want         syscall.Errno
	}{
		{0, 4 * pageSize, 0, fd, localWrite | remoteWrite | remoteRead | remoteAtomic | relaxed, 0},
		{pageSize + 8, 64, 9*pageSize + 8, fd, remoteRead, 0},
		{0, 64, 0, readOnly, remoteRead, 0}, {0, 64, 0, readOnly, localWrite, syscall.EACCES},
		{8, 64, 0, fd, 0, syscall.EINVAL}, {0, 64, 8, fd, 0, syscall.EINVAL},
		{0, 0, 0, fd, 0, syscall.EINVAL}, {0, 4*pageSize + 1, 0, fd, 0, syscall.EINVAL},
		{4 * pageSize, 1, 0, fd, 0, syscall.EINVAL}, {math.MaxUint64 - pageSize + 1, 64, 0, fd, 0, syscall.EINVAL},
		{0, 64, 0, -1, 0, syscall.EBADF}, {0, 64, 0, fd, remoteWrite, syscall.EINVAL},
		{0, 64, 0, fd, mwBind, syscall.EINVAL}, {0, 64, 0, fd, zeroBased, syscall.EINVAL},
		{0, 64, 0, fd, onDemand, syscall.EINVAL}, {0, 64, 0, fd, 1 << 21, syscall.EINVAL}, {0, 64, 0, fd, flushGlobal, syscall.EINVAL},
	} {
		mr, err := b.lib.RegDMABuf(b.pd, c.off, c.n, c.iova, c.fd, c.access)
		t.Logf("%+v: %v", c, err)
		b.want(c.want, err)
		if err == nil {
			if m := harness.ReadMR(mr); uint64(m.Addr) != c.off || m.Length != c.n {
				t.Errorf("mr %+v", m)
			}
			b.dereg(mr)
		}
	}
	mr := b.must(b.lib.RegDMABuf(b.pd, pageSize+8, 64, 9*pageSize+8, fd, localWrite|remoteWrite))
	s, err := b.dev.Peer().Write(harness.ReadMR(mr).RKey, 9*pageSize+10, []byte("here"))
	b.status(softverbs.StatusSuccess, s, err)
	in := make([]byte, 4)
	if _, err := unix.Pread(fd, in, int64(pageSize+10)); err != nil || string(in) != "here" {
		t.Errorf("in the file: %q, %v", in, err)
	}
	b.dereg(mr)
	none := open(t, softverbs.WithoutDMABuf())
	_, err = none.lib.RegDMABuf(none.pd, 0, 64, 0, fd, 0)
	none.want(syscall.EOPNOTSUPP, err)
}

func TestRegMREx(t *testing.T) {
	const iova, addrBit, fdBit, offBit, dmahBit, bufBit = 1, 2, 4, 8, 16, 32
	b := open(t)
	addr, _ := rw(t, pageSize)
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
	b.ok(err)
	defer unix.Close(fd)
	b.ok(unix.Ftruncate(fd, int64(2*pageSize)))
	for _, c := range []struct {
		mask     uint64
		iova     uint64
		access   uint32
		want     syscall.Errno
		wantAddr uint64
	}{
		{addrBit, 0, localWrite, 0, uint64(addr)}, {addrBit | iova, 0, localWrite | remoteWrite, 0, uint64(addr)},
		{fdBit | offBit | iova, 0, localWrite, 0, pageSize},
		{0, 0, 0, syscall.EINVAL, 0}, {addrBit | offBit, 0, 0, syscall.EINVAL, 0}, {addrBit | fdBit | offBit | iova, 0, 0, syscall.EINVAL, 0},
		{fdBit | iova, 0, 0, syscall.EINVAL, 0}, {fdBit | offBit, 0, 0, syscall.EINVAL, 0},
		{addrBit | iova, 12, 0, syscall.EINVAL, 0}, {addrBit, 0, remoteWrite, syscall.EINVAL, 0},
		{fdBit | offBit | iova, 0, zeroBased, syscall.EINVAL, 0},
		{addrBit | dmahBit, 0, 0, syscall.EOPNOTSUPP, 0}, {addrBit | bufBit, 0, 0, syscall.EINVAL, 0},
	} {
		a := harness.MRAttr{CompMask: c.mask, Length: 64, Addr: addr, FD: fd, FDOffset: pageSize, Iova: c.iova, Access: c.access}
		for _, reg := range []func(harness.Obj, harness.MRAttr) (harness.Obj, error){b.lib.RegMREx, b.lib.RegMRExOp} {
			mr, err := reg(b.pd, a)
			t.Logf("comp_mask %d access %d: %v", c.mask, c.access, err)
			b.want(c.want, err)
			if err == nil {
				if m := harness.ReadMR(mr); uint64(m.Addr) != c.wantAddr || m.Length != 64 {
					t.Errorf("mr %+v", m)
				}
				b.dereg(mr)
			}
		}
	}
}

func TestImportedMR(t *testing.T) {
	b := open(t)
	addr, mem := rw(t, pageSize)
	mr := b.must(b.lib.RegMR(b.pd, addr, 64, localWrite|remoteWrite))
	ctx := b.importContext()
	pd := b.must(b.lib.Import("ibv_import_pd", ctx, harness.PDHandle(b.pd)))
	imported := b.must(b.lib.Import("ibv_import_mr", pd, harness.ReadMR(mr).Handle))
	m := harness.ReadMR(imported)
	if m.Addr != 0 || m.Length != 64 || m.PD != pd || m.Ctx != ctx || m.RKey != harness.ReadMR(mr).RKey || m.LKey != harness.ReadMR(mr).LKey {
		t.Errorf("imported %+v", m)
	}
	b.lib.Unimport("ibv_unimport_mr", imported)
	if s, _ := b.dev.Peer().Write(m.RKey, uint64(addr), []byte("y")); s != softverbs.StatusSuccess || mem[0] != 'y' {
		t.Errorf("after unimport: %v", s)
	}
	_, err := b.lib.Import("ibv_import_mr", pd, 99)
	b.want(syscall.ENOENT, err)
	imported = b.must(b.lib.Import("ibv_import_mr", pd, m.Handle))
	rc, err := b.lib.Rereg(imported, 4, nil, 0, 0, localWrite)
	if b.want(syscall.EINVAL, err); rc != -1 {
		t.Errorf("rereg of an import: %d", rc)
	}
	b.dereg(imported)
	b.want(syscall.ENOENT, b.lib.End("ibv_dereg_mr", mr))
	b.lib.Unimport("ibv_unimport_mr", mr)
	b.lib.Unimport("ibv_unimport_pd", pd)
	b.lib.CloseDevice(ctx)
}

func TestNullMR(t *testing.T) {
	b := open(t)
	mr := b.must(b.lib.NullMR(b.pd))
	if m := harness.ReadMR(mr); m.LKey == 0 || m.RKey != 0 || m.Length != math.MaxUint64 || m.Addr != 0 || m.PD != b.pd {
		t.Errorf("null mr %+v", m)
	}
	b.dereg(mr)

	arena := harness.NewArena(harness.AnswerMemory)
	defer arena.Free()
	parent := b.must(b.lib.AllocParentDomain(b.ctx, b.pd, nil, arena, 0))
	mr = b.must(b.lib.NullMR(parent))
	b.want(syscall.EBUSY, b.lib.End("ibv_dealloc_pd", parent))
	b.dereg(mr)
	b.ok(b.lib.End("ibv_dealloc_pd", parent))
	if allocs, frees, _ := arena.Counts(); allocs+frees != 0 {
		t.Errorf("the allocator was called: %d, %d", allocs, frees)
	}
	none := open(t, softverbs.WithoutNullMR())
	_, err := none.lib.NullMR(none.pd)
	none.want(syscall.EOPNOTSUPP, err)
}
