package rdmacm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/netip"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// machine is the library, on two software devices. A program calls verbs.Load and rdmacm.Load in its place.
func machine() (lib *rdmacm.Lib, end func()) {
	soft := softverbs.New(softverbs.AnotherDevice("soft1"))
	cm := softcm.New(soft)
	v, err := verbs.LoadFrom(soft)
	check(err)
	lib, err = rdmacm.LoadFrom(v, cm)
	check(err)
	return lib, func() { check(errors.Join(cm.Close(), soft.Close())) }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A client resolves the address of its peer, makes a queue pair on the device that leads there, and connects. A server makes one for
// each request and accepts it.
func Example() {
	lib, end := machine()
	defer end()
	ctx, cancel := context.WithCancel(context.Background())

	incoming, err := lib.CreateEventChannel()
	check(err)
	listener, err := incoming.CreateID(rdmacm.PortSpaceTCP)
	check(err)
	check(listener.BindAddr(netip.MustParseAddrPort("10.0.0.1:7471")))
	check(listener.Listen(16))
	served := make(chan bool)
	go func() { serve(ctx, incoming); close(served) }()

	events, err := lib.CreateEventChannel()
	check(err)
	id, err := events.CreateID(rdmacm.PortSpaceTCP)
	check(err)
	qp, err := connect(ctx, events, id, netip.MustParseAddrPort("10.0.0.1:7471"))
	check(err)
	info, _, err := qp.Query(verbs.QPFieldState)
	check(err)
	peer, err := id.PeerAddr()
	check(err)
	fmt.Println("connected to", peer, "in state", info.State)

	cancel()
	<-served
	dev, err := listener.Device()
	check(err)
	check(errors.Join(qp.Device().CloseAll(), dev.CloseAll()))
	check(errors.Join(events.CloseAll(), incoming.CloseAll()))
	// Output: connected to 10.0.0.1:7471 in state RTS
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
	qp, err := newQP(id)
	if err != nil {
		return nil, err
	}
	if err := id.Connect(rdmacm.ConnAttr{PrivateData: []byte("hello"), RetryCount: 3, RNRRetryCount: 3}); err != nil {
		return nil, err
	}
	return qp, expect(ctx, events, rdmacm.EventTypeEstablished)
}

// newQP makes the queue pair of an identifier, on the device that it is bound to.
func newQP(id *rdmacm.ID) (*verbs.QP, error) {
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
	return id.CreateQP(pd, verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1,
		MaxRecvSGE: 1,
	})
}

// serve accepts every request, until ctx ends.
func serve(ctx context.Context, events *rdmacm.EventChannel) {
	for {
		ev, err := events.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		check(err)
		if ev.Type == rdmacm.EventTypeConnectRequest {
			_, err = newQP(ev.ID)
			check(err)
			check(ev.ID.Accept(rdmacm.ConnAttr{RNRRetryCount: 3}))
		}
	}
}

// expect waits for an event of a type.
func expect(ctx context.Context, events *rdmacm.EventChannel, want rdmacm.EventType) error {
	ev, err := events.Next(ctx)
	if err == nil && ev.Type != want {
		err = fmt.Errorf("event %v, status %d", ev.Type, ev.Status)
	}
	return err
}
