//go:build linux && (amd64 || arm64)

package direct

import (
	"encoding/binary"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/bridge"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Request refers to the latest request of a queue pair, where the device reads it. It may be added to until the next one begins or Ring
// is called; later, Ring says that it was. The zero value, which a full queue gives, takes all and does nothing: Ring says why.
type Request struct {
	q    *sends
	post uint32 // first block
}

// open returns the queue if the request is open.
func (r Request) open() *sends {
	if r.q != nil && (r.q.state != open || r.q.post != r.post) {
		return r.drop().q
	}
	return r.q
}

// start begins a request of an operation, and a call on the queue if it is the first since Ring. a and b are its first fixed segment if
// that is a remote address and its key. The usual parts of enter, end and begin are in it, as calls of them would take a third of the time
// of a request.
func (o *QP) start(id uint64, of verbs.WROpcode, imm uint32, a, b uint64) Request {
	if o == nil {
		return Request{}
	}
	q := &o.sq
	k := &q.kinds[of&15]
	post := q.post
	switch {
	case q.state == open:
		size := q.at - q.first
		c := (*[2]uint64)(unsafe.Add(q.buf, q.first))
		q.head = uint64(q.op) | uint64(be32(q.qpn|size/segment))<<32
		c[0], c[1] = q.head, q.ctrl
		i := post & q.mask
		if post++; size > block { // predicted, so that the next request need not wait for the length of this one
			post += (size - 1) / block
		}
		q.slots[i].end = post
		q.post = post
		q.count++
	case q.state == none && q.alone():
		post = q.post // before alone, a change of state might have begun the queue anew
	default:
		return q.startOther(id, of, k, imm, a, b)
	}
	q.state = begun
	i, slots := post&q.mask, q.slots
	if post+k.need-q.free > q.mask+1 || q.dests != 0 || uint(i) >= uint(len(slots)) {
		return q.startOther(id, of, k, imm, a, b)
	}
	first := i << blockShift
	q.first = first
	q.op = be32(post<<8&0xffff00 | uint32(k.op))
	q.ctrl = q.next | uint64(imm)<<32
	q.next = q.each
	s := &slots[i]
	s.id, s.op = id, verbs.WCOpcode(k.wc)
	q.state = open
	q.last = first + k.room
	at := first + segment
	if k.addressed() {
		q.seg(at, a, b)
		at += segment
	}
	q.at = at
	return Request{q, post}
}

// startOther is start for the requests that it does not begin itself: on a queue that may be full or that several goroutines use, and with
// an address.
func (q *sends) startOther(id uint64, of verbs.WROpcode, k *kind, imm uint32, a, b uint64) Request {
	switch {
	case q.slots == nil && q.state != broken: // of the zero QP
		if q.fault = fail.ErrnoNeverOpened; q.state != none {
			q.state = none
			q.leave()
		}
		return Request{}
	case q.state == open:
		q.state = begun
	}
	if !q.enters(of, k) {
		return Request{}
	}
	at := q.begin(id, k, imm)
	q.state = open
	q.last = at + uint32(k.fixed)*segment + q.limit.sges*segment
	if k.addressed() {
		q.seg(at, a, b)
		at += segment
	}
	q.at = at
	return Request{q, q.post}
}

// enters begins a call, and looks whether the queue takes the request after all.
func (q *sends) enters(of verbs.WROpcode, k *kind) bool {
	switch q.state {
	case broken:
		return false
	case none:
		if errno := q.enter(); errno != 0 {
			q.fault = errno // only Ring looks at it: another goroutine may be inside
			return false
		}
	}
	if q.state = begun; q.full(k.need) {
		q.state, q.fault = broken, q.refusal(of)
		return false
	}
	if q.dests != 0 && !q.aimed {
		q.state, q.fault = broken, syscall.EINVAL
		return false
	}
	return true
}

// finish ends the open request.
func (q *sends) finish() {
	if q.state == open {
		q.state = begun
		q.end(q.at, q.ctrl)
	}
}

// seg adds the second fixed segment to a request that has just begun.
func (r Request) seg(a, b uint64) Request {
	if q := r.q; q != nil {
		q.seg(q.at, a, b)
		q.at += segment
	}
	return r
}

// Send prepares a SEND: IBV_WR_SEND. id is the ID of its completion.
func (o *QP) Send(id uint64) Request { return o.start(id, verbs.WROpcodeSend, 0, 0, 0) }

// SendImm prepares a SEND with immediate data: IBV_WR_SEND_WITH_IMM.
func (o *QP) SendImm(id uint64, imm uint32) Request {
	return o.start(id, verbs.WROpcodeSendWithImm, be32(imm), 0, 0)
}

// SendInv prepares a SEND that invalidates a key of the peer: IBV_WR_SEND_WITH_INV.
func (o *QP) SendInv(id uint64, rkey uint32) Request {
	return o.start(id, verbs.WROpcodeSendWithInv, be32(rkey), 0, 0)
}

// Write prepares an RDMA WRITE to the remote address under rkey: IBV_WR_RDMA_WRITE.
func (o *QP) Write(id, remote uint64, rkey uint32) Request {
	return o.start(id, verbs.WROpcodeRDMAWrite, 0, be64(remote), uint64(be32(rkey)))
}

// WriteImm prepares an RDMA WRITE with immediate data: IBV_WR_RDMA_WRITE_WITH_IMM.
func (o *QP) WriteImm(id, remote uint64, rkey, imm uint32) Request {
	return o.start(id, verbs.WROpcodeRDMAWriteWithImm, be32(imm), be64(remote), uint64(be32(rkey)))
}

// Read prepares an RDMA READ: IBV_WR_RDMA_READ.
func (o *QP) Read(id, remote uint64, rkey uint32) Request {
	return o.start(id, verbs.WROpcodeRDMARead, 0, be64(remote), uint64(be32(rkey)))
}

// CompareSwap prepares an atomic operation on 8 remote bytes, whose old value is stored in the element of the request:
// IBV_WR_ATOMIC_CMP_AND_SWP.
func (o *QP) CompareSwap(id, remote uint64, rkey uint32, compare, swap uint64) Request {
	return o.start(id, verbs.WROpcodeAtomicCmpAndSwp, 0, be64(remote), uint64(be32(rkey))).seg(be64(swap), be64(compare))
}

// FetchAdd prepares an atomic addition to 8 remote bytes: IBV_WR_ATOMIC_FETCH_AND_ADD.
func (o *QP) FetchAdd(id, remote uint64, rkey uint32, add uint64) Request {
	return o.start(id, verbs.WROpcodeAtomicFetchAndAdd, 0, be64(remote), uint64(be32(rkey))).seg(be64(add), 0)
}

// LocalInv prepares a request that invalidates the key of a local memory window: IBV_WR_LOCAL_INV. Requests after it wait for it.
func (o *QP) LocalInv(id uint64, rkey uint32) Request {
	r := o.start(id, verbs.WROpcodeLocalInv, be32(rkey), 0, 0)
	if q := r.q; q != nil {
		q.at, q.last = q.invalidate(q.at), 0
	}
	return r
}

// Bind prepares a request that binds mw, a memory window of type 2, to length bytes at addr of mr: IBV_WR_BIND_MW. length is 1 to 2^31.
// rkey is verbs.NextRKey of mw.RKey; only its last byte counts. Requests after it wait for it. mw.RKey returns the new key at once: if
// Ring does not count the request, or its completion is an error, set the old key by SetRKey.
//
// C: struct ibv_mw_bind_info, ibv_post_send(3).
func (o *QP) Bind(id uint64, mw *verbs.MW, rkey uint32, mr *verbs.MR, addr, length uint64, access verbs.MWAccess) Request {
	if o == nil || o.sq.dev == nil {
		return o.start(id, verbs.WROpcodeBindMW, 0, 0, 0) // which says why not
	}
	use := bridge.Uses{Verb: errRing.Verb, Lib: o.sq.dev.Lib()}
	defer use.Exit()
	window, err := bridge.Enter(&use, "mw", mw)
	if err == nil {
		_, err = bridge.Enter(&use, "mr", mr)
	}
	if err != nil || mw.Device() != o.sq.dev || mw.PD() != mr.PD() || (*cMW)(window.C).typ != verbs.MWType2 || length == 0 || length > 1<<31 {
		o.sq.finish()
		o.sq.wrong()
		return Request{}
	}
	old := mw.RKey()
	r := o.start(id, verbs.WROpcodeBindMW, be32(old), 0, 0)
	if q := r.q; q != nil {
		q.at, q.last = q.bind(q.at, rkey, mr.LKey(), addr, length, access), 0
		if err := mw.SetRKey(old&^0xff | rkey&0xff); err != nil {
			return r.drop()
		}
	}
	return r
}

// cMW is the beginning of struct ibv_mw.
type cMW struct {
	_   [2]uintptr // context, pd
	_   [2]uint32  // rkey, handle
	typ verbs.MWType
}

// Nop prepares a request that does nothing but complete: MLX5_OPCODE_NOP, with WCOpcodeDriver2 as the opcode of its completion.
func (o *QP) Nop(id uint64) Request {
	r := o.start(id, nop, 0, 0, 0)
	if r.q != nil {
		r.q.last = 0
	}
	return r
}

// SGE adds an element: length bytes at addr, registered under lkey. One of length 0 is left out: to the device it would be 2 GiB.
func (r Request) SGE(addr uint64, length, lkey uint32) Request {
	q := r.open()
	if q == nil || length == 0 {
		return r
	}
	if q.at >= q.last {
		return r.drop()
	}
	q.seg(q.at, element(length, lkey), be64(addr))
	q.at += segment
	return r
}

// Add adds an element.
func (r Request) Add(s verbs.SGE) Request { return r.SGE(s.Addr, s.Length, s.LKey) }

// Inline copies data into the request, at most MaxInlineData bytes. It is called once, and without SGE.
func (r Request) Inline(data []byte) Request {
	q := r.open()
	if q == nil || len(data) == 0 {
		return r
	}
	if uint64(len(data)) > uint64(q.limit.inline) || q.at+q.limit.sges*segment != q.last {
		return r.drop()
	}
	q.inline(q.at, 0, data)
	q.at, q.last = q.inlined(q.at, uint32(len(data))), 0
	return r
}

// Flags adds flags: SendSignaled, SendSolicited and SendFence.
func (r Request) Flags(f verbs.SendFlags) Request {
	if q := r.open(); q != nil {
		q.ctrl = flagged(q.ctrl, f)
	}
	return r
}

// drop gives the request up, and all that follow until Ring.
func (r Request) drop() Request {
	q := r.q
	if q.state == open && q.ctrl&(7<<29) != 0 { // what the request was to wait for, the next one waits for
		q.next |= ctrlSmallFence << 24
	}
	if q.state != broken {
		q.fault = syscall.EINVAL
	}
	if q.state != none {
		q.state = broken
	}
	return Request{}
}

// wrong has the requests until Ring fail.
func (q *sends) wrong() {
	if q.state == none {
		if q.fault = q.enter(); q.fault != 0 {
			return
		}
	}
	if q.state != broken {
		q.state, q.fault = broken, syscall.EINVAL
	}
}

// Ring hands the requests begun since the last Ring to the device and returns their number. It stops at the first request that the queue
// pair cannot take: one for which the queue had no room (ErrQueueFull), with more elements or inline data than the queue pair was
// created for, or with an operation that its type lacks. Ring then returns the error and the number of requests before that one.
//
// C: ibv_post_send, ibv_post_send(3).
func (o *QP) Ring() (n int, err error) {
	if o == nil {
		return 0, errRing.Nil()
	}
	q := &o.sq
	q.finish()
	n = int(q.count)
	q.ring()
	state := q.state
	if q.state = none; q.fault != 0 {
		err = o.failed(q.fault)
		q.fault = 0
	}
	if state != none {
		q.leave()
	}
	return n, err
}

var errRing = fail.Once{Verb: "ibv_post_send", Kind: "direct.QP"}

func (o *QP) failed(errno syscall.Errno) error {
	switch errno {
	case syscall.ENOMEM:
		if o.sq.kinds[verbs.WROpcodeSend].need == never {
			return fail.Invalid(errRing.Verb, "the queue pair is not in RTS: modify it first")
		}
		return errRing.Full(errno)
	case syscall.EINVAL:
		return fail.Invalid(errRing.Verb, "a request has more elements or inline data than the queue pair was made for, both, or an operation "+
			"that its type does not have; or nobody said where it goes, it was added to after the next one began, or it binds a window "+
			"that is closed, of type 1 or of another protection domain, or to no bytes or over 2 GiB. It and those after it were not posted")
	}
	return errRing.Errno(errno)
}

// Address is the destination of datagrams, as requests need it. It stays valid when its address handle is closed.
//
// C: struct mlx5_wqe_av in mlx5dv.h, mlx5dv_init_obj(3).
type Address [48]byte

// AddressOf returns the address of a handle.
//
// C: mlx5dv_init_obj, mlx5dv_init_obj(3).
func AddressOf(dv *mlx5dv.Lib, ah *verbs.AH) (*Address, error) {
	info, err := dv.InitAH(ah)
	if err != nil {
		return nil, err
	}
	a := *(*Address)(at(info.AV))
	return &a, nil
}

// To sets where the datagrams that are begun from now on go, up to the next To or post of a batch: an address, the number of the queue
// pair there and its qkey.
func (o *QP) To(a *Address, qpn, qkey uint32) {
	if o == nil {
		return
	}
	q := &o.sq
	q.finish()
	if q.typ != verbs.QPTypeUD || a == nil {
		q.wrong()
		return
	}
	q.to(a, qpn, qkey)
}

// ToDCT sets where the requests of a DCI that are begun from now on go: an address, the number of the DCT there and its access key.
// stream is that of the DCI, 0 for one without streams. Requests of batches go there, too.
func (o *QP) ToDCT(a *Address, dctn uint32, key uint64, stream uint16) {
	if o == nil {
		return
	}
	q := &o.sq
	q.finish()
	if q.typ != verbs.QPTypeDriver || a == nil {
		q.wrong()
		return
	}
	q.dest, q.stream, q.aimed = *a, stream, true
	binary.BigEndian.PutUint64(q.dest[0:], key)
	binary.BigEndian.PutUint32(q.dest[8:], dctn|1<<31)
}

// ToSRQ sets the number of the peer's shared receive queue for requests that are begun from now on, on a queue pair of type XRC_SEND.
func (o *QP) ToSRQ(srqn uint32) {
	if o == nil {
		return
	}
	q := &o.sq
	q.finish()
	if q.typ != verbs.QPTypeXRCSend {
		q.wrong()
		return
	}
	q.toSRQ(srqn)
}
