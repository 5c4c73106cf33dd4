//go:build linux && cgo

package cmrecording

import (
	"context"
	"errors"
	"flag"
	"fmt"
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
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/spec/api"
)

var includeFlag = flag.String("include", "/usr/include", "folder of the rdma/rdma_cma.h to compile against")

// bed is a loaded library with an event channel and an identifier: the first of each.
type bed struct {
	*testing.T
	rec     *Library
	lib     *rdmacm.Lib
	channel *rdmacm.EventChannel
	id      *rdmacm.ID
	n       int // identifiers so far: the number of id
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func open(t *testing.T) *bed {
	t.Helper()
	if _, err := os.Stat(*includeFlag + "/rdma/rdma_cma.h"); err != nil && *includeFlag == "/usr/include" {
		t.Skipf("no rdma_cma.h is installed, make setup does that: %v", err)
	}
	soft := softverbs.New()
	t.Cleanup(func() { soft.Close() })
	b := &bed{T: t}
	v := must(verbs.LoadFrom(soft))(t)
	b.rec = must(Open(t.TempDir(), *includeFlag, soft))(t)
	b.lib = must(rdmacm.LoadFrom(v, b.rec))(t)
	b.channel = must(b.lib.CreateEventChannel())(t)
	b.called("rdma_create_event_channel")
	b.create(rdmacm.PortSpaceTCP)
	t.Cleanup(func() {
		if err := b.channel.CloseAll(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return b
}

// called compares the calls since the last time with those that are due.
func (b *bed) called(want ...string) {
	b.Helper()
	if got := b.rec.Calls(); !slices.Equal(got, want) {
		b.Errorf("called\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// numbered is a call of the first identifier as one of the last.
func (b *bed) numbered(call string) string {
	return strings.Replace(call, " id=1 ", fmt.Sprintf(" id=%d ", b.n), 1)
}

// check fails the test on an error.
func (b *bed) check(err error) {
	b.Helper()
	if err != nil {
		b.Error(err)
	}
}

// bound binds the identifier to the device.
func (b *bed) bound() {
	b.Helper()
	b.check(b.id.BindAddr(netip.MustParseAddrPort("10.0.0.1:7")))
	b.called(b.numbered("rdma_bind_addr id=1 addr=10.0.0.1:7"))
}

// create makes a new identifier.
func (b *bed) create(space rdmacm.PortSpace) {
	b.Helper()
	b.id = must(b.channel.CreateID(space))(b)
	b.n++
	b.called(fmt.Sprintf("rdma_create_id channel=1 context=(nil) ps=%#x", uint32(space)))
}

// ready makes a new identifier for a method, in place of the one that is open. Rules do not know what was done with it, so that each
// call reaches the library.
func (b *bed) ready(method string) {
	b.Helper()
	space := rdmacm.PortSpaceTCP
	if strings.HasSuffix(method, "Multicast") {
		space = rdmacm.PortSpaceUDP
	}
	b.check(b.id.Close())
	b.rec.Calls()
	b.create(space)
	if method != "BindAddr" {
		b.bound()
	}
	b.id.CPtr()
}

// plain are the methods of an identifier that take no record, each with its call.
var plain = []struct {
	name string
	do   func(b *bed) error
	want string
}{
	{"BindAddr", func(b *bed) error { return b.id.BindAddr(netip.MustParseAddrPort("[fe80::1%3]:4")) },
		"rdma_bind_addr id=1 addr=[fe80::1/3]:4"},
	{"ResolveAddr", func(b *bed) error {
		return b.id.ResolveAddr(netip.MustParseAddrPort("10.0.0.1:5"), netip.MustParseAddrPort("10.0.0.2:6"), 77)
	}, "rdma_resolve_addr id=1 src_addr=10.0.0.1:5 dst_addr=10.0.0.2:6 timeout_ms=77"},
	{"ResolveAddr", func(b *bed) error {
		return b.id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("[2001:db8::2]:6"), 78)
	}, "rdma_resolve_addr id=1 src_addr=none dst_addr=[2001:db8::2/0]:6 timeout_ms=78"},
	{"ResolveRoute", func(b *bed) error { return b.id.ResolveRoute(79) }, "rdma_resolve_route id=1 timeout_ms=79"},
	{"Listen", func(b *bed) error { return b.id.Listen(9) }, "rdma_listen id=1 backlog=9"},
	{"Establish", func(b *bed) error { return b.id.Establish() }, "rdma_establish id=1"},
	{"Notify", func(b *bed) error { return b.id.Notify(verbs.EventTypeCommEst) }, "rdma_notify id=1 event=4"},
	{"Disconnect", func(b *bed) error { return b.id.Disconnect() }, "rdma_disconnect id=1"},
	{"Reject", func(b *bed) error { return b.id.Reject([]byte{1, 2, 0xfe}) }, "rdma_reject id=1 private_data=0102fe"},
	{"Reject", func(b *bed) error { return b.id.Reject(nil) }, "rdma_reject id=1 private_data="},
	{"RejectECE", func(b *bed) error { return b.id.RejectECE([]byte{3, 4}) }, "rdma_reject_ece id=1 private_data=0304"},
	{"InitQPAttr", func(b *bed) error { return b.id.InitQPAttr(verbs.NewQPAttr(verbs.QPStateRTR).PortNum(3)) },
		"rdma_init_qp_attr id=1 qp_state=2 port_num=3 mask=0x21"},
	{"SetLocalECE", func(b *bed) error { return b.id.SetLocalECE(verbs.NewECEAttr(0x15b3, 0x77)) },
		"rdma_set_local_ece id=1 vendor_id=0x15b3 options=0x77 comp_mask=0"},
	{"RemoteECE", func(b *bed) error {
		ece, err := b.id.RemoteECE()
		if err == nil && (ece.VendorID != 0x7a01 || ece.Options != 0x7a02) {
			return fmt.Errorf("the options are %+v", ece)
		}
		return err
	}, "rdma_get_remote_ece id=1"},
	{"JoinMulticast", func(b *bed) error { return b.id.JoinMulticast(netip.MustParseAddrPort("239.1.1.1:0")) },
		"rdma_join_multicast id=1 addr=239.1.1.1:0 context=(nil)"},
	{"LeaveMulticast", func(b *bed) error { return b.id.LeaveMulticast(netip.MustParseAddrPort("[ff02::7%2]:0")) },
		"rdma_leave_multicast id=1 addr=[ff02::7/2]:0"},
	{"SetOption", func(b *bed) error {
		return b.id.SetOption(rdmacm.OptionLevelID, rdmacm.OptionIDAckTimeout, []byte{5})
	}, "rdma_set_option id=1 level=0 optname=3 optval=05"},
	{"WriteEvent", func(b *bed) error { return b.id.WriteEvent(rdmacm.EventTypeUser, -5, 1<<40) },
		"rdma_write_cm_event id=1 event=18 status=-5 arg=0x10000000000"},
}

// elsewhere are the other methods of an identifier, with the test that calls each.
var elsewhere = map[string]string{
	"Connect": "TestConnParam", "Accept": "TestConnParam", "CreateQP": "TestCreateQP", "Migrate": "TestMigrate", "Close": "TestFailures",
	"EventChannel": "TestMigrate", "Device": "TestCreateQP", "LocalAddr": "TestAddresses", "PeerAddr": "TestAddresses",
	"CPtr": "TestCPtr", "AcceptDefault": "TestDefaults", "ConnectDefault": "TestDefaults",
	"String": "TestCPtr", "LogValue": "TestCPtr", "Unreached": "TestUnreached",
}

// TestUnreached makes no call, and knows nothing of a library that is not a real one.
func TestUnreached(t *testing.T) {
	b := open(t)
	if got := b.id.Unreached(netip.MustParseAddr("127.0.0.1")); got != nil {
		t.Errorf("%q", got)
	}
	if got := (*rdmacm.ID)(nil).Unreached(netip.Addr{}); got != nil {
		t.Errorf("of nil: %q", got)
	}
}

// TestCPtr gives the C object of an open identifier alone, and the name of any.
func TestCPtr(t *testing.T) {
	b := open(t)
	if b.id.CPtr() == nil {
		t.Error("an open identifier has no C object")
	}
	if s := b.id.String(); s != "ID" {
		t.Errorf("the name is %q", s)
	}
	b.check(b.id.Close())
	if s := b.id.LogValue().String(); s != "closed ID" {
		t.Errorf("a closed one has the name %q", s)
	}
	if p := b.id.CPtr(); p != nil {
		t.Errorf("a closed identifier has %p", p)
	}
}

// TestArguments calls every method: each argument arrives where it belongs.
func TestArguments(t *testing.T) {
	b := open(t)
	met := map[string]bool{}
	for _, c := range plain {
		met[c.name] = true
		b.ready(c.name)
		b.check(c.do(b))
		b.called(strings.TrimSuffix(b.numbered(c.want+" "), " "))
	}
	for m := range reflect.TypeFor[*rdmacm.ID]().Methods() {
		if !met[m.Name] && elsewhere[m.Name] == "" {
			t.Errorf("no test calls ID.%s", m.Name)
		}
	}
}

// TestFailures has each call fail: the error has the errno and the name of the function.
func TestFailures(t *testing.T) {
	b := open(t)
	failed := func(name string, err error) {
		t.Helper()
		call, _, _ := strings.Cut(b.rec.Calls()[0], " ")
		if !errors.Is(err, syscall.EXDEV) || !strings.HasPrefix(fmt.Sprint(err), call+": ") || call == "" {
			t.Errorf("%s, which calls %s: %v", name, call, err)
		}
	}
	for _, c := range plain {
		b.ready(c.name)
		b.rec.Fail(syscall.EXDEV)
		failed(c.name, c.do(b))
		b.rec.Fail(0)
	}
	b.ready("Connect")
	b.rec.Fail(syscall.EXDEV)
	failed("Connect", b.id.Connect(rdmacm.ConnAttr{}))
	failed("Accept", b.id.Accept(rdmacm.ConnAttr{}))
	failed("Migrate", b.id.Migrate(b.channel))
	failed("Close", b.id.Close())
	_, err := b.channel.CreateID(rdmacm.PortSpaceUDP)
	failed("CreateID", err)
	_, err = b.lib.CreateEventChannel()
	failed("CreateEventChannel", err)
	b.rec.Fail(0)
	b.check(b.id.Close())
	b.called(fmt.Sprintf("rdma_destroy_id id=%d", b.n))
	b.check(b.channel.Close())
	b.called("rdma_destroy_event_channel channel=1")
}

// params are the fields of the parameters of a connection, each set to a value of its own.
var params = []struct {
	field string
	set   func(*rdmacm.ConnAttr)
	want  []string // fields
}{
	{"PrivateData", func(p *rdmacm.ConnAttr) { p.PrivateData = []byte{0x11, 0x22, 0x33} },
		[]string{"private_data=112233", "private_data_len=3"}},
	{"ResponderResources", func(p *rdmacm.ConnAttr) { p.ResponderResources = 21 }, []string{"responder_resources=21"}},
	{"InitiatorDepth", func(p *rdmacm.ConnAttr) { p.InitiatorDepth = 22 }, []string{"initiator_depth=22"}},
	{"FlowControl", func(p *rdmacm.ConnAttr) { p.FlowControl = true }, []string{"flow_control=1"}},
	{"RetryCount", func(p *rdmacm.ConnAttr) { p.RetryCount = 5 }, []string{"retry_count=5"}},
	{"RNRRetryCount", func(p *rdmacm.ConnAttr) { p.RNRRetryCount = 6 }, []string{"rnr_retry_count=6"}},
	{"SRQ", func(p *rdmacm.ConnAttr) { p.SRQ = true }, []string{"srq=1"}},
	{"QPNum", func(p *rdmacm.ConnAttr) { p.QPNum = 0xabcdef }, []string{"qp_num=11259375"}},
}

// TestConnParam sets each field alone, then all: each arrives under its own name in C, and the others are zero.
func TestConnParam(t *testing.T) {
	b := open(t)
	fields := []string{"private_data=", "private_data_len=0", "responder_resources=0", "initiator_depth=0", "flow_control=0",
		"retry_count=0", "rnr_retry_count=0", "srq=0", "qp_num=0"}
	all, wantAll := rdmacm.ConnAttr{}, slices.Clone(fields)
	tries := []rdmacm.ConnAttr{{}}
	wants := [][]string{fields}
	for _, p := range params {
		one, want := rdmacm.ConnAttr{}, slices.Clone(fields)
		p.set(&one)
		p.set(&all)
		for _, w := range p.want {
			name, _, _ := strings.Cut(w, "=")
			at := slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(f, name+"=") })
			want[at], wantAll[at] = w, w
		}
		tries, wants = append(tries, one), append(wants, want)
	}
	tries, wants = append(tries, all), append(wants, wantAll)
	for i, p := range tries {
		b.ready("Connect")
		b.check(b.id.Connect(p))
		b.called(b.numbered("rdma_connect id=1 " + strings.Join(wants[i], " ")))
		b.ready("Accept")
		b.check(b.id.Accept(p))
		b.called(b.numbered("rdma_accept id=1 " + strings.Join(wants[i], " ")))
	}
	if n := reflect.TypeFor[rdmacm.ConnAttr]().NumField(); n != len(params) {
		t.Errorf("%d of %d fields are tried", len(params), n)
	}
	known := must(api.KnownOf("rdmacm.txt"))(t)
	rel := must(known.Load(known.Newest()))(t)
	i := slices.IndexFunc(rel.Records, func(r api.Record) bool { return r.Tag == "struct rdma_conn_param" })
	for _, f := range rel.Records[i].Fields {
		if !slices.ContainsFunc(fields, func(s string) bool { return strings.HasPrefix(s, f.Name+"=") }) {
			t.Errorf("field %s is not recorded", f.Name)
		}
	}
}

// TestCreateQP makes a queue pair on the device that an identifier is bound to, from attributes of package verbs with a value of their own
// in each field. Its end is that of librdmacm.
func TestCreateQP(t *testing.T) {
	b := open(t)
	if _, err := b.id.Device(); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("the device of an identifier that is not bound: %v", err)
	}
	b.bound()
	b.rec.Calls()
	dev := must(b.id.Device())(t)
	b.called("rdma_get_devices num_devices=(nil)")
	if again := must(b.id.Device())(t); again != dev {
		t.Error("another handle of one device")
	}
	other, pd := must(dev.AllocPD())(t), must(dev.AllocPD())(t)
	send, recv := must(dev.CreateCQ(8, nil, 0))(t), must(dev.CreateCQ(40, nil, 0))(t)
	srq := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
	b.rec.Calls()
	attr := verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: send, RecvCQ: recv, MaxSendWR: 11, MaxRecvWR: 12, MaxSendSGE: 3,
		MaxRecvSGE: 4, MaxInlineData: 15, SignalAll: true, SRQ: srq,
	}
	qp := must(b.id.CreateQP(pd, attr))(t)
	b.called(fmt.Sprintf("rdma_create_qp id=1 pd=%d qp_context=(nil) send_cq.cqe=%d recv_cq.cqe=%d srq=%d max_send_wr=11 "+
		"max_recv_wr=12 max_send_sge=3 max_recv_sge=4 max_inline_data=15 qp_type=2 sq_sig_all=1",
		pd.Handle(), send.Size(), recv.Size(), srq.Handle()))
	if qp.PD() != pd || qp.Device() != dev || qp.Num() == 0 {
		t.Errorf("the queue pair has PD %p, device %p, number %d", qp.PD(), qp.Device(), qp.Num())
	}
	for what, err := range map[string]error{"identifier": b.id.Close(), "domain": pd.Close(), "queue": send.Close(),
		"shared queue": srq.Close(), "device": dev.Close()} {
		if !errors.Is(err, syscall.EBUSY) {
			t.Errorf("Close of the %s with an open queue pair: %v", what, err)
		}
	}
	b.check(qp.Close())
	b.called("rdma_destroy_qp id=1")
	for _, o := range []interface{ Close() error }{srq, send, recv, pd, other, dev} {
		b.check(o.Close())
	}
	b.called("rdma_free_devices of=1")
}

// TestEvents takes an event of each type: each field has the value that C gave it, and only those that go with the type.
func TestEvents(t *testing.T) {
	b := open(t)
	b.bound()
	spoken := []rdmacm.EventType{rdmacm.EventTypeConnectRequest, rdmacm.EventTypeConnectResponse, rdmacm.EventTypeEstablished,
		rdmacm.EventTypeRejected, rdmacm.EventTypeDisconnected}
	for typ := rdmacm.EventTypeAddrResolved; typ <= rdmacm.EventTypeInternal; typ++ {
		first, status, listener := 20+int(typ), -int(typ), 0
		if typ == rdmacm.EventTypeConnectRequest {
			listener = 1
		}
		b.rec.Event(int(typ), 1, listener, status, first)
		ev := b.next()
		want := &rdmacm.Event{Type: typ, ID: b.id, Status: status}
		if slices.Contains(spoken, typ) {
			want.Conn = said(byte(first))
		}
		if listener != 0 {
			want.ID, want.ListenID = ev.ID, b.id
			if ev.ID == nil || ev.ID == b.id || ev.ID.EventChannel() != b.channel {
				t.Errorf("a request comes with the identifier %p", ev.ID)
			}
		}
		if !reflect.DeepEqual(ev, want) {
			t.Errorf("%v:\n%+v, want\n%+v", typ, ev, want)
		}
	}
	if n := b.rec.Unacknowledged(); n != 0 {
		t.Errorf("%d events are not acknowledged", n)
	}
	b.check(b.id.Close())
	b.rec.Event(int(rdmacm.EventTypeDisconnected), 1, 0, 0, 1)
	if ev := b.next(); ev.ID != nil {
		t.Errorf("an event for a closed identifier: %+v", ev)
	}
}

// said is what recording_event puts into the parameters of a connection.
func said(first byte) rdmacm.ConnInfo {
	return rdmacm.ConnInfo{PrivateData: []byte{first, first + 1, first + 2, first + 3, first + 4}, ResponderResources: first + 10,
		InitiatorDepth: first + 11,
		FlowControl:    first&1 == 1, RetryCount: first + 12, RNRRetryCount: first + 13, SRQ: first&1 == 0, QPNum: 0x10000 + uint32(first)}
}

// next waits for an event.
func (b *bed) next() *rdmacm.Event {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
	defer cancel()
	return must(b.channel.Next(ctx))(b.T)
}

// TestMigrate moves an identifier to another channel.
func TestMigrate(t *testing.T) {
	b := open(t)
	second := must(b.lib.CreateEventChannel())(t)
	b.called("rdma_create_event_channel")
	b.check(b.id.Migrate(second))
	b.called("rdma_migrate_id id=1 channel=2")
	if b.id.EventChannel() != second {
		t.Error("it has another channel than it was moved to")
	}
	if b.id.CPtr() == nil {
		t.Error("an open identifier has no address in C")
	}
	b.check(b.id.Close())
	if at := b.id.CPtr(); at != nil {
		t.Errorf("a closed identifier has the address %p in C", at)
	}
	b.check(second.Close())
}

// TestAddresses reads the addresses that C has.
func TestAddresses(t *testing.T) {
	b := open(t)
	for _, text := range []string{"10.1.2.3:4567", "[2001:db8::9]:80", "[fe80::5%lo]:81"} {
		b.ready("BindAddr")
		at := netip.MustParseAddrPort(text)
		b.check(b.id.BindAddr(at))
		to := netip.AddrPortFrom(at.Addr(), at.Port()+1)
		b.check(b.id.ResolveAddr(at, to, 1))
		if got := must(b.id.LocalAddr())(t); got != at {
			t.Errorf("local address %s, want %s", got, at)
		}
		if got := must(b.id.PeerAddr())(t); got != to {
			t.Errorf("address of the peer %s, want %s", got, to)
		}
	}
}

// TestTexts asks for the library's own text of a type.
func TestTexts(t *testing.T) {
	b := open(t)
	if got := must(b.lib.EventTypeString(rdmacm.EventTypeEstablished))(t); got != "event 9" {
		t.Errorf("%q", got)
	}
}
