package verbs

func (dev *Device) OtherOrder(portNum uint8, index int) (uint16, error) {
	var pkey uint16
	n, errno := rawQueryPKey(dev.h.C, portNum, int32(index), unsafe.Pointer(&pkey)) // want "pkey has the byte order of the other side"
	if n < 0 {
		return 0, fail.Failed(verb, errno, nil)
	}
	return pkey, nil
}
