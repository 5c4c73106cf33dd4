package dpath

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// OpsOpcode is an operation on the tags of a shared receive queue, enum ibv_ops_wr_opcode. The generated package has the constants.
type OpsOpcode uint32

const (
	opTagAdd  OpsOpcode = iota // IBV_WR_TAG_ADD
	opTagDel                   // IBV_WR_TAG_DEL
	opTagSync                  // IBV_WR_TAG_SYNC
)

// String returns the C name without its prefix, or the number if it has no name.
func (v OpsOpcode) String() string { return nameOf("OpsOpcode", opsOpcodeNames, uint32(v)) }

// OpsFlags are flags of such an operation, enum ibv_ops_flags. The generated package has the constants.
type OpsFlags uint32

const (
	flagOpsSignaled OpsFlags = 1 << 0 // IBV_OPS_SIGNALED
	flagOpsSync     OpsFlags = 1 << 1 // IBV_OPS_TM_SYNC
)

// String returns the C names without their prefix, and the value in hex.
func (v OpsFlags) String() string { return fail.FlagText(uint64(v), opsFlagsNames) }

// OpsWR refers to a struct ibv_ops_wr, see ibv_post_srq_ops(3): one operation in the memory of an OpsBatch, which it keeps alive. A copy
// refers to the same operation. The zero value refers to none, and its methods panic.
//
// Add, Del and Sync begin a new operation: they remove flags, elements and the count. SGE, Flags and Unexpected then add to it.
type OpsWR struct{ *opsRecord }

// opsRecord is struct ibv_ops_wr.
type opsRecord struct {
	id     uint64  // wr_id
	next   uintptr // address of the next operation
	opcode OpsOpcode
	flags  OpsFlags
	count  uint32  // tm.unexpected_cnt
	handle uint32  // tm.handle
	recv   uint64  // tm.add.recv_wr_id
	sges   uintptr // tm.add.sg_list, set once; only the first room elements exist
	num    int32   // tm.add.num_sge
	room   uint32  // ours, in padding: elements at sges, 0 after Close
	tag    uint64  // tm.add.tag
	mask   uint64  // tm.add.mask
}

func (w *opsRecord) begin(id uint64, opcode OpsOpcode) {
	given(w != nil)
	w.id, w.opcode, w.flags, w.count, w.handle, w.num = id, opcode, 0, 0, 0, 0
	w.recv, w.tag, w.mask = 0, 0, 0
}

// Add begins an operation that adds a tag to the list: IBV_WR_TAG_ADD. A message whose tag has the bits of tag where mask has ones is
// received into the elements, and its completion has the ID recv. id is that of the completion of the operation itself. Handle returns
// the handle of the tag once the operation was posted.
func (w OpsWR) Add(id, recv, tag, mask uint64) OpsWR {
	w.begin(id, opTagAdd)
	w.recv, w.tag, w.mask = recv, tag, mask
	return w
}

// Del begins an operation that removes the tag with a handle, which Handle of the operation that added it to this queue has
// returned: IBV_WR_TAG_DEL. Not every provider looks whether there is such a tag: another handle may make it write to memory of
// something else.
func (w OpsWR) Del(id uint64, handle uint32) OpsWR {
	w.begin(id, opTagDel)
	w.handle = handle
	return w
}

// Sync begins an operation that leaves the list as it is, and informs the device how many unexpected messages the program has
// processed: IBV_WR_TAG_SYNC.
func (w OpsWR) Sync(id uint64, unexpected uint32) OpsWR {
	w.begin(id, opTagSync)
	return w.Unexpected(unexpected)
}

// Unexpected has the operation also inform the device how many unexpected messages the program has processed. It adds the flag
// IBV_OPS_TM_SYNC.
func (w OpsWR) Unexpected(count uint32) OpsWR {
	given(w.opsRecord != nil)
	w.count = count
	w.flags |= flagOpsSync
	return w
}

// SGE adds a scatter/gather element of what Add receives into: length bytes at addr, registered under lkey.
func (w OpsWR) SGE(addr uint64, length, lkey uint32) OpsWR {
	given(w.opsRecord != nil)
	n := uint32(w.num)
	if n >= w.room {
		panic(noRoom)
	}
	s := element(unsafe.Pointer(w.opsRecord), w.sges, n)
	s.Addr, s.Length, s.LKey = addr, length, lkey
	w.num = int32(n + 1) // not num++: two goroutines that share the request must not count beyond room
	return w
}

// Flags adds flags to the operation, which begins without any. Without IBV_OPS_SIGNALED it has no completion.
func (w OpsWR) Flags(flags OpsFlags) OpsWR {
	given(w.opsRecord != nil)
	w.flags |= flags
	return w
}

// Opcode returns the operation.
func (w OpsWR) Opcode() OpsOpcode {
	given(w.opsRecord != nil)
	return w.opcode
}

// Handle returns the handle of the tag: after Del the one that it was given, after Add and a post what the device has given it.
func (w OpsWR) Handle() uint32 {
	given(w.opsRecord != nil)
	return w.handle
}

// SGEs returns the elements that were added; they may be changed in place.
func (w OpsWR) SGEs() []SGE {
	given(w.opsRecord != nil)
	return elements(unsafe.Pointer(w.opsRecord), w.sges, w.num, w.room)
}

// OpsBatch is an array of operations, linked in order. NewOpsBatch makes one.
type OpsBatch struct{ all requests[opsRecord] }

// NewOpsBatch makes a batch of operations. Arguments and errors are those of NewSendBatch.
func NewOpsBatch(wrs, sgesPerWR int) (*OpsBatch, error) {
	b := new(OpsBatch)
	err := b.all.make(wrs, sgesPerWR, nil, func(w *opsRecord, _ arena, sges uintptr) {
		w.sges, w.room, w.opcode = sges, uint32(sgesPerWR), opTagSync
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (b *OpsBatch) requests() *requests[opsRecord] {
	if b == nil {
		return nil
	}
	return &b.all
}

// WR returns operation i, counted from 0. Before its first use it is a SYNC that does nothing. It panics as SendBatch.WR does.
func (b *OpsBatch) WR(i int) OpsWR {
	if b == nil || b.all.use == nil {
		panic("dpath: the OpsBatch is nil or was never made; make one with NewOpsBatch")
	}
	if !b.all.use.free() {
		b.all.use.panics("OpsBatch")
	}
	return OpsWR{&b.all.wrs[i]}
}

// Len returns the number of operations, 0 after Close.
func (b *OpsBatch) Len() int { return b.requests().len() }

// Close ends the use of the batch, as SendBatch.Close does.
func (b *OpsBatch) Close() error { return b.requests().close() }

// OpsRange is a range of operations.
type OpsRange = Range[opsRecord]

// From returns the range of n operations from number first on. A post of it checks whether the batch has them.
func (b *OpsBatch) From(first, n int) OpsRange { return OpsRange{b.requests(), first, n} }

// PostSRQOpsRange posts a range to the list of tags of a shared receive queue (gate of a struct ibv_srq *): ibv_post_srq_ops(3). The
// results are those of PostSendRange.
func PostSRQOpsRange(srq *gate.Gate, r OpsRange) (posted int, errno syscall.Errno) {
	bad, errno := post(toTags, srq, r.batch, r.first, r.n)
	return r.posted(bad, errno), errno
}
