//go:build ignore

//verbsgen:with capabilities ibv_query_device_ex
//verbsgen:field Device caps fail.Caps[cDeviceAttrEx] // for the rules that need them

package verbs

import (
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// capabilities returns what the rules know about the device. They are read once, when a rule first needs them.
// It returns nil if the device cannot be queried.
func (dev *Device) capabilities() *cDeviceAttrEx {
	if caps := dev.caps.Known(); caps != nil {
		return caps
	}
	return dev.caps.Read(dev.askCapabilities)
}

// askCapabilities reads the capabilities by ibv_query_device_ex.
func (dev *Device) askCapabilities() (*cDeviceAttrEx, error) {
	const verb = "ibv_query_device_ex"
	var attrC cDeviceAttrEx
	if errno := rawQueryDeviceEx(dev.lib.fn[symIbv_query_device], dev.h.C, nil, unsafe.Pointer(&attrC)); errno != 0 {
		return nil, fail.Failed(verb, errno, nil)
	}
	if attrC.comp_mask != 0 {
		return nil, fail.NoCaps(verb)
	}
	return &attrC, nil
}

// UnjudgedRules returns the capability rules that are not checked on this Device because its capabilities
// cannot be read, and the reason; nil if all rules are checked.
//
// Capabilities are read when a rule first needs them. If that fails, no call fails because of it, and a later
// query by the program makes them known.
//
// C: ibv_query_device_ex, ibv_query_device_ex(3).
func (dev *Device) UnjudgedRules() ([]verr.Rule, error) {
	const verb = "ibv_query_device_ex"
	if err := dev.base().Enter(verb); err != nil {
		return nil, err
	}
	defer dev.h.Exit()
	return fail.Unjudged(capable, dev.caps.Why(dev.askCapabilities))
}
