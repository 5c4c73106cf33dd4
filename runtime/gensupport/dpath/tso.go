package dpath

// Why unsafe: the header of a TSO is copied to memory behind the elements. What keeps it sound: its length is checked against the room
// there; see wr.go and batch.go.

import (
	"encoding/binary"
	"unsafe"
)

const opTSO WROpcode = 10 // IBV_WR_TSO

// SendTSO prepares a SEND of a TCP stream, which the device cuts into segments of mss bytes. The request's SGEs are the stream. header
// holds all network headers up to TCP's, and the device puts it in front of each segment. header is copied into the batch, in the room
// for inline data; SendTSO panics if it is longer than the batch's InlineRoom. Only a QP.Stream posts such a request, on queue pairs of
// types UD and RAW_PACKET. C: IBV_WR_TSO.
func (w SendWR) SendTSO(id uint64, header []byte, mss uint16) SendWR {
	given(w.r != nil)
	if uint64(len(header)) > uint64(w.r.inline) {
		panic(noInlineRoom)
	}
	w.r.begin(id, opTSO)
	at := uintptr(0)
	if len(header) > 0 {
		to := w.r.inlineData()
		copy(unsafe.Slice((*byte)(to), len(header)), header)
		at = uintptr(to)
	}
	w.r.Swap, w.r.Key = uint64(at), uint32(len(header)) // which neither a datagram's address nor a SEND has
	binary.NativeEndian.PutUint32(w.r.Imm[:], uint32(mss))
	w.r.entry, w.r.serial = 0, 0 // a provider that is posted a TSO finds a header of no bytes
	return w
}
