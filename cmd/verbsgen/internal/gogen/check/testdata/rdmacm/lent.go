package rdmacm

func (id *ID) NotTaken(attr *verbs.QPAttr) error {
	attrHeld, err := bridge.Fill(verb, attr) // want "attr is filled and not taken"
	if err != nil {
		return err
	}
	rawX(id.h.C, attrHeld.C)
	return nil
}
