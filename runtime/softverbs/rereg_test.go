//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// Flags of ibv_rereg_mr.
const (
	changeTranslation = 1
	changePD          = 2
	changeAccess      = 4
)

func TestReregMRKeepsPinnedAndPagedApart(t *testing.T) {
	b := open(t, softverbs.ODP(1, 0xff, 0, 0))
	addr, _ := rw(t, pageSize)
	mr := b.must(b.lib.RegMR(b.pd, addr, 64, localWrite))
	rc, err := b.lib.Rereg(mr, changeAccess, nil, 0, 0, localWrite|onDemand)
	if b.want(syscall.EOPNOTSUPP, err); rc != -4 {
		t.Errorf("got %d, want -4", rc)
	}
	b.dereg(mr)
}

// The library knows by itself that some regions cannot be changed; of device memory only the kernel knows.
func TestReregMRIsForHostMemoryOnly(t *testing.T) {
	b := open(t)
	dm := b.allocDM(64)
	mr := b.must(b.lib.RegDMMR(b.pd, dm, 0, 64, zeroBased))
	null := b.must(b.lib.NullMR(b.pd))
	for _, c := range []struct {
		mr   harness.Obj
		want int
	}{{mr, -4}, {null, -1}} {
		rc, err := b.lib.Rereg(c.mr, changeAccess, nil, 0, 0, localWrite)
		if b.want(syscall.EINVAL, err); rc != c.want {
			t.Errorf("got %d, want %d", rc, c.want)
		}
	}
	b.dereg(null)
	b.dereg(mr)
	b.ok(b.lib.FreeDM(b.ctx, dm))
}

// A region that moved off a parent domain holds it no more; the domain's allocator gets its block back when the domain ends.
func TestReregMRLeavesAParentDomain(t *testing.T) {
	for _, answer := range []int{harness.AnswerMemory, harness.AnswerDefault} {
		b := open(t)
		addr, _ := rw(t, pageSize)
		arena := harness.NewArena(answer)
		defer arena.Free()
		parent := b.must(b.lib.AllocParentDomain(b.ctx, b.pd, nil, arena, 0))
		mr := b.must(b.lib.RegMR(parent, addr, 64, localWrite))
		if rc, err := b.lib.Rereg(mr, changePD, parent, 0, 0, 0); rc != 0 {
			t.Fatalf("rereg: %d, %v", rc, err)
		}
		b.want(syscall.EBUSY, b.lib.End("ibv_dealloc_pd", parent)) // it has not left
		if rc, err := b.lib.Rereg(mr, changePD, b.pd, 0, 0, 0); rc != 0 {
			t.Fatalf("rereg: %d, %v", rc, err)
		}
		allocs, before, _ := arena.Counts()
		b.ok(b.lib.End("ibv_dealloc_pd", parent))
		if _, after, bad := arena.Counts(); allocs > 0 && after != before+1 || after != allocs || bad != 0 {
			t.Errorf("%d allocs, %d frees before the end of the domain, %d after, %d of them wrong", allocs, before, after, bad)
		}
		b.dereg(mr)
	}
}

func TestAdviseMR(t *testing.T) {
	b := open(t, softverbs.ODP(1, 0xff, 0, 0))
	addr, _ := rw(t, 2*pageSize)
	addr += 64
	mr := b.must(b.lib.RegMR(b.pd, addr, pageSize, onDemand))
	plain := b.must(b.lib.RegMR(b.pd, addr, pageSize, localWrite))
	pd := b.must(b.lib.AllocPD(b.ctx))
	lkey, at := harness.ReadMR(mr).LKey, uint64(addr)
	for _, c := range []struct {
		what   string
		pd     harness.Obj
		advice int
		flags  uint32
		addr   uint64
		lkey   uint32
		n      uint32
		want   syscall.Errno
	}{
		{"prefetch", b.pd, 0, 0, at, lkey, 1, 0}, {"flush", b.pd, 0, 1, at, lkey, 1, 0}, {"no fault", b.pd, 2, 0, at, lkey, 1, 0},
		{"for writing", b.pd, 1, 0, at, lkey, 1, syscall.EPERM},
		{"other PD", pd, 0, 0, at, lkey, 1, syscall.EPERM},
		{"unknown advice", b.pd, 77, 0, at, lkey, 1, syscall.EOPNOTSUPP},
		{"unknown flag", b.pd, 0, 2, at, lkey, 1, syscall.EINVAL},
		{"no elements", b.pd, 0, 0, at, lkey, 0, syscall.EINVAL},
		{"out of the region", b.pd, 0, 0, at + pageSize - 63, lkey, 1, syscall.EFAULT},
		{"before the region", b.pd, 0, 0, at - 1, lkey, 1, syscall.EFAULT},
		{"rkey", b.pd, 0, 0, at, lkey + 1, 1, syscall.ENOENT},
		{"pinned region", b.pd, 0, 0, at, harness.ReadMR(plain).LKey, 1, syscall.EOPNOTSUPP},
	} {
		err := b.lib.Advise(c.pd, c.advice, c.flags, c.addr, 64, c.lkey, c.n)
		t.Logf("%s: %v", c.what, err)
		b.want(c.want, err)
	}
	b.ok(b.lib.End("ibv_dealloc_pd", pd))
	b.dereg(plain)
	b.dereg(mr)
	none := open(t)
	none.want(syscall.EOPNOTSUPP, none.lib.Advise(none.pd, 0, 0, at, 64, 1, 1))
}
