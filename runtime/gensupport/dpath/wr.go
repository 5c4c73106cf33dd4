package dpath

// Why unsafe: two members of a union of C are written as what they are, and elements are found by the address that C reads.
// What keeps it sound: the members lie within the field that is named, which has their size and alignment; conformance/abi/layout
// holds every offset against C, by the names in the comments; elements lie in the memory of their request, at an address that is set once,
// and every index is checked. Unions in Go would replace the first.

import (
	"encoding/binary"
	"unsafe"
)

// Opcodes of send requests, enum ibv_wr_opcode.
const (
	opWrite       WROpcode = 0 // IBV_WR_RDMA_WRITE
	opWriteImm    WROpcode = 1 // IBV_WR_RDMA_WRITE_WITH_IMM
	opSend        WROpcode = 2 // IBV_WR_SEND
	opSendImm     WROpcode = 3 // IBV_WR_SEND_WITH_IMM
	opRead        WROpcode = 4 // IBV_WR_RDMA_READ
	opCompareSwap WROpcode = 5 // IBV_WR_ATOMIC_CMP_AND_SWP
	opFetchAdd    WROpcode = 6 // IBV_WR_ATOMIC_FETCH_AND_ADD
)

// MostSGEs is the largest number of scatter/gather elements per request in a batch. Devices allow fewer: max_sge of
// struct ibv_device_attr.
const MostSGEs = 1 << 16

// SendWR refers to one request in the memory of a SendBatch: a struct ibv_send_wr, see ibv_post_send(3). SendBatch.WR returns it. A copy
// refers to the same request, and both keep the memory alive. The methods of a zero value panic.
//
// A method named after an operation (Send, Write, ...) prepares a new request: it sets the id and the operation's values, and clears flags
// and data. SGE, InlineData, Flags and To then add to the request. To post a request again with a change, use the methods whose names begin
// with Set. All these methods write to the memory of the batch.
type SendWR struct{ r *SendRequest }

// SendRequest is struct ibv_send_wr, also for a package that writes it to the queue of a device. Programs get no copy of it: the addresses
// in it are those of its batch, wherever it lies.
type SendRequest struct {
	ID     uint64  // wr_id
	next   uintptr // address of the next request
	sges   uintptr // sg_list, set once; only the first room elements exist
	num    int32   // num_sge
	Opcode WROpcode
	Flags  SendFlags // send_flags
	Imm    [4]byte   // imm_data, in network order; of operations that invalidate a key, in that of the processor
	Remote uint64    // wr.rdma.remote_addr, wr.atomic.remote_addr, wr.ud.ah
	second uint64    // wr.rdma.rkey; wr.atomic.compare_add; wr.ud.remote_qpn and wr.ud.remote_qkey
	Swap   uint64    // wr.atomic.swap
	Key    uint32    // wr.atomic.rkey
	inline uint32    // ours, in padding: bytes of room for inline data, behind the elements
	SRQN   uint32    // qp_type.xrc.remote_srqn
	_      uint32    // the rest of qp_type
	entry  uintptr   // ours, in bind_mw, which no operation here has: of the address handle in Remote, see Address
	serial uint64    // ours, in bind_mw, over tso.hdr_sz, as SendTSO sets it to 0
	_      [7]uint32 // the rest of bind_mw and tso
	room   uint32    // ours, in padding: elements at sges, 0 after Close
}

// given panics unless a reference refers to a request: a zero value does not.
func given(refers bool) {
	if !refers {
		panic(noRequest)
	}
}

// halves returns wr.rdma.rkey in the first element, wr.ud.remote_qpn and remote_qkey in both.
func (w *SendRequest) halves() *[2]uint32 { return (*[2]uint32)(unsafe.Pointer(&w.second)) }

func (w *SendRequest) begin(id uint64, opcode WROpcode) {
	given(w != nil)
	w.ID, w.Opcode, w.num, w.Flags = id, opcode, 0, 0
}

func (w *SendRequest) rdma(remote uint64, rkey uint32) {
	w.Remote = remote
	w.halves()[0] = rkey
}

// Send prepares a SEND. The completion's ID is id. C: IBV_WR_SEND.
func (w SendWR) Send(id uint64) SendWR {
	w.r.begin(id, opSend)
	return w
}

// SendImm prepares a SEND with immediate data. The receiver finds imm in WC.ImmData. C: IBV_WR_SEND_WITH_IMM.
func (w SendWR) SendImm(id uint64, imm uint32) SendWR {
	w.r.begin(id, opSendImm)
	w.SetImm(imm)
	return w
}

// Write prepares an RDMA WRITE to the remote address in the region of rkey. In a zero-based region, remote is an offset.
// C: IBV_WR_RDMA_WRITE.
func (w SendWR) Write(id, remote uint64, rkey uint32) SendWR {
	w.r.begin(id, opWrite)
	w.r.rdma(remote, rkey)
	return w
}

// WriteImm prepares an RDMA WRITE that also completes a receive of the peer. The peer finds imm in WC.ImmData.
// C: IBV_WR_RDMA_WRITE_WITH_IMM.
func (w SendWR) WriteImm(id, remote uint64, rkey, imm uint32) SendWR {
	w.r.begin(id, opWriteImm)
	w.r.rdma(remote, rkey)
	w.SetImm(imm)
	return w
}

// Read prepares an RDMA READ from the remote address into the request's SGEs. C: IBV_WR_RDMA_READ.
func (w SendWR) Read(id, remote uint64, rkey uint32) SendWR {
	w.r.begin(id, opRead)
	w.r.rdma(remote, rkey)
	return w
}

// CompareSwap prepares an atomic operation on 8 remote bytes. If they equal compare, they are set to swap. Their old value is stored in the
// request's SGE, which has 8 bytes. Both addresses must be multiples of 8. Numbers have the processor's byte order.
// C: IBV_WR_ATOMIC_CMP_AND_SWP.
func (w SendWR) CompareSwap(id, remote uint64, rkey uint32, compare, swap uint64) SendWR {
	w.r.begin(id, opCompareSwap)
	w.r.Remote, w.r.second, w.r.Swap, w.r.Key = remote, compare, swap, rkey
	return w
}

// FetchAdd prepares an atomic operation that adds to 8 remote bytes. Otherwise it is like CompareSwap. C: IBV_WR_ATOMIC_FETCH_AND_ADD.
func (w SendWR) FetchAdd(id, remote uint64, rkey uint32, add uint64) SendWR {
	w.r.begin(id, opFetchAdd)
	w.r.Remote, w.r.second, w.r.Key = remote, add, rkey
	return w
}

// SGE adds a scatter/gather element: length bytes at addr, in the region of lkey. It panics if the request has no room for another element.
func (w SendWR) SGE(addr uint64, length, lkey uint32) SendWR {
	given(w.r != nil)
	n := uint32(w.r.num)
	if n >= w.r.room {
		panic(noRoom)
	}
	s := element(unsafe.Pointer(w.r), w.r.sges, n)
	s.Addr, s.Length, s.LKey = addr, length, lkey
	w.r.num = int32(n + 1) // not num++: two goroutines that share the request must not count beyond room
	return w
}

// Add adds a scatter/gather element. It panics if the request has no room for another one.
func (w SendWR) Add(s SGE) SendWR { return w.SGE(s.Addr, s.Length, s.LKey) }

// InlineData copies data into the batch, which sends it from there. So the memory of data needs no region, and the caller may change it at
// once. InlineData uses one element for all of data and adds the flag IBV_SEND_INLINE. It panics if data is longer than the batch's
// InlineRoom, and if it is called twice for one request.
func (w SendWR) InlineData(data ...[]byte) SendWR {
	given(w.r != nil)
	n := uint64(0)
	for _, d := range data {
		n += uint64(len(d))
	}
	if n > uint64(w.r.inline) {
		panic(noInlineRoom)
	}
	if n == 0 {
		return w
	}
	to := w.r.inlineData()
	for _, s := range w.SGEs() {
		if s.Addr == uint64(uintptr(to)) {
			panic(inlineTwice)
		}
	}
	w.SGE(uint64(uintptr(to)), uint32(n), 0)
	rest := unsafe.Slice((*byte)(to), n)
	for _, d := range data {
		rest = rest[copy(rest, d):]
	}
	w.r.Flags |= flagInline
	return w
}

// inlineData returns the memory for inline data, which is behind the elements.
func (w *SendRequest) inlineData() unsafe.Pointer {
	return unsafe.Pointer(element(unsafe.Pointer(w), w.sges, w.room))
}

// Flags adds flags to the request, which begins without any. With IBV_SEND_INLINE, the post copies the elements' memory, and returns EFAULT
// if none is mapped at an address. Memory that is unmapped during the post ends the program. InlineData avoids both.
func (w SendWR) Flags(flags SendFlags) SendWR {
	given(w.r != nil)
	flags.watchInline()
	w.r.Flags |= flags
	return w
}

// To sets the destination of a SEND on a UD queue pair: an address handle (struct ibv_ah *), the number of the remote queue pair (24 bits)
// and its qkey. The caller must keep the handle open as long as the request may be posted. Address.To does that by itself.
func (w SendWR) To(ah unsafe.Pointer, qpn, qkey uint32) SendWR {
	return w.to(uint64(uintptr(ah)), rawAddress, uint64(uintptr(ah)), qpn, qkey)
}

func (w SendWR) to(ah uint64, entry uintptr, serial uint64, qpn, qkey uint32) SendWR {
	given(w.r != nil)
	w.r.Remote, w.r.entry, w.r.serial = ah, entry, serial
	h := w.r.halves()
	h[0], h[1] = qpn, qkey
	return w
}

// Opcode returns the operation of the request.
func (w SendWR) Opcode() WROpcode {
	given(w.r != nil)
	return w.r.Opcode
}

// SetID changes the id.
func (w SendWR) SetID(id uint64) {
	given(w.r != nil)
	w.r.ID = id
}

// SetFlags replaces the flags. A request with InlineData needs IBV_SEND_INLINE among them.
func (w SendWR) SetFlags(flags SendFlags) {
	given(w.r != nil)
	flags.watchInline()
	w.r.Flags = flags
}

// SetImm changes the immediate data.
func (w SendWR) SetImm(imm uint32) {
	given(w.r != nil)
	binary.BigEndian.PutUint32(w.r.Imm[:], imm)
}

// SetRemote changes the remote address of a READ, a WRITE or an atomic.
func (w SendWR) SetRemote(remote uint64) {
	given(w.r != nil)
	if w.r.Opcode == opBindMW {
		panic(noRemote)
	}
	w.r.Remote = remote
}

// SetRKey changes the remote key of a READ or a WRITE.
func (w SendWR) SetRKey(rkey uint32) {
	given(w.r != nil)
	if w.r.Opcode == opBindMW {
		panic(noRemote)
	}
	w.r.halves()[0] = rkey
}

// SetAddr changes the address of element i, counted from 0.
func (w SendWR) SetAddr(i int, addr uint64) {
	given(w.r != nil)
	if uint(i) >= uint(w.r.room) {
		panic(noElement)
	}
	element(unsafe.Pointer(w.r), w.r.sges, uint32(i)).Addr = addr
}

// SGEs returns the elements that were added. The caller may change them in place.
func (w SendWR) SGEs() []SGE {
	given(w.r != nil)
	return elements(unsafe.Pointer(w.r), w.r.sges, w.r.num, w.r.room)
}

// RecvWR refers to one receive in the memory of a RecvBatch: a struct ibv_recv_wr, see ibv_post_recv(3). It is used like a SendWR. The
// methods of a zero value panic.
type RecvWR struct{ r *RecvRequest }

// RecvRequest is struct ibv_recv_wr, as SendRequest.
type RecvRequest struct {
	ID   uint64  // wr_id
	next uintptr // address of the next request
	sges uintptr // sg_list, set once; only the first room elements exist
	num  int32   // num_sge
	room uint32  // ours, in padding: elements at sges, 0 after Close
}

// Recv prepares a receive without memory. The completion's ID is id.
func (w RecvWR) Recv(id uint64) RecvWR {
	given(w.r != nil)
	w.r.ID, w.r.num = id, 0
	return w
}

// SGE adds a scatter/gather element: length bytes at addr, in the region of lkey. It panics if the request has no room for another element.
func (w RecvWR) SGE(addr uint64, length, lkey uint32) RecvWR {
	given(w.r != nil)
	n := uint32(w.r.num)
	if n >= w.r.room {
		panic(noRoom)
	}
	s := element(unsafe.Pointer(w.r), w.r.sges, n)
	s.Addr, s.Length, s.LKey = addr, length, lkey
	w.r.num = int32(n + 1) // not num++: two goroutines that share the request must not count beyond room
	return w
}

// Add adds a scatter/gather element. It panics if the request has no room for another one.
func (w RecvWR) Add(s SGE) RecvWR { return w.SGE(s.Addr, s.Length, s.LKey) }

// SetID changes the id.
func (w RecvWR) SetID(id uint64) {
	given(w.r != nil)
	w.r.ID = id
}

// SetAddr changes the address of element i, counted from 0.
func (w RecvWR) SetAddr(i int, addr uint64) {
	given(w.r != nil)
	if uint(i) >= uint(w.r.room) {
		panic(noElement)
	}
	element(unsafe.Pointer(w.r), w.r.sges, uint32(i)).Addr = addr
}

// SGEs returns the elements that were added. The caller may change them in place.
func (w RecvWR) SGEs() []SGE {
	given(w.r != nil)
	return elements(unsafe.Pointer(w.r), w.r.sges, w.r.num, w.r.room)
}

// listOf returns where the elements of a request are, and where their number and their room are. It reads neither: a Close may be at the
// same time as the building of a request.
func listOf[W record](w *W) (sges uintptr, num *int32, room *uint32) {
	switch w := any(w).(type) {
	case *SendRequest:
		return w.sges, &w.num, &w.room
	case *RecvRequest:
		return w.sges, &w.num, &w.room
	case *opsRecord:
		return w.sges, &w.num, &w.room
	}
	return 0, nil, nil // not reached
}

// element returns element i of the request at w, whose elements begin at sges, in the same memory.
func element(w unsafe.Pointer, sges uintptr, i uint32) *SGE {
	return (*SGE)(unsafe.Add(w, sges-uintptr(w)+uintptr(i)*unsafe.Sizeof(SGE{})))
}

// elements returns the first num of room elements; a batch that was closed meanwhile has no room.
func elements(w unsafe.Pointer, sges uintptr, num int32, room uint32) []SGE {
	return unsafe.Slice(element(w, sges, 0), room)[:min(uint32(num), room):room]
}

// Panics of the methods of requests. They have no numbers, so that the methods can be inlined.
const (
	noRoom = "dpath: this request has no room for one more scatter/gather element, or its batch is closed; make the batch with " +
		"more sgesPerWR"
	noRequest    = "dpath: a zero value refers to no request; take one from a batch by WR"
	noElement    = "dpath: this request has no room for an element of this number, or its batch is closed"
	inlineTwice  = "dpath: InlineData is called twice for one request; give all of the data in one call"
	noInlineRoom = "dpath: this request has no room for so much inline data; make the batch with a larger InlineRoom"
)
