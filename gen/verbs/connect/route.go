package connect

import (
	"bytes"
	"fmt"
	"math/bits"
	"net/netip"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// entry is an entry of the GID table of a port. The peer only knows the GID.
type entry struct {
	gid   verbs.GID
	index uint8
}

// gidsOf lists the GIDs by which a port may be reached: on Ethernet those of RoCE v2, on InfiniBand all; and only one if that is given.
func gidsOf(dev *verbs.Device, port uint8, attr *verbs.PortInfo, only verbs.GID) (out []entry, err error) {
	want := verbs.GIDTypeRoCEV2
	if attr.LinkLayer != verbs.LinkLayerEthernet {
		want = verbs.GIDTypeIB
	}
	table, err := dev.GIDTable()
	if err != nil {
		return nil, err
	}
	for _, e := range table {
		if e.PortNum == uint32(port) && e.GIDType == want && e.GIDIndex <= 255 && len(out) < maxGIDs &&
			(only == verbs.GID{} || only == e.GID) {
			out = append(out, entry{e.GID, uint8(e.GIDIndex)})
		}
	}
	if len(out) == 0 && only != (verbs.GID{}) {
		return nil, fmt.Errorf("port %d has no GID %v of type %v; pass one of its table (Device.GIDTable)", port, only, want)
	}
	if len(out) == 0 && want == verbs.GIDTypeRoCEV2 {
		return nil, fmt.Errorf("port %d has no GID of RoCE v2; bring its network interface up and give it an address", port)
	}
	return out, nil
}

// route finds the path to the peer, and the peer's GID where that is a part of it.
func route(self, peer *hello, o *settings) (verbs.AHAttr, verbs.GID, error) {
	var none verbs.GID
	path := verbs.AHAttr{PortNum: o.PortNum, SL: o.AV.SL, StaticRate: o.AV.StaticRate}
	switch {
	case self.link != peer.link:
		return path, none, fmt.Errorf("this port is %v, and the peer's %v; use ports of one network", self.link, peer.link)
	case self.link != verbs.LinkLayerEthernet && (self.lid == 0 || peer.lid == 0):
		return path, none, fmt.Errorf("this port has the LID %d, and the peer's %d; start a subnet manager, which gives them", self.lid, peer.lid)
	case self.link != verbs.LinkLayerEthernet && !sameSubnet(self, peer):
		return path, none, fmt.Errorf("the peer is in another subnet of InfiniBand; connect by package rdmacm, which finds the router")
	case self.link != verbs.LinkLayerEthernet:
		path.DLID = peer.lid
		return path, none, nil
	}
	from, to, ok := choose(self.gids, peer.gids)
	if !ok {
		return path, none,
			fmt.Errorf("no GID of this port is of the kind of one of the peer's: %v and %v; give both interfaces an IPv4 address, or both "+
				"an IPv6 one", gids(self), gids(peer))
	}
	path.IsGlobal, path.SGIDIndex, path.DGID, path.HopLimit = true, from.index, to.gid, o.hops
	path.FlowLabel, path.TrafficClass = o.AV.FlowLabel, o.AV.TrafficClass
	return path, to.gid, nil
}

func gids(h *hello) (out []verbs.GID) {
	for _, e := range h.gids {
		out = append(out, e.gid)
	}
	return out
}

// sameSubnet compares the first eight bytes of the first GID. A side without one cannot say.
func sameSubnet(a, b *hello) bool {
	return len(a.gids) == 0 || len(b.gids) == 0 || bytes.Equal(a.gids[0].gid[:8], b.gids[0].gid[:8])
}

// choose picks a GID of each side, and both sides pick the same: two of one kind, that begin with as many equal bits as possible, so
// that they are in one network if any are. IPv4 goes before global IPv6, and that before link-local addresses.
func choose(mine, theirs []entry) (from, to entry, ok bool) {
	best := -1
	var bestKey [32]byte
	for _, a := range mine {
		for _, b := range theirs {
			if kind(a.gid) != kind(b.gid) {
				continue
			}
			score, key := kind(a.gid)*1000+common(a.gid, b.gid), pair(a.gid, b.gid)
			if score > best || score == best && bytes.Compare(key[:], bestKey[:]) < 0 {
				from, to, best, bestKey = a, b, score, key
			}
		}
	}
	return from, to, best >= 0
}

// kind ranks the kinds of addresses; the best is the largest.
func kind(g verbs.GID) int {
	switch addr := netip.AddrFrom16(g).Unmap(); {
	case addr.Is4():
		return 2
	case addr.IsLinkLocalUnicast():
		return 0
	}
	return 1
}

// common counts the equal bits at the beginning.
func common(a, b verbs.GID) (n int) {
	for i := range a {
		if x := a[i] ^ b[i]; x != 0 {
			return n + bits.LeadingZeros8(x)
		}
		n += 8
	}
	return n
}

// pair is the same for both sides.
func pair(a, b verbs.GID) (key [32]byte) {
	if bytes.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	copy(key[:], a[:])
	copy(key[16:], b[:])
	return key
}
