//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// TestLowestHandle closes some among many: the next ones get their handles, the lowest first, and then new ones.
func TestLowestHandle(t *testing.T) {
	b := open(t)
	const many = 5000 // more than 64 * 64
	pds := map[uint32]harness.Obj{}
	add := func() uint32 {
		pd := b.must(b.lib.AllocPD(b.ctx))
		h := harness.PDHandle(pd)
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
	freed := []uint32{first, first + 63, first + 64, first + 100, first + 4095, first + 4096, first + many}
	for _, i := range []int{4, 0, 6, 2, 1, 5, 3} {
		b.ok(b.lib.End("ibv_dealloc_pd", pds[freed[i]]))
		delete(pds, freed[i])
	}
	for _, want := range append(freed, first+many+1, first+many+2) {
		if h := add(); h != want {
			t.Errorf("handle %d, want %d", h, want)
		}
	}
	for _, pd := range pds {
		b.ok(b.lib.End("ibv_dealloc_pd", pd))
	}
}

func TestParentDomainAllocator(t *testing.T) {
	addr, _ := rw(t, pageSize)
	for _, c := range []struct {
		what          string
		answer        int
		want          syscall.Errno
		allocs, frees int
	}{
		{"memory", harness.AnswerMemory, 0, 1, 1},
		{"use the default", harness.AnswerDefault, 0, 0, 0},
		{"NULL", harness.AnswerNull, syscall.ENOMEM, 0, 0},
		{"not zeroed", harness.AnswerDirty, syscall.EINVAL, 1, 1},
		{"not aligned", harness.AnswerCrooked, syscall.EINVAL, 1, 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := open(t, softverbs.Driver(1))
			arena := harness.NewArena(c.answer)
			defer arena.Free()
			parent := b.must(b.lib.AllocParentDomain(b.ctx, b.pd, nil, arena, 0))
			mr, err := b.lib.RegMR(parent, addr, 64, localWrite)
			b.want(c.want, err)
			pd, size, align, resource := arena.Asked()
			if pd != parent || size == 0 || align == 0 || align&(align-1) != 0 || resource>>32 != 1 || uint32(resource) == 0 {
				t.Errorf("asked for %d bytes at %d, resource 0x%x", size, align, resource)
			}
			if err == nil {
				if _, frees, _ := arena.Counts(); frees != 0 {
					t.Error("freed while in use")
				}
				b.dereg(mr)
			}
			if allocs, frees, bad := arena.Counts(); allocs != c.allocs || frees != c.frees || bad != 0 {
				t.Errorf("%d allocs, %d frees, %d of them wrong", allocs, frees, bad)
			}
			b.ok(b.lib.End("ibv_dealloc_pd", parent))
		})
	}
}

// TestManyObjects has more objects open than the registry has room for at first: each is found, named as a leak, and gone
// when it is ended.
func TestManyObjects(t *testing.T) {
	b := open(t)
	const many = 5000
	addr, _ := rw(t, pageSize)
	var mrs []harness.Obj
	for range many {
		mrs = append(mrs, b.must(b.lib.RegMR(b.pd, addr, 64, 0)))
	}
	if leaks := len(b.dev.Leaks()); leaks != many+2 { // with the context and the PD
		t.Errorf("%d objects are open, want %d", leaks, many+2)
	}
	for _, mr := range mrs {
		b.dereg(mr)
		b.want(syscall.EINVAL, b.lib.End("ibv_dereg_mr", mr))
	}
	if leaks := b.dev.Leaks(); len(leaks) != 2 {
		t.Errorf("left are %q", leaks)
	}
}
