package verbs

func (dev *Device) NotRefused(attr *QPInitAttrEx, wc *WC, grh []byte, index int) error {
	attrC := attr.c // want "attr may be nil here"
	in := inX{index: int64(index)}
	if errno := rawX(unsafe.Pointer(&attrC), unsafe.Pointer(wc), // want "wc is not refused where it is nil"
		unsafe.Pointer(unsafe.SliceData(grh)), // want "grh is not refused where it is too short"
		int32(index)); errno != 0 {            // want "index is not refused where it does not fit"
		return fail.Failed(verb, errno, nil)
	}
	return nil
}

func (dev *Device) Refused(wc *WC, grh []byte, list []SGE, index int) error {
	if wc == nil {
		return fail.NilValue(verb, "wc", "pass a WC")
	}
	if len(grh) < 40 {
		return fail.TooShort(verb, "grh", 40)
	}
	if int(int32(index)) != index {
		return fail.OutOfRange(verb, "index", index)
	}
	if errno := rawX(unsafe.Pointer(wc), unsafe.Pointer(unsafe.SliceData(grh)), int32(index),
		uint16(len(list))); errno != 0 { // want "list is not refused where its length does not fit"
		return fail.Failed(verb, errno, nil)
	}
	return nil
}
