//go:build linux && cgo

package cm

import (
	"errors"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// ownEnd makes an end whose queue pair is not one of its identifier.
func ownEnd(t *testing.T, id *rdmacm.ID) *end {
	t.Helper()
	e := newParts(t, id)
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeRC, e.cq, e.cq, e.pd).MaxSendWR(2).MaxRecvWR(2).MaxSendSGE(1).MaxRecvSGE(1).SignalAll(true)
	e.qp = must(e.dev.CreateQPEx(attr))(t)
	return e
}

// enter moves the queue pair of an end to states, each with the attributes of the connection.
func (e *end) enter(t *testing.T, states ...verbs.QPState) {
	t.Helper()
	for _, s := range states {
		attr := verbs.NewQPAttr(s)
		check(t, e.id.InitQPAttr(attr))
		check(t, e.qp.Modify(attr))
	}
}

// TestOwnQueuePair connects queue pairs that the program makes and moves itself, and has both ends name their options of establishment.
func TestOwnQueuePair(t *testing.T) {
	b := newBed(t)
	there, here := b.channel(t), b.channel(t)
	_, at := b.listen(t, there)
	client := ownEnd(t, b.resolved(t, here, at))
	const vendor, asked, granted = 0x15b3, 0x10000006, 0x10000002
	check(t, client.id.SetLocalECE(verbs.NewECEAttr(vendor, asked)))
	if err := client.id.InitQPAttr(verbs.NewQPAttr(verbs.QPStateRTR)); err != nil {
		t.Logf("attributes of RTR before the connection: %v", err)
	}
	check(t, client.id.Connect(rdmacm.ConnAttr{QPNum: client.qp.Num(), SRQ: true, ResponderResources: 1, InitiatorDepth: 1, RetryCount: 3,
		RNRRetryCount: 7}))

	ev := next(t, there, rdmacm.EventTypeConnectRequest)
	if ev.Conn.QPNum != client.qp.Num() || !ev.Conn.SRQ {
		t.Errorf("request %+v", ev)
	}
	server := ownEnd(t, ev.ID)
	if got := must(ev.ID.RemoteECE())(t); got.VendorID != vendor || got.Options != asked {
		t.Errorf("the request names %+v", got)
	}
	check(t, ev.ID.SetLocalECE(verbs.NewECEAttr(vendor, granted)))
	server.enter(t, verbs.QPStateInit, verbs.QPStateRTR, verbs.QPStateRTS)
	receive(t, server, 1, 0, 4096)
	check(t, server.id.Accept(rdmacm.ConnAttr{QPNum: server.qp.Num(), ResponderResources: 1, InitiatorDepth: 1, RNRRetryCount: 7}))

	if ev := next(t, here, rdmacm.EventTypeConnectResponse); ev.Conn.QPNum != server.qp.Num() {
		t.Errorf("answer %+v", ev)
	}
	if got := must(client.id.RemoteECE())(t); got.VendorID != vendor || got.Options != granted {
		t.Errorf("the answer names %+v", got)
	}
	client.enter(t, verbs.QPStateInit, verbs.QPStateRTR, verbs.QPStateRTS)
	check(t, client.id.Establish())
	next(t, there, rdmacm.EventTypeEstablished)

	move(t, client, server, "by queue pairs of one's own")
	check(t, client.id.Disconnect())
	next(t, there, rdmacm.EventTypeDisconnected)
	for _, e := range []*end{client, server} {
		closeAll(t, e.qp, e.id, e.mr, e.buf, e.cq, e.pd)
	}
	closeAll(t, client.dev, server.dev)
}

// TestOwnQueuePairRefused shows what the functions for queue pairs of one's own refuse.
func TestOwnQueuePairRefused(t *testing.T) {
	b := newBed(t)
	there, here := b.channel(t), b.channel(t)
	id := must(here.CreateID(rdmacm.PortSpaceTCP))(t)
	breaks(t, "VR-rdma_init_qp_attr-verbs-7241", id.InitQPAttr(verbs.NewQPAttr(verbs.QPStateInit)))
	if err := id.InitQPAttr(nil); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("no attributes: %v", err)
	}
	if err := id.SetLocalECE(verbs.NewECEAttr(0, 1)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("options of nobody: %v", err)
	}
	if got := must(id.RemoteECE())(t); *got != (verbs.ECEInfo{}) {
		t.Errorf("without a peer it names %+v", got)
	}
	check(t, id.Close())

	_, at := b.listen(t, there)
	client := newEnd(t, b.resolved(t, here, at))
	breaks(t, "VR-rdma_set_local_ece-qp-7242", client.id.SetLocalECE(verbs.NewECEAttr(1, 1)))
	_, err := client.id.RemoteECE()
	breaks(t, "VR-rdma_get_remote_ece-qp-7243", err)
	check(t, client.id.Connect(rdmacm.ConnAttr{}))
	if err := client.id.InitQPAttr(verbs.NewQPAttr(verbs.QPStateRTR)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("attributes of RTR before the answer: %v", err)
	}
	if err := client.id.InitQPAttr(verbs.NewQPAttr(verbs.QPStateSQD)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("attributes of SQD: %v", err)
	}
	check(t, next(t, there, rdmacm.EventTypeConnectRequest).ID.Close())
	client.close(t)
	check(t, client.dev.Close())
}
