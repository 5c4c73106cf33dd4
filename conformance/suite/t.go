//go:build linux

package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// T is one run of a case: its device, and where it says what went wrong. It is used from the case's own goroutine, but for
// Errorf and Logf.
type T struct {
	target *Target
	source verbs.Symbols
	lib    *verbs.Lib
	dev    *verbs.Device
	soft   *softverbs.Device
	mode   string
	ctx    context.Context // ends with the case's time
	maker  far.Maker
	port   *far.Port

	mu       sync.Mutex
	ended    bool // nobody listens any more
	failures []string
	skipped  string
	lacks    []string
	cleanups []func()
	observed observer
}

// Take lets Config.Take have the queues of a queue pair.
func (t *T) Take(qp *verbs.QP, sends, recvs *verbs.CQ) (done func() error, err error) {
	if take := t.target.cfg.Take; take != nil {
		return take(qp, sends, recvs)
	}
	return func() error { return nil }, nil
}

// Errorf says that something is wrong; the case goes on.
func (t *T) Errorf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.failures = append(t.failures, fmt.Sprintf(format, args...))
	}
}

// Fatalf says that something is wrong and ends the case.
func (t *T) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

// Lack ends the case, as a capability turns out not to be there.
func (t *T) Lack(c Capability, why error) {
	t.mu.Lock()
	t.skipped = fmt.Sprintf("needs %s: %v", c, why)
	if !ofOthers[c] {
		t.lacks = append(t.lacks, string(c))
	}
	t.mu.Unlock()
	runtime.Goexit()
}

// Cleanup has f called when the case has ended, the latest first.
func (t *T) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

// Finally has something closed when the case has ended, after what is made later. It may be closed already.
func (t *T) Finally(what string, close func() error) {
	t.Cleanup(func() {
		if err := close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("closing %s: %v", what, err)
		}
	})
}

// clean runs the cleanups, each of them also when others panic or end the goroutine.
func (t *T) clean() {
	n := len(t.cleanups)
	if n == 0 {
		return
	}
	t.mu.Lock()
	t.observed.over = true
	t.mu.Unlock()
	last := t.cleanups[n-1]
	t.cleanups = t.cleanups[:n-1]
	defer t.clean()
	last()
}

// Has reports whether the device has a capability that the case can do without. Device memory of an overlay is there for the cases
// that run on it alone.
func (t *T) Has(c Capability) bool {
	if c == DM && t.target.overlay != nil {
		return t.mode == report.ModeOverlay
	}
	return t.target.lacking[c] == ""
}

// Context ends when the case must have ended.
func (t *T) Context() context.Context { return t.ctx }

// Name is the name of the device.
func (t *T) Name() string { return t.target.name }

// Source is where the functions of the library come from.
func (t *T) Source() verbs.Symbols { return t.source }

// Soft is the software device, nil on any other.
func (t *T) Soft() *softverbs.Device { return t.soft }

// Lib is the library.
func (t *T) Lib() *verbs.Lib { return t.lib }

// Device is the device, opened when it is first asked for. When the case has ended, all that is open in it is closed.
func (t *T) Device() *verbs.Device {
	if t.dev == nil {
		t.dev = t.Open()
	}
	return t.dev
}

// Open opens the device once more.
func (t *T) Open() *verbs.Device { return t.open(t.target.name) }

func (t *T) open(name string) *verbs.Device {
	dev, err := t.lib.OpenDevice(name)
	if err != nil {
		t.Fatalf("opening %s: %v", name, err)
	}
	t.Finally("the device", dev.CloseAll)
	return dev
}

// Errno notes what a verb answered, and checks that it failed with one of the errnos: a set, as kernels differ.
func (t *T) Errno(what string, err error, set ...syscall.Errno) {
	t.Saw(what, err)
	var e *verr.Error
	switch {
	case err == nil:
		t.Errorf("%s: accepted, want %s", what, names(set))
	case !errors.As(err, &e):
		t.Errorf("%s: %v, want the error of a verb", what, err)
	case e.Refused:
		t.Errorf("%s: refused by a rule, want %s of the library: %v", what, names(set), err)
	case !slices.Contains(set, e.Errno):
		t.Errorf("%s: %s, want %s: %v", what, verr.ErrnoName(e.Errno), names(set), err)
	}
}

// OK notes what a call answered, and checks that it worked.
func (t *T) OK(what string, err error) {
	t.Saw(what, err)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// Status notes how an operation completed, and checks that it is one of the set: values of enum ibv_wc_status.
func (t *T) Status(what string, got verbs.WCStatus, set ...verbs.WCStatus) {
	t.Note(what, StatusName(got))
	if slices.Contains(set, got) {
		return
	}
	var want []string
	for _, s := range set {
		want = append(want, StatusName(s))
	}
	t.Errorf("%s: completed with status %d (%s), want %s", what, got, StatusName(got), strings.Join(want, " or "))
}

func names(set []syscall.Errno) string {
	var out []string
	for _, e := range set {
		out = append(out, verr.ErrnoName(e))
	}
	return strings.Join(out, " or ")
}

// Refused returns the IDs of the rules that refused a call before the library saw it; nil when none did.
func Refused(err error) []string {
	var e *verr.Error
	if !errors.As(err, &e) || !e.Refused {
		return nil
	}
	ids := []string{}
	for _, v := range e.Violations {
		ids = append(ids, v.Rule.ID)
	}
	return ids
}
