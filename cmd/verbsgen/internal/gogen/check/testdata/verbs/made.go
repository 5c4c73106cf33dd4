package verbs

func (dev *Device) NotMade() (*PD, error) {
	ptr, errno := rawAllocPD(dev.lib.fn[symIbv_alloc_pd], dev.h.C) // want "the new object does not get a handle once"
	if ptr == nil {
		return nil, fail.Failed(verb, errno, nil)
	}
	return nil, nil
}
