//go:build linux && cgo

package cm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// stage is where an identifier is brought to a state. Queue pairs are not the connection manager's: connections have numbers of none.
type stage struct {
	*testing.T
	b    *bed
	ps   rdmacm.PortSpace
	id   *rdmacm.ID // under test
	peer *rdmacm.ID // of its connection, or nil
	open []*rdmacm.EventChannel
}

// number is that of the last queue pair that a connection was said to have. There are none; but the kernel knows old connections by them.
var number atomic.Uint32

func init() {
	number.Store(0x100000)
	if os.Getenv(apart) != "" { // others than those of the process that began this one
		number.Store(0x200000)
	}
}

func params() rdmacm.ConnAttr {
	return rdmacm.ConnAttr{RetryCount: 7, RNRRetryCount: 7, QPNum: number.Add(1)}
}

func (s *stage) channel() *rdmacm.EventChannel {
	c := must(s.b.lib.CreateEventChannel())(s.T)
	s.open = append(s.open, c)
	return c
}

func (s *stage) close() {
	for _, c := range s.open {
		check(s.T, c.CloseAll())
	}
}

func (s *stage) new() *rdmacm.ID { return must(s.channel().CreateID(s.ps))(s.T) }

func (s *stage) next(id *rdmacm.ID, want rdmacm.EventType) *rdmacm.Event {
	s.Helper()
	return next(s.T, id.EventChannel(), want)
}

// silent is an address of the clients' network that nobody has.
func (s *stage) silent() netip.AddrPort {
	a := s.b.client.As4()
	a[3] = 77
	return netip.AddrPortFrom(netip.AddrFrom4(a), 9)
}

// listener makes an identifier that listens, and its address.
func (s *stage) listener() (*rdmacm.ID, netip.AddrPort) {
	id := s.new()
	check(s.T, id.BindAddr(netip.AddrPortFrom(s.b.server, 0)))
	check(s.T, id.Listen(4))
	return id, must(id.LocalAddr())(s.T)
}

func (s *stage) resolved(to netip.AddrPort) *rdmacm.ID {
	id := s.new()
	check(s.T, id.ResolveAddr(netip.AddrPortFrom(s.b.client, 0), to, 5000))
	s.next(id, rdmacm.EventTypeAddrResolved)
	return id
}

func (s *stage) routed(to netip.AddrPort) *rdmacm.ID {
	id := s.resolved(to)
	check(s.T, id.ResolveRoute(5000))
	s.next(id, rdmacm.EventTypeRouteResolved)
	return id
}

// requested makes the two ends of a request that is not answered.
func (s *stage) requested() (server, client *rdmacm.ID) {
	l, at := s.listener()
	client = s.routed(at)
	check(s.T, client.Connect(params()))
	return s.next(l, rdmacm.EventTypeConnectRequest).ID, client
}

// answered makes the two ends of a request that was accepted.
func (s *stage) answered() (server, client *rdmacm.ID) {
	server, client = s.requested()
	check(s.T, server.Accept(params()))
	if s.ps == rdmacm.PortSpaceUDP {
		s.next(client, rdmacm.EventTypeEstablished)
	} else {
		s.next(client, rdmacm.EventTypeConnectResponse)
	}
	return server, client
}

func (s *stage) established() (server, client *rdmacm.ID) {
	server, client = s.answered()
	check(s.T, client.Establish())
	s.next(server, rdmacm.EventTypeEstablished)
	return server, client
}

// disconnecting makes a connection that the client ends.
func (s *stage) disconnecting() (server, client *rdmacm.ID) {
	server, client = s.established()
	check(s.T, client.Disconnect())
	s.next(server, rdmacm.EventTypeDisconnected)
	return server, client
}

func (s *stage) disconnected() (server, client *rdmacm.ID) {
	server, client = s.disconnecting()
	check(s.T, server.Disconnect())
	s.next(client, rdmacm.EventTypeDisconnected)
	return server, client
}

func (s *stage) first(server, client *rdmacm.ID)  { s.id, s.peer = server, client }
func (s *stage) second(server, client *rdmacm.ID) { s.id, s.peer = client, server }

type state struct {
	name string
	ps   rdmacm.PortSpace
	to   func(s *stage)
}

// begun are the states that both port spaces have.
func begun(prefix string, ps rdmacm.PortSpace) []state {
	return []state{
		{prefix + "new", ps, func(s *stage) { s.id = s.new() }},
		{prefix + "bound", ps, func(s *stage) {
			s.id = s.new()
			check(s.T, s.id.BindAddr(netip.AddrPortFrom(s.b.client, 0)))
		}},
		{prefix + "bound-any", ps, func(s *stage) {
			s.id = s.new()
			check(s.T, s.id.BindAddr(netip.AddrPortFrom(netip.IPv4Unspecified(), 0)))
		}},
		{prefix + "bound-loopback", ps, func(s *stage) {
			s.id = s.new()
			check(s.T, s.id.BindAddr(netip.MustParseAddrPort("127.0.0.1:0")))
		}},
		{prefix + "listening", ps, func(s *stage) { s.id, _ = s.listener() }},
		{prefix + "listening-any", ps, func(s *stage) {
			s.id = s.new()
			check(s.T, s.id.Listen(1))
		}},
		{prefix + "resolving", ps, func(s *stage) {
			s.id = s.new()
			check(s.T, s.id.ResolveAddr(netip.AddrPortFrom(s.b.client, 0), s.silent(), 60000))
		}},
		{prefix + "resolved", ps, func(s *stage) { s.id = s.resolved(netip.AddrPortFrom(s.b.server, 9)) }},
		{prefix + "resolved-loopback", ps, func(s *stage) {
			s.id = s.new()
			check(s.T, s.id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("127.0.0.1:9"), 5000))
			s.next(s.id, rdmacm.EventTypeAddrResolved)
		}},
		{prefix + "routed", ps, func(s *stage) { s.id = s.routed(netip.AddrPortFrom(s.b.server, 9)) }},
		{prefix + "connecting", ps, func(s *stage) { s.second(s.requested()) }},
		{prefix + "requested", ps, func(s *stage) { s.first(s.requested()) }},
		{prefix + "accepted", ps, func(s *stage) { s.first(s.answered()) }},
		{prefix + "answered", ps, func(s *stage) { s.second(s.answered()) }},
		{prefix + "rejected", ps, func(s *stage) {
			s.second(s.requested())
			check(s.T, s.peer.Reject(nil))
			if ps == rdmacm.PortSpaceUDP {
				s.next(s.id, rdmacm.EventTypeUnreachable)
			} else {
				s.next(s.id, rdmacm.EventTypeRejected)
			}
		}},
	}
}

func states() []state {
	return append(append(begun("", rdmacm.PortSpaceTCP), begun("ud-", rdmacm.PortSpaceUDP)...), []state{
		{"established", rdmacm.PortSpaceTCP, func(s *stage) { s.second(s.established()) }},
		{"established-passive", rdmacm.PortSpaceTCP, func(s *stage) { s.first(s.established()) }},
		{"disconnecting", rdmacm.PortSpaceTCP, func(s *stage) { s.second(s.disconnecting()) }},
		{"disconnecting-passive", rdmacm.PortSpaceTCP, func(s *stage) { s.first(s.disconnecting()) }},
		{"disconnected", rdmacm.PortSpaceTCP, func(s *stage) { s.second(s.disconnected()) }},
		{"disconnected-passive", rdmacm.PortSpaceTCP, func(s *stage) { s.first(s.disconnected()) }},
	}...)
}

type call struct {
	name string
	make func(s *stage) error
}

func option(name rdmacm.Option, value ...byte) func(*stage) error {
	return func(s *stage) error { return s.id.SetOption(rdmacm.OptionLevelID, name, value) }
}

var calls = []call{
	{"bind_addr", func(s *stage) error { return s.id.BindAddr(netip.AddrPortFrom(s.b.client, 0)) }},
	{"resolve_addr", func(s *stage) error {
		return s.id.ResolveAddr(netip.AddrPortFrom(s.b.client, 0), netip.AddrPortFrom(s.b.server, 9), 5000)
	}},
	{"resolve_addr-ipv6", func(s *stage) error {
		return s.id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("[::1]:9"), 5000)
	}},
	{"resolve_addr-far", func(s *stage) error {
		return s.id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("203.0.113.1:9"), 5000)
	}},
	{"resolve_route", func(s *stage) error { return s.id.ResolveRoute(5000) }},
	{"resolve_route-0", func(s *stage) error { return s.id.ResolveRoute(0) }},
	{"listen", func(s *stage) error { return s.id.Listen(4) }},
	{"connect", func(s *stage) error { return s.id.Connect(params()) }},
	{"accept", func(s *stage) error { return s.id.Accept(params()) }},
	{"establish", func(s *stage) error { return s.id.Establish() }},
	{"reject", func(s *stage) error { return s.id.Reject([]byte("no")) }},
	{"reject-long", func(s *stage) error { return s.id.Reject(make([]byte, 200)) }},
	{"reject_ece", func(s *stage) error { return s.id.RejectECE(nil) }},
	{"notify-comm_est", func(s *stage) error { return s.id.Notify(verbs.EventTypeCommEst) }},
	{"notify-path_mig", func(s *stage) error { return s.id.Notify(verbs.EventTypePathMig) }},
	{"notify-qp_fatal", func(s *stage) error { return s.id.Notify(verbs.EventTypeQPFatal) }},
	{"disconnect", func(s *stage) error { return s.id.Disconnect() }},
	{"join_multicast", func(s *stage) error { return s.id.JoinMulticast(netip.MustParseAddrPort("239.1.1.7:0")) }},
	{"join_multicast-unicast", func(s *stage) error { return s.id.JoinMulticast(netip.AddrPortFrom(s.b.server, 0)) }},
	{"leave_multicast", func(s *stage) error { return s.id.LeaveMulticast(netip.MustParseAddrPort("239.1.1.7:0")) }},
	{"set_option-tos", option(rdmacm.OptionIDTOS, 8)},
	{"set_option-reuse", option(rdmacm.OptionIDReuseAddr, 1, 0, 0, 0)},
	{"set_option-no-reuse", option(rdmacm.OptionIDReuseAddr, 0, 0, 0, 0)},
	{"set_option-afonly", option(rdmacm.OptionIDAFOnly, 1, 0, 0, 0)},
	{"set_option-ack_timeout", option(rdmacm.OptionIDAckTimeout, 17)},
	{"set_option-unknown", option(99, 1)},
	{"set_option-ib_path", func(s *stage) error {
		return s.id.SetOption(rdmacm.OptionLevelIB, rdmacm.OptionIBPath, make([]byte, 88))
	}},
	{"set_option-level", func(s *stage) error { return s.id.SetOption(7, 0, []byte{1}) }},
	{"migrate_id", func(s *stage) error { return s.id.Migrate(s.channel()) }},
	{"destroy_id", func(s *stage) error { return s.id.Close() }},
}

// errnoOf names the errno of an answer.
func errnoOf(err error) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case !errors.As(err, &errno):
		return err.Error()
	}
	if name := unix.ErrnoName(errno); name != "" {
		return name
	}
	return fmt.Sprintf("errno %d", int(errno))
}

// heard is the event that comes next for an identifier, "-" if none does. want is the recorded one: it may come late on a busy machine. On
// the software library an event of our own ends the wait.
func (s *stage) heard(id *rdmacm.ID, on *rdmacm.EventChannel, want string) string {
	wait := patience
	switch {
	case s.b.soft != nil:
		if want == "-" || want == "" {
			wait = 20 * time.Millisecond // of one whose events are not for us yet
		}
		if err := id.WriteEvent(rdmacm.EventTypeUser, 0, 0); errors.Is(err, os.ErrClosed) {
			return "-"
		}
	case want == "-" || want == "":
		wait = time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	ev, err := on.Next(ctx)
	for err == nil && ev.Type == rdmacm.EventTypeTimewaitExit { // it comes half a second after the end of a connection, or some seconds
		ev, err = on.Next(ctx)
	}
	if err != nil || ev.Type == rdmacm.EventTypeUser {
		return "-"
	}
	return fmt.Sprintf("%v(%d)", ev.Type, ev.Status)
}

// ask brings an identifier to a state, makes a call, and returns a line about it. want is the recorded one.
func ask(t *testing.T, b *bed, st state, c call, want string) string {
	s := &stage{T: t, b: b, ps: st.ps}
	if os.Getenv(apart) == "" {
		defer s.close()
	}
	wants := append(strings.Split(want, "; "), "", "", "")
	st.to(s)
	s.id.CPtr() // rules know nothing of its state after this, so that the library answers
	answer := errnoOf(c.make(s))
	theirs := make(chan string, 1)
	go func() {
		if s.peer == nil {
			theirs <- "-"
			return
		}
		theirs <- s.heard(s.peer, s.peer.EventChannel(), wants[2])
	}()
	mine := s.heard(s.id, s.id.EventChannel(), wants[1])
	return fmt.Sprintf("%s %s: %s; %s; %s", st.name, c.name, answer, mine, <-theirs)
}

// TestStates makes every call in every state, and compares the answers of a kernel, or of the software library, with the recorded ones.
func TestStates(t *testing.T) {
	b := newBed(t)
	want := recording(t)
	if os.Getenv(apart) != "" {
		for _, line := range answers(t, b, want, slow) {
			fmt.Println(answerMark + line)
		}
		return
	}
	got := map[string]string{}
	if b.soft == nil {
		got = answersApart(t)
	}
	maps.Copy(got, answers(t, b, want, func(st state, c call) bool { return b.soft != nil || !slow(st, c) }))
	for of, line := range got {
		switch {
		case refusedByRule(of) && want[of] != "":
			got[of] = want[of] // what the kernel said when no rule was before it
		case b.card && strings.Contains(of, "resolved-loopback"):
			got[of] = want[of] // 127.0.0.1 leads to the first device there
		case line != want[of]:
			t.Errorf("%s\n    recorded %s", line, want[of])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d answers, and %d are recorded", len(got), len(want))
	}
	record(t, got)
}

// answers makes calls at the same time, and returns the lines about them.
func answers(t *testing.T, b *bed, want map[string]string, which func(state, call) bool) map[string]string {
	var mu sync.Mutex
	got := map[string]string{}
	t.Run("state", func(t *testing.T) {
		for _, st := range states() {
			for _, c := range calls {
				if !which(st, c) {
					continue
				}
				of := st.name + " " + c.name
				t.Run(st.name+"/"+c.name, func(t *testing.T) {
					t.Parallel()
					line := ask(t, b, st, c, want[of])
					mu.Lock()
					defer mu.Unlock()
					got[of] = line
				})
			}
		}
	})
	return got
}
