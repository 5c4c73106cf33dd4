//go:build linux && cgo

package cases

import (
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// steering are the cases of where packets are steered to: tables of work queues, and actions of flows on packets of ESP.
func steering() []suite.Case {
	return []suite.Case{
		of("CF-wq-0003", "requests are posted, and come back when the queue fails", "ibv_post_wq_recv", postedToWQ, suite.WQ),
		of("CF-rwq-0001", "a table keeps its queues, each once or several times", "ibv_create_rwq_ind_table",
			tableOfQueues, suite.WQ, suite.RWQTables),
		of("CF-rwq-0002", "lists that make no table", "ibv_create_rwq_ind_table", noTable, suite.WQ, suite.RWQTables),
		of("CF-rwq-0003", "a queue pair keeps the table that it distributes over", "ibv_create_qp_ex",
			queuePairOverTable, suite.WQ, suite.RWQTables).Ruled(
			"VR-ibv_create_qp_ex-recv_cq-1532", "VR-ibv_create_qp_ex-max_recv_wr-1534", "VR-ibv_create_qp_ex-send_cq-1536"),
		of("CF-esp-0001", "an action is made, changed and ended", "ibv_create_flow_action", espAction, suite.ESP),
		of("CF-esp-0002", "what makes no action", "ibv_create_flow_action", noAction, suite.ESP).Ruled(
			"VR-ibv_create_flow_action_esp-esp_attr-1525", "VR-ibv_create_flow_action_esp-keymat_ptr-1526"),
		of("CF-esp-0003", "a flow keeps its action", "ibv_create_flow_action", flowOfAction, suite.ESP, suite.Flows),
	}
}

func postedToWQ(t *suite.T) {
	cq := must(t.Device().CreateCQ(8, nil, 0))(t)
	wq := must(t.Device().CreateWQ(verbs.NewWQInitAttr(newPD(t), cq).MaxWR(2).MaxSGE(1)))(t)
	batch := recvs(t, 2, 1)
	for i := range 2 {
		batch.WR(i).Recv(uint64(i + 7))
	}
	t.OK("RDY", wq.Modify(verbs.NewWQAttr().State(verbs.WQStateRdy)))
	whole(t, "PostRecv", 2)(wq.PostRecv(batch, 2))
	t.OK("ERR", wq.Modify(verbs.NewWQAttr().State(verbs.WQStateErr)))
	if t.Soft() == nil {
		return // devices report the requests of a failed queue or not
	}
	wcs := make([]verbs.WC, 4)
	n := must(cq.PollInto(wcs))(t)
	if n != 2 || wcs[0].ID != 7 || wcs[1].ID != 8 || wcs[0].Status != verbs.WCStatusWRFlushErr {
		t.Errorf("%d requests come back: %v", n, wcs[:n])
	}
	t.OK("Close", wq.Close())
	fails(t, "PostRecv after Close", errorOf(wq.PostRecv(batch, 1)), os.ErrClosed)
}

func newTable(t *suite.T, wqs ...*verbs.WQ) *verbs.RWQIndTable {
	return must(t.Device().CreateRWQIndTable(verbs.NewRWQIndTableInitAttr(wqs)))(t)
}

func tableOfQueues(t *suite.T) {
	a, b := newWQ(t), newWQ(t)
	table := newTable(t, a, b, a, a)
	t.Errno("Close of a queue of a table", a.Close(), syscall.EBUSY)
	t.Errno("Close of another one", b.Close(), syscall.EBUSY)
	second := newTable(t, b)
	if table.Num() == second.Num() {
		t.Errorf("two tables have the number %d", table.Num())
	}
	t.OK("Close", table.Close())
	fails(t, "second Close", table.Close(), os.ErrClosed)
	t.OK("Close of a queue", a.Close())
	t.Errno("Close of the queue of the other table", b.Close(), syscall.EBUSY)
	err := errorOf(t.Device().CreateRWQIndTable(verbs.NewRWQIndTableInitAttr([]*verbs.WQ{b, a})))
	fails(t, "a table with a queue that is closed", err, os.ErrClosed)
	inUse(t, b.Close(), "RWQIndTable")
	t.OK("Close of the other table", second.Close())
	t.OK("Close of its queue", b.Close())
}

func noTable(t *suite.T) {
	wq := newWQ(t)
	for _, c := range []struct {
		what string
		attr *verbs.RWQIndTableInitAttr
	}{
		{"no list", verbs.NewRWQIndTableInitAttr(nil)}, {"three queues", verbs.NewRWQIndTableInitAttr([]*verbs.WQ{wq, wq, wq})},
		{"nil in the list", verbs.NewRWQIndTableInitAttr([]*verbs.WQ{wq, nil})},
		{"a description that no function made", new(verbs.RWQIndTableInitAttr)}, {"nil", nil},
	} {
		fails(t, c.what, errorOf(t.Device().CreateRWQIndTable(c.attr)), syscall.EINVAL)
	}
}

// overTable describes a queue pair over a table.
func overTable(pd *verbs.PD, sends, receives *verbs.CQ, table *verbs.RWQIndTable) *verbs.QPInitAttrEx {
	hash := verbs.RXHashConf{
		Function: verbs.RXHashFuncToeplitz, Key: make([]byte, 40),
		Fields: verbs.RXHashFieldSrcIPv4 | verbs.RXHashFieldDstIPv4,
	}
	return verbs.NewQPInitAttrEx(verbs.QPTypeRawPacket, sends, receives, pd).RWQIndTbl(table).RXHashConf(hash)
}

func queuePairOverTable(t *suite.T) {
	pd, wq := newPD(t), newWQ(t)
	cq := must(t.Device().CreateCQ(1, nil, 0))(t)
	table := newTable(t, wq)
	make := t.Device().CreateQPEx
	err := errorOf(make(overTable(pd, cq, cq, table)))
	mayBreak(t, "a queue for receives over a table", err, "VR-ibv_create_qp_ex-recv_cq-1532", syscall.EINVAL)
	refusedBy(t, "VR-ibv_create_qp_ex-max_recv_wr-1534", errorOf(make(overTable(pd, nil, nil, table).MaxRecvWR(1))))
	refusedBy(t, "VR-ibv_create_qp_ex-send_cq-1536", errorOf(make(overTable(pd, nil, nil, table).MaxSendWR(1))))
	qp, err := make(overTable(pd, nil, nil, table))
	if t.Soft() == nil && err != nil { // devices differ in what they hash
		t.Saw("a queue pair over a table", err)
		return
	}
	qp = must(qp, err)(t)
	t.Errno("Close of the table of a queue pair", table.Close(), syscall.EBUSY)
	if t.Soft() != nil { // mlx4 takes it to RTR, the library of mlx5 refuses every change
		t.Errno("Modify of the queue pair", qp.Modify(verbs.NewQPAttr(verbs.QPStateInit).PortNum(1)), syscall.EOPNOTSUPP)
	}
	t.OK("Close of the queue pair", qp.Close())
	t.OK("Close of the table", table.Close())
}

// keys are the key material of an action.
func keys(n int) *verbs.FlowActionESPKeymatAESGCM {
	return &verbs.FlowActionESPKeymatAESGCM{Key: make([]byte, n), Salt: 0x0102, ICVLen: 16}
}

// newAction makes an action whose headers the device makes.
func newAction(t *suite.T) *verbs.FlowAction {
	association := &verbs.FlowActionESP{SPI: 0x100, Flags: verbs.FlowActionESPFlagsFullOffload | verbs.FlowActionESPFlagsEncrypt}
	header := &verbs.FlowActionESPEncap{Header: &verbs.FlowIPv4Filter{SrcIP: 0x0a000001}}
	return must(t.Device().CreateFlowActionESP(verbs.NewFlowActionESPAttr().ESP(association).Keymat(keys(32)).
		Replay(&verbs.FlowActionESPReplayBMP{
			Size: 64,
		}).Encap(header).ESN(1)))(t)
}

func espAction(t *suite.T) {
	a := newAction(t)
	t.OK("another sequence", a.ModifyESP(verbs.NewFlowActionESPAttr().ESN(2)))
	t.OK("other keys", a.ModifyESP(verbs.NewFlowActionESPAttr().Keymat(keys(16))))
	t.OK("Close", a.Close())
	fails(t, "changed after Close", a.ModifyESP(verbs.NewFlowActionESPAttr().ESN(3)), os.ErrClosed)
}

func noAction(t *suite.T) {
	make := func(a *verbs.FlowActionESPAttr) error { return errorOf(t.Device().CreateFlowActionESP(a)) }
	refusedBy(t, "VR-ibv_create_flow_action_esp-esp_attr-1525", make(verbs.NewFlowActionESPAttr().Keymat(keys(16))))
	refusedBy(t, "VR-ibv_create_flow_action_esp-keymat_ptr-1526", make(verbs.NewFlowActionESPAttr().ESP(&verbs.FlowActionESP{})))
	with := func() *verbs.FlowActionESPAttr { return verbs.NewFlowActionESPAttr().ESP(&verbs.FlowActionESP{}) }
	for _, c := range []struct {
		what string
		attr *verbs.FlowActionESPAttr
	}{
		{"a key of 33 bytes", with().Keymat(keys(33))}, {"a key of 5 bytes", with().Keymat(keys(5))},
		{"keys that are nil", with().Keymat((*verbs.FlowActionESPKeymatAESGCM)(nil))},
		{"a header that is nil", with().Keymat(keys(16)).Encap(&verbs.FlowActionESPEncap{Header: (*verbs.FlowIPv6Filter)(nil)})},
	} {
		fails(t, c.what, make(c.attr), syscall.EINVAL)
	}
	tunnel := func(e *verbs.FlowActionESPEncap) *verbs.FlowActionESPAttr {
		full := &verbs.FlowActionESP{Flags: verbs.FlowActionESPFlagsFullOffload}
		return verbs.NewFlowActionESPAttr().ESP(full).Keymat(keys(16)).Encap(e)
	}
	udp := &verbs.FlowActionESPEncap{Header: &verbs.FlowPortFilter{DstPort: 4500}}
	t.Errno("a tunnel of UDP alone", make(tunnel(udp)), syscall.EOPNOTSUPP)
	inner := &verbs.FlowActionESPEncap{Header: &verbs.FlowIPv6Filter{}}
	two := &verbs.FlowActionESPEncap{Header: &verbs.FlowIPv4Filter{SrcIP: 0x0a000001}, Next: inner}
	t.Errno("a tunnel of two headers", make(tunnel(two)), syscall.EOPNOTSUPP)
}

func flowOfAction(t *suite.T) {
	a, qp := newAction(t), queuePairOf(t, verbs.QPTypeUD)
	f := must(qp.CreateFlow(newFlow(t, &verbs.FlowSpecESP{}, &verbs.FlowSpecAction{Action: a})))(t)
	t.Errno("Close of the action of a flow", a.Close(), syscall.EBUSY)
	t.OK("Close of the flow", f.Close())
	t.OK("Close of the action", a.Close())
	fails(t, "a flow with an action that is closed", errorOf(qp.CreateFlow(newFlow(t, &verbs.FlowSpecAction{Action: a}))), os.ErrClosed)
}
