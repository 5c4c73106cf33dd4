//go:build linux && cgo

package conformance

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// atOnce checks that closing something in a callback of a call that uses it is refused, without waiting for the call.
func atOnce(t *testing.T, what string, end func() error) {
	t.Helper()
	begin := time.Now()
	if err := end(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("%s in a callback: %v", what, err)
	}
	if took := time.Since(begin); took >= 10*time.Second { // as long as a Close waits
		t.Errorf("%s in a callback took %v", what, took)
	}
}

// TestCloseInLint closes the objects of a call in the function that is called with its lint: every Close is refused, CloseAll before it
// closes anything, and what the call does not use can be closed.
func TestCloseInLint(t *testing.T) {
	b := open(t)
	end, _, err := link.Pair(b.dev, b.dev)
	if err != nil {
		t.Fatal(err)
	}
	other := must(b.dev.AllocPD())(t)
	called := 0
	b.lib.OnLint(func(*verr.Lint) {
		called++
		atOnce(t, "PD.Close", end.PD.Close)
		atOnce(t, "PD.CloseAll", end.PD.CloseAll)
		atOnce(t, "Device.CloseAll", b.dev.CloseAll)
		if err := other.Close(); called == 1 && err != nil {
			t.Errorf("Close of another object: %v", err)
		}
	})
	way, _ := end.Way(end)
	way.FlowLabel = 1 << 20 // most drivers take the low 20 bits
	_ = must(end.PD.CreateAH(way))(t)
	b.lib.OnLint(nil)
	if called != 1 || end.QP.CPtr() == nil {
		t.Errorf("%d lints; the QP is at %p", called, end.QP.CPtr())
	}
}

// closer is an allocator that closes what the verb that calls it uses.
type closer struct {
	t       *testing.T
	buf     *mem.Buffer
	dev     *verbs.Device
	pd      *verbs.PD // the parent domain
	qp      *verbs.QP
	enabled bool
	calls   []string
}

func (c *closer) closeAll(where string) {
	if !c.enabled {
		return
	}
	c.calls = append(c.calls, where)
	atOnce(c.t, "PD.CloseAll", c.pd.CloseAll)
	atOnce(c.t, "Device.CloseAll", c.dev.CloseAll)
	if c.qp != nil {
		atOnce(c.t, "QP.CloseAll", c.qp.CloseAll)
		if err := c.qp.Close(); !errors.Is(err, os.ErrClosed) {
			c.t.Errorf("Close of a QP inside its own Close: %v", err)
		}
	}
}

func (c *closer) Alloc(verbs.AllocRequest) (uintptr, error) {
	c.closeAll("Alloc")
	return c.buf.Addr(), nil
}

func (c *closer) Free(verbs.AllocRequest, uintptr) { c.closeAll("Free") }

// TestCloseInAllocator does the same in the callbacks of a parent domain: Alloc runs inside CreateQP, Free inside QP.Close.
func TestCloseInAllocator(t *testing.T) {
	b := open(t)
	c := &closer{t: t, buf: must(mem.New(1 << 16))(t), dev: b.dev}
	c.pd = must(b.dev.AllocParentDomain(verbs.NewParentDomainAttr(must(b.dev.AllocPD())(t)).Allocator(c)))(t)
	cq := must(b.dev.CreateCQ(4, nil, 0))(t)
	c.enabled = true
	qp, err := c.pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1})
	if err != nil {
		t.Fatal(err)
	}
	c.qp = qp
	if err := qp.Close(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(c.calls, []string{"Alloc", "Free"}) {
		t.Errorf("called %q", c.calls)
	}
	c.enabled = false
	if err := errors.Join(c.pd.CloseAll(), c.buf.Close()); err != nil {
		t.Error(err)
	}
}
