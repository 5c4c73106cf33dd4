//go:build linux && cgo

package cm

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

var (
	serverFlag = flag.String("server", "v0", "network interface with RDMA, or its IPv4 address, on which tests listen")
	clientFlag = flag.String("client", "v1", "network interface with RDMA, or its IPv4 address, that reaches the other")
)

// patience ends what never comes.
const patience = 30 * time.Second

// bed is a library, with the addresses of the two ends.
type bed struct {
	lib            *rdmacm.Lib
	server, client netip.Addr
	soft           *softverbs.Device // nil on a kernel
	card           bool              // an emulated card, which librdmacm takes for a kernel
}

// lacking says that something is not there: it skips the test, or fails it where a device is required.
func lacking(t *testing.T) func(format string, args ...any) {
	if os.Getenv("VERBS_REQUIRE_DEVICE") == "1" {
		return t.Fatalf
	}
	return t.Skipf
}

// newBed is where a test runs: on the interfaces with RDMA where there are any, and else on software devices.
func newBed(t *testing.T) *bed {
	t.Helper()
	if _, err := addressOf(*serverFlag); err != nil && os.Getenv("VERBS_REQUIRE_DEVICE") != "1" {
		return softBed(t)
	}
	return kernelBed(t)
}

// softBed is the software librdmacm on two software devices.
func softBed(t *testing.T) *bed {
	t.Helper()
	soft := softverbs.New(softverbs.AnotherDevice("soft1"))
	cm := softcm.New(soft)
	t.Cleanup(func() {
		if err := errors.Join(cm.Close(), soft.Close()); err != nil {
			t.Error(err)
		}
	})
	lib := must(rdmacm.LoadFrom(must(verbs.LoadFrom(soft))(t), cm))(t)
	return &bed{lib: lib, server: netip.MustParseAddr("10.0.0.1"), client: netip.MustParseAddr("10.0.0.2"), soft: soft}
}

func kernelBed(t *testing.T) *bed {
	t.Helper()
	lacking := lacking(t)
	b := &bed{card: os.Getenv("CARD_WIRE") != ""}
	for _, end := range []struct {
		name string
		addr *netip.Addr
	}{{*serverFlag, &b.server}, {*clientFlag, &b.client}} {
		a, err := addressOf(end.name)
		if err != nil {
			lacking("no address of %s: %v", end.name, err)
		}
		*end.addr = a
	}
	v, err := verbs.Load()
	if err != nil {
		lacking("%v", err)
	}
	if b.lib, err = rdmacm.Load(v); err != nil {
		lacking("%v", err)
	}
	return b
}

// addressOf is the IPv4 address of a network interface, or the address that name is.
func addressOf(name string) (netip.Addr, error) {
	if a, err := netip.ParseAddr(name); err == nil {
		return a, nil
	}
	i, err := net.InterfaceByName(name)
	if err != nil {
		return netip.Addr{}, err
	}
	addrs, err := i.Addrs()
	if err != nil {
		return netip.Addr{}, err
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() {
			return p.Addr(), nil
		}
	}
	return netip.Addr{}, errors.New("it has no IPv4 address")
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// channel opens an event channel, which is closed with everything on it at the end of the test.
func (b *bed) channel(t *testing.T) *rdmacm.EventChannel {
	t.Helper()
	c := must(b.lib.CreateEventChannel())(t)
	t.Cleanup(func() {
		if err := c.CloseAll(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("closing the channel: %v", err)
		}
	})
	return c
}

// next waits for an event of a type.
func next(t *testing.T, c *rdmacm.EventChannel, want rdmacm.EventType) *rdmacm.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ev := must(c.Next(ctx))(t)
	if ev.Type != want {
		t.Fatalf("event %v, status %d, want %v", ev.Type, ev.Status, want)
	}
	return ev
}

// listen makes an identifier that listens, and its address.
func (b *bed) listen(t *testing.T, c *rdmacm.EventChannel) (*rdmacm.ID, netip.AddrPort) {
	t.Helper()
	id := must(c.CreateID(rdmacm.PortSpaceTCP))(t)
	check(t, id.BindAddr(netip.AddrPortFrom(b.server, 0)))
	check(t, id.Listen(16))
	at := must(id.LocalAddr())(t)
	if at.Addr() != b.server || at.Port() == 0 {
		t.Fatalf("it listens on %s", at)
	}
	return id, at
}

// resolved makes an identifier with the route to an address.
func (b *bed) resolved(t *testing.T, c *rdmacm.EventChannel, to netip.AddrPort) *rdmacm.ID {
	t.Helper()
	id := must(c.CreateID(rdmacm.PortSpaceTCP))(t)
	if _, err := id.Device(); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("the device of an identifier that is not bound: %v", err)
	}
	check(t, id.ResolveAddr(netip.AddrPortFrom(b.client, 0), to, 5000))
	if ev := next(t, c, rdmacm.EventTypeAddrResolved); ev.ID != id {
		t.Errorf("the event is for %p, want %p", ev.ID, id)
	}
	check(t, id.ResolveRoute(5000))
	next(t, c, rdmacm.EventTypeRouteResolved)
	if got := must(id.PeerAddr())(t); got != to {
		t.Errorf("the peer is %s, want %s", got, to)
	}
	return id
}

// end is one end of a connection, with what its queue pair is made of.
type end struct {
	id  *rdmacm.ID
	dev *verbs.Device
	pd  *verbs.PD
	cq  *verbs.CQ
	qp  *verbs.QP
	buf *mem.Buffer
	mr  *verbs.MR
}

// newParts makes what the queue pair of an end is made of.
func newParts(t *testing.T, id *rdmacm.ID) *end {
	t.Helper()
	e := &end{id: id, dev: must(id.Device())(t), buf: must(mem.New(4096))(t)}
	e.pd = must(e.dev.AllocPD())(t)
	e.cq = must(e.dev.CreateCQ(32, nil, 0))(t)
	e.mr = must(e.pd.RegMRFrom(e.buf, verbs.MRAccessLocalWrite))(t)
	return e
}

// newEnd makes a queue pair for an identifier.
func newEnd(t *testing.T, id *rdmacm.ID) *end {
	t.Helper()
	e := newParts(t, id)
	e.qp = must(id.CreateQP(e.pd, verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: 16, MaxRecvWR: 16,
		MaxSendSGE: 1, MaxRecvSGE: 1, SignalAll: true}))(t)
	if e.qp.PD() != e.pd || e.qp.Device() != e.dev || e.qp.Num() == 0 {
		t.Errorf("the queue pair has PD %p, device %p, number %d", e.qp.PD(), e.qp.Device(), e.qp.Num())
	}
	return e
}

// close closes an end in order, and looks whether any other order is refused.
func (e *end) close(t *testing.T) {
	t.Helper()
	for what, err := range map[string]error{"identifier": e.id.Close(), "domain": e.pd.Close(), "queue": e.cq.Close(),
		"device": e.dev.Close()} {
		if !errors.Is(err, syscall.EBUSY) {
			t.Errorf("Close of the %s with an open queue pair: %v", what, err)
		}
	}
	check(t, e.qp.Close())
	if _, err := e.qp.PostRecv(must(verbs.NewRecvBatch(1, 1))(t), 1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a post after Close: %v", err)
	}
	closeAll(t, e.id, e.mr, e.buf, e.cq, e.pd)
}

// closeAll closes in order. Two identifiers may have one device.
func closeAll(t *testing.T, all ...interface{ Close() error }) {
	t.Helper()
	for i, c := range all {
		if !slices.Contains(all[:i], c) {
			check(t, c.Close())
		}
	}
}

// TestConnect connects two identifiers of a process: private data, bytes by the queue pairs, the end of the connection, and what
// may be closed when.
func TestConnect(t *testing.T) {
	b := newBed(t)
	there, here := b.channel(t), b.channel(t)
	listener, at := b.listen(t, there)
	client := newEnd(t, b.resolved(t, here, at))
	check(t, client.id.Connect(rdmacm.ConnAttr{
		PrivateData: []byte("hello"), ResponderResources: 3, InitiatorDepth: 2, FlowControl: true, RetryCount: 5, RNRRetryCount: 6,
	}))

	ev := next(t, there, rdmacm.EventTypeConnectRequest)
	said := ev.Conn.PrivateData
	ev.Conn.PrivateData = nil
	want := rdmacm.ConnInfo{
		ResponderResources: 2, InitiatorDepth: 3, FlowControl: true, RetryCount: 5, RNRRetryCount: 6, QPNum: client.qp.Num(),
	}
	if ev.ListenID != listener || ev.ID == nil || ev.ID == listener || !bytes.HasPrefix(said, []byte("hello\x00")) ||
		!reflect.DeepEqual(ev.Conn, want) {
		t.Errorf("request %+v with %q, want %+v", ev, said, want)
	}
	server := newEnd(t, ev.ID)
	if same := must(listener.Device())(t) == server.dev; !same {
		t.Error("two identifiers of one device have two handles of it")
	}
	receive(t, server, 1, 0, 4096)
	check(t, server.id.Accept(rdmacm.ConnAttr{
		PrivateData: []byte("welcome"), ResponderResources: 1, InitiatorDepth: 1, RNRRetryCount: 7,
	}))
	ev = next(t, here, rdmacm.EventTypeEstablished)
	if ev.ID != client.id || !bytes.HasPrefix(ev.Conn.PrivateData, []byte("welcome\x00")) {
		t.Errorf("answer %+v", ev)
	}
	if ev := next(t, there, rdmacm.EventTypeEstablished); ev.ID != server.id {
		t.Errorf("established %+v", ev)
	}
	if err := server.id.Notify(verbs.EventTypeCommEst); !errors.Is(err, syscall.EISCONN) {
		t.Errorf("a report of what the library knows: %v", err)
	}

	move(t, client, server, strings.Repeat("bytes that really move. ", 100))

	check(t, client.id.Disconnect())
	next(t, there, rdmacm.EventTypeDisconnected)
	check(t, server.id.Disconnect())
	next(t, here, rdmacm.EventTypeDisconnected)
	client.close(t)
	server.close(t)
	check(t, listener.Close())
	for _, dev := range []*verbs.Device{client.dev, server.dev} {
		check(t, dev.Close())
		if err := dev.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a second Close of the device: %v", err)
		}
	}
}

// TestReject has the listener reject requests, with private data: by itself, and because of extended connection establishment, which the
// peer is told.
func TestReject(t *testing.T) {
	b := newBed(t)
	const vendorOption = 35 // as InfiniBand numbers reasons
	for status, reject := range map[int]func(*rdmacm.ID, []byte) error{0: (*rdmacm.ID).Reject, vendorOption: (*rdmacm.ID).RejectECE} {
		there, here := b.channel(t), b.channel(t)
		_, at := b.listen(t, there)
		client := newEnd(t, b.resolved(t, here, at))
		check(t, client.id.Connect(rdmacm.ConnAttr{}))
		ev := next(t, there, rdmacm.EventTypeConnectRequest)
		check(t, reject(ev.ID, []byte("no")))
		if ev := next(t, here, rdmacm.EventTypeRejected); ev.Status == 0 || status != 0 && int(ev.Status) != status ||
			!bytes.HasPrefix(ev.Conn.PrivateData, []byte("no\x00")) {
			t.Errorf("%+v, want status %d", ev, status)
		}
		if err := ev.ID.Reject(make([]byte, 256)); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "at most 255") {
			t.Errorf("too many bytes: %v", err)
		}
		check(t, ev.ID.Close())
		client.close(t)
		check(t, client.dev.Close())
	}
}

// TestRefused shows calls that the library refuses, and addresses that lead nowhere.
func TestRefused(t *testing.T) {
	b := newBed(t)
	c := b.channel(t)
	id := must(c.CreateID(rdmacm.PortSpaceTCP))(t)
	for verb, err := range map[string]error{"connect": id.Connect(rdmacm.ConnAttr{}), "accept": id.Accept(rdmacm.ConnAttr{}),
		"resolve_route": id.ResolveRoute(1)} {
		if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "the identifier is not bound to a device") {
			t.Errorf("%s on an identifier that is not bound: %v", verb, err)
		}
	}
	if _, err := id.CreateQP(nil, verbs.QPInitAttr{}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a queue pair of nothing: %v", err)
	}
	for verb, err := range map[string]error{"disconnect": id.Disconnect(), "establish": id.Establish(), "reject": id.Reject(nil),
		"listen": id.Listen(1)} {
		t.Logf("%s on a new identifier: %v", verb, err)
	}
	if err := id.BindAddr(netip.AddrPort{}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("bind to no address: %v", err)
	}
	if err := id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("10.8.0.77:1"), 100); err == nil {
		next(t, c, rdmacm.EventTypeAddrError)
	} else {
		t.Logf("an address that does not answer: %v", err)
	}
	check(t, id.Close())
	if err := id.Listen(1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("listen after Close: %v", err)
	}
	busy := must(c.CreateID(rdmacm.PortSpaceTCP))(t)
	if err := c.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "ID") {
		t.Errorf("Close of a channel with an identifier: %v", err)
	}
	check(t, busy.Close())
	check(t, c.Close())
	if _, err := c.CreateID(rdmacm.PortSpaceTCP); !errors.Is(err, os.ErrClosed) {
		t.Errorf("an identifier of a closed channel: %v", err)
	}
}

// TestMigrate moves an identifier, with the event that waits for it, to another channel.
func TestMigrate(t *testing.T) {
	b := newBed(t)
	first, second := b.channel(t), b.channel(t)
	id := must(first.CreateID(rdmacm.PortSpaceTCP))(t)
	check(t, id.ResolveAddr(netip.AddrPortFrom(b.client, 0), netip.AddrPortFrom(b.server, 1), 5000))
	check(t, id.Migrate(second))
	if id.EventChannel() != second {
		t.Error("it has another channel than it was moved to")
	}
	if ev := next(t, second, rdmacm.EventTypeAddrResolved); ev.ID != id {
		t.Errorf("%+v", ev)
	}
	check(t, first.Close())
	if err := second.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of the channel that it was moved to: %v", err)
	}
	if err := id.Migrate(first); !errors.Is(err, os.ErrClosed) {
		t.Errorf("to a closed channel: %v", err)
	}
	check(t, id.Close())
}

// TestWait ends waits by a context and by Close; the event that comes later is not lost.
func TestWait(t *testing.T) {
	b := newBed(t)
	c := b.channel(t)
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	go func() { _, err := c.Next(ctx); waits <- err }()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was cancelled: %v", err)
	}
	id := must(c.CreateID(rdmacm.PortSpaceTCP))(t)
	check(t, id.ResolveAddr(netip.AddrPortFrom(b.client, 0), netip.AddrPortFrom(b.server, 1), 5000))
	next(t, c, rdmacm.EventTypeAddrResolved)
	check(t, id.Close())
	go func() { _, err := c.Next(t.Context()); waits <- err }()
	check(t, c.Close())
	if err := <-waits; !errors.Is(err, os.ErrClosed) {
		t.Errorf("a wait when the channel is closed: %v", err)
	}
}

// receive posts receive id of n bytes at an offset of the buffer.
func receive(t *testing.T, e *end, id uint64, off, n int) {
	t.Helper()
	batch := must(verbs.NewRecvBatch(1, 1))(t)
	batch.WR(0).Recv(id).Add(e.mr.UncheckedSGE(uint64(off), uint32(n)))
	must(e.qp.PostRecv(batch, 1))(t)
	check(t, batch.Close())
}

// post posts one request, which begin describes, with n bytes at an offset of the buffer.
func post(t *testing.T, e *end, off, n int, begin func(w verbs.SendWR) verbs.SendWR) {
	t.Helper()
	batch := must(verbs.NewSendBatch(1, 1))(t)
	begin(batch.WR(0)).Add(e.mr.UncheckedSGE(uint64(off), uint32(n)))
	must(e.qp.PostSend(batch, 1))(t)
	check(t, batch.Close())
}

// completed waits for a completion, which must be a success.
func completed(t *testing.T, e *end) verbs.WC {
	t.Helper()
	wc := must(verbstest.Wait(e.cq, 1))(t)[0]
	if wc.Err() != nil {
		t.Fatalf("completion %+v", wc)
	}
	return wc
}

// move sends a text from one end to another, which has a receive at the beginning of its buffer.
func move(t *testing.T, from, to *end, text string) {
	t.Helper()
	n := copy(from.buf.Bytes(), text)
	post(t, from, 0, n, func(w verbs.SendWR) verbs.SendWR { return w.Send(2) })
	completed(t, from)
	completed(t, to)
	if got := string(to.buf.Bytes()[:n]); got != text {
		t.Errorf("received %.40q", got)
	}
}

// TestRemoved makes a queue pair for an identifier whose device was removed.
func TestRemoved(t *testing.T) {
	b := softBed(t)
	ch := b.channel(t)
	id := must(ch.CreateID(rdmacm.PortSpaceTCP))(t)
	check(t, id.BindAddr(netip.AddrPortFrom(b.server, 7471)))
	dev := must(id.Device())(t)
	cq := must(dev.CreateCQ(4, nil, 0))(t)
	check(t, b.soft.TakeAway("soft0"))
	_, err := id.CreateQP(nil, verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1})
	if !errors.Is(err, verbs.ErrDeviceRemoved) || !errors.Is(err, syscall.EIO) {
		t.Errorf("CreateQP: %v", err)
	}
	check(t, errors.Join(dev.CloseAll(), ch.CloseAll()))
}
