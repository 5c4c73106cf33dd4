//go:build linux

package suite

import (
	"errors"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

func probeCQEx(dev *verbs.Device, _ *T) error { return withAttr(dev, verbs.NewCQInitAttrEx(1, 0)) }

func probeOverruns(dev *verbs.Device, _ *T) error {
	return withAttr(dev, verbs.NewCQInitAttrEx(1, 0).Flags(verbs.CQFlagIgnoreOverrun))
}

func probeTimestamps(dev *verbs.Device, _ *T) error {
	return withAttr(dev, verbs.NewCQInitAttrEx(1, verbs.WCFieldCompletionTS|verbs.WCFieldWallclock))
}

func withAttr(dev *verbs.Device, attr *verbs.CQInitAttrEx) error {
	cq, err := dev.CreateCQEx(attr)
	if err != nil {
		return err
	}
	return cq.Close()
}

func probeQPEx(dev *verbs.Device, _ *T) error {
	return withCQ(dev, func(cq *verbs.CQ) error {
		return withPD(dev, func(pd *verbs.PD) error {
			qp, err := dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, cq, pd).MaxSendWR(1).MaxRecvWR(1).MaxSendSGE(1).MaxRecvSGE(1).SendOps(verbs.QPOpSend))
			if err != nil {
				return err
			}
			_, err = qp.Stream()
			return errors.Join(err, qp.Close())
		})
	})
}

func probeRawPacket(dev *verbs.Device, _ *T) error {
	return withCQ(dev, func(cq *verbs.CQ) error {
		return withPD(dev, func(pd *verbs.PD) error {
			qp, err := pd.CreateQP(verbs.NewQPInitAttr(verbs.QPTypeRawPacket, cq, cq).MaxSendWR(1).MaxRecvWR(1).MaxSendSGE(1).MaxRecvSGE(1))
			if err != nil {
				return err
			}
			return qp.Close()
		})
	})
}
