//go:build ignore

//verbsgen:with capabilities
//verbsgen:without ibv_query_device_ex
//verbsgen:field Device caps fail.Caps[cDeviceAttrEx] // for the rules that need them

package verbs

// capabilities returns what the rules know about the device, once the program has asked for it.
func (dev *Device) capabilities() *cDeviceAttrEx { return dev.caps.Known() }
