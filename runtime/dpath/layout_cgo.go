//go:build linux && cgo

package dpath

// Layouts and numbers of this package against those of C, at compile time: an index that is not 0 does not compile. When one
// does not, correct the Go type; the C side is the ABI.

/*
#include <stddef.h>
#include "verbs_abi.h"

enum {
	dp_send_size = sizeof(struct ibv_send_wr),
	dp_send_id = offsetof(struct ibv_send_wr, wr_id),
	dp_send_next = offsetof(struct ibv_send_wr, next),
	dp_send_list = offsetof(struct ibv_send_wr, sg_list),
	dp_send_num = offsetof(struct ibv_send_wr, num_sge),
	dp_send_opcode = offsetof(struct ibv_send_wr, opcode),
	dp_send_flags = offsetof(struct ibv_send_wr, send_flags),
	dp_send_imm = offsetof(struct ibv_send_wr, imm_data),
	dp_rdma_addr = offsetof(struct ibv_send_wr, wr.rdma.remote_addr),
	dp_rdma_rkey = offsetof(struct ibv_send_wr, wr.rdma.rkey),
	dp_atomic_addr = offsetof(struct ibv_send_wr, wr.atomic.remote_addr),
	dp_atomic_compare = offsetof(struct ibv_send_wr, wr.atomic.compare_add),
	dp_atomic_swap = offsetof(struct ibv_send_wr, wr.atomic.swap),
	dp_atomic_rkey = offsetof(struct ibv_send_wr, wr.atomic.rkey),
	dp_atomic_last = offsetof(struct ibv_send_wr, wr.atomic.rkey) + sizeof(uint32_t),
	dp_send_qp_type = offsetof(struct ibv_send_wr, qp_type),
	dp_send_srqn = offsetof(struct ibv_send_wr, qp_type.xrc.remote_srqn),
	dp_send_bind = offsetof(struct ibv_send_wr, bind_mw),
	dp_tso_hdr_sz = offsetof(struct ibv_send_wr, tso.hdr_sz),
	dp_ud_ah = offsetof(struct ibv_send_wr, wr.ud.ah),
	dp_ud_qpn = offsetof(struct ibv_send_wr, wr.ud.remote_qpn),
	dp_ud_qkey = offsetof(struct ibv_send_wr, wr.ud.remote_qkey),
	dp_send_last = offsetof(struct ibv_send_wr, bind_mw.bind_info.mw_access_flags) + sizeof(unsigned int),

	dp_recv_size = sizeof(struct ibv_recv_wr),
	dp_recv_id = offsetof(struct ibv_recv_wr, wr_id),
	dp_recv_next = offsetof(struct ibv_recv_wr, next),
	dp_recv_list = offsetof(struct ibv_recv_wr, sg_list),
	dp_recv_num = offsetof(struct ibv_recv_wr, num_sge),
	dp_recv_last = offsetof(struct ibv_recv_wr, num_sge) + sizeof(int),

	dp_ops_size = sizeof(struct ibv_ops_wr),
	dp_ops_id = offsetof(struct ibv_ops_wr, wr_id),
	dp_ops_next = offsetof(struct ibv_ops_wr, next),
	dp_ops_opcode = offsetof(struct ibv_ops_wr, opcode),
	dp_ops_flags = offsetof(struct ibv_ops_wr, flags),
	dp_ops_count = offsetof(struct ibv_ops_wr, tm.unexpected_cnt),
	dp_ops_handle = offsetof(struct ibv_ops_wr, tm.handle),
	dp_ops_recv = offsetof(struct ibv_ops_wr, tm.add.recv_wr_id),
	dp_ops_list = offsetof(struct ibv_ops_wr, tm.add.sg_list),
	dp_ops_num = offsetof(struct ibv_ops_wr, tm.add.num_sge),
	dp_ops_last = offsetof(struct ibv_ops_wr, tm.add.num_sge) + sizeof(int),
	dp_ops_tag = offsetof(struct ibv_ops_wr, tm.add.tag),
	dp_ops_mask = offsetof(struct ibv_ops_wr, tm.add.mask),

	dp_sge_size = sizeof(struct ibv_sge),
	dp_sge_addr = offsetof(struct ibv_sge, addr),
	dp_sge_length = offsetof(struct ibv_sge, length),
	dp_sge_lkey = offsetof(struct ibv_sge, lkey),

	dp_wc_size = sizeof(struct ibv_wc),
	dp_wc_id = offsetof(struct ibv_wc, wr_id),
	dp_wc_status = offsetof(struct ibv_wc, status),
	dp_wc_opcode = offsetof(struct ibv_wc, opcode),
	dp_wc_vendor = offsetof(struct ibv_wc, vendor_err),
	dp_wc_len = offsetof(struct ibv_wc, byte_len),
	dp_wc_imm = offsetof(struct ibv_wc, imm_data),
	dp_wc_rkey = offsetof(struct ibv_wc, invalidated_rkey),
	dp_wc_qp = offsetof(struct ibv_wc, qp_num),
	dp_wc_src = offsetof(struct ibv_wc, src_qp),
	dp_wc_flags = offsetof(struct ibv_wc, wc_flags),
	dp_wc_pkey = offsetof(struct ibv_wc, pkey_index),
	dp_wc_slid = offsetof(struct ibv_wc, slid),
	dp_wc_sl = offsetof(struct ibv_wc, sl),
	dp_wc_bits = offsetof(struct ibv_wc, dlid_path_bits),
};

// Where no union or field of its own width is assigned from Go, the width must be that of the Go field.
_Static_assert(sizeof(enum ibv_wr_opcode) == 4 && sizeof(enum ibv_ops_wr_opcode) == 4 && sizeof(enum ibv_wc_status) == 4 &&
	sizeof(enum ibv_wc_opcode) == 4, "enums");
_Static_assert(sizeof(int) == 4 && sizeof(void *) == sizeof(uintptr_t), "int and pointers");
*/
import "C"

import (
	"unsafe"
)

var (
	sendWR sendRecord
	recvWR recvRecord
	opsWR  opsRecord
	sge    SGE
	wc     WC
)

// none has one element: only the index 0 compiles.
type none = [1]struct{}

var (
	_ = none{}[unsafe.Sizeof(sendWR)-C.dp_send_size]
	_ = none{}[unsafe.Offsetof(sendWR.id)-C.dp_send_id]
	_ = none{}[unsafe.Offsetof(sendWR.next)-C.dp_send_next]
	_ = none{}[unsafe.Offsetof(sendWR.sges)-C.dp_send_list]
	_ = none{}[unsafe.Offsetof(sendWR.num)-C.dp_send_num]
	_ = none{}[unsafe.Offsetof(sendWR.opcode)-C.dp_send_opcode]
	_ = none{}[unsafe.Offsetof(sendWR.flags)-C.dp_send_flags]
	_ = none{}[unsafe.Offsetof(sendWR.imm)-C.dp_send_imm]
	_ = none{}[unsafe.Offsetof(sendWR.remote)-C.dp_rdma_addr]
	_ = none{}[unsafe.Offsetof(sendWR.remote)-C.dp_atomic_addr]
	_ = none{}[unsafe.Offsetof(sendWR.remote)-C.dp_ud_ah]
	_ = none{}[unsafe.Offsetof(sendWR.second)-C.dp_rdma_rkey]
	_ = none{}[unsafe.Offsetof(sendWR.second)-C.dp_atomic_compare]
	_ = none{}[unsafe.Offsetof(sendWR.second)-C.dp_ud_qpn]
	_ = none{}[unsafe.Offsetof(sendWR.second)+4-C.dp_ud_qkey]
	_ = none{}[unsafe.Offsetof(sendWR.swap)-C.dp_atomic_swap]
	_ = none{}[unsafe.Offsetof(sendWR.rkey)-C.dp_atomic_rkey]
	_ = none{}[unsafe.Offsetof(sendWR.inline)-C.dp_atomic_last]    // padding: behind the longest member,
	_ = none{}[unsafe.Offsetof(sendWR.inline)+4-C.dp_send_qp_type] // and before the next
	_ = none{}[unsafe.Offsetof(sendWR.srqn)-C.dp_send_srqn]
	_ = none{}[unsafe.Offsetof(sendWR.entry)-C.dp_send_bind]
	_ = none{}[unsafe.Offsetof(sendWR.serial)-C.dp_send_bind-8]
	_ = none{}[unsafe.Offsetof(sendWR.serial)-C.dp_tso_hdr_sz] // SendTSO sets it to 0
	_ = none{}[unsafe.Offsetof(sendWR.room)-C.dp_send_last]    // behind the last field of C
)

var (
	_ = none{}[unsafe.Offsetof(head{}.next)-C.dp_send_next]
	_ = none{}[unsafe.Offsetof(head{}.next)-C.dp_recv_next]
	_ = none{}[unsafe.Offsetof(head{}.next)-C.dp_ops_next]
	_ = none{}[unsafe.Sizeof(recvWR)-C.dp_recv_size]
	_ = none{}[unsafe.Offsetof(recvWR.id)-C.dp_recv_id]
	_ = none{}[unsafe.Offsetof(recvWR.next)-C.dp_recv_next]
	_ = none{}[unsafe.Offsetof(recvWR.sges)-C.dp_recv_list]
	_ = none{}[unsafe.Offsetof(recvWR.num)-C.dp_recv_num]
	_ = none{}[unsafe.Offsetof(recvWR.room)-C.dp_recv_last] // behind the last field of C
	_ = none{}[unsafe.Sizeof(sge)-C.dp_sge_size]
	_ = none{}[unsafe.Offsetof(sge.Addr)-C.dp_sge_addr]
	_ = none{}[unsafe.Offsetof(sge.Length)-C.dp_sge_length]
	_ = none{}[unsafe.Offsetof(sge.LKey)-C.dp_sge_lkey]
)

var (
	_ = none{}[unsafe.Sizeof(opsWR)-C.dp_ops_size]
	_ = none{}[unsafe.Offsetof(opsWR.id)-C.dp_ops_id]
	_ = none{}[unsafe.Offsetof(opsWR.next)-C.dp_ops_next]
	_ = none{}[unsafe.Offsetof(opsWR.opcode)-C.dp_ops_opcode]
	_ = none{}[unsafe.Offsetof(opsWR.flags)-C.dp_ops_flags]
	_ = none{}[unsafe.Offsetof(opsWR.count)-C.dp_ops_count]
	_ = none{}[unsafe.Offsetof(opsWR.handle)-C.dp_ops_handle]
	_ = none{}[unsafe.Offsetof(opsWR.recv)-C.dp_ops_recv]
	_ = none{}[unsafe.Offsetof(opsWR.sges)-C.dp_ops_list]
	_ = none{}[unsafe.Offsetof(opsWR.num)-C.dp_ops_num]
	_ = none{}[unsafe.Offsetof(opsWR.room)-C.dp_ops_last] // padding: tag is aligned
	_ = none{}[unsafe.Offsetof(opsWR.tag)-C.dp_ops_tag]
	_ = none{}[unsafe.Offsetof(opsWR.mask)-C.dp_ops_mask]
)

var (
	_ = none{}[unsafe.Sizeof(wc)-C.dp_wc_size]
	_ = none{}[unsafe.Offsetof(wc.ID)-C.dp_wc_id]
	_ = none{}[unsafe.Offsetof(wc.Status)-C.dp_wc_status]
	_ = none{}[unsafe.Offsetof(wc.Opcode)-C.dp_wc_opcode]
	_ = none{}[unsafe.Offsetof(wc.VendorErr)-C.dp_wc_vendor]
	_ = none{}[unsafe.Offsetof(wc.ByteLen)-C.dp_wc_len]
	_ = none{}[unsafe.Offsetof(wc.ImmData)-C.dp_wc_imm]
	_ = none{}[unsafe.Offsetof(wc.ImmData)-C.dp_wc_rkey]
	_ = none{}[unsafe.Offsetof(wc.QPNum)-C.dp_wc_qp]
	_ = none{}[unsafe.Offsetof(wc.SrcQP)-C.dp_wc_src]
	_ = none{}[unsafe.Offsetof(wc.Flags)-C.dp_wc_flags]
	_ = none{}[unsafe.Offsetof(wc.PKeyIndex)-C.dp_wc_pkey]
	_ = none{}[unsafe.Offsetof(wc.SLID)-C.dp_wc_slid]
	_ = none{}[unsafe.Offsetof(wc.SL)-C.dp_wc_sl]
	_ = none{}[unsafe.Offsetof(wc.DLIDPathBits)-C.dp_wc_bits]
)

var (
	_ = none{}[opWrite-C.IBV_WR_RDMA_WRITE]
	_ = none{}[opWriteImm-C.IBV_WR_RDMA_WRITE_WITH_IMM]
	_ = none{}[opSend-C.IBV_WR_SEND]
	_ = none{}[opSendImm-C.IBV_WR_SEND_WITH_IMM]
	_ = none{}[opRead-C.IBV_WR_RDMA_READ]
	_ = none{}[opCompareSwap-C.IBV_WR_ATOMIC_CMP_AND_SWP]
	_ = none{}[opFetchAdd-C.IBV_WR_ATOMIC_FETCH_AND_ADD]
	_ = none{}[opLocalInv-C.IBV_WR_LOCAL_INV]
	_ = none{}[opTSO-C.IBV_WR_TSO]
	_ = none{}[opFlush-C.IBV_WR_FLUSH]
	_ = none{}[opAtomicWrite-C.IBV_WR_ATOMIC_WRITE]
	_ = none{}[opSendInv-C.IBV_WR_SEND_WITH_INV]
	_ = none{}[opTagAdd-C.IBV_WR_TAG_ADD]
	_ = none{}[opTagDel-C.IBV_WR_TAG_DEL]
	_ = none{}[opTagSync-C.IBV_WR_TAG_SYNC]
	_ = none{}[flagOpsSignaled-C.IBV_OPS_SIGNALED]
	_ = none{}[flagOpsSync-C.IBV_OPS_TM_SYNC]
	_ = none{}[flagFence-C.IBV_SEND_FENCE]
	_ = none{}[flagSignaled-C.IBV_SEND_SIGNALED]
	_ = none{}[flagSolicited-C.IBV_SEND_SOLICITED]
	_ = none{}[flagInline-C.IBV_SEND_INLINE]
	_ = none{}[flagIPChecksum-C.IBV_SEND_IP_CSUM]
	_ = none{}[wcGRH-C.IBV_WC_GRH]
	_ = none{}[wcWithImm-C.IBV_WC_WITH_IMM]
	_ = none{}[wcWithInv-C.IBV_WC_WITH_INV]
)
