package devmem

import (
	"syscall"
	"unsafe"
)

// End ends the C object at c by calling end. The device memory is detached before, so that a later copy is an error and not a
// fault, and attached again when end fails.
func (d *DM) End(c unsafe.Pointer, end func() error) error {
	length, known := d.Length()
	d.Detach()
	if err := end(); err != nil {
		_ = d.Attach(c, length, known) // an error of attaching is returned by the first copy
		return err
	}
	return nil
}

// GoneHints says what is left to do when the kernel does not know a device memory any more.
func GoneHints(errno syscall.Errno) []string {
	if errno == syscall.ENOENT {
		return []string{"another context has destroyed the memory; give the handle up with Unimport"}
	}
	return nil
}
