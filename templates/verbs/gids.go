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

// ChooseGID returns the best entry of a port's GID table for connections. It prefers RoCE v2 to RoCE v1, then IPv4 to global IPv6 and
// global IPv6 to link-local addresses, then the first entry. If networks are given, the entry's address must be in one of them: pass
// netip.PrefixFrom(addr, addr.BitLen()) for a single address. If no entry fits, the error names the entries of the table.
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

// Addr returns the IP address in a GID of RoCE v2. For a GID of the form ::ffff:a.b.c.d it is the IPv4 address.
func (v GID) Addr() netip.Addr { return netip.AddrFrom16(v).Unmap() }
