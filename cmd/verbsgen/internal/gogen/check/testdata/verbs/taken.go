package verbs

func (dev *Device) NotTaken(attr *QPInitAttrEx, dm *DM, list []*WQ) error {
	attrC := attr.c
	rawX(unsafe.Pointer(&attrC)) // want "attr.pd is not entered" "attr.xrcd is not entered" "attr.srq is not entered" "attr.sendCQ" "attr.recvCQ" "attr.rwqIndTbl" "attr.rxHashConfKey is not pinned" "the error that a builder keeps, attr.err, is not returned" "dev is not entered" "dm is not entered" "list is not entered"
	return nil
}

func (qp *QP) MaskNotTaken(attr *QPAttr, ah AHAttr) error {
	if attr.err != nil {
		return attr.err
	}
	attrC := attr.c
	rawX(unsafe.Pointer(&attrC)) // want "qp is not entered" "C does not get the mask of the fields that are set, attr.mask" "C does not get ah"
	return nil
}

func (dev *Device) NotPlaced(esp *FlowActionESPAttr) error {
	espC := esp.c        // want "esp.place is not called"
	in := inX{esp: espC} // want "dev is not entered"
	rawX(unsafe.Pointer(&espC))
	return nil
}
