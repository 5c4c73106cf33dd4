package plan

// readable: a reader or a stream is given out after it was looked up that the object was asked for what it does, and that the
// provider has the functions.
func readable(_ *world, m *Method) (wrong []string) {
	if m.Verb == nil || m.Verb.Reads == nil && m.Verb.Stream == nil || len(m.Results) == 0 || m.Results[0].Type[0] != '*' {
		return nil
	}
	if m.Verb.Stream != nil && len(at[Missing](m.Steps)) == 0 {
		wrong = append(wrong, "the functions are looked for by one that the library may not have")
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
