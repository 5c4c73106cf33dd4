package rdmacm_test

import (
	"context"
	"fmt"
	"log"
	"net/netip"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// A client resolves the address of its peer, makes a queue pair on the device that leads there, and connects.
func Example_client() {
	v, err := verbs.Load()
	if err != nil {
		log.Fatal(err)
	}
	lib, err := rdmacm.Load(v)
	if err != nil {
		log.Fatal(err)
	}
	events, err := lib.CreateEventChannel()
	if err != nil {
		log.Fatal(err)
	}
	defer events.CloseAll()
	id, err := events.CreateID(rdmacm.PortSpaceTCP)
	if err != nil {
		log.Fatal(err)
	}
	qp, err := connect(context.Background(), events, id, netip.MustParseAddrPort("10.0.0.2:7471"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("connected by queue pair", qp.Num())
}

func connect(ctx context.Context, events *rdmacm.EventChannel, id *rdmacm.ID, to netip.AddrPort) (*verbs.QP, error) {
	const timeout = 2000 // milliseconds
	if err := id.ResolveAddr(netip.AddrPort{}, to, timeout); err != nil {
		return nil, err
	}
	if err := expect(ctx, events, rdmacm.EventTypeAddrResolved); err != nil {
		return nil, err
	}
	if err := id.ResolveRoute(timeout); err != nil {
		return nil, err
	}
	if err := expect(ctx, events, rdmacm.EventTypeRouteResolved); err != nil {
		return nil, err
	}
	dev, err := id.Device()
	if err != nil {
		return nil, err
	}
	pd, err := dev.AllocPD()
	if err != nil {
		return nil, err
	}
	cq, err := dev.CreateCQ(16, nil, 0)
	if err != nil {
		return nil, err
	}
	qp, err := id.CreateQP(pd, verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1,
		MaxRecvSGE: 1,
	})
	if err != nil {
		return nil, err
	}
	if err := id.Connect(rdmacm.ConnAttr{PrivateData: []byte("hello"), RetryCount: 3, RNRRetryCount: 3}); err != nil {
		return nil, err
	}
	return qp, expect(ctx, events, rdmacm.EventTypeEstablished)
}

// expect waits for an event of a type.
func expect(ctx context.Context, events *rdmacm.EventChannel, want rdmacm.EventType) error {
	ev, err := events.Next(ctx)
	if err == nil && ev.Type != want {
		err = fmt.Errorf("event %v, status %d", ev.Type, ev.Status)
	}
	return err
}
