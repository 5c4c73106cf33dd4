package fail

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestOnce makes each error one time: the same value again, without an allocation, and an errno beyond the table too.
func TestOnce(t *testing.T) {
	o := &Once{Verb: "ibv_post_send", Kind: "QP"}
	first := o.Errno(syscall.ENOMEM)
	if first.Error() != "ibv_post_send: cannot allocate memory (ENOMEM)" || !errors.Is(first, syscall.ENOMEM) {
		t.Errorf("ENOMEM: %v", first)
	}
	if o.Errno(syscall.ENOMEM) != first {
		t.Error("a second error is made for the same errno")
	}
	if err := o.Errno(9999); !errors.Is(err, syscall.Errno(9999)) {
		t.Errorf("an errno beyond the table: %v", err)
	}
	if err := o.Closed(); !errors.Is(err, os.ErrClosed) || o.Closed() != err || err.Error() != "ibv_post_send: QP is closed" {
		t.Errorf("Closed: %v", err)
	}
	if err := o.Errno(ErrnoClosed); err != o.Closed() {
		t.Errorf("ErrnoClosed: %v", err)
	}
	full := o.Full(syscall.ENOMEM)
	const want = "ibv_post_send: the queue is full (ENOMEM); take completions from its completion queue, then post the rest"
	if full.Error() != want {
		t.Errorf("Full: %v", full)
	}
	if !errors.Is(full, verr.ErrQueueFull) || !errors.Is(full, syscall.ENOMEM) || errors.Is(o.Errno(syscall.ENOMEM), verr.ErrQueueFull) ||
		errors.Is(o.Closed(), verr.ErrQueueFull) {
		t.Errorf("Full: %v, Errno: %v", full, o.Errno(syscall.ENOMEM))
	}
	if err := o.Errno(ErrnoNoMemory); !errors.Is(err, syscall.ENOMEM) || errors.Is(err, verr.ErrQueueFull) {
		t.Errorf("ErrnoNoMemory: %v", err)
	}
	if e := o.Full(syscall.ENOSPC); !errors.Is(e, verr.ErrQueueFull) || !errors.Is(e, syscall.ENOSPC) || !strings.Contains(e.Error(),
		"(ENOSPC)") {
		t.Errorf("Full by ENOSPC: %v", e)
	}
	if e := o.FullQuiet(syscall.ENOMEM); !errors.Is(e, verr.ErrQueueFull) || !strings.Contains(e.Error(), "set SendSignaled on") {
		t.Errorf("of requests that are not signaled: %v", e)
	}
	allocs.None(t, "Full", func() {
		for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.ENOSPC} {
			_ = errors.Is(o.Full(errno), verr.ErrQueueFull) && errors.Is(o.Full(errno), errno)
		}
	})
	allocs.None(t, "Errno", func() { _ = o.Errno(syscall.ENOMEM); _ = o.Errno(ErrnoClosed) })
}
