package dpath

import "encoding/binary"

const (
	opLocalInv WROpcode = 7 // IBV_WR_LOCAL_INV
	opSendInv  WROpcode = 9 // IBV_WR_SEND_WITH_INV
)

// LocalInv begins the invalidation of a key of this side, such as that of a memory window: IBV_WR_LOCAL_INV.
func (w SendWR) LocalInv(id uint64, rkey uint32) SendWR {
	w.begin(id, opLocalInv)
	w.invalidate(rkey)
	return w
}

// SendInv begins a SEND that also invalidates a key of the peer, which finds it in ImmData of its WC: IBV_WR_SEND_WITH_INV.
func (w SendWR) SendInv(id uint64, rkey uint32) SendWR {
	w.begin(id, opSendInv)
	w.invalidate(rkey)
	return w
}

// invalidate sets invalidate_rkey, which has the order of this processor.
func (w *sendRecord) invalidate(rkey uint32) { binary.NativeEndian.PutUint32(w.imm[:], rkey) }
