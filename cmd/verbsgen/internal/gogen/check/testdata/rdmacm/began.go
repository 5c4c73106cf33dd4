package rdmacm

func (id *ID) NotBegun() error {
	n, errno := rawX(id.h.C) // want "id.bound is not begun before the call and set after it"
	if n < 0 {
		return fail.Failed(verb, errno, nil)
	}
	id.bound.Set(true)
	return nil
}

func (id *ID) NotSet() error {
	id.bound.Begin()
	n, errno := rawX(id.h.C) // want "id.bound is not begun before the call and set after it"
	if n < 0 {
		return fail.Failed(verb, errno, nil)
	}
	return nil
}
