package verbs

func (pd *PD) OtherDevice(dm *DM, cq *CQ, mw *MW, list []*WQ) error {
	const verb = "ibv_x"
	if err := dm.base().Enter(verb); err != nil { // want "dm may be of another device than pd"
		return err
	}
	defer dm.h.Exit()
	if err := cq.base().EnterBeside(&cq.h, verb, "cq"); err != nil { // want "cq may be of another device than pd"
		return err
	}
	defer cq.h.Exit()
	if err := mw.base().EnterBeside(&pd.h, verb, "pd"); err != nil { // want "an error about mw would be one about pd"
		return err
	}
	defer mw.h.Exit()
	addrs, err := object.UseList(&uses, &dm.h, verb, "list", list, (*WQ).base) // want "the handles of list may be of another device than pd"
	return err
}
