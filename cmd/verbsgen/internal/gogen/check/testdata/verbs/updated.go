package verbs

func (cq *CQ) NotLocked(cqe int) error {
	if errno := rawResizeCQ(cq.lib.fn[symIbv_resize_cq], cq.h.C, int32(cqe)); errno != 0 { // want "nothing locks what getters read"
		return fail.Failed(verb, errno, nil)
	}
	cq.cqe = cqe // want "nothing locks what getters read"
	return nil
}

func (cq *CQ) NotLoaded(cqe int) error {
	return object.Locked(&cq.mu, func() error {
		rawResizeCQ(cq.lib.fn[symIbv_resize_cq], cq.h.C, int32(cqe)) // want "getters return what was before the call"
		return nil
	})
}

func (dev *Device) CapsNotKept() (*DeviceInfoEx, error) {
	var attrC cDeviceAttrEx // want "the capabilities are read and not kept for rules"
	rawQueryDeviceEx(dev.h.C, unsafe.Pointer(&attrC))
	return nil, nil
}
