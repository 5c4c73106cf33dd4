package verbs

func (pd *PD) NotExited(dm *DM) error {
	const verb = "ibv_x"
	if err := pd.base().Enter(verb); err != nil { // want "the use of pd does not end by defer pd.h.Exit"
		return err
	}
	if err := dm.base().EnterBeside(&pd.h, verb, "dm"); err != nil {
		return err
	}
	defer dm.h.Exit()
	defer pd.h.Exit()    // not if dm is closed
	var uses object.Uses // want "the use of handles does not end"
	var pins cmem.Pins
	defer pins.Unpin()
	cmem.PinData(&c.key, key) // want "the pinning of memory does not end"
	pd.mu.Lock()              // want "the lock does not end by defer pd.mu.Unlock"
	return nil
}
