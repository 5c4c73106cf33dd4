//go:build ignore

//verbsgen:with ibv_get_device_list ibv_get_device_index

package verbs

import "unsafe"

// deviceIndex asks for the index of a device of the list.
func (l *Lib) deviceIndex(c unsafe.Pointer) int {
	if l.fn[symIbv_get_device_index] == 0 {
		return -1
	}
	return int(rawGetDeviceIndex(l.fn[symIbv_get_device_index], c))
}
