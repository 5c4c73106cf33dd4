package verbs

func (dev *Device) NotReturned() (int, error) {
	n, errno := rawX(dev.h.C)
	if n < 0 {
		return -1, fail.Failed(verb, errno, nil)
	}
	return 0, nil // want "0 is returned instead of what C answers"
}

func (dev *Device) OtherReturned(pd *PD) (*PD, error) {
	ptr, errno := rawX(dev.h.C)
	o := newPD(dev, ptr)
	return pd, nil // want "the new object is not returned"
}
