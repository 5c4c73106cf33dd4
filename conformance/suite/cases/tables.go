//go:build linux && cgo

package cases

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// tables are the cases of the tables of ports: arrays out, and numbers in network byte order.
func tables() []suite.Case {
	return []suite.Case{
		of("CF-tables-0001", "all GIDs in one call, each as it is asked for by itself", "ibv_query_gid_table", gidTable),
		of("CF-tables-0002", "a list that is too short for the GIDs", "ibv_query_gid_table", gidTableShort).Ruled(
			"VR-ibv_query_gid_table-max_entries-0708"),
		of("CF-tables-0003", "an entry that is empty, and one behind the table", "ibv_query_gid_ex", gidAbsent).Ruled(
			"VR-ibv_query_gid_ex-port_num-0704", "VR-ibv_query_gid_ex-gid_index-0719"),
		of("CF-tables-0004", "a partition key is found where it stands", "ibv_get_pkey_index", pkeys).Ruled(
			"VR-ibv_query_pkey-index-0715", "VR-ibv_query_pkey-port_num-0713", "VR-ibv_get_pkey_index-port_num-0717"),
		of("CF-tables-0005", "the Ethernet address of the port's own addresses", "ibv_resolve_eth_l2_from_gid", ownEthernet, suite.RoCE).Ruled(
			"VR-ibv_resolve_eth_l2_from_gid-context-3030"),
		of("CF-values-0001", "rates as multiples and in Mbit/s, and back", "ibv_rate_to_mult", rates),
		of("CF-values-0002", "every enumerator has a text of its own", "ibv_event_type_str", texts),
	}
}

// tableLength is the number of entries that the GID tables of all ports have room for.
func tableLength(t *suite.T) (n int) {
	for port := range must(t.Device().QueryDevice())(t).PhysPortCnt {
		n += must(t.Device().QueryPort(port + 1))(t).GIDTblLen
	}
	return n
}

// allGIDs asks for all GIDs of the device.
func allGIDs(t *suite.T) []verbs.GIDEntry {
	list := make([]verbs.GIDEntry, tableLength(t))
	n := must(t.Device().QueryGIDTable(list))(t)
	if n < 1 || n > len(list) {
		t.Fatalf("%d GIDs in tables of %d", n, len(list))
	}
	return list[:n]
}

func gidTable(t *suite.T) {
	for _, g := range allGIDs(t) {
		is(t, "an entry by itself", *must(t.Device().QueryGIDEx(g.PortNum, g.GIDIndex))(t), g)
		plain := must(t.Device().QueryGID(uint8(g.PortNum), int(g.GIDIndex)))(t)
		if plain != g.GID || g.GID == (verbs.GID{}) {
			t.Errorf("in the list %v, without its type %v", g.GID, plain)
		}
		port := must(t.Device().QueryPort(uint8(g.PortNum)))(t)
		if ethernet := port.LinkLayer == verbs.LinkLayerEthernet; ethernet != (g.GIDType == verbs.GIDTypeRoCEV1 ||
			g.GIDType == verbs.GIDTypeRoCEV2) {
			t.Errorf("a GID of type %v on a port of %v", g.GIDType, port.LinkLayer)
		}
	}
}

func gidTableShort(t *suite.T) {
	gids := allGIDs(t)
	whole := make([]verbs.GIDEntry, len(gids))
	is(t, "GIDs in a list of their number", must(t.Device().QueryGIDTable(whole))(t), len(gids))
	if len(gids) > 1 {
		t.Errno("a list that is one too short", errorOf(t.Device().QueryGIDTable(whole[1:])), syscall.EINVAL)
	}
	lib := without(t)
	for _, empty := range [][]verbs.GIDEntry{nil, {}} {
		err := errorOf(t.Device().QueryGIDTable(empty))
		fails(t, "a list of nothing", err, syscall.EINVAL)
		names(t, "a list of nothing", err, "VR-ibv_query_gid_table-max_entries-0708")
		bare(t, "a list of nothing", lib.GIDTable(), syscall.EINVAL)
	}
}

func gidAbsent(t *suite.T) {
	port := must(t.Device().QueryPort(1))(t)
	used := map[uint32]bool{}
	for _, g := range allGIDs(t) {
		if g.PortNum == 1 {
			used[g.GIDIndex] = true
		}
	}
	if last := uint32(port.GIDTblLen - 1); !used[last] {
		t.Errno("an empty entry", errorOf(t.Device().QueryGIDEx(1, last)), syscall.ENODATA)
	}
	t.Errno("behind the table", errorOf(t.Device().QueryGIDEx(1, uint32(port.GIDTblLen))), syscall.EINVAL)
	refusedBy(t, "VR-ibv_query_gid_ex-port_num-0704", errorOf(t.Device().QueryGIDEx(0, 0)))
}

func pkeys(t *suite.T) {
	port := must(t.Device().QueryPort(1))(t)
	if port.PKeyTblLen == 0 {
		return
	}
	key := must(t.Device().QueryPKey(1, 0))(t)
	if key != 0xffff && port.LinkLayer == verbs.LinkLayerEthernet {
		t.Errorf("the partition key of a port of RoCE is %#x", key)
	}
	is(t, "the place of the first partition key", must(t.Device().GetPKeyIndex(1, key))(t), 0)
	if _, err := t.Device().GetPKeyIndex(1, key^0x00ff); err == nil {
		t.Errorf("a partition key that no entry has is found")
	}
	if _, err := t.Device().QueryPKey(1, int(port.PKeyTblLen)); err == nil || errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("behind the table: %v", err)
	}
	refusedBy(t, "VR-ibv_query_pkey-index-0715", errorOf(t.Device().QueryPKey(1, -1)))
	refusedBy(t, "VR-ibv_query_pkey-port_num-0713", errorOf(t.Device().QueryPKey(0, 0)))
	refusedBy(t, "VR-ibv_get_pkey_index-port_num-0717", errorOf(t.Device().GetPKeyIndex(0, key)))
}

func rates(t *suite.T) {
	lib := t.Lib()
	for _, c := range []struct {
		rate       verbs.Rate
		mult, mbps int
	}{{verbs.Rate2_5Gbps, 1, 2500}, {verbs.Rate5Gbps, 2, 5000}, {verbs.Rate120Gbps, 48, 120000}, {verbs.Rate56Gbps, -1, 56250},
		{verbs.Rate300Gbps, -1, 309375}} {
		multiple := c.rate
		if c.mult < 0 {
			multiple = verbs.RateMax
		}
		is(t, fmt.Sprintf("%v in 2.5 Gbit/s", c.rate), must(lib.RateToMult(c.rate))(t), c.mult)
		is(t, fmt.Sprintf("%v in Mbit/s", c.rate), must(lib.RateToMbps(c.rate))(t), c.mbps)
		is(t, fmt.Sprintf("%d Mbit/s", c.mbps), must(lib.MbpsToRate(c.mbps))(t), c.rate)
		is(t, fmt.Sprintf("%d times 2.5 Gbit/s", c.mult), must(lib.MultToRate(c.mult))(t), multiple)
	}
	is(t, "a rate that there is not, in Mbit/s", must(lib.RateToMbps(verbs.Rate(200)))(t), -1)
	fails(t, "a number that is no int of C", errorOf(lib.MultToRate(1<<40)), syscall.EINVAL)
}

// ownEthernet finds the Ethernet address of each address that the port has, if the kernel knows a way there, and always the same.
func ownEthernet(t *suite.T) {
	for i, g := range allGIDs(t) {
		attr := verbs.AHAttr{PortNum: uint8(g.PortNum), IsGlobal: true, DGID: g.GID, SGIDIndex: uint8(g.GIDIndex)}
		mac, vid, err := t.Device().ResolveEthL2FromGID(attr)
		if i == 0 { // devices have tables of different lengths
			t.Saw("its first GID", err)
		}
		again, vidAgain, errAgain := t.Device().ResolveEthL2FromGID(attr)
		switch {
		case err == nil && (mac != again || vid != vidAgain || errAgain != nil):
			t.Errorf("%v is at %x on VLAN %d, then at %x on VLAN %d, %v", g.GID, mac, vid, again, vidAgain, errAgain)
		case err != nil && (mac != [6]byte{} || vid != 0):
			t.Errorf("%v: %v, and the address %x", g.GID, err, mac)
		}
		fails(t, g.GID.String(), err, nil, syscall.EHOSTUNREACH, syscall.EINVAL, syscall.EPERM)
	}
}

func texts(t *suite.T) {
	lib := t.Lib()
	distinct := func(what string, n int, text func(i int) (string, error)) {
		seen := map[string]int{}
		for i := range n {
			s := must(text(i))(t)
			if other, twice := seen[s]; s == "" || twice {
				t.Errorf("%s %d and %d have the text %q", what, other, i, s)
			}
			seen[s] = i
		}
		if s := must(text(10000))(t); s == "" || seen[s] > 0 {
			t.Errorf("%s 10000 has the text %q", what, s)
		}
	}
	distinct("port state", int(verbs.PortStateActiveDefer)+1, func(i int) (string, error) { return lib.PortStateString(verbs.PortState(i)) })
	distinct("node type", int(verbs.NodeTypeUnspecified), func(i int) (string, error) { return lib.NodeTypeString(verbs.NodeType(i + 1)) })
	distinct("event", int(verbs.EventTypeGIDChange)+1, func(i int) (string, error) { return lib.EventTypeString(verbs.EventType(i)) })
	distinct("status", int(verbs.WCStatusGeneralErr)+1, func(i int) (string, error) { return lib.WCStatusString(verbs.WCStatus(i)) })
	if s := must(lib.NodeTypeString(verbs.NodeTypeUnknown))(t); s == "" {
		t.Errorf("an unknown type of devices has no text")
	}
}
