package dpath

import "encoding/binary"

const (
	opLocalInv WROpcode = 7 // IBV_WR_LOCAL_INV
	opSendInv  WROpcode = 9 // IBV_WR_SEND_WITH_INV
)

// LocalInv prepares a request that invalidates a local key, such as a memory window's. C: IBV_WR_LOCAL_INV.
func (w SendWR) LocalInv(id uint64, rkey uint32) SendWR {
	w.r.begin(id, opLocalInv)
	w.r.invalidate(rkey)
	return w
}

// SendInv prepares a SEND that also invalidates a key of the peer. The peer finds the key in WC.ImmData. C: IBV_WR_SEND_WITH_INV.
func (w SendWR) SendInv(id uint64, rkey uint32) SendWR {
	w.r.begin(id, opSendInv)
	w.r.invalidate(rkey)
	return w
}

// invalidate sets invalidate_rkey, which has the order of this processor.
func (w *SendRequest) invalidate(rkey uint32) { binary.NativeEndian.PutUint32(w.Imm[:], rkey) }
