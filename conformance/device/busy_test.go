//go:build linux && cgo

package device

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/device/internal/raw"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// TestBusyKernel destroys what others use, without the bindings: library and kernel answer EBUSY, and nothing is broken by that.
func TestBusyKernel(t *testing.T) {
	b := open(t)
	noLeak(t)
	c := openRaw(t)
	buf := must(mem.New(page))(t)
	defer buf.Close()
	channel := must(c.Channel())(t)
	cq := must(c.CQ(channel))(t)
	pd := c.Domain()
	mr := must(c.Region(buf.Addr(), page))(t)
	ah := must(c.AH(must(b.dev.QueryGID(1, 0))(t)))(t)
	qp := must(c.QPOf(cq, int(verbs.QPTypeRC)))(t)
	for _, step := range []struct {
		name   string
		object *raw.Object
		want   syscall.Errno
	}{
		{"PD with MR, AH and QP", pd, syscall.EBUSY},
		{"CQ with QP", cq, syscall.EBUSY},
		{"channel with CQ", channel, syscall.EBUSY},
		{"MR", mr, 0},
		{"PD with AH and QP", pd, syscall.EBUSY},
		{"AH", ah, 0},
		{"PD with QP", pd, syscall.EBUSY},
		{"QP", qp, 0},
		{"channel with CQ and no QP", channel, syscall.EBUSY},
		{"CQ", cq, 0},
		{"channel", channel, 0}, // the PD goes with the context
	} {
		if got := step.object.Destroy(); got != step.want {
			t.Errorf("%s: %s, want %s", step.name, errnoName(got), errnoName(step.want))
		}
	}
}
