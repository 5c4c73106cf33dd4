package verbs

func (dev *Device) AllocPD() (*PD, error) {
	const verb = "ibv_alloc_dm" // want "errors name \"ibv_alloc_dm\" instead of ibv_alloc_pd" "ibv_alloc_pd is named, and called 0 times"
	return nil, nil
}

func (dev *Device) QueryDevice() (*DeviceInfo, error) {
	const verb = "ibv_query_device" // want "ibv_query_device is named, and called 2 times"
	rawQueryDevice(dev.h.C)
	rawQueryDevice(dev.h.C)
	return nil, nil
}
