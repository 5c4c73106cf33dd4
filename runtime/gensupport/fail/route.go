package fail

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"
	"syscall"
)

// Path is the beginning of a path to a peer, as a call was given it, with the port that it leaves by.
type Path struct {
	Src      any    // of functions
	Device   string // its name
	Port     uint8
	Active   bool   // the state of the port
	State    string // and its name
	Ethernet bool   // the link layer of the port
	Global   bool   // is_global
	DGID     [16]byte
	Index    int // sgid_index
	Entries  int // of the GID table
	GID      func(index int) (gid [16]byte, known bool)
}

// maxEntries is how many entries of a GID table are looked at.
const maxEntries = 256

// Route explains a path that a device refused.
func Route(errno syscall.Errno, p Path) (hints []string) {
	if p.Ethernet && !p.Global {
		hints = append(hints, fmt.Sprintf("port %d is Ethernet, which needs a global route (GRH); set IsGlobal, DGID and SGIDIndex", p.Port))
	}
	if p.Global {
		hints = append(hints, p.global(errno)...)
	}
	if !p.Active && errno != ErrnoNoData {
		hints = append(hints, fmt.Sprintf("port %d is %s, not ACTIVE; bring its link up", p.Port, p.State))
	}
	return hints
}

// global explains the GIDs of a path. One that is wrong leads nowhere, so that the first text is the only one.
func (p Path) global(errno syscall.Errno) []string {
	if hints := p.Source("SGIDIndex"); hints != nil {
		return hints
	}
	if p.DGID == [16]byte{} {
		return []string{"DGID is all zeros; set it to the GID of the peer"}
	}
	if errno == syscall.EINVAL && Is(p.Src, p.Device, "efa") {
		return []string{"the device knows no peer with the GID " + netip.AddrFrom16(p.DGID).Unmap().String() + ", DGID; an EFA reaches the " +
			"GIDs of EFAs in its subnet, which QueryGID returns at the peer, and no other addresses"}
	}
	from, known := p.GID(p.Index)
	if !p.Ethernet || !known || p.DGID[0] == 0xff {
		return nil
	}
	net := p.netdev()
	if hint := p.families(from, net); hint != "" {
		return []string{hint}
	}
	if net.index != 0 && !net.up {
		return []string{net.name + ", the network interface of entry " + fmt.Sprint(p.Index) + ", is down; bring it up (ip link set " + net.name +
			" up)"}
	}
	return texts(wayText(errno, netip.AddrFrom16(from).Unmap(), netip.AddrFrom16(p.DGID).Unmap(), net))
}

// families says that the GIDs of both ends are of two families, between which no packet can travel. A port of RoCE v1 needs no address of
// a peer that has a link-local one.
func (p Path) families(from [16]byte, net netdev) string {
	local, peer := netip.AddrFrom16(from).Unmap(), netip.AddrFrom16(p.DGID).Unmap()
	if local.Is4() == peer.Is4() || net.v1 && peer.IsLinkLocalUnicast() && peer.Is6() {
		return ""
	}
	use := cmp.Or(p.fitting(), "an entry of the peer's network, which this port does not have: give its network interface an address there")
	return fmt.Sprintf("entry %d of the GID table of port %d, SGIDIndex, is %s, and DGID is %s; use %s", p.Index, p.Port, kind(local),
		kind(peer), use)
}

// kind is an address with the name of its family.
func kind(a netip.Addr) string {
	switch {
	case a.Is4():
		return "the IPv4 address " + a.String()
	case a.IsLinkLocalUnicast():
		return "the link-local address " + a.String()
	}
	return "the IPv6 address " + a.String()
}

// Source says what is wrong with the index of the local GID, and which entries there are; as is what the call names the index, if it has
// others.
func (p Path) Source(as string) []string {
	what := fmt.Sprintf("entry %d of the GID table of port %d", p.Index, p.Port)
	if as != "" {
		what += ", " + as + ","
	}
	if p.Index >= p.Entries {
		what += fmt.Sprintf(" does not exist (it has %d)", p.Entries)
	} else if gid, known := p.GID(p.Index); !known || gid != [16]byte{} {
		return nil
	} else {
		what += " is empty"
	}
	use := p.fitting()
	if use == "" {
		return []string{what + "; no entry has a GID yet: give its network interface an address"}
	}
	return []string{what + "; use " + use}
}

// fitting lists the entries of the family of DGID, or without DGID all; it is empty if there are none.
func (p Path) fitting() string {
	peer := netip.AddrFrom16(p.DGID).Unmap()
	var have []string
	for i := range min(p.Entries, maxEntries) {
		gid, known := p.GID(i)
		if !known {
			break
		}
		if gid == [16]byte{} || p.DGID != [16]byte{} && netip.AddrFrom16(gid).Unmap().Is4() != peer.Is4() {
			continue
		}
		if len(have) == mostNamed {
			have = append(have, "...")
			break
		}
		have = append(have, fmt.Sprintf("%d: %v", i, netip.AddrFrom16(gid).Unmap()))
	}
	if len(have) == 0 {
		return ""
	}
	return "one of " + strings.Join(have, ", ")
}

// netdev is the network interface of an entry of a GID table.
type netdev struct {
	name  string
	index uint32 // 0 if it is not known
	up    bool
	v1    bool // the entry is one of RoCE v1
}

// way is what the kernel knows of a way to an address.
type way struct {
	known   bool          // it was asked
	errno   syscall.Errno // of the route, 0 if there is one
	netdev  uint32        // by which it leaves
	gateway netip.Addr    // the next hop, if it is not the address itself
	state   uint16        // of the next hop as a neighbour (NUD_...), 0 without one
}

// States of a neighbour (linux/neighbour.h) in which its address is not known.
const (
	nudIncomplete = 0x01
	nudFailed     = 0x20
)

// wayText explains the errnos of a route and of a neighbour. It asks the kernel where the call failed by one of them, and the network
// interface is known.
func wayText(errno syscall.Errno, from, to netip.Addr, net netdev) string {
	ask := func() (w way) {
		if net.index == 0 {
			return w
		}
		return wayTo(from, to, net.index)
	}
	switch errno {
	case syscall.ENETUNREACH, syscall.EHOSTUNREACH:
		return routeText(from, to, net, ask())
	case syscall.ETIMEDOUT:
		return neighbourText(to, net, ask())
	}
	return ""
}

func routeText(from, to netip.Addr, net netdev, w way) string {
	switch {
	case !w.known:
		return fmt.Sprintf("no route leads to %v; look at ip route get %v", to, to)
	case w.errno != 0:
		return fmt.Sprintf("no route leads from %v on %s to %v; add one (ip route), or use an entry of the GID table from the peer's "+
			"network", from, net.name, to)
	}
	return ""
}

func neighbourText(to netip.Addr, net netdev, w way) string {
	hop, on := to.String(), net.name
	if w.gateway.IsValid() {
		hop = fmt.Sprintf("%v, the gateway to %v,", w.gateway, to)
	}
	switch {
	case !w.known || w.errno != 0:
		return fmt.Sprintf("nobody answers at %v on the network of the local GID; look at ip neigh", to)
	case w.state == 0 || w.state&(nudIncomplete|nudFailed) != 0:
		return fmt.Sprintf("nobody answers at %s on %s; look whether the peer is up and in this network", hop, on)
	}
	return fmt.Sprintf("the peer was slow to answer: %s is known on %s by now; try again", strings.TrimSuffix(hop, ","), on)
}

// texts is a list of one text, or of none.
func texts(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
