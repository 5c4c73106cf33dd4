// Package fields keeps handles in fields and makes them from parameters. It does not call CloseAll.
package fields

import v "github.com/verbsgen/verbsgen/gen/verbs"

type server struct {
	pd    *v.PD // the caller's
	cq    *v.CQ
	mr    *v.MR // want handle
	qp    *v.QP // want handle
	ah    *v.AH
	later *v.MR
	Open  *v.MR
}

func (s *server) start(attr v.AHAttr) (err error) {
	if s.mr, err = s.pd.RegMR(make([]byte, 64), 0); err != nil {
		return err
	}
	if s.Open, err = s.pd.RegMR(make([]byte, 64), 0); err != nil {
		return err
	}
	if s.later, err = s.pd.RegMR(make([]byte, 64), 0); err != nil {
		return err
	}
	s.ah, err = s.pd.CreateAH(attr)
	return err
}

func open(pd *v.PD, cq *v.CQ) (*server, error) {
	qp, err := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq})
	if err != nil {
		return nil, err
	}
	return &server{pd: pd, cq: cq, qp: qp}, nil
}

func (s *server) Close() error {
	ah := s.ah
	if err := ah.Close(); err != nil {
		return err
	}
	return s.later.Close()
}

// end belongs to somebody who closes it.
type end struct{ mr *v.MR }

func (e *end) set(pd *v.PD) (err error) {
	e.mr, err = pd.RegMR(make([]byte, 64), 0)
	return err
}

func use(pd *v.PD) (uint32, error) {
	mr, err := pd.RegMR(make([]byte, 64), 0) // want handle
	if err != nil {
		return 0, err
	}
	return mr.LKey(), nil
}

func closed(pd *v.PD) (uint32, error) {
	mr, err := pd.RegMR(make([]byte, 64), 0)
	if err != nil {
		return 0, err
	}
	return mr.LKey(), mr.Close()
}

// Use leaves it to its callers, who may close all of the device.
func Use(pd *v.PD) (uint32, error) {
	mr, err := pd.RegMR(make([]byte, 64), 0)
	if err != nil {
		return 0, err
	}
	return mr.LKey(), nil
}
