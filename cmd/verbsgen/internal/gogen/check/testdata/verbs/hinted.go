package verbs

func (pd *PD) NotHinted() error {
	rawAllocMW(pd.h.C) // want "the lints of the verb are not reported once"
	return nil
}

func (pd *PD) HintedBefore() error {
	if pd.lib.lints.Wanted() {
		pd.lib.lints.Report(hintAllocMW(&in))
	}
	rawAllocMW(pd.h.C) // want "the lints of the verb are not reported once"
	return nil
}

func (pd *PD) HintedLocked() error {
	return object.Locked(&pd.mu, func() error {
		rawAllocMW(pd.h.C) // want "the lints of the verb are not reported once"
		pd.lib.lints.Report(hintAllocMW(&in))
		return nil
	})
}
