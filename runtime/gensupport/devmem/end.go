package devmem

import (
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// End makes later copies fail with os.ErrClosed, waits for copies that are running, and calls destroy, which destroys the C object on
// behalf of verb. When it fails, End returns its error and copies are possible again. If d is detached or another End is running, the
// error is os.ErrClosed. A copy that takes longer than most makes End fail with syscall.EBUSY. kind names the object in errors.
func (d *DM) End(verb, kind string, most time.Duration, destroy func() error) error {
	if d == nil {
		return fail.NilHandle(verb, kind)
	}
	return d.gate.End(verb, kind, most, func() error {
		length, done := d.span.Close(), false
		defer func() { // also when destroy panics
			if !done {
				d.span.Reopen(length)
			}
		}()
		err := destroy()
		done = err == nil
		return err
	})
}

// GoneHints returns a hint about what to do when the kernel no longer knows a device memory; none for other errnos.
func GoneHints(errno syscall.Errno) []string {
	if errno == syscall.ENOENT {
		return []string{"another context has destroyed the memory; give the handle up with Unimport"}
	}
	return nil
}
