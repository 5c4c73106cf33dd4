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
	Signaled   = 1 << 1 // IBV_SEND_SIGNALED: gives a completion also when it succeeds
	Solicited  = 1 << 2 // IBV_SEND_SOLICITED: the receiver's completion counts as solicited
	Inline     = 1 << 3 // IBV_SEND_INLINE: data is taken while posting; lkeys are not looked at
	IPChecksum = 1 << 4 // IBV_SEND_IP_CSUM: checksums of IP, UDP and TCP are computed by the device
)

// MostSGEs is the highest number of scatter/gather elements for which a batch can have room in each request. Devices
// allow fewer: max_sge of struct ibv_device_attr.
const MostSGEs = 1 << 16

// SGE is struct ibv_sge: a piece of registered memory that a request sends from or receives into.
type SGE struct {
	Addr   uint64 // addr: address, or offset in a zero-based region
	Length uint32 // length: bytes
	LKey   uint32 // lkey: local key of the region
}

// SendWR is struct ibv_send_wr, see ibv_post_send(3): one request in the memory of a SendBatch.
//
// A method named after an operation (Send, Write, ...) begins a new request: it sets the id and what the operation needs,
// and leaves the request without flags and without data. SGE, Flags and To then add to it. The methods called Set change a
// request that is complete, for the next time it is posted. All assign in place.
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
	s := &w.sges[:w.room][w.num]
	s.Addr, s.Length, s.LKey = addr, length, lkey
	w.num++
	return w
}

// Flags sets the flags: Signaled, Fence, Solicited, Inline or the bits of enum ibv_send_flags.
func (w *SendWR) Flags(flags uint32) *SendWR {
	w.flags = flags
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

// SetImm changes the immediate data.
func (w *SendWR) SetImm(imm uint32) { binary.BigEndian.PutUint32(w.imm[:], imm) }

// SetRemote changes the remote address of a READ, a WRITE or an atomic.
func (w *SendWR) SetRemote(remote uint64) { w.remote = remote }

// SetRKey changes the remote key of a READ or a WRITE.
func (w *SendWR) SetRKey(rkey uint32) { w.halves()[0] = rkey }

// SetAddr changes the address of element i, counted from 0.
func (w *SendWR) SetAddr(i int, addr uint64) { w.sges[:w.room][i].Addr = addr }

// SGEs gives the elements that were added, to be changed in place. The slice may not be used after Close of the batch.
func (w *SendWR) SGEs() []SGE { return w.sges[:w.num:w.room] }

// RecvWR is struct ibv_recv_wr, see ibv_post_recv(3): one request in the memory of a RecvBatch. It is used as SendWR is.
type RecvWR struct {
	id   uint64         // wr_id
	next uintptr        // set once
	sges *[MostSGEs]SGE // sg_list, set once; only the first room elements exist
	num  int32          // num_sge
	room uint32         // ours, in what is padding in C: elements at sges
}

// Recv begins a receive without memory to receive into. id comes back in the completion.
func (w *RecvWR) Recv(id uint64) *RecvWR {
	w.id, w.num = id, 0
	return w
}

// SGE adds a piece of memory: length bytes at addr, registered under lkey.
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

// SGEs gives the elements that were added, to be changed in place. The slice may not be used after Close of the batch.
func (w *RecvWR) SGEs() []SGE { return w.sges[:w.num:w.room] }
