package dpath

// Why unsafe: two members of a union of C are written as what they are. What keeps it sound: they lie within the field
// that is named, which has their size and alignment; layout_cgo.go holds every offset against C. Unions in Go would replace it.

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

// Flags of send requests, enum ibv_send_flags.
const (
	Fence      = 1 << 0 // IBV_SEND_FENCE: waits for RDMA READs and atomics posted before
	Signaled   = 1 << 1 // IBV_SEND_SIGNALED: has a completion also when it succeeds
	Solicited  = 1 << 2 // IBV_SEND_SOLICITED: the receiver's completion counts as solicited
	Inline     = 1 << 3 // IBV_SEND_INLINE: data is taken while posting; lkeys are not looked at
	IPChecksum = 1 << 4 // IBV_SEND_IP_CSUM: checksums of IP, UDP and TCP are computed by the device
)

// MostSGEs is the largest number of scatter/gather elements per request in a batch. Devices allow fewer: max_sge of
// struct ibv_device_attr.
const MostSGEs = 1 << 16

// SGE is struct ibv_sge: a range of registered memory from which a request sends or into which it receives.
type SGE struct {
	Addr   uint64 // addr: address, or offset in a zero-based region
	Length uint32 // length: bytes
	LKey   uint32 // lkey: local key of the region
}

// SendWR is struct ibv_send_wr, see ibv_post_send(3): one request in the memory of a SendBatch.
//
// A method named after an operation (Send, Write, ...) begins a new request: it sets the id and the values of the
// operation, and removes flags and data. SGE, Flags and To then add to the request. The methods named Set change a
// complete request before it is posted again. All of them write to the memory of the batch.
type SendWR struct {
	id     uint64         // wr_id
	next   uintptr        // set once
	sges   *[MostSGEs]SGE // sg_list, set once; only the first room elements exist
	num    int32          // num_sge
	opcode WROpcode
	flags  uint32     // send_flags
	imm    [4]byte    // imm_data, in network order
	remote uint64     // wr.rdma.remote_addr, wr.atomic.remote_addr, wr.ud.ah
	second uint64     // wr.rdma.rkey; wr.atomic.compare_add; wr.ud.remote_qpn and remote_qkey
	swap   uint64     // wr.atomic.swap
	rkey   uint32     // wr.atomic.rkey
	_      [14]uint32 // qp_type; bind_mw and tso
	room   uint32     // ours, in what is padding in C: elements at sges
}

// halves returns wr.rdma.rkey in the first element, wr.ud.remote_qpn and remote_qkey in both.
func (w *SendWR) halves() *[2]uint32 { return (*[2]uint32)(unsafe.Pointer(&w.second)) }

func (w *SendWR) begin(id uint64, opcode WROpcode) {
	w.id, w.opcode, w.num, w.flags = id, opcode, 0, 0
}

func (w *SendWR) rdma(remote uint64, rkey uint32) {
	w.remote = remote
	w.halves()[0] = rkey
}

// Send begins a SEND: IBV_WR_SEND. id is the ID of its completion.
func (w *SendWR) Send(id uint64) *SendWR {
	w.begin(id, opSend)
	return w
}

// SendImm begins a SEND with immediate data imm, the ImmData of the receiver's WC: IBV_WR_SEND_WITH_IMM.
func (w *SendWR) SendImm(id uint64, imm uint32) *SendWR {
	w.begin(id, opSendImm)
	w.SetImm(imm)
	return w
}

// Write begins an RDMA WRITE to the remote address (in a zero-based region: offset) under rkey: IBV_WR_RDMA_WRITE.
func (w *SendWR) Write(id, remote uint64, rkey uint32) *SendWR {
	w.begin(id, opWrite)
	w.rdma(remote, rkey)
	return w
}

// WriteImm begins an RDMA WRITE that also completes a receive of the peer, whose ImmData is imm:
// IBV_WR_RDMA_WRITE_WITH_IMM.
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

// CompareSwap begins an atomic operation on 8 remote bytes: if they are equal to compare they become swap, and their
// old value is stored in the SGE of the request (8 bytes). Both addresses are multiples of 8; numbers have the byte
// order of the processor: IBV_WR_ATOMIC_CMP_AND_SWP.
func (w *SendWR) CompareSwap(id, remote uint64, rkey uint32, compare, swap uint64) *SendWR {
	w.begin(id, opCompareSwap)
	w.remote, w.second, w.swap, w.rkey = remote, compare, swap, rkey
	return w
}

// FetchAdd begins an atomic operation that adds to 8 remote bytes; otherwise it is like CompareSwap:
// IBV_WR_ATOMIC_FETCH_AND_ADD.
func (w *SendWR) FetchAdd(id, remote uint64, rkey uint32, add uint64) *SendWR {
	w.begin(id, opFetchAdd)
	w.remote, w.second, w.rkey = remote, add, rkey
	return w
}

// SGE adds a scatter/gather element: length bytes at addr, registered under lkey.
func (w *SendWR) SGE(addr uint64, length, lkey uint32) *SendWR {
	s := &w.sges[:w.room][w.num]
	s.Addr, s.Length, s.LKey = addr, length, lkey
	w.num++
	return w
}

// Flags sets the flags: Signaled, Fence, Solicited, Inline or other bits of enum ibv_send_flags.
func (w *SendWR) Flags(flags uint32) *SendWR {
	w.flags = flags
	return w
}

// To sets the destination of a SEND on a UD queue pair: an address handle (struct ibv_ah *), the number of the remote
// queue pair (24 bits) and its qkey.
func (w *SendWR) To(ah unsafe.Pointer, qpn, qkey uint32) *SendWR {
	w.remote = uint64(uintptr(ah))
	h := w.halves()
	h[0], h[1] = qpn, qkey
	return w
}

// Opcode returns the operation of the request.
func (w *SendWR) Opcode() WROpcode { return w.opcode }

// SetID changes the id.
func (w *SendWR) SetID(id uint64) { w.id = id }

// SetImm changes the immediate data.
func (w *SendWR) SetImm(imm uint32) { binary.BigEndian.PutUint32(w.imm[:], imm) }

// SetRemote changes the remote address of a READ, a WRITE or an atomic.
func (w *SendWR) SetRemote(remote uint64) { w.remote = remote }

// SetRKey changes the remote key of a READ or a WRITE.
func (w *SendWR) SetRKey(rkey uint32) { w.halves()[0] = rkey }

// SetAddr changes the address of element i, counted from 0.
func (w *SendWR) SetAddr(i int, addr uint64) { w.sges[:w.room][i].Addr = addr }

// SGEs returns the elements that were added; they may be changed in place. The slice must not be used after Close of
// the batch.
func (w *SendWR) SGEs() []SGE { return w.sges[:w.num:w.room] }

// RecvWR is struct ibv_recv_wr, see ibv_post_recv(3): one request in the memory of a RecvBatch. It is used like SendWR.
type RecvWR struct {
	id   uint64         // wr_id
	next uintptr        // set once
	sges *[MostSGEs]SGE // sg_list, set once; only the first room elements exist
	num  int32          // num_sge
	room uint32         // ours, in what is padding in C: elements at sges
}

// Recv begins a receive without memory. id is the ID of its completion.
func (w *RecvWR) Recv(id uint64) *RecvWR {
	w.id, w.num = id, 0
	return w
}

// SGE adds a scatter/gather element: length bytes at addr, registered under lkey.
func (w *RecvWR) SGE(addr uint64, length, lkey uint32) *RecvWR {
	s := &w.sges[:w.room][w.num]
	s.Addr, s.Length, s.LKey = addr, length, lkey
	w.num++
	return w
}

// SetID changes the id.
func (w *RecvWR) SetID(id uint64) { w.id = id }

// SetAddr changes the address of element i, counted from 0.
func (w *RecvWR) SetAddr(i int, addr uint64) { w.sges[:w.room][i].Addr = addr }

// SGEs returns the elements that were added; they may be changed in place. The slice must not be used after Close of
// the batch.
func (w *RecvWR) SGEs() []SGE { return w.sges[:w.num:w.room] }
