package plan

// readable: a reader is given out after it was looked up that the object was asked for its fields, and that the provider has the
// functions to read them with.
func readable(_ *world, m *Method) (wrong []string) {
	if m.Verb == nil || m.Verb.Reads == nil || len(m.Results) == 0 || m.Results[0].Type[0] != '*' {
		return nil
	}
	calls := at[Call](m.Steps)
	for i, want := range []string{"Check", "Lacks"} {
		found := false
		for _, s := range at[Try](m.Steps) {
			found = found || m.Steps[s].(Try).Call.Path == want && len(calls) == 1 && (s < calls[0]) == (i == 0)
		}
		if !found {
			wrong = append(wrong, "a reader is given out without "+want)
		}
	}
	return wrong
}
