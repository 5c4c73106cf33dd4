package devmem

import "syscall"

// End makes later copies errors that are os.ErrClosed, waits for those that are being made, and runs end, which ends the C object for
// verb. When end fails, copies go on. A device memory that is detached, or is being ended by another call, is os.ErrClosed.
func (d *DM) End(verb string, end func() error) error {
	return d.gate.End(verb, "DM", func() error {
		length, done := d.span.Close(), false
		defer func() { // also when end panics
			if !done {
				d.span.Reopen(length)
			}
		}()
		err := end()
		done = err == nil
		return err
	})
}

// GoneHints says what is left to do when the kernel does not know a device memory any more.
func GoneHints(errno syscall.Errno) []string {
	if errno == syscall.ENOENT {
		return []string{"another context has destroyed the memory; give the handle up with Unimport"}
	}
	return nil
}
