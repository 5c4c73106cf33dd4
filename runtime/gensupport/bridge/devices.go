package bridge

import (
	"cmp"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/cmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// DeviceList has the functions of a loaded library that list devices.
type DeviceList struct {
	// List is ibv_get_device_list: it returns an array of struct ibv_device * and writes its length to n.
	List func(n *int32) (list unsafe.Pointer, errno syscall.Errno)
	// Free is ibv_free_device_list.
	Free func(list unsafe.Pointer)
	// Source is what the functions come from; the system is looked at only for a real library.
	Source any
}

// Each calls f with each device (struct ibv_device *) until f returns false. The device is valid until f returns. verb
// is named in errors. A kernel without RDMA is an error that is errors.ErrUnsupported; a machine without devices is no
// error.
func (l DeviceList) Each(verb string, f func(device unsafe.Pointer) bool) error {
	var n int32
	list, errno := l.List(&n)
	if list != nil {
		defer l.Free(list)
	}
	if n == 0 && (list != nil || errno == syscall.ENOSYS) { // a library that cannot open files says that too
		if hint := fail.FilesHint(); hint != "" {
			return &verr.Error{Verb: verb, Errno: syscall.EMFILE, Msg: "no device was found, and " + hint}
		}
	}
	if list == nil {
		if errno == syscall.ENOSYS {
			return &verr.Error{Verb: verb, Errno: errno, Msg: cmp.Or(fail.NoRDMA(l.Source), "the kernel has no RDMA; load the modules of "+
				"the device and ib_uverbs")}
		}
		return fail.Failed(verb, errno, nil)
	}
	for i := range uintptr(n) {
		if !f(cmem.At[unsafe.Pointer](list, i*unsafe.Sizeof(list))) {
			return nil
		}
	}
	return nil
}

// Find calls open once, with the device called wanted; name returns the name of a device. Find returns the error of
// open or of Each, or syscall.ENODEV with the names of the devices that exist.
func (l DeviceList) Find(verb, wanted string, name func(device unsafe.Pointer) string, open func(device unsafe.Pointer) error) error {
	var names []string
	var failed error
	found := false
	err := l.Each(verb, func(device unsafe.Pointer) bool {
		names = append(names, name(device))
		if found = name(device) == wanted; found {
			failed = open(device)
		}
		return !found
	})
	switch {
	case err != nil:
		return err
	case found:
		return failed
	}
	have := "there is none"
	if len(names) > 0 {
		have = "there is " + strings.Join(names, ", ")
	}
	if why := fail.Unlisted(l.Source, wanted, names); why != "" {
		have += "; " + why
	}
	return &verr.Error{Verb: verb, Errno: syscall.ENODEV, Msg: "no device " + strconv.Quote(wanted) + "; " + have}
}
