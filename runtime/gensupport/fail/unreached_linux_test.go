package fail

import (
	"net/netip"
	"strings"
	"syscall"
	"testing"
)

// TestUnreached follows the route to a peer, and stops at the first thing that is wrong.
func TestUnreached(t *testing.T) {
	peer, gateway := netip.MustParseAddr("192.0.2.9"), netip.MustParseAddr("198.51.100.1")
	for _, c := range []struct {
		name, state, ndev string
		w                 way
		want              string
	}{
		{"unknown", "4: ACTIVE", "eth7", way{}, ""},
		{"no route", "4: ACTIVE", "eth7", way{known: true, errno: syscall.ENETUNREACH}, "no route leads to 192.0.2.9; add one (ip route)"},
		{"no device", "4: ACTIVE", "eth8", way{known: true, netdev: 7}, "the route to 192.0.2.9 leaves by eth7, which no RDMA device has"},
		{"port down", "1: DOWN", "eth7", way{known: true, netdev: 7}, "the route to 192.0.2.9 leaves by eth7, and port 1 of mlx5_0 there is " +
			"DOWN, not ACTIVE"},
		{"nobody", "4: ACTIVE", "eth7", way{known: true, netdev: 7, state: nudFailed}, "nobody answers at 192.0.2.9 on eth7"},
		{"no gateway", "4: ACTIVE", "eth7", way{known: true, netdev: 7, gateway: gateway}, "nobody answers at 198.51.100.1, the gateway to " +
			"192.0.2.9, on eth7"},
		{"all is well", "4: ACTIVE", "eth7", way{known: true, netdev: 7, state: 2}, ""},
	} {
		const port = "class/infiniband/mlx5_0/ports/1/"
		root := folder(t, map[string]string{"class/net/eth7/ifindex": "7", port + "state": c.state, port + "gid_attrs/ndevs/0": c.ndev})
		if got := (system{sysfs: root}).unreached(peer, c.w); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := Unreached(nil, peer); got != nil {
		t.Errorf("of a software device: %q", got)
	}
}
