package verbs

func (dev *Device) NotAdopted() (*PD, error) {
	o := newPD(dev, ptr) // want "the new PD is not adopted once"
	return o, nil
}

func (dev *Device) AdoptedInVain() (*PD, error) {
	o := newPD(dev, ptr) // want "the new PD is not adopted once"
	o.h.Adopt(&dev.h.Node)
	return o, nil
}

func (pd *PD) AdoptedEarly(memory mem.Source, dm *DM) (*MR, error) {
	if err := pd.base().Enter(verb); err != nil {
		return nil, err
	}
	defer pd.h.Exit()
	if err := dm.base().EnterBeside(&pd.h, verb, "dm"); err != nil {
		return nil, err
	}
	defer dm.h.Exit()
	o := newMR(pd.dev, ptr)                       // want "the object does not know its PD" "the region of the object is not placed once"
	if err := o.h.Adopt(&pd.h.Node); err != nil { // want "the object is 0 times under dm, not once"
		return nil, err
	}
	o.h.Kept, release = release, nil // want "o is adopted before it has what it keeps"
	return o, nil
}

func (dev *Device) NotUnderList(list []*WQ) (*RWQIndTable, error) {
	addrs, err := object.UseList(&uses, &dev.h, verb, "list", list, (*WQ).base)
	o := newRWQIndTable(dev, ptr)
	if err := o.h.Adopt(&dev.h.Node); err != nil { // want "the object is not under the handles of a list"
		return nil, err
	}
	return o, nil
}
