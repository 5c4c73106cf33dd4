//go:build linux && cgo

package cmem

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/internal/ctest"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

type domain struct{ name string }

// TestCalls leads requests of C to an allocator with the handle that they are for.
func TestCalls(t *testing.T) {
	buf, err := mem.New(4096)
	check(t, err)
	t.Cleanup(func() { _ = buf.Close() })
	var said []string
	var answer error
	calls, alloc, free, context, err := NewAllocCalls(Allocator[domain]{
		Alloc: func(d *domain, size, align uint64, r AllocResource) (uintptr, error) {
			said = append(said, fmt.Sprintf("alloc %v %d %d %s", d, size, align, r))
			return buf.Addr(), answer
		},
		Free: func(d *domain, addr uintptr, r AllocResource) {
			said = append(said, fmt.Sprintf("free %v %t %s", d, addr == buf.Addr(), r))
		},
	})
	check(t, err)
	c := ctest.Funcs{Ctx: context, Alloc: alloc, Free: free}
	if addr, _ := c.DoAlloc(16, 8, mlx5CQ); addr != buf.Addr() {
		t.Errorf("C gets %#x", addr)
	}
	calls.Bind(&domain{"pd"})
	c.DoFree(buf.Addr(), mlx5CQ)
	want := "alloc <nil> 16 8 driver 3, resource 7; free &{pd} true driver 3, resource 7"
	if got := strings.Join(said, "; "); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	answer = fmt.Errorf("too much: %w", ErrUseDefault)
	if addr, _ := c.DoAlloc(16, 8, mlx5CQ); addr != useDefault {
		t.Errorf("ErrUseDefault gives C %#x", addr)
	}
	answer = syscall.EDQUOT
	_, errno := c.DoAlloc(16, 8, mlx5CQ)
	err = calls.Failed("ibv_create_cq", errno, func() []string { return []string{"a hint"} })
	if errno != syscall.EDQUOT || !errors.Is(err, syscall.EDQUOT) ||
		!strings.Contains(err.Error(), "allocator asked for 16 bytes") || !strings.Contains(err.Error(), "a hint") {
		t.Errorf("errno %v, error %v", errno, err)
	}
	c.DoAlloc(16, 8, mlx5CQ)
	calls.Begin()
	if err := calls.Failed("ibv_create_cq", syscall.EPERM, nil); strings.Contains(err.Error(), "allocator") {
		t.Errorf("Begin did not forget: %v", err)
	}
	calls.Release()
	if addr, _ := c.DoAlloc(16, 8, mlx5CQ); addr != 0 {
		t.Errorf("after Release C gets %#x", addr)
	}
}

// TestNoCalls uses the Calls of a handle without an allocator.
func TestNoCalls(t *testing.T) {
	var calls *AllocCalls[domain]
	calls.Begin()
	calls.Bind(&domain{})
	calls.Release()
	if err := calls.Failed("ibv_reg_mr", syscall.ENOMEM, nil); err.Error() != "ibv_reg_mr: cannot allocate memory (ENOMEM)" {
		t.Errorf("%v", err)
	}
}
