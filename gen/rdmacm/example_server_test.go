package rdmacm_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

const (
	clients = 1000
	size    = 8 // bytes of a message
)

// end is what all queue pairs of one end share: a domain, a queue for completions, and memory for a message of each client.
type end struct {
	pd   *verbs.PD
	cq   *verbs.CQ
	buf  *mem.Buffer
	mr   *verbs.MR
	recv *dpath.RecvBatch
	send *dpath.SendBatch
}

func newEnd(id *rdmacm.ID) *end {
	e := &end{}
	dev, err := id.Device()
	check(err)
	e.pd, err = dev.AllocPD()
	check(err)
	e.cq, err = dev.CreateCQ(2*clients, nil, 0)
	check(err)
	e.buf, err = mem.New(clients * size)
	check(err)
	e.mr, err = e.pd.RegMRFrom(e.buf, verbs.MRAccessLocalWrite)
	check(err)
	e.recv, err = verbs.NewRecvBatch(1, 1)
	check(err)
	e.send, err = verbs.NewSendBatch(1, 1)
	check(err)
	return e
}

func (e *end) qp(id *rdmacm.ID) *verbs.QP {
	qp, err := id.CreateQP(e.pd, verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1, SignalAll: true,
	})
	check(err)
	return qp
}

// message is the place of the message of a client.
func (e *end) message(n uint64) []byte { return e.buf.Bytes()[n*size : (n+1)*size] }

func (e *end) close() {
	check(errors.Join(e.recv.Close(), e.send.Close(), e.pd.Device().CloseAll(), e.buf.Close()))
}

// await polls until a number of requests have completed.
func (e *end) await(n int) {
	wcs := make([]verbs.WC, 64)
	for n > 0 {
		got, err := e.cq.PollInto(wcs)
		check(err)
		for _, wc := range wcs[:got] {
			if wc.Status != verbs.WCStatusSuccess {
				check(fmt.Errorf("request %d: %v", wc.ID, wc.Status))
			}
		}
		n -= got
	}
}

// accept answers the requests of all clients, each with a queue pair that has a receive posted, and waits until all are connected.
func accept(ctx context.Context, events *rdmacm.EventChannel, e *end) {
	for n := uint64(0); n < 2*clients; n++ { // a request and the connection, of each
		ev, err := events.Next(ctx)
		check(err)
		if ev.Type != rdmacm.EventTypeConnectRequest {
			continue
		}
		client := binary.LittleEndian.Uint64(ev.Conn.PrivateData)
		e.recv.WR(0).Recv(client).Add(e.mr.UncheckedSGE(client*size, size))
		_, err = e.qp(ev.ID).PostRecv(e.recv, 1)
		check(err)
		check(ev.ID.Accept(rdmacm.ConnAttr{RNRRetryCount: 7}))
	}
}

// dial connects all clients by the events of one channel, and sends a message from each.
func dial(ctx context.Context, events *rdmacm.EventChannel, to netip.AddrPort, own netip.Addr) *end {
	var e *end
	ids, qps := map[*rdmacm.ID]uint64{}, make([]*verbs.QP, clients)
	for n := range uint64(clients) {
		id, err := events.CreateID(rdmacm.PortSpaceTCP)
		check(err)
		ids[id] = n
		check(id.ResolveAddr(netip.AddrPortFrom(own, 0), to, 1000))
	}
	for connected := 0; connected < clients; {
		ev, err := events.Next(ctx)
		check(err)
		n := ids[ev.ID]
		switch ev.Type {
		case rdmacm.EventTypeAddrResolved:
			check(ev.ID.ResolveRoute(1000))
		case rdmacm.EventTypeRouteResolved:
			if e == nil {
				e = newEnd(ev.ID)
			}
			qps[n] = e.qp(ev.ID)
			check(ev.ID.Connect(rdmacm.ConnAttr{PrivateData: binary.LittleEndian.AppendUint64(nil, n), RetryCount: 7, RNRRetryCount: 7}))
		case rdmacm.EventTypeEstablished:
			connected++
			binary.LittleEndian.PutUint64(e.message(n), n)
			e.send.WR(0).Send(n).Add(e.mr.UncheckedSGE(n*size, size))
			_, err := qps[n].PostSend(e.send, 1)
			check(err)
		default:
			check(fmt.Errorf("client %d: event %v, status %d", n, ev.Type, ev.Status))
		}
	}
	return e
}

// A server with 1,000 connections, and its clients. Each end has two goroutines at most: one for events, and one that polls.
func Example_server() {
	lib, end := machine()
	defer end()
	ctx := context.Background()
	there, err := lib.CreateEventChannel()
	check(err)
	listener, err := there.CreateID(rdmacm.PortSpaceTCP)
	check(err)
	check(listener.BindAddr(netip.MustParseAddrPort("10.0.0.1:0")))
	check(listener.Listen(clients))
	at, err := listener.LocalAddr()
	check(err)
	server := newEnd(listener)
	accepted := make(chan bool)
	go func() { accept(ctx, there, server); close(accepted) }()

	here, err := lib.CreateEventChannel()
	check(err)
	client := dial(ctx, here, at, netip.MustParseAddr("10.0.0.2"))
	client.await(clients)
	server.await(clients)
	<-accepted
	sum := uint64(0)
	for n := range uint64(clients) {
		sum += binary.LittleEndian.Uint64(server.message(n))
	}
	fmt.Println(clients, "connections; the sum of the messages is", sum)

	client.close()
	server.close()
	check(errors.Join(here.CloseAll(), there.CloseAll()))
	// Output: 1000 connections; the sum of the messages is 499500
}
