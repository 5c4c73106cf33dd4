//go:build linux && (amd64 || arm64)

package direct

import (
	"maps"
	"math/bits"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

func be16(v uint16) uint16 { return bits.ReverseBytes16(v) }

// Kinds of completions (enum of MLX5_CQE_REQ in mlx5dv.h), and how a completion carries data itself.
const (
	cqeReq      = 0
	cqeWriteImm = 1
	cqeSend     = 2
	cqeSendImm  = 3
	cqeSendInv  = 4
	cqeReqErr   = 13
	cqeRespErr  = 14
	cqeInvalid  = 15

	inPlace    = 1 // in its first 32 bytes
	inFront    = 2 // in the 64 bytes before it
	compressed = 3
)

// Offsets in a completion, struct mlx5_cqe64.
const (
	cqePath   = 17
	cqeSLID   = 22
	cqeRQPN   = 24
	cqeImm    = 36
	cqeBytes  = 44
	cqeVendor = 54
	cqeReason = 55
	cqeQPN    = 56 // the number of the queue pair, and above it the operation
	cqeOwner  = 60 // the index of the request, and in the last byte kind, place of data and owner

	nobody = 0xffffff // number in a completion of a queue pair that has gone
)

// statuses are those of completions by their syndrome.
var statuses = map[uint8]verbs.WCStatus{
	0x01: verbs.WCStatusLocLenErr, 0x02: verbs.WCStatusLocQPOpErr, 0x04: verbs.WCStatusLocProtErr, 0x05: verbs.WCStatusWRFlushErr,
	0x06: verbs.WCStatusMWBindErr, 0x10: verbs.WCStatusBadRespErr, 0x11: verbs.WCStatusLocAccessErr, 0x12: verbs.WCStatusRemInvReqErr,
	0x13: verbs.WCStatusRemAccessErr, 0x14: verbs.WCStatusRemOpErr, 0x15: verbs.WCStatusRetryExcErr, 0x16: verbs.WCStatusRNRRetryExcErr,
	0x22: verbs.WCStatusRemAbortErr,
}

// completions is a completion queue.
type completions struct {
	use
	buf   unsafe.Pointer // of the 64 bytes that count of the first entry
	shift uint32         // of an entry
	mask  uint32         // of entries
	log   uint32         // of their number
	next  uint32         // completions taken, counted without end
	last  *QP            // of the latest completion
	rec   *[2]uint32     // index, and arming
	uar   unsafe.Pointer
	cqn   uint32
	armed atomic.Uint32 // events taken
	some  [32]verbs.WC

	qps atomic.Pointer[map[uint32]*QP] // changed with mu locked
}

func (c *completions) find(num uint32) *QP {
	if m := c.qps.Load(); m != nil {
		c.last = (*m)[num]
	}
	return c.last
}

// set changes the queue pair with a number; nil removes it. It is called with mu locked.
func (c *completions) set(num uint32, qp *QP) {
	m := map[uint32]*QP{}
	if old := c.qps.Load(); old != nil {
		maps.Copy(m, *old)
	}
	if m[num] = qp; qp == nil {
		delete(m, num)
	}
	c.qps.Store(&m)
}

// at returns an entry, and its last four bytes if it is a completion.
func (c *completions) at(index uint32) (e unsafe.Pointer, w uint32, ok bool) {
	e = unsafe.Add(c.buf, index&c.mask<<c.shift)
	w = atomic.LoadUint32((*uint32)(unsafe.Add(e, cqeOwner)))
	return e, w, w>>28 != cqeInvalid && w>>24&1 == index>>c.log&1
}

// poll takes completions.
func (c *completions) poll(wcs []verbs.WC) (n int, errno syscall.Errno) {
	if errno := c.enter(); errno != 0 {
		return 0, errno
	}
	n, errno = c.read(wcs)
	c.leave()
	return n, errno
}

// pollSome takes completions to memory of the queue, which is for the caller until c.leave.
func (c *completions) pollSome(most int) ([]verbs.WC, syscall.Errno) {
	if errno := c.enter(); errno != 0 {
		return nil, errno
	}
	n, errno := c.read(c.some[:min(most, len(c.some))])
	if errno != 0 {
		c.leave()
	}
	return c.some[:n], errno
}

// read takes completions inside of a call.
func (c *completions) read(wcs []verbs.WC) (n int, errno syscall.Errno) {
	next := c.next
	for n < len(wcs) {
		e, w, ok := c.at(next)
		if !ok {
			break
		}
		loaded()
		num := be32(*(*uint32)(unsafe.Add(e, cqeQPN)))
		qp := c.last
		if qp == nil || qp.num != num&0xffffff {
			if qp = c.find(num & 0xffffff); qp == nil {
				if num&0xffffff != nobody {
					errno = fail.ErrnoForeign
					break
				}
				next++
				continue
			}
		}
		next++
		wc := &wcs[n]
		n++
		if w>>26&3 == 0 && w>>28 == cqeReq { // most of them
			taken(unsafe.Pointer(&qp.sq))
			s := &qp.sq.slots[uint32(be16(uint16(w)))&qp.sq.mask]
			*wc = verbs.WC{ID: s.id, Opcode: s.op, QPNum: qp.num}
			switch num >> 24 {
			case opRead:
				wc.ByteLen = be32(*(*uint32)(unsafe.Add(e, cqeBytes)))
			case opCompareSwap, opFetchAdd:
				wc.ByteLen = 8
			case opSendImm, opWriteImm:
				wc.Flags = verbs.WCFlagWithImm
			}
			publish(&qp.sq.tail, s.end)
			continue
		}
		if w>>26&3 == compressed {
			errno = fail.ErrnoForeign
			next--
			n--
			break
		}
		qp.complete(e, w, num, wc)
	}
	if next != c.next {
		c.next = next
		record(&c.rec[0], be32(next&0xffffff))
	}
	if n > 0 { // the next poll says it again
		errno = 0
	}
	return n, errno
}

// complete reads a completion that is not that of a plain request.
func (o *QP) complete(e unsafe.Pointer, w, num uint32, wc *verbs.WC) {
	*wc = verbs.WC{QPNum: o.num}
	index := uint32(be16(uint16(w)))
	kind := w >> 28
	if kind == cqeReqErr || kind == cqeRespErr {
		why := *(*uint8)(unsafe.Add(e, cqeReason))
		var ok bool
		if wc.Status, ok = statuses[why]; !ok {
			wc.Status = verbs.WCStatusGeneralErr
		}
		wc.VendorErr = uint32(*(*uint8)(unsafe.Add(e, cqeVendor)))
	}
	if kind == cqeReq || kind == cqeReqErr {
		taken(unsafe.Pointer(&o.sq))
		i := index & o.sq.mask
		s := &o.sq.slots[i]
		wc.ID, wc.Opcode = s.id, s.op
		if kind == cqeReq {
			if wc.ByteLen = 8; num>>24 == opRead {
				wc.ByteLen = be32(*(*uint32)(unsafe.Add(e, cqeBytes)))
			}
			if !o.sq.answer(i, num>>24, carried(e, w, wc.ByteLen)) {
				wc.Status = verbs.WCStatusLocLenErr
			}
		}
		publish(&o.sq.tail, s.end)
		return
	}
	if kind != cqeRespErr {
		o.received(e, kind, wc)
	}
	if srq := o.srq; srq != nil {
		taken(unsafe.Pointer(srq))
		if index >= uint32(len(srq.ids)) { // none that was posted
			wc.Status = verbs.WCStatusGeneralErr
			return
		}
		wc.ID = srq.ids[index]
		list := unsafe.Add(srq.buf, index<<srq.shift+segment)
		if !gather(following(list), srq.room, carried(e, w, wc.ByteLen)) {
			wc.Status = verbs.WCStatusLocLenErr
		}
		srq.release(index)
		return
	}
	taken(unsafe.Pointer(&o.rq))
	i := index & o.rq.mask
	wc.ID = o.rq.ids[i]
	if !gather(following(unsafe.Add(o.rq.buf, i<<o.rq.shift)), o.rq.room, carried(e, w, wc.ByteLen)) {
		wc.Status = verbs.WCStatusLocLenErr
	}
	publish(&o.rq.tail, o.rq.tail+1)
}

// received reads what a receive has beside its memory.
func (o *QP) received(e unsafe.Pointer, kind uint32, wc *verbs.WC) {
	wc.ByteLen = be32(*(*uint32)(unsafe.Add(e, cqeBytes)))
	imm := be32(*(*uint32)(unsafe.Add(e, cqeImm)))
	wc.Opcode = verbs.WCOpcodeRecv
	switch kind {
	case cqeWriteImm:
		wc.Opcode, wc.Flags, wc.ImmData = verbs.WCOpcodeRecvRDMAWithImm, verbs.WCFlagWithImm, imm
	case cqeSendImm:
		wc.Flags, wc.ImmData = verbs.WCFlagWithImm, imm
	case cqeSendInv:
		wc.Flags, wc.ImmData = verbs.WCFlagWithInv, imm
	}
	wc.SLID = be16(*(*uint16)(unsafe.Add(e, cqeSLID)))
	from := be32(*(*uint32)(unsafe.Add(e, cqeRQPN)))
	wc.SrcQP, wc.SL = from&0xffffff, uint8(from>>24&15)
	if from>>28&3 != 0 {
		wc.Flags |= verbs.WCFlagGRH
	}
	wc.DLIDPathBits = *(*uint8)(unsafe.Add(e, cqePath)) & 0x7f
	wc.PKeyIndex = uint16(imm)
}

// carried returns the data that a completion has itself.
func carried(e unsafe.Pointer, w, n uint32) []byte {
	switch w >> 26 & 3 {
	case inPlace:
		return unsafe.Slice((*byte)(e), min(n, 32))
	case inFront:
		return unsafe.Slice((*byte)(unsafe.Add(e, -64)), min(n, 64))
	}
	return nil
}

// following returns the elements of a list, one for each call.
func following(list unsafe.Pointer) func() *[2]uint64 {
	n := uint32(0)
	return func() *[2]uint64 {
		e := (*[2]uint64)(unsafe.Add(list, n*segment))
		n++
		return e
	}
}

// answer copies the answer of the peer to the memory of the request at block i.
func (q *sends) answer(i, op uint32, data []byte) bool {
	if len(data) == 0 {
		return true
	}
	first := i << blockShift
	total := be32(*(*uint32)(unsafe.Add(q.buf, first+4))) & 63
	at := 1 + q.dests + 1
	if op != opRead {
		at++
	}
	return gather(func() *[2]uint64 {
		e := (*[2]uint64)(unsafe.Add(q.buf, (first+at*segment)&q.wrap))
		at++
		return e
	}, total-at, data)
}

// arm asks for an event.
func (c *completions) arm(solicitedOnly bool) syscall.Errno {
	if errno := c.enter(); errno != 0 {
		return errno
	}
	cmd := c.armed.Load()&3<<28 | c.next&0xffffff
	if solicitedOnly {
		cmd |= 1 << 24
	}
	ring(&c.rec[1], be32(cmd), unsafe.Add(c.uar, 0x20), be64(uint64(cmd)<<32|uint64(c.cqn)))
	c.leave()
	return 0
}

// forget marks the completions of a queue pair as those of nobody. Nothing polls meanwhile.
func (c *completions) forget(num uint32) {
	for i := c.next; ; i++ {
		e, _, ok := c.at(i)
		if !ok || i-c.next > c.mask {
			return
		}
		if p := (*uint32)(unsafe.Add(e, cqeQPN)); be32(*p)&0xffffff == num {
			*p |= be32(nobody)
		}
	}
}
