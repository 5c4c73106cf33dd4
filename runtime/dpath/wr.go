package dpath

// Why unsafe: two members of a union of C are written as what they are, and elements are found by the address that C reads.
// What keeps it sound: the members lie within the field that is named, which has their size and alignment; layout_cgo.go holds
// every offset against C; elements lie in the memory of their request, at an address that is set once, and every index is
// checked. Unions in Go would replace the first.

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

// MostSGEs is the highest number of scatter/gather elements for which a batch can have room in each request. Devices
// allow fewer: max_sge of struct ibv_device_attr.
const MostSGEs = 1 << 16

// SendWR is struct ibv_send_wr, see ibv_post_send(3): one request in the memory of a SendBatch.
//
// A method named after an operation (Send, Write, ...) begins a new request: it sets the id and what the operation needs,
// and leaves the request without flags and without data. SGE, InlineData, Flags and To then add to it. The methods called Set
// change a request that is complete, for the next time it is posted. All assign in place.
type SendWR struct {
	_      noCopy
	id     uint64  // wr_id
	next   uintptr // address of the next request
	sges   uintptr // sg_list, set once; only the first room elements exist
	num    int32   // num_sge
	opcode WROpcode
	flags  SendFlags  // send_flags
	imm    [4]byte    // imm_data, in network order
	remote uint64     // wr.rdma.remote_addr, wr.atomic.remote_addr, wr.ud.ah
	second uint64     // wr.rdma.rkey; wr.atomic.compare_add; wr.ud.remote_qpn and remote_qkey
	swap   uint64     // wr.atomic.swap
	rkey   uint32     // wr.atomic.rkey
	inline uint32     // ours, in what is padding in C: bytes of room for inline data, behind the elements
	_      [13]uint32 // qp_type; bind_mw and tso
	room   uint32     // ours, in what is padding in C: elements at sges, 0 after Close
}

// noCopy has go vet report copies of a request: it holds addresses of its own place.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// halves gives wr.rdma.rkey in the first element, wr.ud.remote_qpn and remote_qkey in both.
func (w *SendWR) halves() *[2]uint32 { return (*[2]uint32)(unsafe.Pointer(&w.second)) }

func (w *SendWR) begin(id uint64, opcode WROpcode) {
	w.id, w.opcode, w.num, w.flags = id, opcode, 0, 0
}

func (w *SendWR) rdma(remote uint64, rkey uint32) {
	w.remote = remote
	w.halves()[0] = rkey
}

// Send begins a SEND: IBV_WR_SEND. id comes back in the completion.
func (w *SendWR) Send(id uint64) *SendWR {
	w.begin(id, opSend)
	return w
}

// SendImm begins a SEND that carries imm, as the receiver's WC shows it in ImmData: IBV_WR_SEND_WITH_IMM.
func (w *SendWR) SendImm(id uint64, imm uint32) *SendWR {
	w.begin(id, opSendImm)
	w.SetImm(imm)
	return w
}

// Write begins an RDMA WRITE to the remote address (offset, in a zero-based region) under rkey: IBV_WR_RDMA_WRITE.
func (w *SendWR) Write(id, remote uint64, rkey uint32) *SendWR {
	w.begin(id, opWrite)
	w.rdma(remote, rkey)
	return w
}

// WriteImm begins an RDMA WRITE that takes a receive of the peer and shows it imm: IBV_WR_RDMA_WRITE_WITH_IMM.
func (w *SendWR) WriteImm(id, remote uint64, rkey, imm uint32) *SendWR {
	w.begin(id, opWriteImm)
	w.rdma(remote, rkey)
	w.SetImm(imm)
	return w
}

// Read begins an RDMA READ from the remote address into the request's SGEs: IBV_WR_RDMA_READ.
func (w *SendWR) Read(id, remote uint64, rkey uint32) *SendWR {
	w.begin(id, opRead)
	w.rdma(remote, rkey)
	return w
}

// CompareSwap begins an atomic that puts swap in the place of the remote 8 bytes if they are compare, and their old
// value into the request's SGE (8 bytes, as the remote address a multiple of 8): IBV_WR_ATOMIC_CMP_AND_SWP. Numbers are in the
// byte order of the processor.
func (w *SendWR) CompareSwap(id, remote uint64, rkey uint32, compare, swap uint64) *SendWR {
	w.begin(id, opCompareSwap)
	w.remote, w.second, w.swap, w.rkey = remote, compare, swap, rkey
	return w
}

// FetchAdd begins an atomic that adds to the remote 8 bytes, otherwise like CompareSwap: IBV_WR_ATOMIC_FETCH_AND_ADD.
func (w *SendWR) FetchAdd(id, remote uint64, rkey uint32, add uint64) *SendWR {
	w.begin(id, opFetchAdd)
	w.remote, w.second, w.rkey = remote, add, rkey
	return w
}

// SGE adds a piece of memory: length bytes at addr, registered under lkey.
func (w *SendWR) SGE(addr uint64, length, lkey uint32) *SendWR {
	n := uint32(w.num)
	if n >= w.room {
		panic(noRoom)
	}
	s := element(unsafe.Pointer(w), w.sges, n)
	s.Addr, s.Length, s.LKey = addr, length, lkey
	w.num = int32(n + 1) // not num++: two goroutines that share the request must not count beyond room
	return w
}

// Add adds a piece of memory, such as a region's SGE gives.
func (w *SendWR) Add(s SGE) *SendWR { return w.SGE(s.Addr, s.Length, s.LKey) }

// InlineData copies data into the batch, to be sent from there: it may be changed and forgotten at once, and needs no region. It
// takes one element for all of data and adds the flag Inline. It panics when the batch has less InlineRoom, and when it is called
// twice for one request.
func (w *SendWR) InlineData(data ...[]byte) *SendWR {
	n := uint64(0)
	for _, d := range data {
		n += uint64(len(d))
	}
	if n > uint64(w.inline) {
		panic(noInlineRoom)
	}
	if n == 0 {
		return w
	}
	to := w.inlineData()
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
	w.flags |= Inline
	return w
}

// inlineData gives the memory for inline data, which is behind the elements.
func (w *SendWR) inlineData() unsafe.Pointer {
	return unsafe.Pointer(element(unsafe.Pointer(w), w.sges, w.room))
}

// Flags adds flags to the request, which begins without any.
func (w *SendWR) Flags(flags SendFlags) *SendWR {
	w.flags |= flags
	return w
}

// To sets where a SEND on a UD queue pair goes: an address handle (struct ibv_ah *), the number of the queue pair there, 24
// bits, and its qkey.
func (w *SendWR) To(ah unsafe.Pointer, qpn, qkey uint32) *SendWR {
	w.remote = uint64(uintptr(ah))
	h := w.halves()
	h[0], h[1] = qpn, qkey
	return w
}

// Opcode tells what the request asks for.
func (w *SendWR) Opcode() WROpcode { return w.opcode }

// SetID changes the id.
func (w *SendWR) SetID(id uint64) { w.id = id }

// SetFlags changes the flags. Those of a request with InlineData need Inline.
func (w *SendWR) SetFlags(flags SendFlags) { w.flags = flags }

// SetImm changes the immediate data.
func (w *SendWR) SetImm(imm uint32) { binary.BigEndian.PutUint32(w.imm[:], imm) }

// SetRemote changes the remote address of a READ, a WRITE or an atomic.
func (w *SendWR) SetRemote(remote uint64) { w.remote = remote }

// SetRKey changes the remote key of a READ or a WRITE.
func (w *SendWR) SetRKey(rkey uint32) { w.halves()[0] = rkey }

// SetAddr changes the address of element i, counted from 0.
func (w *SendWR) SetAddr(i int, addr uint64) {
	if uint(i) >= uint(w.room) {
		panic(noElement)
	}
	element(unsafe.Pointer(w), w.sges, uint32(i)).Addr = addr
}

// SGEs gives the elements that were added, to be changed in place.
func (w *SendWR) SGEs() []SGE { return elements(unsafe.Pointer(w), w.sges, w.num, w.room) }

// RecvWR is struct ibv_recv_wr, see ibv_post_recv(3): one request in the memory of a RecvBatch. It is used as SendWR is.
type RecvWR struct {
	_    noCopy
	id   uint64  // wr_id
	next uintptr // address of the next request
	sges uintptr // sg_list, set once; only the first room elements exist
	num  int32   // num_sge
	room uint32  // ours, in what is padding in C: elements at sges, 0 after Close
}

// Recv begins a receive without memory to receive into. id comes back in the completion.
func (w *RecvWR) Recv(id uint64) *RecvWR {
	w.id, w.num = id, 0
	return w
}

// SGE adds a piece of memory: length bytes at addr, registered under lkey.
func (w *RecvWR) SGE(addr uint64, length, lkey uint32) *RecvWR {
	n := uint32(w.num)
	if n >= w.room {
		panic(noRoom)
	}
	s := element(unsafe.Pointer(w), w.sges, n)
	s.Addr, s.Length, s.LKey = addr, length, lkey
	w.num = int32(n + 1) // not num++: two goroutines that share the request must not count beyond room
	return w
}

// Add adds a piece of memory, such as a region's SGE gives.
func (w *RecvWR) Add(s SGE) *RecvWR { return w.SGE(s.Addr, s.Length, s.LKey) }

// SetID changes the id.
func (w *RecvWR) SetID(id uint64) { w.id = id }

// SetAddr changes the address of element i, counted from 0.
func (w *RecvWR) SetAddr(i int, addr uint64) {
	if uint(i) >= uint(w.room) {
		panic(noElement)
	}
	element(unsafe.Pointer(w), w.sges, uint32(i)).Addr = addr
}

// SGEs gives the elements that were added, to be changed in place.
func (w *RecvWR) SGEs() []SGE { return elements(unsafe.Pointer(w), w.sges, w.num, w.room) }

// element gives element i of the request at w, whose elements begin at sges, in the same memory.
func element(w unsafe.Pointer, sges uintptr, i uint32) *SGE {
	return (*SGE)(unsafe.Add(w, sges-uintptr(w)+uintptr(i)*unsafe.Sizeof(SGE{})))
}

// elements gives the first num of room elements.
func elements(w unsafe.Pointer, sges uintptr, num int32, room uint32) []SGE {
	return unsafe.Slice(element(w, sges, 0), room)[:num:room]
}

// What is wrong with a request. Texts that are whole cost the methods nothing: those with numbers in them could not be inlined.
const (
	noRoom       = "dpath: this request has no room for one more scatter/gather element, or its batch is closed; make the batch with more sgesPerWR"
	noElement    = "dpath: this request has no room for an element of this number, or its batch is closed"
	inlineTwice  = "dpath: InlineData is called twice for one request; give all of the data in one call"
	noInlineRoom = "dpath: this request has no room for so much inline data; make the batch with a larger InlineRoom"
)
