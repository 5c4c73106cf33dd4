//go:build ignore

//verbsgen:with ibv_get_device_list
//verbsgen:without ibv_get_device_index

package verbs

import "unsafe"

// deviceIndex is the index of a device where the release has no function for it.
func (*Lib) deviceIndex(unsafe.Pointer) int { return -1 }
