package verbs

func (pd *PD) NotEntered() error {
	const verb = "ibv_dealloc_pd"
	if errno := rawDeallocPD(pd.lib.fn[symIbv_dealloc_pd], pd.h.C); errno != 0 { // want "pd may be nil" "pd is used and not entered before"
		return fail.Failed(verb, errno, nil)
	}
	return nil
}

func (pd *PD) EnteredInVain(dm *DM) error {
	const verb = "ibv_x"
	pd.base().Enter(verb)
	in := inX{pd: fail.Addr(pd.h.C)} // want "pd is used and not entered before"
	if err := dm.base().EnterBeside(&pd.h, verb, "dm"); err != nil {
		return err
	}
	defer dm.h.Exit()
	return checkX(&in)
}

func (pd *PD) SometimesEntered(attr *QPInitAttrEx) error {
	const verb = "ibv_x"
	if attr.srq != nil {
		if err := attr.srq.base().Enter(verb); err != nil {
			return err
		}
		defer attr.srq.h.Exit()
	}
	attr.c.srq = uintptr(attr.srq.h.C) // want "attr.srq is used and not entered before"
	return nil
}

func (pd *PD) helper() uintptr { return uintptr(pd.h.C) }

func (pd *PD) ByHelper() uintptr {
	return pd.helper() // want "pd is used and not entered before"
}
