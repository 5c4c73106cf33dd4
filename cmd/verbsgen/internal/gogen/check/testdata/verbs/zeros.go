package verbs

func (dev *Device) NotZero() (*PortInfo, int, error) {
	out := new(PortInfo)
	n, errno := rawX(dev.h.C, unsafe.Pointer(out))
	if n < 0 {
		return out, 0, fail.Failed(verb, errno, nil) // want "out is returned with an error"
	}
	if n == 1 {
		return nil, n, fail.Failed(verb, errno, nil) // want "n is returned with an error"
	}
	return out, n, nil
}
