package main

import "encoding/binary"

// headerSize is the number of bytes of a packet that mean something. A probe may be longer, an acknowledgement is not.
// All numbers are in network byte order:
//
//	 0  4  magic
//	 4  1  version
//	 5  1  kind
//	 6  1  clock of the sender
//	 8  4  number that the receiver gave to the sender when they met over TCP
//	16  8  sequence number of the probe
//	24  8  second acknowledgement: the responder's delay in nanoseconds
const headerSize = 32

const (
	magic   = 0x504d5348 // "PMSH"
	version = 1
)

// kind is the kind of a packet.
type kind uint8

const (
	probing kind = 1 + iota
	ack1         // sent at once
	ack2         // sent when ack1 has left, with the responder's delay
)

// packet is what a datagram says.
type packet struct {
	kind   kind
	clock  clockKind
	number uint32
	seq    uint64
	delay  int64
}

// put writes the packet to the first headerSize bytes of b.
func (p *packet) put(b []byte) {
	b = b[:headerSize]
	clear(b)
	binary.BigEndian.PutUint32(b, magic)
	b[4], b[5], b[6] = version, byte(p.kind), byte(p.clock)
	binary.BigEndian.PutUint32(b[8:], p.number)
	binary.BigEndian.PutUint64(b[16:], p.seq)
	binary.BigEndian.PutUint64(b[24:], uint64(p.delay))
}

// parsePacket reads a datagram. It returns false for one that no pingmesh of this version sent.
func parsePacket(b []byte) (p packet, ok bool) {
	if len(b) < headerSize || binary.BigEndian.Uint32(b) != magic || b[4] != version {
		return p, false
	}
	p = packet{
		kind: kind(b[5]), clock: clockKind(b[6]), number: binary.BigEndian.Uint32(b[8:]),
		seq: binary.BigEndian.Uint64(b[16:]), delay: int64(binary.BigEndian.Uint64(b[24:])),
	}
	return p, p.kind >= probing && p.kind <= ack2 && p.clock.valid() && p.delay >= 0
}
