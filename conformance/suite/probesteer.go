//go:build linux

package suite

import "github.com/verbsgen/verbsgen/gen/verbs"

// probeRWQTables makes a table of one work queue.
func probeRWQTables(dev *verbs.Device, _ *T) error {
	return withCQ(dev, func(cq *verbs.CQ) error {
		return withPD(dev, func(pd *verbs.PD) error {
			return with(dev.CreateWQ(verbs.NewWQInitAttr(pd, cq).MaxWR(1).MaxSGE(1)))(func(wq *verbs.WQ) error {
				return closed(dev.CreateRWQIndTable(verbs.NewRWQIndTableInitAttr([]*verbs.WQ{wq})))
			})
		})
	})
}

// probeESP makes an action that decrypts.
func probeESP(dev *verbs.Device, _ *T) error {
	return closed(dev.CreateFlowActionESP(verbs.NewFlowActionESPAttr().ESP(&verbs.FlowActionESP{}).Keymat(&verbs.FlowActionESPKeymatAESGCM{
		Key: make([]byte, 16), Salt: 1, ICVLen: 16,
	})))
}
