package fail

import (
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestRouteInterface looks at the network interface of the local GID.
func TestRouteInterface(t *testing.T) {
	const attrs, net = "class/infiniband/mlx5_0/ports/1/gid_attrs/", "class/net/eth7/"
	four := func(last byte) [16]byte { return [16]byte{10: 0xff, 11: 0xff, 12: 192, 14: 2, 15: last} }
	link := [16]byte{0xfe, 0x80, 15: 1}
	table := [][16]byte{link, four(1), {0x20, 1, 15: 1}}
	gid := func(i int) ([16]byte, bool) { return table[i], true }
	for _, c := range []struct {
		name, flags, kind string
		index             int
		dgid              [16]byte
		want              string
	}{
		{"down", "0x1002", "RoCE v2", 1, four(9), "eth7, the network interface of entry 1, is down; bring it up (ip link set eth7 up)"},
		{"up", "0x1003", "RoCE v2", 1, four(9), ""},
		{"zeros", "0x1003", "RoCE v2", 1, [16]byte{}, "DGID is all zeros; set it to the GID of the peer"},
		{"families", "0x1003", "RoCE v2", 0, four(9), "entry 0 of the GID table of port 1, SGIDIndex, is the link-local address fe80::1, and " +
			"DGID is the IPv4 address 192.0.2.9; use one of 1: 192.0.2.1"},
		{"families, the other way", "0x1003", "RoCE v2", 1, table[2], "entry 1 of the GID table of port 1, SGIDIndex, is the IPv4 address " +
			"192.0.2.1, and DGID is the IPv6 address 2001::1; use one of 0: fe80::1, 2: 2001::1"},
		{"without IP", "0x1003", "IB/RoCE v1", 1, link, ""},
		{"multicast", "0x1003", "RoCE v2", 1, [16]byte{0xff, 0x0e}, ""},
	} {
		t.Setenv("SYSFS_PATH", folder(t, map[string]string{attrs + "ndevs/0": "eth7", attrs + "ndevs/1": "eth7", attrs +
			"types/0": c.kind, attrs + "types/1": c.kind,
			net + "flags": c.flags, net + "ifindex": "7"}))
		p := Path{Src: real{}, Device: "mlx5_0", Port: 1, Active: true, Ethernet: true, Global: true, Index: c.index, Entries: 3, GID: gid,
			DGID: c.dgid}
		for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.ENODEV} {
			if got := strings.Join(Route(errno, p), "; or "); got != c.want {
				t.Errorf("%s, %v: %q, want %q", c.name, errno, got, c.want)
			}
		}
	}
}

// TestEFAPeer says nothing of the peer but on EFA, and there only after EINVAL.
func TestEFAPeer(t *testing.T) {
	sys := t.TempDir()
	t.Setenv("SYSFS_PATH", sys)
	driver(t, sys, "efa_0", "efa")
	gid := func(int) ([16]byte, bool) { return [16]byte{0xfe, 0x80, 15: 1}, true }
	p := Path{Src: real{}, Device: "efa_0", Port: 1, Active: true, Global: true, Entries: 1, GID: gid, DGID: [16]byte{4: 7}}
	if got := Route(syscall.EINVAL, p); len(got) != 1 || !strings.HasPrefix(got[0], "the device knows no peer with the GID 0:0:700::, "+
		"DGID; ") {
		t.Errorf("%q", got)
	}
	empty := p
	empty.GID = func(int) ([16]byte, bool) { return [16]byte{}, true }
	if got := Route(syscall.EINVAL, empty); len(got) != 1 || !strings.Contains(got[0], "SGIDIndex, is empty") {
		t.Errorf("of no local GID: %q", got)
	}
	other := p
	other.Device = "mlx5_0"
	if got := slices.Concat(Route(syscall.ENOMEM, p), Route(syscall.EINVAL, other)); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// TestWay asks the kernel for routes, and reads what it answers.
func TestWay(t *testing.T) {
	here := netip.MustParseAddr("127.0.0.1")
	if w := wayTo(here, here, 1); w.known && w.errno != 0 {
		t.Errorf("of the loopback interface: %+v", w)
	}
	if w := wayTo(here, here, 1<<30); w.known && w.errno == 0 {
		t.Errorf("of no interface: %+v", w)
	}
	if w := wayTo(netip.Addr{}, here, 0); w.known && (w.errno != 0 || w.netdev == 0) {
		t.Errorf("of the interface that the kernel chooses: %+v", w)
	}
	if got := wayText(syscall.ENETUNREACH, here, here, netdev{}); !strings.HasPrefix(got, "no route leads to 127.0.0.1; look at") {
		t.Errorf("of an unknown interface: %q", got)
	}
}

func TestWayText(t *testing.T) {
	from, to, gateway := netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("192.0.2.254")
	net := netdev{name: "eth7", index: 7, up: true}
	for _, c := range []struct {
		w                way
		route, neighbour string
	}{
		{way{}, "no route leads to 198.51.100.1; look at ip route get 198.51.100.1",
			"nobody answers at 198.51.100.1 on the network of the local GID; look at ip neigh"},
		{way{known: true, errno: syscall.ENETUNREACH}, "no route leads from 192.0.2.2 on eth7 to 198.51.100.1; add one (ip route), or use an " +
			"entry of the GID table from the peer's network", "nobody answers at 198.51.100.1 on the network of the local GID; look at ip neigh"},
		{way{known: true}, "", "nobody answers at 198.51.100.1 on eth7; look whether the peer is up and in this network"},
		{way{known: true, gateway: gateway, state: nudFailed}, "", "nobody answers at 192.0.2.254, the gateway to 198.51.100.1, on eth7; look " +
			"whether the peer is up and in this network"},
		{way{known: true, state: 2}, "", "the peer was slow to answer: 198.51.100.1 is known on eth7 by now; try again"},
	} {
		if got := routeText(from, to, net, c.w); got != c.route {
			t.Errorf("%+v: %q, want %q", c.w, got, c.route)
		}
		if got := neighbourText(to, net, c.w); got != c.neighbour {
			t.Errorf("%+v: %q, want %q", c.w, got, c.neighbour)
		}
	}
	if got := wayText(syscall.EINVAL, from, to, net); got != "" {
		t.Errorf("after EINVAL: %q", got)
	}
}
