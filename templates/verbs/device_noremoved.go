//go:build ignore

//verbsgen:with Device
//verbsgen:without ibv_query_device_ex

package verbs

// removed would ask whether the device was removed, for which this package has no function.
func (dev *Device) removed(err error) error { return err }
