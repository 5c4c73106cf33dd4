//go:build ignore

//verbsgen:with capabilities
//verbsgen:without ibv_query_device_ex

package verbs

// capabilities returns what the rules know about the device, once the program has asked for it.
func (dev *Device) capabilities() *cDeviceAttrEx { return dev.caps.Known() }
