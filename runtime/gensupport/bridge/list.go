package bridge

// EnterList begins the use of a list of handles in the place with the C name what, and returns the addresses of their C objects. Many of
// the uses has the handles.
func EnterList[T any](u *Uses, what string, list []*T) ([]uintptr, error) {
	out := make([]uintptr, len(list))
	for i, x := range list {
		h, err := Enter(u, what, x)
		if err != nil {
			return nil, err
		}
		u.Many.Keep(&h.Node)
		out[i] = uintptr(h.C)
	}
	return out, nil
}
