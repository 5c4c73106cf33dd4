//go:build linux && cgo

package dpath

// Layouts and numbers of this package against those of C, at compile time: an index that is not 0 does not compile. When one
// does not, correct the Go type; the C side, layout.h, is the ABI.

import "unsafe"

var (
	sendWR SendRequest
	recvWR RecvRequest
	opsWR  opsRecord
	sge    SGE
	wc     WC
	inC    layout
)

// none has one element: only the index 0 compiles.
type none = [1]struct{}

var (
	_ = none{}[unsafe.Sizeof(sendWR)+1-unsafe.Sizeof(inC.send_size)]
	_ = none{}[unsafe.Offsetof(sendWR.ID)+1-unsafe.Sizeof(inC.send_id)]
	_ = none{}[unsafe.Offsetof(sendWR.next)+1-unsafe.Sizeof(inC.send_next)]
	_ = none{}[unsafe.Offsetof(sendWR.sges)+1-unsafe.Sizeof(inC.send_list)]
	_ = none{}[unsafe.Offsetof(sendWR.num)+1-unsafe.Sizeof(inC.send_num)]
	_ = none{}[unsafe.Offsetof(sendWR.Opcode)+1-unsafe.Sizeof(inC.send_opcode)]
	_ = none{}[unsafe.Offsetof(sendWR.Flags)+1-unsafe.Sizeof(inC.send_flags)]
	_ = none{}[unsafe.Offsetof(sendWR.Imm)+1-unsafe.Sizeof(inC.send_imm)]
	_ = none{}[unsafe.Offsetof(sendWR.Remote)+1-unsafe.Sizeof(inC.rdma_addr)]
	_ = none{}[unsafe.Offsetof(sendWR.Remote)+1-unsafe.Sizeof(inC.atomic_addr)]
	_ = none{}[unsafe.Offsetof(sendWR.Remote)+1-unsafe.Sizeof(inC.ud_ah)]
	_ = none{}[unsafe.Offsetof(sendWR.second)+1-unsafe.Sizeof(inC.rdma_rkey)]
	_ = none{}[unsafe.Offsetof(sendWR.second)+1-unsafe.Sizeof(inC.atomic_compare)]
	_ = none{}[unsafe.Offsetof(sendWR.second)+1-unsafe.Sizeof(inC.ud_qpn)]
	_ = none{}[unsafe.Offsetof(sendWR.second)+5-unsafe.Sizeof(inC.ud_qkey)]
	_ = none{}[unsafe.Offsetof(sendWR.Swap)+1-unsafe.Sizeof(inC.atomic_swap)]
	_ = none{}[unsafe.Offsetof(sendWR.Key)+1-unsafe.Sizeof(inC.atomic_rkey)]
	_ = none{}[unsafe.Offsetof(sendWR.inline)+1-unsafe.Sizeof(inC.atomic_last)]  // padding: behind the longest member,
	_ = none{}[unsafe.Offsetof(sendWR.inline)+5-unsafe.Sizeof(inC.send_qp_type)] // and before the next
	_ = none{}[unsafe.Offsetof(sendWR.SRQN)+1-unsafe.Sizeof(inC.send_srqn)]
	_ = none{}[unsafe.Offsetof(sendWR.entry)+1-unsafe.Sizeof(inC.send_bind)]
	_ = none{}[unsafe.Offsetof(sendWR.serial)+1-unsafe.Sizeof(inC.send_bind)-8]
	_ = none{}[unsafe.Offsetof(sendWR.serial)+1-unsafe.Sizeof(inC.tso_hdr_sz)] // SendTSO sets it to 0
	_ = none{}[unsafe.Offsetof(sendWR.room)+1-unsafe.Sizeof(inC.send_last)]    // behind the last field of C
)

var (
	_ = none{}[unsafe.Offsetof(head{}.next)+1-unsafe.Sizeof(inC.send_next)]
	_ = none{}[unsafe.Offsetof(head{}.next)+1-unsafe.Sizeof(inC.recv_next)]
	_ = none{}[unsafe.Offsetof(head{}.next)+1-unsafe.Sizeof(inC.ops_next)]
	_ = none{}[unsafe.Sizeof(recvWR)+1-unsafe.Sizeof(inC.recv_size)]
	_ = none{}[unsafe.Offsetof(recvWR.ID)+1-unsafe.Sizeof(inC.recv_id)]
	_ = none{}[unsafe.Offsetof(recvWR.next)+1-unsafe.Sizeof(inC.recv_next)]
	_ = none{}[unsafe.Offsetof(recvWR.sges)+1-unsafe.Sizeof(inC.recv_list)]
	_ = none{}[unsafe.Offsetof(recvWR.num)+1-unsafe.Sizeof(inC.recv_num)]
	_ = none{}[unsafe.Offsetof(recvWR.room)+1-unsafe.Sizeof(inC.recv_last)] // behind the last field of C
	_ = none{}[unsafe.Sizeof(sge)+1-unsafe.Sizeof(inC.sge_size)]
	_ = none{}[unsafe.Offsetof(sge.Addr)+1-unsafe.Sizeof(inC.sge_addr)]
	_ = none{}[unsafe.Offsetof(sge.Length)+1-unsafe.Sizeof(inC.sge_length)]
	_ = none{}[unsafe.Offsetof(sge.LKey)+1-unsafe.Sizeof(inC.sge_lkey)]
)

var (
	_ = none{}[unsafe.Sizeof(opsWR)+1-unsafe.Sizeof(inC.ops_size)]
	_ = none{}[unsafe.Offsetof(opsWR.id)+1-unsafe.Sizeof(inC.ops_id)]
	_ = none{}[unsafe.Offsetof(opsWR.next)+1-unsafe.Sizeof(inC.ops_next)]
	_ = none{}[unsafe.Offsetof(opsWR.opcode)+1-unsafe.Sizeof(inC.ops_opcode)]
	_ = none{}[unsafe.Offsetof(opsWR.flags)+1-unsafe.Sizeof(inC.ops_flags)]
	_ = none{}[unsafe.Offsetof(opsWR.count)+1-unsafe.Sizeof(inC.ops_count)]
	_ = none{}[unsafe.Offsetof(opsWR.handle)+1-unsafe.Sizeof(inC.ops_handle)]
	_ = none{}[unsafe.Offsetof(opsWR.recv)+1-unsafe.Sizeof(inC.ops_recv)]
	_ = none{}[unsafe.Offsetof(opsWR.sges)+1-unsafe.Sizeof(inC.ops_list)]
	_ = none{}[unsafe.Offsetof(opsWR.num)+1-unsafe.Sizeof(inC.ops_num)]
	_ = none{}[unsafe.Offsetof(opsWR.room)+1-unsafe.Sizeof(inC.ops_last)] // padding: tag is aligned
	_ = none{}[unsafe.Offsetof(opsWR.tag)+1-unsafe.Sizeof(inC.ops_tag)]
	_ = none{}[unsafe.Offsetof(opsWR.mask)+1-unsafe.Sizeof(inC.ops_mask)]
)

var (
	_ = none{}[unsafe.Sizeof(wc)+1-unsafe.Sizeof(inC.wc_size)]
	_ = none{}[unsafe.Offsetof(wc.ID)+1-unsafe.Sizeof(inC.wc_id)]
	_ = none{}[unsafe.Offsetof(wc.Status)+1-unsafe.Sizeof(inC.wc_status)]
	_ = none{}[unsafe.Offsetof(wc.Opcode)+1-unsafe.Sizeof(inC.wc_opcode)]
	_ = none{}[unsafe.Offsetof(wc.VendorErr)+1-unsafe.Sizeof(inC.wc_vendor)]
	_ = none{}[unsafe.Offsetof(wc.ByteLen)+1-unsafe.Sizeof(inC.wc_len)]
	_ = none{}[unsafe.Offsetof(wc.ImmData)+1-unsafe.Sizeof(inC.wc_imm)]
	_ = none{}[unsafe.Offsetof(wc.ImmData)+1-unsafe.Sizeof(inC.wc_rkey)]
	_ = none{}[unsafe.Offsetof(wc.QPNum)+1-unsafe.Sizeof(inC.wc_qp)]
	_ = none{}[unsafe.Offsetof(wc.SrcQP)+1-unsafe.Sizeof(inC.wc_src)]
	_ = none{}[unsafe.Offsetof(wc.Flags)+1-unsafe.Sizeof(inC.wc_flags)]
	_ = none{}[unsafe.Offsetof(wc.PKeyIndex)+1-unsafe.Sizeof(inC.wc_pkey)]
	_ = none{}[unsafe.Offsetof(wc.SLID)+1-unsafe.Sizeof(inC.wc_slid)]
	_ = none{}[unsafe.Offsetof(wc.SL)+1-unsafe.Sizeof(inC.wc_sl)]
	_ = none{}[unsafe.Offsetof(wc.DLIDPathBits)+1-unsafe.Sizeof(inC.wc_bits)]
)

var (
	_ = none{}[uintptr(opWrite)+1-unsafe.Sizeof(inC.wr_rdma_write)]
	_ = none{}[uintptr(opWriteImm)+1-unsafe.Sizeof(inC.wr_rdma_write_with_imm)]
	_ = none{}[uintptr(opSend)+1-unsafe.Sizeof(inC.wr_send)]
	_ = none{}[uintptr(opSendImm)+1-unsafe.Sizeof(inC.wr_send_with_imm)]
	_ = none{}[uintptr(opRead)+1-unsafe.Sizeof(inC.wr_rdma_read)]
	_ = none{}[uintptr(opCompareSwap)+1-unsafe.Sizeof(inC.wr_atomic_cmp_and_swp)]
	_ = none{}[uintptr(opFetchAdd)+1-unsafe.Sizeof(inC.wr_atomic_fetch_and_add)]
	_ = none{}[uintptr(opLocalInv)+1-unsafe.Sizeof(inC.wr_local_inv)]
	_ = none{}[uintptr(opTSO)+1-unsafe.Sizeof(inC.wr_tso)]
	_ = none{}[uintptr(opFlush)+1-unsafe.Sizeof(inC.wr_flush)]
	_ = none{}[uintptr(opAtomicWrite)+1-unsafe.Sizeof(inC.wr_atomic_write)]
	_ = none{}[uintptr(opSendInv)+1-unsafe.Sizeof(inC.wr_send_with_inv)]
	_ = none{}[uintptr(opTagAdd)+1-unsafe.Sizeof(inC.wr_tag_add)]
	_ = none{}[uintptr(opTagDel)+1-unsafe.Sizeof(inC.wr_tag_del)]
	_ = none{}[uintptr(opTagSync)+1-unsafe.Sizeof(inC.wr_tag_sync)]
	_ = none{}[uintptr(flagOpsSignaled)+1-unsafe.Sizeof(inC.ops_signaled)]
	_ = none{}[uintptr(flagOpsSync)+1-unsafe.Sizeof(inC.ops_tm_sync)]
	_ = none{}[uintptr(flagFence)+1-unsafe.Sizeof(inC.send_fence)]
	_ = none{}[uintptr(flagSignaled)+1-unsafe.Sizeof(inC.send_signaled)]
	_ = none{}[uintptr(flagSolicited)+1-unsafe.Sizeof(inC.send_solicited)]
	_ = none{}[uintptr(flagInline)+1-unsafe.Sizeof(inC.send_inline)]
	_ = none{}[uintptr(flagIPChecksum)+1-unsafe.Sizeof(inC.send_ip_csum)]
	_ = none{}[uintptr(wcGRH)+1-unsafe.Sizeof(inC.wc_grh)]
	_ = none{}[uintptr(wcWithImm)+1-unsafe.Sizeof(inC.wc_with_imm)]
	_ = none{}[uintptr(wcWithInv)+1-unsafe.Sizeof(inC.wc_with_inv)]
)

// The views of requests are those of direct.go.
var (
	_ = none{}[unsafe.Sizeof(SendRequest{})-unsafe.Sizeof(SendRequest{})]
	_ = none{}[unsafe.Offsetof(SendRequest{}.room)-unsafe.Offsetof(SendRequest{}.room)]
	_ = none{}[unsafe.Offsetof(SendRequest{}.SRQN)-unsafe.Offsetof(SendRequest{}.SRQN)]
	_ = none{}[unsafe.Offsetof(SendRequest{}.Key)-unsafe.Offsetof(SendRequest{}.Key)]
	_ = none{}[unsafe.Offsetof(SendRequest{}.Imm)-unsafe.Offsetof(SendRequest{}.Imm)]
	_ = none{}[unsafe.Sizeof(RecvRequest{})-unsafe.Sizeof(RecvRequest{})]
)
