// Package leaks returns errors and leaves handles open. It does not call CloseAll.
package leaks

import v "github.com/verbsgen/verbsgen/gen/verbs"

func pair(dev *v.Device, pd *v.PD) (*v.CQ, error) {
	cq, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return nil, err
	}
	qp, err := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq})
	if err != nil {
		return nil, err
	}
	return cq, qp.Close()
}

func alone(dev *v.Device, pd *v.PD) (*v.CQ, error) {
	cq, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return nil, err
	}
	n, err := dev.QueryPort(1)
	if err != nil {
		return nil, err // want leak
	}
	_ = n
	return cq, nil
}

func closes(dev *v.Device, pd *v.PD) (*v.CQ, error) {
	cq, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dev.QueryPort(1); err != nil {
		_ = cq.Close()
		return nil, err
	}
	return cq, nil
}
