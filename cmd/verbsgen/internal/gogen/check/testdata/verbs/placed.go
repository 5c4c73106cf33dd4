package verbs

func (qp *QP) NotPacked(flow *FlowAttr, list []*WQ) (*Flow, error) {
	in := inX{}
	flowB, err := cmem.Behind(verb, 8, 255, 65535, flow.specs, FlowSpec.pack) // want "the handles in flow.specs are not in use" "the rules look at flow.specs before it is packed" "C does not get the number and the size of flow.specs" "the struct is not copied before flow.specs"
	if err != nil {
		return nil, err
	}
	listC, err := object.UseList(&uses, &qp.h, verb, "list", list, (*WQ).base) // want "C does not get the number of list"
	if err != nil {
		return nil, err
	}
	flowC.list = cmem.PinList(&pins, listC)
	ptr, errno := rawX(qp.h.C, unsafe.Pointer(&flowC))
	return nil, nil
}
