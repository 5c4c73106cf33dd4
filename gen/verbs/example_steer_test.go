//go:build linux && cgo

package verbs_test

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Packets are distributed over two work queues by a hash of their addresses. A queue cannot be closed before the table that it is in.
func ExampleDevice_CreateRWQIndTable() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	var queues []*verbs.WQ
	for range 2 {
		cq, err := dev.CreateCQ(16, nil, 0)
		check(err)
		wq, err := dev.CreateWQ(verbs.NewWQInitAttr(pd, cq).MaxWR(16).MaxSGE(1))
		check(err)
		check(wq.Modify(verbs.NewWQAttr().State(verbs.WQStateRdy)))
		queues = append(queues, wq)
	}
	table, err := dev.CreateRWQIndTable(verbs.NewRWQIndTableInitAttr(queues))
	check(err)
	hash := verbs.RXHashConf{
		Function: verbs.RXHashFuncToeplitz, Key: make([]byte, 40),
		Fields: verbs.RXHashFieldSrcIPv4 | verbs.RXHashFieldDstIPv4,
	}
	qp, err := dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeRawPacket, nil, nil, pd).RWQIndTbl(table).RXHashConf(hash))
	check(err)
	fmt.Println(errors.Is(queues[0].Close(), syscall.EBUSY), errors.Is(table.Close(), syscall.EBUSY), qp.Close())
	// Output: true true <nil>
}

// A flow decrypts packets of ESP. The keys are changed for all flows that have the action.
func ExampleDevice_CreateFlowActionESP() {
	dev, done := open()
	defer done()
	keys := &verbs.FlowActionESPKeymatAESGCM{Key: make([]byte, 32), Salt: 0x01020304, ICVLen: 16}
	action, err := dev.CreateFlowActionESP(verbs.NewFlowActionESPAttr().ESP(&verbs.FlowActionESP{}).Keymat(keys))
	check(err)
	pd, err := dev.AllocPD()
	check(err)
	cq, err := dev.CreateCQ(1, nil, 0)
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 1, MaxRecvSGE: 1})
	check(err)
	match := &verbs.FlowSpecESP{Val: verbs.FlowESPFilter{SPI: 0x100}, Mask: verbs.FlowESPFilter{SPI: 0xffffffff}}
	flow, err := qp.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, 1).Specs(match, &verbs.FlowSpecAction{Action: action}))
	check(err)
	fmt.Println(action.ModifyESP(verbs.NewFlowActionESPAttr().ESN(1)), flow.Close())
	// Output: <nil> <nil>
}
