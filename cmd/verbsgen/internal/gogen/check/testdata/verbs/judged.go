package verbs

func (pd *PD) NotJudged(access MRAccess) error {
	in := inAllocMW{ // want "the rules look at capDeviceCapFlags, which nothing gives them"
		typ: uint64(access),
	}
	rawAllocMW(pd.h.C) // want "the rules are not checked before the call"
	if err := checkAllocMW(&in); err != nil {
		return err
	}
	return nil
}

func (pd *PD) JudgedInVain(access MRAccess) error {
	in := inAllocMW{
		typ: uint64(access),
	}
	if caps := pd.dev.caps.Known(); caps != nil {
		in.capDeviceCapFlags = fail.Sure(caps.flags) // want "pd.dev.caps.Known() are not the capabilities of the device of pd"
	}
	checkAllocMW(&in) // want "a call is made whatever its rules say"
	rawAllocMW(pd.h.C)
	return nil
}

func (pd *PD) JudgedTwice(access MRAccess) error {
	in := inAllocMW{typ: 0, capDeviceCapFlags: fail.Known{}} // want "the rules are not checked once"
	if err := checkAllocMW(&in); err != nil {
		return err
	}
	if err := checkAllocMW(&in); err != nil {
		return err
	}
	return nil
}

func judgeNothing() error { return nil } // want "nothing calls it"

func (qp *QP) NotForgotten(in *inPostSend) error {
	rawX(qp.h.C)
	in.qpState = fail.Sure(uint64(cmem.At[uint32](qp.h.C, 56))) // want "in.qpState is not forgotten before the query"
	return nil
}
