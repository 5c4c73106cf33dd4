//go:build linux

package suite

import (
	"cmp"
	"errors"
	"fmt"

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
	return closed(dev.CreateCQEx(attr))
}

func probeQPEx(dev *verbs.Device, _ *T) error { return withStream(dev, verbs.QPOpSend) }

// Bits of device_cap_flags_ex that verbs.h has no names for: linux v6.12 include/uapi/rdma/ib_user_verbs.h.
const (
	capFlushGlobal = 1 << 38
	capAtomicWrite = 1 << 40
)

// probeOp asks for a request that both the device and the provider know, or not.
func probeOp(bit verbs.DeviceCapEx, op verbs.QPOp) func(*verbs.Device, *T) error {
	return func(dev *verbs.Device, _ *T) error {
		attr, err := dev.QueryDeviceEx()
		if err != nil {
			return err
		}
		if attr.DeviceCapFlagsEx&bit == 0 {
			return fmt.Errorf("device_cap_flags_ex lacks %#x: %w", uint64(bit), errors.ErrUnsupported)
		}
		return withStream(dev, op)
	}
}

// withStream makes a queue pair that posts requests of some kinds as a stream.
func withStream(dev *verbs.Device, ops verbs.QPOp) error {
	return withCQ(dev, func(cq *verbs.CQ) error {
		return withPD(dev, func(pd *verbs.PD) error {
			return with(dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, cq,
				pd).MaxSendWR(1).MaxRecvWR(1).MaxSendSGE(1).MaxRecvSGE(1).SendOps(ops)))(func(qp *verbs.QP) error {
				_, err := qp.Stream()
				return err
			})
		})
	})
}

func probeRawPacket(dev *verbs.Device, _ *T) error {
	if port, err := dev.QueryPort(1); err != nil || port.LinkLayer != verbs.LinkLayerEthernet {
		return cmp.Or(err, fmt.Errorf("%w: raw packets are for ports of Ethernet", errors.ErrUnsupported))
	}
	return withCQ(dev, func(cq *verbs.CQ) error {
		return withPD(dev, func(pd *verbs.PD) error {
			return closed(pd.CreateQP(verbs.QPInitAttr{
				Type: verbs.QPTypeRawPacket, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1,
				MaxRecvSGE: 1,
			}))
		})
	})
}
