package verbs

func (pd *PD) Forget() error { return pd.base().CloseBy("ibv_dealloc_pd", pd.forget, true) }

func (pd *PD) forget() error { return nil } // want "the end of an object does not call its verb once"

func (pd *PD) Unimported() error { return pd.base().CloseBy("ibv_unimport_pd", pd.unimported, true) }

func (pd *PD) unimported() error {
	rawDeallocPD(pd.lib.fn[symIbv_dealloc_pd], pd.h.C) // want "calls another verb than it says, ibv_unimport_pd"
	return nil
}
