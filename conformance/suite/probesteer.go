//go:build linux

package suite

import (
	"errors"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// probeRWQTables makes a table of one work queue.
func probeRWQTables(dev *verbs.Device, _ *T) error {
	return withCQ(dev, func(cq *verbs.CQ) error {
		return withPD(dev, func(pd *verbs.PD) error {
			wq, err := dev.CreateWQ(verbs.NewWQInitAttr(pd, cq).MaxWR(1).MaxSGE(1))
			if err != nil {
				return err
			}
			table, err := dev.CreateRWQIndTable(verbs.NewRWQIndTableInitAttr([]*verbs.WQ{wq}))
			if err == nil {
				err = table.Close()
			}
			return errors.Join(err, wq.Close())
		})
	})
}

// probeESP makes an action that decrypts.
func probeESP(dev *verbs.Device, _ *T) error {
	action, err := dev.CreateFlowActionESP(verbs.NewFlowActionESPAttr().ESP(&verbs.FlowActionESP{}).Keymat(&verbs.FlowActionESPKeymatAESGCM{
		Key: make([]byte, 16), Salt: 1, ICVLen: 16,
	}))
	if err != nil {
		return err
	}
	return action.Close()
}
