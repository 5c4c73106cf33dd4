//go:build ignore

//verbsgen:with Device ibv_query_device_ex

package verbs

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// ErrDeviceRemoved is in the error of each call on a device that was removed or reset, with syscall.EIO. Its event is
// DEVICE_FATAL, which Device.NextEvent returns. Close everything that was created on the device, for example with
// Device.CloseAll, and open another device.
var ErrDeviceRemoved = verr.ErrDeviceRemoved

// begun has handles of other packages find out whether the device was removed.
func (dev *Device) begun() { dev.h.Probe(dev.probe) }

// probe makes a query that changes nothing and returns its errno.
func (dev *Device) probe() syscall.Errno {
	var attrC cDeviceAttrEx
	return rawQueryDeviceEx(dev.lib.fn[symIbv_query_device], dev.h.C, nil, unsafe.Pointer(&attrC))
}

// gone reports whether a call failed with errno because the device was removed: then the kernel has destroyed what
// was made on it.
func (dev *Device) gone(errno syscall.Errno) bool { return fail.Gone(errno, dev.probe) }

// removed returns err with ErrDeviceRemoved in it, if the device of the call was removed, and otherwise err.
func (dev *Device) removed(err error) error {
	return fail.Removed(err, func() syscall.Errno {
		if dev.base().Enter("ibv_query_device_ex") != nil {
			return 0 // the device is being closed
		}
		defer dev.h.Exit()
		return dev.probe()
	})
}
