//go:build linux && cgo

package cases

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// groupTraffic are the cases of datagrams to multicast groups.
func groupTraffic() []suite.Case {
	group := shared("ibv_attach_mcast", suite.Multicast, suite.RoCE, suite.Peer)
	return []suite.Case{
		group("CF-mcast-0010", "a datagram to a group: a copy for each member, here and at the peer; none for others, and none after detach",
			copies),
		group("CF-mcast-0011", "a datagram to a group: none for a member with another key, or without a receive", deafMembers),
		group("CF-mcast-0012", "a member of two groups", twoGroups),
	}
}

const (
	everybody  = 0xffffff // the number of the queue pair that a datagram to a group names
	memberRoom = 256      // what a member receives into: the header, and more than is sent
	groupKey   = 0x1d1d   // the key of most members
)

// members are queue pairs of datagrams here and at the place of the far end.
type members struct {
	*pair
	here     link.Place
	networks []string // interfaces that the ports are on, where the kernel shows them
}

func newMembers(t *suite.T) *members {
	m := &members{pair: batches(t, farPlace(t)), here: nearPlace(t)}
	for _, at := range []struct {
		device string
		port   *far.Port
	}{{t.Name(), m.here.Port}, {t.PeerName(), m.place.Port}} {
		if name := network(at.device, at.port.Number()); name != "" {
			m.networks = append(m.networks, name)
		}
	}
	return m
}

// network names the interface that a port is on; empty where the kernel shows none.
func network(device string, port uint8) string {
	for _, path := range []string{"parent", filepath.Join("ports", strconv.Itoa(int(port)), "gid_attrs/ndevs/0")} {
		if text, err := os.ReadFile(sysfs.Path("class/infiniband", device, path)); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

// add makes a queue pair that sends and receives.
func (m *members) add(at link.Place, qkey uint32) *link.End {
	cfg := patient()
	cfg.Type, cfg.QKey = verbs.QPTypeUD, qkey
	e := must(cfg.NewEnd(at))(m.t)
	m.t.OK("to RTS", e.ConnectTo(e))
	return e
}

// ready posts a receive.
func (m *members) ready(id uint64, list ...*link.End) {
	for _, e := range list {
		clear(e.Buf)
		m.receiveAt(e, id, uint64(e.MR.Addr()), memberRoom, e.MR.LKey())
	}
}

// attach and detach have queue pairs join a group and leave it.
func (m *members) attach(g verbs.GID, list ...*link.End) {
	for _, e := range list {
		m.t.OK("attached", e.QP.AttachMcast(g, 0))
	}
}

func (m *members) detach(g verbs.GID, list ...*link.End) {
	for _, e := range list {
		m.t.OK("detached", e.QP.DetachMcast(g, 0))
	}
}

// group returns a group of the addresses that the ports have, of which the interfaces are told.
func (m *members) group(last byte) verbs.GID {
	g := verbs.GID{0: 0xff, 1: 0x12, 14: 0xca, 15: last}
	if mapped(m.here.Port.GID()) {
		g = verbs.GID{10: 0xff, 11: 0xff, 12: 239, 13: 1, 14: 0xca, 15: last}
	}
	for _, name := range m.networks {
		m.join(name, g)
	}
	return g
}

// join has the network hand packets for a group to this machine, as long as the case runs.
func (m *members) join(name string, g verbs.GID) {
	dev := must(net.InterfaceByName(name))(m.t)
	socket, err := net.ListenMulticastUDP("udp", dev, &net.UDPAddr{IP: g[:]})
	needed(m.t, fmt.Sprintf("joining %s on %s", gidText(g), name), err)
	ends(m.t, "a socket of the group", socket)
}

// tell sends a datagram to a group.
func (m *members) tell(from *link.End, g verbs.GID, qkey uint32, text string) {
	ah := must(from.PD.CreateAH(m.here.Port.Way(far.Address{GID: g})))(m.t)
	copy(from.Buf[link.Size/2:], text)
	w := m.send.WR(0).Send(1).SGE(uint64(from.MR.Addr())+link.Size/2, uint32(len(text)), from.MR.LKey()).Flags(verbs.SendSignaled)
	m.t.OK("Address", ah.Address(w, everybody, qkey))
	whole(m.t, "a datagram to a group", 1)(from.QP.PostSend(m.send, 1))
}

// took checks the copy of a member. Its own send, if it is the sender, completes before or after.
func (m *members) took(what string, e, from *link.End, id uint64, g verbs.GID, text string) {
	wc, err := e.Wait()
	if e == from && err == nil {
		var sent verbs.WC
		if sent, err = e.Wait(); err == nil && wc.Opcode == verbs.WCOpcodeSend {
			wc, sent = sent, wc
		}
		if sent.Status != 0 || sent.Opcode != verbs.WCOpcodeSend {
			m.t.Errorf("%s: the send: %+v", what, sent)
		}
	}
	needed(m.t, what, err)
	m.t.Status(what, wc.Status, verbs.WCStatusSuccess)
	if wc.ID != id || wc.Opcode != verbs.WCOpcodeRecv || wc.ByteLen != uint32(verbs.GRHSize+len(text)) || wc.SrcQP != from.QP.Num() {
		m.t.Errorf("%s: %+v; want id %d, %d bytes from %#x", what, wc, id, verbs.GRHSize+len(text), from.QP.Num())
	}
	is(m.t, what, string(e.Buf[verbs.GRHSize:verbs.GRHSize+len(text)+1]), text+"\x00")
	if to := string(e.Buf[24:40]); !mapped(g) && to != string(g[:]) || mapped(g) && to[12:] != string(g[12:]) {
		m.t.Errorf("%s: it was sent to %x, the header says", what, to)
	}
}

// nothing checks that no copy came. Those of others are there already, and leave this one time too.
func (m *members) nothing(what string, e *link.End) {
	if wc, err := e.WaitFor(20 * time.Millisecond); err == nil {
		m.t.Errorf("%s: %+v", what, wc)
	}
}

// sent takes the completion of a sender that is no member.
func (m *members) sent(from *link.End) {
	if wc, err := from.Wait(); err != nil || wc.Status != 0 || wc.Opcode != verbs.WCOpcodeSend {
		m.t.Fatalf("the send: %+v, %v", wc, err)
	}
}

func copies(t *suite.T) {
	m := newMembers(t)
	g := m.group(0x10)
	here := func() *link.End { return m.add(m.here, groupKey) }
	from, a, b, other, peer := here(), here(), here(), here(), m.add(m.place, groupKey)
	m.attach(g, from, a, b, peer)
	m.ready(1, from, a, b, other, peer)
	m.tell(from, g, groupKey, "to all of them")
	for i, e := range []*link.End{a, b, peer, from} {
		m.took([]string{"the first", "the second", "the peer's", "the sender itself"}[i], e, from, 1, g, "to all of them")
	}
	m.nothing("one that is no member", other)
	m.detach(g, a, from)
	m.ready(2, a, b, peer)
	m.tell(from, g, groupKey, "to the rest")
	m.sent(from)
	m.took("the second", b, from, 2, g, "to the rest")
	m.took("the peer's", peer, from, 2, g, "to the rest")
	m.detach(g, b, peer)
	m.ready(3, b, peer)
	m.tell(from, g, groupKey, "to nobody")
	m.sent(from)
	for i, e := range []*link.End{a, b, peer, other, from} {
		m.nothing(fmt.Sprintf("queue pair %d after detach", i), e)
	}
}

func deafMembers(t *suite.T) {
	m := newMembers(t)
	g := m.group(0x11)
	from, a, keyed, full := m.add(m.here, groupKey), m.add(m.here, groupKey), m.add(m.here, groupKey+1), m.add(m.here, groupKey)
	m.attach(g, keyed, full, a)
	m.ready(1, a, keyed)
	m.tell(from, g, groupKey, "who hears")
	m.sent(from)
	m.took("one that can", a, from, 1, g, "who hears")
	m.nothing("one with another key", keyed)
	m.nothing("one without a receive", full)
	m.ready(2, a, full)
	m.tell(from, g, groupKey, "once more")
	m.sent(from)
	m.took("one that can", a, from, 2, g, "once more")
	m.took("one that can now", full, from, 2, g, "once more")
	m.tell(from, g, groupKey+1, "by another key")
	m.sent(from)
	m.took("the one with that key", keyed, from, 1, g, "by another key")
	m.detach(g, keyed, full, a)
}

func twoGroups(t *suite.T) {
	m := newMembers(t)
	g, h, nobody := m.group(0x20), m.group(0x21), m.group(0x22)
	from, a, b := m.add(m.here, groupKey), m.add(m.here, groupKey), m.add(m.place, groupKey)
	m.attach(g, a)
	m.attach(h, a, b)
	for round, to := range []verbs.GID{g, h, nobody, h, g} {
		id := uint64(round)
		text := fmt.Sprintf("round %d", round)
		if to != nobody {
			m.ready(id, a)
		}
		if to == h {
			m.ready(id, b)
		}
		m.tell(from, to, groupKey, text)
		m.sent(from)
		if to != nobody {
			m.took("the member of both", a, from, id, to, text)
		}
		if to == h {
			m.took("the member of one", b, from, id, to, text)
		}
	}
	m.nothing("the member of both", a)
	m.nothing("the member of one", b)
	m.detach(g, a)
	m.detach(h, a, b)
}
