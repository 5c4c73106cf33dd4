//go:build ignore

//verbsgen:with ibv_query_gid_table ibv_query_port ibv_query_device GIDEntry PortInfo DeviceInfo

package verbs

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// GIDTable returns the entries of the GID tables of all ports, without empty ones.
//
// C: ibv_query_gid_table, ibv_query_gid_table(3).
func (dev *Device) GIDTable() ([]GIDEntry, error) {
	all, err := dev.QueryDevice()
	if err != nil {
		return nil, err
	}
	room := 0
	for p := range all.PhysPortCnt {
		port, err := dev.QueryPort(p + 1)
		if err != nil {
			return nil, err
		}
		room += int(port.GIDTblLen)
	}
	table := make([]GIDEntry, max(room, 1))
	n, err := dev.QueryGIDTable(table)
	return table[:n], err
}

// ChooseGID returns the entry of the GID table of a port that is best to reach others with: of RoCE v2 before RoCE v1, of an IPv4 address
// before a global IPv6 address, before a link-local one, and else the first. With networks it is one of an address in any of them: pass
// netip.PrefixFrom(addr, addr.BitLen()) for one address. Without such an entry the error names those that there are.
func (dev *Device) ChooseGID(portNum uint8, in ...netip.Prefix) (GIDEntry, error) {
	table, err := dev.GIDTable()
	if err != nil {
		return GIDEntry{}, err
	}
	var names []string
	best, most := GIDEntry{}, -1
	for _, e := range table {
		if e.PortNum != uint32(portNum) {
			continue
		}
		names = append(names, fmt.Sprintf("%d: %v (%v)", e.GIDIndex, e.GID, e.GIDType))
		addr := e.GID.Addr()
		if len(in) > 0 && !slices.ContainsFunc(in, func(p netip.Prefix) bool { return p.Contains(addr) }) {
			continue
		}
		if rank := gidRank(e.GIDType, addr); rank > most {
			best, most = e, rank
		}
	}
	if most >= 0 {
		return best, nil
	}
	msg := fmt.Sprintf("port %d has no GID", portNum)
	if len(names) > 0 {
		msg = fmt.Sprintf("no GID of port %d is in %v; there are %v", portNum, in, names)
	}
	return GIDEntry{}, &verr.Error{Verb: "ibv_query_gid_table", Errno: fail.ErrnoNoData, Refused: true, Msg: msg}
}

// gidRank is greater for what is better to reach others with.
func gidRank(t GIDType, addr netip.Addr) (rank int) {
	switch {
	case addr.Is4():
		rank = 2
	case !addr.IsLinkLocalUnicast():
		rank = 1
	}
	if t != GIDTypeRoCEV1 {
		rank += 3
	}
	return rank
}

// Addr returns the address of a GID of RoCE v2, an IPv4 address where the GID is one that is mapped to IPv6.
func (v GID) Addr() netip.Addr { return netip.AddrFrom16(v).Unmap() }
