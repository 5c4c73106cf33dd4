//go:build linux && cgo

package cm

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// refusedByRules are calls of TestStates that a rule refuses, in one state or in all: the effect of the kernel's refusal does not come,
// which rejects the connection, or its errno, ENOSYS.
var refusedByRules = map[string]bool{"accepted accept": true, "set_option-unknown": true, "set_option-level": true}

// refusedByRule reports whether a rule refuses a call of TestStates.
func refusedByRule(of string) bool {
	return refusedByRules[of] || refusedByRules[of[strings.LastIndexByte(of, ' ')+1:]]
}

// breaks wants a call to be refused by one rule.
func breaks(t *testing.T, rule string, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "["+rule+"]") {
		t.Errorf("%v, want a refusal by %s", err, rule)
	}
}

// TestRulesOfStates makes calls that the state of an identifier forbids: each is refused by a rule before it reaches the library.
func TestRulesOfStates(t *testing.T) {
	b := newBed(t)
	there, here := b.channel(t), b.channel(t)
	listener, at := b.listen(t, there)
	breaks(t, "VR-rdma_listen-listening-7180", listener.Listen(1))
	breaks(t, "VR-rdma_bind_addr-bound-7142", listener.BindAddr(at))
	breaks(t, "VR-rdma_accept-requested-7186", listener.Accept(rdmacm.ConnAttr{QPNum: 1}))
	breaks(t, "VR-rdma_resolve_addr-listening-7143", listener.ResolveAddr(netip.AddrPort{}, at, 1000))

	fresh := must(here.CreateID(rdmacm.PortSpaceTCP))(t)
	breaks(t, "VR-rdma_establish-connecting-7199", fresh.Establish())
	breaks(t, "VR-rdma_reject-connecting-7190", fresh.Reject(nil))
	breaks(t, "VR-rdma_disconnect-verbs-7200", fresh.Disconnect())
	if err := fresh.WriteEvent(rdmacm.EventTypeInternal, 0, 0); !errors.Is(err, errors.ErrUnsupported) { // by the library, before 60.0
		breaks(t, "VR-rdma_write_cm_event-event-7228", err)
	}
	breaks(t, "VR-rdma_set_option-level-7210", fresh.SetOption(7, 0, []byte{1}))
	breaks(t, "VR-rdma_set_option-optname-7211", fresh.SetOption(rdmacm.OptionLevelID, 99, []byte{1}))
	breaks(t, "VR-rdma_set_option-optname-7212", fresh.SetOption(rdmacm.OptionLevelIB, rdmacm.OptionIDTOS, []byte{1}))
	breaks(t, "VR-rdma_set_option-optlen-7213", fresh.SetOption(rdmacm.OptionLevelID, rdmacm.OptionIDTOS, []byte{1, 2}))
	check(t, fresh.BindAddr(netip.AddrPortFrom(b.client, 0)))
	breaks(t, "VR-rdma_connect-routed-7157", fresh.Connect(rdmacm.ConnAttr{QPNum: 1}))
	breaks(t, "VR-rdma_resolve_route-resolved-7147", fresh.ResolveRoute(1000))
	breaks(t, "VR-rdma_disconnect-connecting-7201", fresh.Disconnect())
	check(t, fresh.Close())

	client := newEnd(t, b.resolved(t, here, at))
	_, err := client.id.CreateQP(client.pd, verbs.QPInitAttr{Type: verbs.QPTypeRC})
	breaks(t, "VR-rdma_create_qp-qp-7151", err)
	breaks(t, "VR-rdma_establish-qp-7198", client.id.Establish())
	breaks(t, "VR-rdma_listen-routed-7181", client.id.Listen(1))
	check(t, client.id.Connect(rdmacm.ConnAttr{}))
	breaks(t, "VR-rdma_connect-connecting-7158", client.id.Connect(rdmacm.ConnAttr{}))
	request := next(t, there, rdmacm.EventTypeConnectRequest).ID
	breaks(t, "VR-rdma_connect-requested-7159", request.Connect(rdmacm.ConnAttr{QPNum: 1}))
	breaks(t, "VR-rdma_accept-conn_param-7185", request.AcceptDefault())
	check(t, request.Reject(nil))
	next(t, here, rdmacm.EventTypeRejected)
	check(t, request.Close())
	client.close(t)
	check(t, client.dev.Close())
}

// TestRulesAfterC shows that nothing is known of an identifier that other C code may have used.
func TestRulesAfterC(t *testing.T) {
	b := newBed(t)
	id := must(b.channel(t).CreateID(rdmacm.PortSpaceTCP))(t)
	breaks(t, "VR-rdma_establish-connecting-7199", id.Establish())
	id.CPtr()
	if err := id.Establish(); err == nil || strings.Contains(err.Error(), "VR-rdma_establish-connecting-7199") {
		t.Errorf("%v, want an error of the library", err)
	}
}

// TestDefaults connects with the parameters and the protection domain of the library.
func TestDefaults(t *testing.T) {
	b := newBed(t)
	there, here := b.channel(t), b.channel(t)
	_, at := b.listen(t, there)
	queue := func(id *rdmacm.ID) (*verbs.QP, *verbs.CQ, *verbs.Device) {
		dev := must(id.Device())(t)
		cq := must(dev.CreateCQ(2, nil, 0))(t)
		qp := must(id.CreateQP(nil, verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1,
			MaxSendSGE: 1, MaxRecvSGE: 1}))(t)
		if qp.Device() != dev || qp.PD() != nil {
			t.Errorf("device %v, domain %v; want %v and no handle", qp.Device(), qp.PD(), dev)
		}
		return qp, cq, dev
	}
	client := b.resolved(t, here, at)
	mine, myCQ, dev := queue(client)
	check(t, client.ConnectDefault())
	server := next(t, there, rdmacm.EventTypeConnectRequest).ID
	theirs, theirCQ, theirDev := queue(server)
	check(t, server.AcceptDefault())
	next(t, here, rdmacm.EventTypeEstablished)
	next(t, there, rdmacm.EventTypeEstablished)
	check(t, client.Disconnect())
	next(t, there, rdmacm.EventTypeDisconnected)
	closeAll(t, mine, theirs, client, server, myCQ, theirCQ, dev, theirDev)
}

// TestFailedCreateQP leaves no handle open that the program did not ask for. The end of softBed reports a device that is still in use.
func TestFailedCreateQP(t *testing.T) {
	b := newBed(t)
	fail := func(id *rdmacm.ID) {
		t.Helper()
		tooMany := verbs.QPInitAttr{Type: verbs.QPTypeRC, MaxSendWR: 1 << 30, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1}
		if _, err := id.CreateQP(nil, tooMany); err == nil {
			t.Error("a queue of 2^30 requests is made")
		}
	}
	bound := func() *rdmacm.ID {
		t.Helper()
		id := must(b.channel(t).CreateID(rdmacm.PortSpaceTCP))(t)
		check(t, id.BindAddr(netip.AddrPortFrom(b.client, 0)))
		return id
	}
	id := bound()
	dev := must(id.Device())(t)
	fail(id)
	if _, err := dev.QueryDevice(); err != nil {
		t.Errorf("the handle of the program: %v", err)
	}
	check(t, id.Close())
	check(t, dev.Close())
	id = bound()
	fail(id)
	check(t, id.Close())
}
