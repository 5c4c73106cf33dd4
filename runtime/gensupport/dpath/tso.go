package dpath

// Why unsafe: the header of a TSO is copied to memory behind the elements. What keeps it sound: its length is checked against the room
// there; see wr.go and batch.go.

import (
	"encoding/binary"
	"unsafe"
)

const opTSO WROpcode = 10 // IBV_WR_TSO

// SendTSO begins a SEND of a TCP stream, which the device cuts into segments of mss bytes; the request's SGEs are the stream. header,
// all network headers up to that of TCP, goes in front of each segment. It is copied into the batch, and takes the room for
// inline data; SendTSO panics if the batch has less InlineRoom. Only a stream of commands posts it (QP.Stream), to queue pairs of types UD
// and RAW_PACKET: IBV_WR_TSO.
func (w SendWR) SendTSO(id uint64, header []byte, mss uint16) SendWR {
	given(w.sendRecord != nil)
	if uint64(len(header)) > uint64(w.inline) {
		panic(noInlineRoom)
	}
	w.begin(id, opTSO)
	at := uintptr(0)
	if len(header) > 0 {
		to := w.inlineData()
		copy(unsafe.Slice((*byte)(to), len(header)), header)
		at = uintptr(to)
	}
	w.swap, w.rkey = uint64(at), uint32(len(header)) // which neither a datagram's address nor a SEND has
	binary.NativeEndian.PutUint32(w.imm[:], uint32(mss))
	w.entry, w.serial = 0, 0 // a provider that is posted a TSO finds a header of no bytes
	return w
}
