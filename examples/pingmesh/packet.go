package main

import "encoding/binary"

// packet is what a datagram says, in network byte order. A probe may be longer, an acknowledgement is not.
type packet struct {
	Magic   uint32
	Version uint8
	Kind    kind
	Clock   clockKind // of the sender
	_       uint8
	Number  uint32 // that the receiver gave to the sender when they met over TCP
	_       uint32
	Seq     uint64 // of the probe
	Delay   int64  // in the second acknowledgement: the responder's delay in nanoseconds
}

const (
	headerSize = 32         // bytes of a packet
	magic      = 0x504d5348 // "PMSH"
	version    = 1
)

// kind is the kind of a packet.
type kind uint8

const (
	probing kind = 1 + iota
	ack1         // sent at once
	ack2         // sent when ack1 has left, with the responder's delay
)

// put writes the packet to the first headerSize bytes of b.
func (p *packet) put(b []byte) {
	p.Magic, p.Version = magic, version
	binary.Encode(b, binary.BigEndian, p)
}

// parsePacket reads a datagram. It returns false for one that no pingmesh of this version sent.
func parsePacket(b []byte) (p packet, ok bool) {
	_, err := binary.Decode(b, binary.BigEndian, &p)
	return p, err == nil && p.Magic == magic && p.Version == version && p.Kind >= probing && p.Kind <= ack2 &&
		p.Clock >= software && p.Clock <= device && p.Delay >= 0
}
