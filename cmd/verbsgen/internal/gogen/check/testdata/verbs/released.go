package verbs

func (pd *PD) NotReleased(memory mem.Source) (*MR, error) {
	in := inX{}
	held, err := cmem.Take(memory, verb) // want "the rules look at memory before it is taken"
	if err != nil {
		return nil, err
	}
	if err := checkX(&in); err != nil {
		return nil, err // want "held is not released on this path"
	}
	rawX(held.Addr)
	return nil, nil // want "held is not released on this path"
}

func (pd *PD) NotKept(memory mem.Source) (*MR, error) {
	held, err := cmem.Take(memory, verb)
	if err != nil {
		return nil, err
	}
	release := held.Release // want "memory is not kept once by the new object"
	defer object.Release(&release)
	ptr, errno := rawX(held.Addr)
	o := newMR(pd.dev, ptr)
	release = nil // want "memory is no longer released, and no object keeps it"
	return o, nil
}

func (pd *PD) ReleasedLate(memory mem.Source) error {
	held, err := cmem.Take(memory, verb)
	if err != nil {
		return err
	}
	release := held.Release // want "memory is not released by a defer right behind"
	if err := checkX(&in); err != nil {
		return err
	}
	defer object.Release(&release)
	return nil
}

func (pd *PD) NotHeld(memory mem.Source, addr uintptr) (*MR, error) { // want "memory is handed to C and not held" "addr is handed to C and not held"
	ptr, errno := rawX(addr)
	o := newMR(pd.dev, ptr)
	if err := o.h.Adopt(&pd.h.Node); err != nil {
		return nil, err
	}
	return o, nil
}

func (mr *MR) helper(held cmem.Held) error {
	if err := checkX(&in); err != nil {
		return err // want "held is not released on this path"
	}
	return settle(held, rawX())
}
