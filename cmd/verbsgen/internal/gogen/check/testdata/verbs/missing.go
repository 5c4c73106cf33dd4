package verbs

func (qp *QP) NotLookedFor() error {
	if errno := rawSetECE(qp.lib.fn[symIbv_set_ece], qp.h.C); errno != 0 { // want "rawSetECE is called where the library may lack it"
		return fail.Failed(verb, errno, nil)
	}
	return nil
}

func (pd *PD) LookedForLate(attr *MRInitAttr) (*MR, error) {
	held, err := attr.hold(verb, &attrC)
	if err != nil {
		return nil, err
	}
	if pd.lib.fn[symIbv_reg_mr_ex] == 0 {
		return nil, pd.lib.missing("ibv_reg_mr_ex", symIbv_reg_mr_ex) // want "memory is taken for a function that the library may lack"
	}
	ptr, errno := rawRegMREx(pd.lib.fn[symIbv_reg_mr_ex], pd.h.C, unsafe.Pointer(&attrC))
	return ptr, errno
}

func (dev *Device) EndNotLookedFor() (*PD, error) {
	if dev.lib.fn[symIbv_import_pd] == 0 {
		return nil, dev.lib.missing("ibv_import_pd", symIbv_import_pd)
	}
	ptr, errno := rawImportPD(dev.lib.fn[symIbv_import_pd], dev.h.C) // want "ibv_unimport_pd is not looked for, which ends the object"
	return ptr, errno
}

func (dev *Device) EndLeftOut() (*PD, error) {
	if dev.lib.fn[symIbv_import_pd] == 0 {
		return nil, dev.lib.missing("ibv_import_pd", symIbv_import_pd)
	}
	if dev.lib.fn[symIbv_unimport_pd] == 0 {
		return nil, dev.lib.missing("ibv_unimport_pd", symIbv_unimport_pd) // want "symIbv_unimport_pd is looked for and not called"
	}
	ptr, errno := rawImportPD(dev.lib.fn[symIbv_import_pd], dev.h.C)
	return ptr, errno
}
