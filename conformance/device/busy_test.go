//go:build linux && cgo

package device

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/device/internal/raw"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
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
	qp := must(c.QP(cq))(t)
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

// TestBusy closes what others use: refused before the library is asked, by the name of what is open, and the traffic goes on.
func TestBusy(t *testing.T) {
	w := openWire(t)
	near, far := w.pair(t, link.Usual)
	for _, c := range []struct {
		name  string
		close func() error
		open  []string
	}{
		{"device", w.devs[0].Close, []string{"PD (handle", "CompChannel", "CQ"}},
		{"PD", near.PD.Close, []string{"QP", "MR (lkey"}},
		{"channel", near.Ch.Close, []string{"CQ"}},
		{"CQ", near.CQ.Close, []string{"QP (handle"}},
	} {
		err := c.close()
		if !errors.Is(err, syscall.EBUSY) {
			t.Errorf("%s: %v, want EBUSY", c.name, err)
			continue
		}
		for _, name := range c.open {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %q is not named: %v", c.name, name, err)
			}
		}
		if err := write(t, near, memoryOf(far), slack).Err(); err != nil {
			t.Errorf("after the refused Close of %s: %v", c.name, err)
		}
	}
	closeEnd(t, near)
	closeEnd(t, far)
	for i, dev := range w.devs {
		if err := dev.Close(); err != nil {
			t.Errorf("%s: %v", w.names[i], err)
		}
	}
}
