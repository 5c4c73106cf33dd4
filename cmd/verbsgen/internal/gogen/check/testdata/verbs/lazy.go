package verbs

func (cq *CQ) NotAsked(fields WCField) (*CQReader, error) {
	var a dpath.Answer
	rawStartPoll(cq.gate.Word(), uint64(fields), unsafe.Pointer(&a)) // want "nothing looks whether the object was made for it" "nothing looks whether the provider has the functions"
	return &CQReader{cq: cq, fields: uint64(fields)}, nil
}
