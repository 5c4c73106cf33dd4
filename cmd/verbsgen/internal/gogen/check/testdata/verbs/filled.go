package verbs

func (dev *Device) NotRead(entries []GIDEntry) (*PortInfo, error) {
	var portAttrC cPortAttr
	entriesC := make([]cGIDEntry, len(entries))
	n, errno := rawQueryGIDTable(dev.h.C, unsafe.Pointer(&portAttrC), // want "C fills portAttrC, and nothing reads it" "the caller's list is not filled from entriesC"
		unsafe.Pointer(unsafe.SliceData(entriesC)))
	if n < 0 {
		return nil, fail.Failed(verb, errno, nil)
	}
	out := new(PortInfo) // want "out is returned, and nothing fills it"
	cmem.FillList(entries, entriesC, len(entries), (*GIDEntry).from)
	return out, nil
}

func (r *CQReader) NotFilled(entries []WCEx) (int, error) {
	var a dpath.Answer // want "a is read, and nothing fills it"
	n, errno := a.Read(&r.cq.gate)
	return n, errno
}
