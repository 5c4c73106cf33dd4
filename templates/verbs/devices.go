//go:build ignore

//verbsgen:face struct ibv_device **ibv_get_device_list(int *)
//verbsgen:face struct ibv_context *ibv_open_device(struct ibv_device *)
//verbsgen:calls void ibv_free_device_list(struct ibv_device **)
//verbsgen:calls __be64 ibv_get_device_guid(struct ibv_device *)
//verbsgen:optional int ibv_get_device_index(struct ibv_device *)

package verbs

import (
	"math/bits"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/bridge"
	"github.com/verbsgen/verbsgen/runtime/gensupport/cmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// DeviceEntry is an entry of the device list.
//
// C: struct ibv_device, ibv_get_device_list(3).
type DeviceEntry struct {
	// Name of the device in the kernel ("mlx5_0").
	Name string // name
	// DevName is the name of its verbs character device ("uverbs0").
	DevName string // dev_name
	// DevPath is the folder of the character device in sysfs.
	DevPath string // dev_path
	// IBDevPath is the folder of the device in sysfs.
	IBDevPath string        // ibdev_path
	NodeType  NodeType      // node_type
	Transport TransportType // transport_type
	// GUID of the node in the host's byte order. C: ibv_get_device_guid(3).
	GUID uint64
	// Index of the device in the kernel; -1 if the kernel or the library has none. C: ibv_get_device_index(3).
	Index int
}

// Devices lists the RDMA devices of the machine. If the kernel has no RDMA, the error is errors.ErrUnsupported. An empty list means that
// the kernel has RDMA but no device.
//
// C: ibv_get_device_list, ibv_get_device_list(3).
func (l *Lib) Devices() ([]DeviceEntry, error) {
	l = object.OrZero(l)
	const verb = "ibv_get_device_list"
	list, err := l.deviceList()
	if err != nil {
		return nil, err
	}
	var out []DeviceEntry
	err = list.Each(verb, func(c unsafe.Pointer) bool {
		out = append(out, l.deviceInfo(c))
		return true
	})
	return out, err
}

// OpenDevice opens the device of the given name.
//
// C: ibv_open_device, ibv_open_device(3).
func (l *Lib) OpenDevice(name string) (*Device, error) {
	l = object.OrZero(l)
	const verb = "ibv_open_device"
	list, err := l.deviceList()
	if err != nil {
		return nil, err
	}
	var dev *Device
	err = list.Find(verb, name, deviceName, func(c unsafe.Pointer) (err error) {
		dev, err = l.openListed(c, name)
		return err
	})
	return dev, err
}

// Lib returns the library that the device was opened with.
func (dev *Device) Lib() *Lib { return object.OrZero(dev).lib }

// openListed opens a device of the list.
func (l *Lib) openListed(c unsafe.Pointer, name string) (*Device, error) {
	const verb = "ibv_open_device"
	if l.fn[symIbv_open_device] == 0 {
		return nil, l.missing(verb, symIbv_open_device)
	}
	ctx, errno := rawOpenDevice(l.fn[symIbv_open_device], c)
	if ctx == nil {
		return nil, fail.NotOpened(verb, l.src, name, cmem.Text((*cDevice)(c).dev_name[:]), errno)
	}
	dev := newDevice(l, ctx)
	if err := dev.h.Adopt(); err != nil {
		return nil, err
	}
	dev.h.SetLabel(name)
	return dev, nil
}

// deviceList returns the functions that list devices.
func (l *Lib) deviceList() (bridge.DeviceList, error) {
	if l.fn[symIbv_get_device_list] == 0 {
		return bridge.DeviceList{}, l.missing("ibv_get_device_list", symIbv_get_device_list)
	}
	if l.fn[symIbv_free_device_list] == 0 {
		return bridge.DeviceList{}, l.missing("ibv_free_device_list", symIbv_free_device_list)
	}
	return bridge.DeviceList{
		List: func(n *int32) (unsafe.Pointer, syscall.Errno) {
			return rawGetDeviceList(l.fn[symIbv_get_device_list], unsafe.Pointer(n))
		},
		Free:   func(list unsafe.Pointer) { rawFreeDeviceList(l.fn[symIbv_free_device_list], list) },
		Source: l.src,
	}, nil
}

// deviceName reads the name of a device of the list.
func deviceName(c unsafe.Pointer) string { return cmem.Text((*cDevice)(c).name[:]) }

// deviceInfo reads one device of the list.
func (l *Lib) deviceInfo(c unsafe.Pointer) DeviceEntry {
	d := (*cDevice)(c)
	info := DeviceEntry{
		Name:      deviceName(c),
		DevName:   cmem.Text(d.dev_name[:]),
		DevPath:   cmem.Text(d.dev_path[:]),
		IBDevPath: cmem.Text(d.ibdev_path[:]),
		NodeType:  NodeType(d.node_type),
		Transport: TransportType(d.transport_type),
		Index:     l.deviceIndex(c),
	}
	if l.fn[symIbv_get_device_guid] != 0 {
		info.GUID = bits.ReverseBytes64(rawGetDeviceGUID(l.fn[symIbv_get_device_guid], c))
	}
	return info
}
