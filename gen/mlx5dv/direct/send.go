//go:build linux && (amd64 || arm64)

package direct

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Sizes of a send queue. A request is one or more blocks, and its parts are segments of 16 bytes.
const (
	blockShift = 6
	block      = 1 << blockShift
	segment    = 16
)

// Operations of requests in the send queue (enum of MLX5_OPCODE_NOP in mlx5dv.h), and bits of its control segment.
const (
	opNop          = 0x00
	opSendInv      = 0x01
	opWrite        = 0x08
	opWriteImm     = 0x09
	opSend         = 0x0a
	opSendImm      = 0x0b
	opRead         = 0x10
	opCompareSwap  = 0x11
	opFetchAdd     = 0x12
	opUMR          = 0x25
	ctrlSolicited  = 1 << 1
	ctrlSignaled   = 2 << 2
	ctrlFence      = 4 << 5
	ctrlSmallFence = 1 << 5
	inlineData     = 1 << 31
)

// slot is what a queue remembers of a request, at the block where it begins.
type slot struct {
	id  uint64
	end uint32 // block behind it
	op  verbs.WCOpcode
}

// sends is a send queue.
type sends struct {
	use
	buf  unsafe.Pointer
	mask uint32 // of blocks
	wrap uint32 // of bytes
	qpn  uint32 // << 8
	post uint32 // first block that was not given out, counted without end
	free uint32 // blocks below it are known to be done

	// of requests in place, and of the one that is open
	state uint8  // one of the constants below
	last  uint32 // bytes from which on it may have no element
	first uint32 // byte where it begins
	at    uint32 // byte of its next segment, counted beyond the end of the queue
	op    uint32 // the first 4 bytes
	ctrl  uint64 // the second 8 bytes

	each  uint64        // ctrl of each request
	next  uint64        // of the next one, which may have a fence
	fault syscall.Errno // of the requests in place
	count uint32        // requests since the latest ring
	rung  uint32        // post at the latest ring
	head  uint64        // the first 8 bytes of the latest request

	slots  []slot
	rec    *uint32
	reg    unsafe.Pointer
	flip   uintptr  // bytes of half of the register
	off    uintptr  // the half in use
	whole  uint32   // blocks of a request that the register takes, 0: none
	kinds  [16]kind // of requests, by enum ibv_wr_opcode
	limit  limits
	typ    verbs.QPType
	ways   map[uint64]*Address // of address handles, by the numbers that no two have
	dev    *verbs.Device
	vector func(*verbs.AH) (*Address, error)
	dests  uint32   // segments of dest
	aimed  bool     // dest was set
	stream uint16   // of a DCI
	dest   [48]byte // what comes after the control segment: the address of a datagram, or the number of the peer's receive queue

	_    [64]byte
	tail uint32 // blocks below it are done; written by polls
}

type limits struct{ sges, inline uint32 }

func be32(v uint32) uint32 { return bits.ReverseBytes32(v) }
func be64(v uint64) uint64 { return bits.ReverseBytes64(v) }

// States of requests in place since the latest ring.
const (
	none   = iota // no call was begun
	begun         // no request is open
	open          // the latest may be added to
	broken        // one could not be written
)

// never is more blocks than any queue has.
const never = 1 << 30

// kind is what a queue knows of the requests of an opcode.
type kind struct {
	need  uint32 // blocks that one may take; never where the queue takes none
	room  uint32 // bytes from its beginning to the end of its last possible element, without the address of a datagram
	op    uint8  // operation
	wc    uint8  // opcode of its completion
	fixed uint8  // segments between the control segment and the data, without the address of a datagram
	easy  bool   // with one element it has one block, and the operation and its fixed segments are all of it
}

// addressed reports whether the first fixed segment is a remote address and its key.
func (k *kind) addressed() bool { return k.fixed == 1 || k.fixed == 2 }

// allow computes what requests the queue takes: all that its type has in RTS, and none before.
func (q *sends) allow(ready bool) {
	data := max(q.limit.sges*segment, (q.limit.inline+4+segment-1)&^(segment-1))
	for i, o := range opcodes {
		k := kind{never, (1 + o.fixed + q.limit.sges) * segment, uint8(o.op), uint8(o.wc), uint8(o.fixed), false}
		if ready && o.types&typeBit(q.typ) != 0 {
			k.need = ((1+q.dests+o.fixed)*segment + data + block - 1) / block
			k.easy = q.dests == 0 && o.fixed <= 1 && o.op != opNop
		}
		q.kinds[i] = k
	}
	for i := len(opcodes); i < len(q.kinds); i++ {
		q.kinds[i].need = never
	}
}

// refusal is why the queue does not take a request, for which it has no room or which its type does not have.
func (q *sends) refusal(op verbs.WROpcode) syscall.Errno {
	if uint(op) >= uint(len(opcodes)) || opcodes[op].types&typeBit(q.typ) == 0 {
		return syscall.EINVAL
	}
	return syscall.ENOMEM
}

// full reports whether the queue has no room for a request of so many blocks.
func (q *sends) full(need uint32) bool {
	if q.post+need-q.free <= q.mask+1 {
		return false
	}
	q.free = atomic.LoadUint32(&q.tail)
	return q.post+need-q.free > q.mask+1
}

// begin begins a request with room for it, and returns the byte of its first segment behind the control segment.
func (q *sends) begin(id uint64, k *kind, imm uint32) uint32 {
	i := q.post & q.mask
	first := i << blockShift
	q.first = first
	q.op = be32(q.post<<8&0xffff00 | uint32(k.op))
	q.ctrl = q.next | uint64(imm)<<32
	q.next = q.each
	s := &q.slots[i]
	s.id, s.op = id, verbs.WCOpcode(k.wc)
	if q.dests != 0 {
		q.ctrl |= uint64(be16(q.stream)) << 8
		if k.op != opUMR && k.op != opNop {
			return q.destination(first + segment)
		}
	}
	return first + segment
}

// destination writes where a request goes.
func (q *sends) destination(at uint32) uint32 {
	for i := range q.dests {
		*(*[2]uint64)(q.byte(at)) = *(*[2]uint64)(unsafe.Pointer(&q.dest[i*segment]))
		at += segment
	}
	return at
}

// byte returns the place of a byte; the queue goes on at its beginning.
func (q *sends) byte(at uint32) unsafe.Pointer { return unsafe.Add(q.buf, at&q.wrap) }

// seg writes a segment.
func (q *sends) seg(at uint32, a, b uint64) {
	s := (*[2]uint64)(q.byte(at))
	s[0], s[1] = a, b
}

// element is the first half of an element.
func element(length, lkey uint32) uint64 { return uint64(be32(length)) | uint64(be32(lkey))<<32 }

// flagged returns the second 8 bytes of a request with flags.
func flagged(ctrl uint64, f verbs.SendFlags) uint64 {
	ctrl |= uint64(f&verbs.SendSignaled)<<26 | uint64(f&verbs.SendSolicited)<<23 // bits 27 and 25
	if f&verbs.SendFence != 0 {                                                  // in place of the small fence
		ctrl = ctrl&^(7<<29) | ctrlFence<<24
	}
	return ctrl
}

// inline adds bytes to the data that a request carries itself, from at on; n is the number of those that it has.
func (q *sends) inline(at, n uint32, data []byte) {
	from := (at + 4 + n) & q.wrap
	k := copy(unsafe.Slice((*byte)(unsafe.Add(q.buf, from)), q.wrap+1-from), data)
	copy(unsafe.Slice((*byte)(q.buf), q.wrap+1), data[k:])
}

// inlined ends n bytes of inline data, and returns where the request goes on.
func (q *sends) inlined(at, n uint32) uint32 {
	if n == 0 {
		return at
	}
	*(*uint32)(q.byte(at)) = be32(n | inlineData)
	return at + (n+4+segment-1)&^(segment-1)
}

// end ends the request.
func (q *sends) end(at uint32, ctrl uint64) {
	n := (at - q.first) / segment
	c := (*[2]uint64)(unsafe.Add(q.buf, q.first))
	q.head = uint64(q.op) | uint64(be32(q.qpn|n))<<32
	c[0], c[1] = q.head, ctrl
	i := q.post & q.mask
	q.post += (n + block/segment - 1) / (block / segment)
	q.slots[i].end = q.post
	q.count++
}

// ring tells the device of the requests that have ended.
func (q *sends) ring() {
	if q.count == 0 {
		return
	}
	handOver(unsafe.Pointer(q))
	reg := unsafe.Add(q.reg, q.off)
	index := be32(q.post & 0xffff)
	if q.count == 1 && q.state != broken && q.post-q.rung <= q.whole && q.first+(q.post-q.rung)<<blockShift <= q.wrap+1 {
		ringWhole(q.rec, index, reg, unsafe.Add(q.buf, q.first), int(q.post-q.rung))
	} else {
		ring(q.rec, index, reg, q.head)
	}
	q.off ^= q.flip
	q.rung, q.count = q.post, 0
}

// opcodes are those of requests by enum ibv_wr_opcode, with the opcode of the completion and the number of fixed segments.
var opcodes = [...]struct {
	op    uint32
	wc    verbs.WCOpcode
	fixed uint32
	types uint32 // of queue pairs that take it, as bits
}{
	verbs.WROpcodeRDMAWrite:         {opWrite, verbs.WCOpcodeRDMAWrite, 1, reliable | 1<<verbs.QPTypeUC},
	verbs.WROpcodeRDMAWriteWithImm:  {opWriteImm, verbs.WCOpcodeRDMAWrite, 1, reliable | 1<<verbs.QPTypeUC},
	verbs.WROpcodeSend:              {opSend, verbs.WCOpcodeSend, 0, reliable | 1<<verbs.QPTypeUC | 1<<verbs.QPTypeUD},
	verbs.WROpcodeSendWithImm:       {opSendImm, verbs.WCOpcodeSend, 0, reliable | 1<<verbs.QPTypeUC | 1<<verbs.QPTypeUD},
	verbs.WROpcodeRDMARead:          {opRead, verbs.WCOpcodeRDMARead, 1, reliable},
	verbs.WROpcodeAtomicCmpAndSwp:   {opCompareSwap, verbs.WCOpcodeCompSwap, 2, reliable},
	verbs.WROpcodeAtomicFetchAndAdd: {opFetchAdd, verbs.WCOpcodeFetchAdd, 2, reliable},
	verbs.WROpcodeLocalInv:          {opUMR, verbs.WCOpcodeLocalInv, freeSegments, reliable | 1<<verbs.QPTypeUC},
	verbs.WROpcodeBindMW:            {opUMR, verbs.WCOpcodeBindMW, freeSegments + rangeSegments, reliable | 1<<verbs.QPTypeUC},
	nop:                             {opNop, verbs.WCOpcodeDriver2, 0, reliable | 1<<verbs.QPTypeUC | 1<<verbs.QPTypeUD},
	verbs.WROpcodeSendWithInv:       {opSendInv, verbs.WCOpcodeSend, 0, reliable},
}

// nop stands for an operation that enum ibv_wr_opcode does not have.
const nop verbs.WROpcode = 12

const (
	reliable  = 1<<verbs.QPTypeRC | 1<<verbs.QPTypeXRCSend | initiator
	initiator = 1 << 31 // of DC, type DRIVER
)

// typeBit is the bit of a type of queue pairs in types of opcodes.
func typeBit(t verbs.QPType) uint32 {
	if t == verbs.QPTypeDriver {
		return initiator
	}
	return 1 << t
}

// postRange posts requests of a batch, up to the first that the queue does not take.
func (q *sends) postRange(r dpath.SendRange) (posted int, errno syscall.Errno) {
	wrs, errno := dpath.SendRequests(r)
	if errno != 0 {
		return -1, errno
	}
	if errno := q.enter(); errno != 0 {
		return -1, errno
	}
	for posted < len(wrs) {
		if n := q.putEasy(wrs[posted:]); n > 0 {
			posted += n
			continue
		}
		if errno = q.put(&wrs[posted]); errno != 0 {
			break
		}
		posted++
	}
	q.ring()
	q.leave()
	return posted, errno
}

// putEasy writes requests of one block, which most are: an operation with one element. It returns how many, up to the first that put is to
// look at.
func (q *sends) putEasy(wrs []dpath.SendRequest) (n int) {
	post, buf, mask, slots := q.post, q.buf, q.mask, q.slots[:q.mask+1]
	for n < len(wrs) {
		w := &wrs[n]
		k := &q.kinds[w.Opcode&15]
		s := w.One()
		if !k.easy || post-q.free > mask || uint32(w.Opcode) > 15 || s == nil || s.Length == 0 || w.Flags&verbs.SendInline != 0 {
			break
		}
		c := (*[6]uint64)(unsafe.Add(buf, post&mask<<blockShift))
		ctrl := flagged(q.next, w.Flags)
		q.next = q.each
		if k.op&1 != 0 { // SEND_INVAL, RDMA_WRITE_IMM, SEND_IMM
			ctrl |= uint64(imm(w)) << 32
		}
		size := uint32(2)
		if k.fixed == 0 {
			c[2], c[3] = element(s.Length, s.LKey), be64(s.Addr)
		} else {
			size = 3
			c[2], c[3] = be64(w.Remote), uint64(be32(w.RKey()))
			c[4], c[5] = element(s.Length, s.LKey), be64(s.Addr)
		}
		c[0], c[1] = uint64(be32(post<<8&0xffff00|uint32(k.op)))|uint64(be32(q.qpn|size))<<32, ctrl
		to := &slots[post&mask]
		post++
		to.id, to.end, to.op = w.ID, post, verbs.WCOpcode(k.wc)
		n++
	}
	if n > 0 {
		q.first = (post - 1) & mask << blockShift
		q.head = *(*uint64)(unsafe.Add(buf, q.first))
		q.post = post
		q.count += uint32(n)
	}
	return n
}

// imm returns what the control segment has at its end.
func imm(w *dpath.SendRequest) uint32 {
	v := binary.NativeEndian.Uint32(w.Imm[:])
	switch w.Opcode {
	case verbs.WROpcodeSendWithImm, verbs.WROpcodeRDMAWriteWithImm:
		return v
	case verbs.WROpcodeSendWithInv, verbs.WROpcodeLocalInv:
		return be32(v)
	}
	return 0
}

// put writes a request of a batch.
func (q *sends) put(w *dpath.SendRequest) syscall.Errno {
	k := &q.kinds[w.Opcode&15]
	switch w.Opcode {
	case nop: // of no batch
		return syscall.EINVAL
	case verbs.WROpcodeBindMW: // the batch has the address of the window, which this package does not follow
		return fail.ErrnoDirect
	}
	if uint32(w.Opcode) > 15 || q.full(k.need) {
		return q.refusal(w.Opcode)
	}
	sges := w.SGEs()
	carried := uint64(0)
	if w.Flags&verbs.SendInline != 0 {
		for i := range sges {
			carried += uint64(sges[i].Length)
		}
	}
	if uint32(len(sges)) > q.limit.sges || carried > uint64(q.limit.inline) {
		return syscall.ENOMEM
	}
	switch q.typ {
	case verbs.QPTypeXRCSend:
		q.toSRQ(w.SRQN)
	case verbs.QPTypeUD:
		if errno := q.addressed(w); errno != 0 {
			return errno
		}
	case verbs.QPTypeDriver: // a batch has no place for the DCT
		if !q.aimed {
			return fail.ErrnoNoAddress
		}
	}
	at := q.begin(w.ID, k, imm(w))
	switch k.fixed {
	case 1:
		q.seg(at, be64(w.Remote), uint64(be32(w.RKey())))
		at += segment
	case 2:
		q.seg(at, be64(w.Remote), uint64(be32(w.Key)))
		if k.op == opCompareSwap {
			q.seg(at+segment, be64(w.Swap), be64(w.Compare()))
		} else {
			q.seg(at+segment, be64(w.Compare()), 0)
		}
		at += 2 * segment
	case freeSegments:
		at = q.invalidate(at)
	}
	if w.Flags&verbs.SendInline != 0 {
		at = q.carry(at, sges)
	} else {
		for i := range sges {
			if s := &sges[i]; s.Length != 0 {
				n := s.Length
				if k.fixed == 2 {
					n = 8
				}
				q.seg(at, element(n, s.LKey), be64(s.Addr))
				at += segment
			}
		}
	}
	q.end(at, flagged(q.ctrl, w.Flags))
	return 0
}

// Parts of a request that changes a memory key: struct mlx5_wqe_umr_ctrl_seg and struct mlx5_wqe_mkey_context_seg in mlx5dv.h. One that
// binds a window has a range of memory behind them, padded to 64 bytes.
const (
	umrInline       = 1 << 7
	umrCheckFree    = 1 << 5
	umrTranslation  = 1 << 4
	umrCheckQPN     = 1 << 3
	umrMaskLength   = 1 << 0
	umrMaskStart    = 1 << 6
	umrMaskKey      = 1 << 13
	umrMaskQPN      = 1 << 14
	umrMaskRights   = 15 << 18
	umrMaskFree     = 1 << 29
	keyFree         = 1 << 6
	keyAtomic       = 1 << 6
	keyWrite        = 1 << 5
	keyRead         = 1 << 4
	keyOfAnyQP      = 0xffffff00
	umrSegments     = 3
	contextSegments = 4
	freeSegments    = umrSegments + contextSegments
	rangeSegments   = 4
)

// invalidate writes what makes the key of a window free, and has the next request wait for it.
func (q *sends) invalidate(at uint32) uint32 {
	at = q.change(at, umrCheckQPN, umrMaskFree|umrMaskKey|umrMaskQPN)
	return q.padded(at, contextSegments, keyFree|uint64(be32(keyOfAnyQP))<<32, 0)
}

// change writes the first part of a request that changes a memory key, and has the next request wait for it.
func (q *sends) change(at uint32, control, mask uint64) uint32 {
	q.next |= ctrlSmallFence << 24
	return q.padded(at, umrSegments, umrInline|umrTranslation|control, be64(mask))
}

// padded writes a segment and zeros behind it, n segments in all.
func (q *sends) padded(at, n uint32, a, b uint64) uint32 {
	for range n {
		q.seg(at, a, b)
		at, a, b = at+segment, 0, 0
	}
	return at
}

// bind writes what gives a window the last byte of its key, memory of a region, and rights.
func (q *sends) bind(at, rkey, lkey uint32, addr, length uint64, access verbs.MWAccess) uint32 {
	const octowords = uint64(4<<8) << 32 // of the range, in network order
	at = q.change(at, umrCheckFree|octowords, umrMaskFree|umrMaskKey|umrMaskQPN|umrMaskLength|umrMaskStart|umrMaskRights)
	rights, start := uint64(0), be64(addr)
	if access&verbs.MWAccessRemoteWrite != 0 {
		rights |= keyWrite
	}
	if access&verbs.MWAccessRemoteRead != 0 {
		rights |= keyRead
	}
	if access&verbs.MWAccessRemoteAtomic != 0 {
		rights |= keyAtomic
	}
	if access&verbs.MWAccessZeroBased != 0 {
		start = 0
	}
	q.seg(at, rights<<16|uint64(be32(rkey&0xff|q.qpn))<<32, 0)
	at = q.padded(at+segment, contextSegments-1, start, be64(length))
	return q.padded(at, rangeSegments, element(uint32(length), lkey), be64(addr))
}

// addressed sets where a datagram of a batch goes.
func (q *sends) addressed(w *dpath.SendRequest) syscall.Errno {
	owner, serial, qpn, qkey, errno := w.To()
	if errno != 0 {
		return errno
	}
	way := q.ways[serial]
	if way == nil {
		ah, ok := owner.(*verbs.AH)
		if !ok {
			return fail.ErrnoNoAddress
		}
		if ah.Device() != q.dev {
			return fail.ErrnoOtherDevice
		}
		var err error
		if way, err = q.vector(ah); err != nil {
			return fail.ErrnoAddressClosed
		}
		if len(q.ways) >= mostWays {
			clear(q.ways)
		}
		q.ways[serial] = way
	}
	q.to(way, qpn, qkey)
	return 0
}

// mostWays bounds what a queue pair remembers of address handles, which a program may make without end.
const mostWays = 1 << 12

func (q *sends) to(a *Address, qpn, qkey uint32) {
	q.dest, q.aimed = *a, true
	binary.BigEndian.PutUint32(q.dest[0:], qkey)
	binary.BigEndian.PutUint32(q.dest[8:], qpn|1<<31)
}

func (q *sends) toSRQ(srqn uint32) {
	binary.BigEndian.PutUint32(q.dest[:], srqn)
	q.aimed = true
}

// carry copies the data of elements into the request.
func (q *sends) carry(at uint32, sges []verbs.SGE) uint32 {
	n := uint32(0)
	for i := range sges {
		s := &sges[i]
		q.inline(at, n, unsafe.Slice((*byte)(pointer(s.Addr)), s.Length))
		n += s.Length
	}
	return q.inlined(at, n)
}

// pointer returns the memory at an address that a program gave as a number.
func pointer(addr uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }
