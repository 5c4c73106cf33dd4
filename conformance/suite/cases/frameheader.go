//go:build linux && cgo

package cases

import (
	"encoding/binary"
	"slices"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Addresses of frames.
var (
	macA     = [6]byte{0x02, 0, 0, 0, 0, 0xa}
	macB     = [6]byte{0x02, 0, 0, 0, 0, 0xb}
	macGroup = [6]byte{0x01, 0, 0x5e, 1, 2, 3}
)

// frame writes the header of Ethernet before a payload. A tag other than 0 is that of a VLAN.
func frame(to, from [6]byte, tag, kind uint16, payload []byte) []byte {
	b := append(append([]byte{}, to[:]...), from[:]...)
	if tag != 0 {
		b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, 0x8100), tag)
	}
	return append(binary.BigEndian.AppendUint16(b, kind), payload...)
}

// ipv4 writes a header of IPv4, with four bytes of options, before a payload.
func ipv4(src, dst uint32, proto, tos, ttl, flags byte, payload []byte) []byte {
	b := []byte{0x46, tos, 0, byte(24 + len(payload)), 0, 0, flags << 5, 0, ttl, proto, 0, 0}
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, src), dst)
	return append(append(b, 1, 1, 1, 0), payload...)
}

// ipv6 writes a header of IPv6 before a payload.
func ipv6(src, dst [16]byte, class byte, label uint32, next, hops byte, payload []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, 6<<28|uint32(class)<<20|label)
	b = append(binary.BigEndian.AppendUint16(b, uint16(len(payload))), next, hops)
	return append(append(append(b, src[:]...), dst[:]...), payload...)
}

// portsOf writes the ports that UDP and TCP begin with, and something behind them.
func portsOf(src, dst uint16) []byte {
	return append(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, src), dst), "and the rest"...)
}

// to is a spec that matches the address that a frame is for.
func to(mac [6]byte) verbs.FlowSpec {
	return &verbs.FlowSpecEth{
		Val: verbs.FlowEthFilter{DstMAC: mac},
		Mask: verbs.FlowEthFilter{
			DstMAC: [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		},
	}
}

// match is a spec, a frame that it matches and one that it does not.
type match struct {
	what     string
	spec     verbs.FlowSpec
	yes, not []byte
}

// matches are a table of all fields, each as a whole, and some by a part.
func matches() []match {
	type (
		eth   = verbs.FlowEthFilter
		v4    = verbs.FlowIPv4Filter
		v4x   = verbs.FlowIPv4ExtFilter
		v6    = verbs.FlowIPv6Filter
		ports = verbs.FlowPortFilter
	)
	plain := func(kind uint16) []byte {
		return frame(macB, macA, 0, kind, []byte("some payload, long enough for any header there is"))
	}
	in4 := func(src, dst uint32, proto, tos, ttl, flags byte) []byte {
		return frame(macB, macA, 0, 0x800, ipv4(src, dst, proto, tos, ttl, flags, portsOf(7, 9)))
	}
	one, two := [16]byte{0: 0xfd, 15: 1}, [16]byte{0: 0xfd, 15: 2}
	in6 := func(src, dst [16]byte, class byte, label uint32, next, hops byte) []byte {
		return frame(macB, macA, 0, 0x86dd, ipv6(src, dst, class, label, next, hops, portsOf(7, 9)))
	}
	all16 := [16]byte(slices.Repeat([]byte{0xff}, 16))
	all6 := [6]byte(slices.Repeat([]byte{0xff}, 6))
	const some = uint32(0x0a000102)
	usual4, usual6 := in4(some, some+1, 17, 0, 64, 2), in6(one, two, 0x11, 0x12345, 17, 64)
	return []match{
		{"no mask", &verbs.FlowSpecEth{Val: eth{EtherType: 5}}, plain(0x88b5), nil},
		{"destination", to(macB), plain(0x88b5), frame(macGroup, macA, 0, 0x88b5, nil)},
		{"source", &verbs.FlowSpecEth{Val: eth{SrcMAC: macA}, Mask: eth{SrcMAC: all6}}, plain(0x88b5), frame(macB, macB, 0, 0x88b5, nil)},
		{"type", &verbs.FlowSpecEth{Val: eth{EtherType: 0x88b5}, Mask: eth{EtherType: 0xffff}}, plain(0x88b5), plain(0x88b6)},
		{"the type behind a tag", &verbs.FlowSpecEth{Val: eth{EtherType: 0x88b5}, Mask: eth{EtherType: 0xffff}},
			frame(macB, macA, 9, 0x88b5, nil), frame(macB, macA, 9, 0x88b6, nil)},
		{"VLAN", &verbs.FlowSpecEth{Val: eth{VLANTag: 9}, Mask: eth{VLANTag: 0xfff}}, frame(macB, macA, 0xe009, 0x88b5, nil),
			frame(macB, macA, 10, 0x88b5, nil)},
		{"VLAN of a frame without", &verbs.FlowSpecEth{Val: eth{}, Mask: eth{VLANTag: 0xfff}}, frame(macB, macA, 0xe000, 0x88b5, nil),
			plain(0x88b5)},
		{"any IPv4", &verbs.FlowSpecIPv4{}, usual4, usual6},
		{"IPv4 source", &verbs.FlowSpecIPv4{Val: v4{SrcIP: some}, Mask: v4{SrcIP: 0xffffffff}}, usual4, in4(some+1, some+1, 17, 0, 64, 2)},
		{"IPv4 destination by a part", &verbs.FlowSpecIPv4{Val: v4{DstIP: some}, Mask: v4{DstIP: 0xffffff00}}, usual4,
			in4(some, some+256, 17, 0, 64, 2)},
		{"IPv4 behind a tag", &verbs.FlowSpecIPv4{Val: v4{SrcIP: some}, Mask: v4{SrcIP: 0xffffffff}},
			frame(macB, macA, 3, 0x800, usual4[14:]), plain(0x800)},
		{"IPv4 protocol", &verbs.FlowSpecIPv4Ext{Val: v4x{Proto: 17}, Mask: v4x{Proto: 0xff}}, usual4, in4(some, some, 6, 0, 64, 2)},
		{"IPv4 type of service", &verbs.FlowSpecIPv4Ext{Val: v4x{TOS: 0x20}, Mask: v4x{TOS: 0xf0}}, in4(some, some, 17, 0x2f, 64, 2), usual4},
		{"IPv4 time to live", &verbs.FlowSpecIPv4Ext{Val: v4x{TTL: 64}, Mask: v4x{TTL: 0xff}}, usual4, in4(some, some, 17, 0, 63, 2)},
		{"IPv4 flags", &verbs.FlowSpecIPv4Ext{Val: v4x{Flags: 2}, Mask: v4x{Flags: 7}}, usual4, in4(some, some, 17, 0, 64, 1)},
		{"IPv6 source", &verbs.FlowSpecIPv6{Val: v6{SrcIP: one}, Mask: v6{SrcIP: all16}}, usual6, in6(two, two, 0, 0, 17, 64)},
		{"IPv6 destination", &verbs.FlowSpecIPv6{Val: v6{DstIP: two}, Mask: v6{DstIP: all16}}, usual6, in6(one, one, 0, 0, 17, 64)},
		{"IPv6 traffic class", &verbs.FlowSpecIPv6{Val: v6{TrafficClass: 0x11}, Mask: v6{TrafficClass: 0xff}}, usual6,
			in6(one, two, 0x12, 0x12345, 17, 64)},
		{"IPv6 flow label", &verbs.FlowSpecIPv6{Val: v6{FlowLabel: 0x12345}, Mask: v6{FlowLabel: 0xfffff}}, usual6,
			in6(one, two, 0x11, 0x12344, 17, 64)},
		{"IPv6 next header", &verbs.FlowSpecIPv6{Val: v6{NextHdr: 17}, Mask: v6{NextHdr: 0xff}}, usual6, in6(one, two, 0x11, 0x12345, 6, 64)},
		{"IPv6 hop limit", &verbs.FlowSpecIPv6{Val: v6{HopLimit: 64}, Mask: v6{HopLimit: 0xff}}, usual6, in6(one, two, 0x11, 0x12345, 17, 1)},
		{"any UDP", &verbs.FlowSpecUDP{}, usual4, in4(some, some, 6, 0, 64, 2)},
		{"UDP source port", &verbs.FlowSpecUDP{Val: ports{SrcPort: 7}, Mask: ports{SrcPort: 0xffff}}, usual6,
			frame(macB, macA, 0, 0x86dd, ipv6(one, two, 0, 0, 17, 1, portsOf(8, 7)))},
		{"UDP destination port", &verbs.FlowSpecUDP{Val: ports{DstPort: 9}, Mask: ports{DstPort: 0xffff}}, usual4,
			frame(macB, macA, 0, 0x800, ipv4(some, some, 17, 0, 64, 2, portsOf(9, 7)))},
		{"TCP destination port", &verbs.FlowSpecTCP{Val: ports{DstPort: 9}, Mask: ports{DstPort: 0xffff}}, in4(some, some, 6, 0, 64, 2), usual4},
		{"UDP ports of no first fragment", &verbs.FlowSpecUDP{Val: ports{DstPort: 9}, Mask: ports{DstPort: 0xffff}}, usual4,
			frame(macB, macA, 0, 0x800, slices.Concat(usual4[14:21], []byte{5}, usual4[22:]))},
		{"a header that is cut off", &verbs.FlowSpecIPv4{}, usual4, usual4[:20]},
		{"in a tunnel", &verbs.FlowSpecIPv4{Inner: true}, nil, usual4},
	}
}
