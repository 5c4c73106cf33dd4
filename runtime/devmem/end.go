package devmem

import (
	"syscall"
	"unsafe"
)

// End destroys the C object at c by calling end. It detaches the device memory first, so that a later copy is an error
// and not a fault, and attaches it again when end fails. It returns the error of end.
func (d *DM) End(c unsafe.Pointer, end func() error) error {
	length, known := d.Length()
	d.Detach()
	if err := end(); err != nil {
		_ = d.Attach(c, length, known) // an error of attaching is returned by the first copy
		return err
	}
	return nil
}

// GoneHints returns a hint about what to do when the kernel no longer knows a device memory; none for other errnos.
func GoneHints(errno syscall.Errno) []string {
	if errno == syscall.ENOENT {
		return []string{"another context has destroyed the memory; give the handle up with Unimport"}
	}
	return nil
}
