package verbs

func (pd *PD) NotBegun() error {
	ptr, errno := rawX(pd.h.C)
	if ptr == nil {
		return pd.calls.Failed(verb, errno, nil) // want "an allocator answers for the call, and calls.Begin does not come before it"
	}
	return nil
}
