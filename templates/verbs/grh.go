//go:build ignore

//verbsgen:with GIDEntry ibv_init_ah_from_wc

package verbs

import (
	"encoding/binary"
	"fmt"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// GRH is the header of a datagram's network: the global route header of InfiniBand, IPv6 or IPv4.
type GRH struct {
	Version      uint8  // 6, also for InfiniBand, or 4
	TrafficClass uint8  // traffic class, or type of service
	FlowLabel    uint32 // 20 bits; 0 for IPv4
	PayloadLen   uint16 // bytes behind the header
	NextHeader   uint8  // next header, or protocol
	HopLimit     uint8  // hop limit, or time to live
	SGID         GID    // the sender's; ::ffff:a.b.c.d for IPv4
	DGID         GID    // the receiver's
}

// ParseGRH parses the first 40 bytes of the receive buffer of an unreliable datagram. They hold a GRH only if the receive's completion has
// WCFlagGRH. An IPv4 header is in the last 20 of these bytes. If the bytes could be either an IPv4 or an IPv6 header, the IPv4 checksum
// decides, as in libibverbs.
//
// C: struct ibv_grh, ibv_create_ah_from_wc(3).
func ParseGRH(b []byte) (GRH, error) {
	const size, long = 20, 40
	if len(b) < long {
		return GRH{}, badGRH("a GRH has %d bytes, not %d; pass the beginning of the memory of the receive", long, len(b))
	}
	first, v4 := binary.BigEndian.Uint32(b), b[size:long]
	is6, is4 := first>>28 == 6, v4[0]>>4 == 4
	switch {
	case is4 && (!is6 || v4[0]&0xf == 5 && sumIPv4(v4) == 0xffff):
		return GRH{
			Version: 4, TrafficClass: v4[1], PayloadLen: max(binary.BigEndian.Uint16(v4[2:]), size) - size, NextHeader: v4[9], HopLimit: v4[8],
			SGID: mapped(v4[12:16]), DGID: mapped(v4[16:20]),
		}, nil
	case is6:
		return GRH{
			Version: 6, TrafficClass: uint8(first >> 20), FlowLabel: first & 0xfffff, PayloadLen: binary.BigEndian.Uint16(b[4:]),
			NextHeader: b[6], HopLimit: b[7], SGID: GID(b[8:24]), DGID: GID(b[24:40]),
		}, nil
	}
	return GRH{}, badGRH("the first 40 bytes have no header of version 6, and no IPv4 header at byte 20: look at WCFlagGRH of the completion")
}

func badGRH(format string, args ...any) error {
	return fail.Invalid("ibv_init_ah_from_wc", fmt.Sprintf(format, args...))
}

// sumIPv4 is the sum of the words of a header: 0xffff with the right checksum.
func sumIPv4(header []byte) uint32 {
	sum := uint32(0)
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return sum
}

// mapped is the GID of an IPv4 address.
func mapped(ip []byte) GID {
	gid := GID{10: 0xff, 11: 0xff}
	copy(gid[12:], ip)
	return gid
}
