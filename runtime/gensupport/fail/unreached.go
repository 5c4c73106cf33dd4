package fail

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
)

// Unreached explains why a peer was not reached from this machine: its address, the route to it, the device there, its port, and the next
// hop.
func Unreached(src any, peer netip.Addr) []string {
	s, ok := systemOf(src)
	peer = peer.Unmap()
	if !ok || !peer.IsValid() || peer.IsLinkLocalUnicast() || peer.IsMulticast() {
		return nil
	}
	return texts(s.unreached(peer, wayTo(netip.Addr{}, peer, 0)))
}

func (s system) unreached(peer netip.Addr, w way) string {
	switch {
	case !w.known:
		return ""
	case w.errno != 0:
		return fmt.Sprintf("no route leads to %v; add one (ip route)", peer)
	}
	net := netdev{index: w.netdev}
	for _, name := range names(filepath.Join(s.sysfs, "class/net")) {
		if numberOf(filepath.Join(s.sysfs, "class/net", name, "ifindex")) == uint64(w.netdev) {
			net.name = name
		}
	}
	if net.name == "" || net.name == "lo" { // an address of this machine, on which the route does not say the interface
		return ""
	}
	device, port := s.portOf(net.name)
	if device == "" {
		return fmt.Sprintf("the route to %v leaves by %s, which no RDMA device has (rdma link); use an address in a network of one", peer,
			net.name)
	}
	if state := line(s.sysfs, "class/infiniband", device, "ports", port, "state"); !strings.HasSuffix(state, "ACTIVE") {
		_, state, _ = strings.Cut(state, ": ")
		return fmt.Sprintf("the route to %v leaves by %s, and port %s of %s there is %s, not ACTIVE; bring its link up", peer, net.name, port,
			device, state)
	}
	if w.state == 0 || w.state&(nudIncomplete|nudFailed) != 0 {
		return neighbourText(peer, net, w)
	}
	return ""
}

// portOf returns the device and the port of a network interface. Of VLANs and bonds it looks at the GIDs, each of which has one.
func (s system) portOf(netdev string) (device, port string) {
	found, _ := filepath.Glob(filepath.Join(s.sysfs, "class/infiniband/*/ports/*/gid_attrs/ndevs/*"))
	for _, file := range found {
		if line(file) == netdev {
			at := strings.Split(file, "/")
			return at[len(at)-6], at[len(at)-4]
		}
	}
	return "", ""
}
