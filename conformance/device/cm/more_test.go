//go:build linux && cgo

package cm

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestMulticast joins a group with a datagram queue pair, and leaves it. Destroying the identifier leaves the other.
func TestMulticast(t *testing.T) {
	b := newBed(t)
	c := b.channel(t)
	id := must(c.CreateID(rdmacm.PortSpaceUDP))(t)
	check(t, id.BindAddr(netip.AddrPortFrom(b.client, 0)))
	dev := must(id.Device())(t)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(8, nil, 0))(t)
	qp := must(id.CreateQP(pd, verbs.QPInitAttr{
		Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1,
		MaxRecvSGE: 1,
	}))(t)
	for _, group := range []string{"239.1.1.1:0", "239.1.1.2:0"} {
		check(t, id.JoinMulticast(netip.MustParseAddrPort(group)))
		if ev := next(t, c, rdmacm.EventTypeMulticastJoin); ev.ID != id || ev.Status != 0 {
			t.Errorf("joined %s: %+v", group, ev)
		}
	}
	check(t, id.LeaveMulticast(netip.MustParseAddrPort("239.1.1.1:0")))
	err := id.LeaveMulticast(netip.MustParseAddrPort("239.1.1.1:0"))
	if !errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Errorf("leaving twice: %v", err)
	}
	check(t, id.LeaveMulticast(netip.MustParseAddrPort("239.1.1.2:0")))
	closeAll(t, qp, id, cq, pd, dev)
}

// TestWriteEvent puts an event of our own on the channel, where the library and the kernel can.
func TestWriteEvent(t *testing.T) {
	b := newBed(t)
	c := b.channel(t)
	id := must(c.CreateID(rdmacm.PortSpaceTCP))(t)
	switch err := id.WriteEvent(rdmacm.EventTypeUser, 7, 9); {
	case err == nil:
		if ev := next(t, c, rdmacm.EventTypeUser); ev.ID != id || ev.Status != 7 {
			t.Errorf("%+v", ev)
		}
	case errors.Is(err, errors.ErrUnsupported), b.card && errors.Is(err, syscall.EINVAL): // the card answers as Linux 6.1
		t.Log(err)
	default:
		t.Error(err)
	}
}

// TestEventTypeString asks the library for its texts.
func TestEventTypeString(t *testing.T) {
	b := newBed(t)
	if got, want := must(b.lib.EventTypeString(rdmacm.EventTypeEstablished))(t), "RDMA_CM_EVENT_ESTABLISHED"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSetOption lets two identifiers bind to one address, which only the option allows.
func TestSetOption(t *testing.T) {
	b := newBed(t)
	c := b.channel(t)
	var at netip.AddrPort
	for i, reuse := range []bool{true, true, false} {
		id := must(c.CreateID(rdmacm.PortSpaceTCP))(t)
		if reuse {
			check(t, id.SetOption(rdmacm.OptionLevelID, rdmacm.OptionIDReuseAddr, binary.NativeEndian.AppendUint32(nil, 1)))
		}
		if i == 0 {
			at = netip.AddrPortFrom(b.server, 0)
		}
		err := id.BindAddr(at)
		if i == 0 {
			at = must(id.LocalAddr())(t)
		}
		if reuse != (err == nil) || err != nil && !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("identifier %d at %s: %v", i, at, err)
		}
	}
	id := must(c.CreateID(rdmacm.PortSpaceTCP))(t)
	if err := id.SetOption(rdmacm.OptionLevelID, rdmacm.OptionIDTOS, []byte{1, 2}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("two bytes where one belongs: %v", err)
	}
}
