//go:build linux && cgo

package softverbs_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

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
		access verbs.MRAccess
		want   syscall.Errno
	}{
		{"large", big, large, localWrite, 0},
		{"large, a page read-only", big, 2 * large, localWrite, syscall.EFAULT},
		{"large, a page read-only, only read", big, 2 * large, verbs.MRAccessRemoteRead, 0},
		{"large, beyond the mapping", big, 1 << 30, 0, syscall.EFAULT},
		{"both pages", addr, 2 * pageSize, localWrite, 0},
		{"odd addr and length", addr + 7, 13, localWrite, 0},
		{"across a page border", addr + uintptr(pageSize) - 1, 2, localWrite, 0},
		{"NULL", 0, pageSize, localWrite, syscall.EFAULT},
		{"NULL, only read", 0, pageSize, 0, syscall.EFAULT},
		{"beyond the mapping", addr, 1 << 40, localWrite, syscall.EFAULT},
		{"hole", hole, 3 * pageSize, localWrite, syscall.EFAULT},
		{"before the hole", hole, pageSize, localWrite, 0},
		{"read-only, remote read", ro, pageSize, verbs.MRAccessRemoteRead, 0},
		{"read-only, local write", ro, pageSize, localWrite, syscall.EFAULT},
		{"read-only, window", ro, pageSize, verbs.MRAccessMWBind, syscall.EFAULT},
		{"no access", none, pageSize, 0, syscall.EFAULT},
	} {
		mr, err := b.reg(c.addr, c.length, c.access)
		t.Logf("%s: %v", c.what, err)
		b.want(c.want, err)
		if err == nil {
			b.ok(mr.Close())
		}
	}
}

func TestRegMRKnobs(t *testing.T) {
	addr, _ := rw(t, 4*pageSize)
	odp := softverbs.ODP(1, 0xff, 0, 0)
	for _, c := range []struct {
		what   string
		opt    softverbs.Option
		length uint64
		access verbs.MRAccess
		want   syscall.Errno
	}{
		{"ZERO_BASED", nil, 64, verbs.MRAccessZeroBased, syscall.EOPNOTSUPP},
		{"arguments before abilities", nil, 64, verbs.MRAccessRemoteWrite | verbs.MRAccessOnDemand, syscall.EINVAL},
		{"ZERO_BASED as Linux 6.1", softverbs.MRUnsupported(0), 64, verbs.MRAccessZeroBased, 0},
		{"paged", odp, 64, verbs.MRAccessOnDemand, 0},
		{"paged, huge", odp, 64, verbs.MRAccessOnDemand | verbs.MRAccessHugetlb, 0},
		{"max_mr_size", softverbs.MaxMRSize(100), 101, localWrite, syscall.EINVAL},
		{"max_mr_size", softverbs.MaxMRSize(100), 100, localWrite, 0},
		{"wrap", softverbs.MaxMRSize(math.MaxUint64), math.MaxUint64, localWrite, syscall.EINVAL},
		{"memlock", softverbs.MemlockLimit(pageSize), pageSize + 1, localWrite, syscall.ENOMEM},
		{"memlock", softverbs.MemlockLimit(pageSize), pageSize, localWrite, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := open(t, c.opt)
			for range 2 { // what was pinned is given back
				mr, err := b.reg(addr, c.length, c.access)
				b.want(c.want, err)
				if err == nil {
					b.ok(mr.Close())
				}
			}
		})
	}
}

// populates skips the test on a kernel that does not fault pages in on request.
func populates(t *testing.T) {
	t.Helper()
	_, probe := rw(t, pageSize)
	if err := unix.Madvise(probe, unix.MADV_POPULATE_WRITE); err != nil {
		t.Skipf("this kernel does not fault pages in on request: %v", err)
	}
}

// TestRegMRTruncated registers memory of a file that was made shorter: what lies behind its end is refused, however long the region is.
func TestRegMRTruncated(t *testing.T) {
	populates(t)
	b := open(t)
	for _, half := range []uint64{pageSize, 1 << 20} {
		fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
		b.ok(err)
		defer unix.Close(fd)
		b.ok(unix.Ftruncate(fd, int64(2*half)))
		addr, memory := rw(t, 3*half) // a file, and other memory behind it
		_, err = unix.MmapPtr(fd, 0, unsafe.Pointer(unsafe.SliceData(memory)), uintptr(2*half), unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_SHARED|unix.MAP_FIXED)
		b.ok(err)
		register := func(from, length uint64, access verbs.MRAccess, want syscall.Errno) {
			t.Helper()
			mr, err := b.reg(addr+uintptr(from), length, access)
			b.want(want, err)
			if err == nil {
				b.ok(mr.Close())
			}
		}
		register(0, 3*half, localWrite, 0)
		b.ok(unix.Ftruncate(fd, int64(half)))
		for _, access := range []verbs.MRAccess{localWrite, 0} {
			register(0, half, access, 0)
			register(0, half+1, access, syscall.EFAULT)
			register(0, 3*half, access, syscall.EFAULT)
			register(half, half, access, syscall.EFAULT)
			register(2*half, half, access, 0)
		}
	}
}

// TestRegMRFaultsIn: registration brings in the pages of a small region, as a kernel does that pins them, and does not spend
// the memory of a large one.
func TestRegMRFaultsIn(t *testing.T) {
	populates(t)
	b := open(t)
	for _, c := range []struct {
		length uint64
		all    bool
	}{{3 * pageSize, true}, {16 << 20, false}} {
		mr, _, memory := b.region(c.length, localWrite)
		b.ok(mr.Close())
		there, n := make([]byte, c.length/pageSize), 0
		if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(c.length),
			uintptr(unsafe.Pointer(unsafe.SliceData(there)))); errno != 0 {
			t.Fatal(errno)
		}
		for _, p := range there {
			n += int(p & 1)
		}
		if (n == len(there)) != c.all {
			t.Errorf("%d bytes: %d pages are there, want all of them: %v", c.length, n, c.all)
		}
	}
}

func TestReregMRKeepsPinnedAndPagedApart(t *testing.T) {
	b := open(t, softverbs.ODP(1, 0xff, 0, 0))
	mr, _, _ := b.region(pageSize, localWrite)
	b.want(syscall.EOPNOTSUPP, mr.Rereg(new(verbs.MRChange).Access(localWrite|verbs.MRAccessOnDemand)))
}

// blocks is an allocator of a parent domain.
type blocks struct {
	given          map[uintptr]*mem.Buffer
	dirty          byte
	size, at, kind uint64 // of the last request
}

func (b *blocks) Alloc(req verbs.AllocRequest) (uintptr, error) {
	buf, err := mem.New(2 * req.Size)
	if err != nil {
		return 0, err
	}
	b.size, b.at, b.kind = req.Size, req.Align, uint64(req.Resource)
	buf.Bytes()[req.Size-1] = b.dirty
	b.given[buf.Addr()] = buf
	return buf.Addr(), nil
}

func (b *blocks) Free(req verbs.AllocRequest, addr uintptr) {
	if b.given[addr].Close() == nil && uint64(req.Resource) == b.kind {
		delete(b.given, addr)
	}
}

func TestParentDomainAllocator(t *testing.T) {
	for _, c := range []struct {
		all  blocks
		want syscall.Errno
	}{{blocks{}, 0}, {blocks{dirty: 1}, syscall.EINVAL}} {
		b := open(t, softverbs.Driver(1))
		c.all.given = map[uintptr]*mem.Buffer{}
		parent := must(b.dev.AllocParentDomain(verbs.NewParentDomainAttr(b.pd).Allocator(&c.all)))(t)
		addr, _ := rw(t, pageSize)
		_, err := parent.RegMRFrom(mem.Addr(addr, 64), localWrite)
		b.want(c.want, err)
		if c.all.size == 0 || c.all.at == 0 || c.all.at&(c.all.at-1) != 0 || c.all.kind>>32 != 1 || uint32(c.all.kind) == 0 {
			t.Errorf("asked for %d bytes at %d, resource 0x%x", c.all.size, c.all.at, c.all.kind)
		}
		if b.ok(parent.CloseAll()); len(c.all.given) != 0 {
			t.Errorf("%d blocks are not given back", len(c.all.given))
		}
	}
}

// A region that moved off a parent domain holds it no more; the domain's allocator gets its block back when the domain ends.
func TestReregMRLeavesAParentDomain(t *testing.T) {
	b := open(t)
	all := blocks{given: map[uintptr]*mem.Buffer{}}
	parent := must(b.dev.AllocParentDomain(verbs.NewParentDomainAttr(b.pd).Allocator(&all)))(t)
	addr, _ := rw(t, pageSize)
	mr := must(parent.RegMRFrom(mem.Addr(addr, 64), localWrite))(t)
	b.ok(mr.Rereg(new(verbs.MRChange).PD(b.pd)))
	if len(all.given) != 1 {
		t.Errorf("%d blocks while the domain is there", len(all.given))
	}
	if b.ok(parent.Close()); len(all.given) != 0 {
		t.Errorf("%d blocks are not given back", len(all.given))
	}
}

func TestAdviseMR(t *testing.T) {
	b := open(t, softverbs.ODP(1, 0xff, 0, 0))
	addr, _ := rw(t, 2*pageSize)
	mr := must(b.reg(addr+64, pageSize, verbs.MRAccessOnDemand))(t)
	pd := must(b.dev.AllocPD())(t)
	at, prefetch := mr.IOVA(), verbs.AdviseMRAdvicePrefetch
	for _, c := range []struct {
		what   string
		pd     *verbs.PD
		advice verbs.AdviseMRAdvice
		addr   uint64
		want   syscall.Errno
	}{
		{"as it should be", b.pd, prefetch, at, 0},
		{"for writing", b.pd, verbs.AdviseMRAdvicePrefetchWrite, at, syscall.EPERM},
		{"other PD", pd, prefetch, at, syscall.EPERM},
		{"out of the region", b.pd, prefetch, at + pageSize - 63, syscall.EFAULT},
		{"before the region", b.pd, prefetch, at - 1, syscall.EFAULT},
	} {
		err := c.pd.AdviseMR(c.advice, 0, []verbs.SGE{{Addr: c.addr, Length: 64, LKey: mr.LKey()}})
		t.Logf("%s: %v", c.what, err)
		b.want(c.want, err)
	}
}

// TestLowestHandle has more objects than the registry has room for at first, and closes some: the next ones get their handles, the lowest
// first, and then new ones.
func TestLowestHandle(t *testing.T) {
	b := open(t)
	const many = 5000 // more than 64 * 64
	pds := map[uint32]*verbs.PD{}
	add := func() uint32 {
		pd := must(b.dev.AllocPD())(t)
		h := pd.Handle()
		if pds[h] != nil {
			t.Fatalf("handle %d is given out twice", h)
		}
		pds[h] = pd
		return h
	}
	first := add()
	for i := range uint32(many) {
		if h := add(); h != first+1+i {
			t.Fatalf("PD %d has handle %d", first+1+i, h)
		}
	}
	if n := len(b.soft.Leaks()); n != many+3 { // with the context and the PD of the bench
		t.Errorf("%d objects are open, want %d", n, many+3)
	}
	freed := []uint32{first, first + 63, first + 64, first + 100, first + 4095, first + 4096, first + many}
	for _, i := range []int{4, 0, 6, 2, 1, 5, 3} {
		b.ok(pds[freed[i]].Close())
		delete(pds, freed[i])
	}
	for _, want := range append(freed, first+many+1, first+many+2) {
		if h := add(); h != want {
			t.Errorf("handle %d, want %d", h, want)
		}
	}
}

func (b *bench) allocDM(n uint64) *verbs.DM {
	b.Helper()
	return must(b.dev.AllocDM(verbs.NewAllocDMAttr(n)))(b)
}

func TestDMCopyAlignIsSettable(t *testing.T) {
	b := open(t, softverbs.DMCopyAlign(1))
	dm, in := b.allocDM(64), make([]byte, 3)
	must(dm.WriteAt([]byte("abc"), 5))(t)
	if must(dm.ReadAt(in, 5))(t); string(in) != "abc" {
		t.Errorf("read back %q", in)
	}
}

func TestDMAlignmentIsGranted(t *testing.T) {
	b := open(t, softverbs.DMAlign(20))
	for range 4 {
		must(b.dev.AllocDM(verbs.NewAllocDMAttr(64).LogAlignReq(20)))(t)
	}
	found := 0
	for line := range strings.Lines(string(must(os.ReadFile("/proc/self/maps"))(t))) {
		if !strings.Contains(line, "memfd:softverbs-dm") {
			continue
		}
		from, _, _ := strings.Cut(line, "-")
		if addr, err := strconv.ParseUint(from, 16, 64); err != nil || addr%(1<<20) != 0 {
			t.Errorf("device memory at 0x%s, %v", from, err)
		}
		found++
	}
	if found != 4 {
		t.Errorf("%d mappings, want 4", found)
	}
}

func TestRegDMMRAlignmentIsSettable(t *testing.T) {
	b := open(t, softverbs.DMRegionAlign(64))
	dm := b.allocDM(4096)
	_, err := b.pd.RegDMMR(dm, 32, 64, verbs.DMAccessZeroBased)
	b.want(syscall.EINVAL, err)
	must(b.pd.RegDMMR(dm, 64, 128, verbs.DMAccessZeroBased))(t)
}
