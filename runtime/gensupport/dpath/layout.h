// What layout_cgo.go and window_cgo.go compare Go with: offsets, sizes and numbers of C, as sizes of arrays. Each is one more, as some are 0.
// Go gets all of them by the name of the struct; cgo would take 8 ms of each build for a name each.
#ifndef VERBSGEN_DPATH_LAYOUT_H
#define VERBSGEN_DPATH_LAYOUT_H

struct verbsgen_dpath_layout {
	char send_size[1 + sizeof(struct ibv_send_wr)];
	char send_id[1 + offsetof(struct ibv_send_wr, wr_id)];
	char send_next[1 + offsetof(struct ibv_send_wr, next)];
	char send_list[1 + offsetof(struct ibv_send_wr, sg_list)];
	char send_num[1 + offsetof(struct ibv_send_wr, num_sge)];
	char send_opcode[1 + offsetof(struct ibv_send_wr, opcode)];
	char send_flags[1 + offsetof(struct ibv_send_wr, send_flags)];
	char send_imm[1 + offsetof(struct ibv_send_wr, imm_data)];
	char rdma_addr[1 + offsetof(struct ibv_send_wr, wr.rdma.remote_addr)];
	char rdma_rkey[1 + offsetof(struct ibv_send_wr, wr.rdma.rkey)];
	char atomic_addr[1 + offsetof(struct ibv_send_wr, wr.atomic.remote_addr)];
	char atomic_compare[1 + offsetof(struct ibv_send_wr, wr.atomic.compare_add)];
	char atomic_swap[1 + offsetof(struct ibv_send_wr, wr.atomic.swap)];
	char atomic_rkey[1 + offsetof(struct ibv_send_wr, wr.atomic.rkey)];
	char atomic_last[1 + offsetof(struct ibv_send_wr, wr.atomic.rkey) + sizeof(uint32_t)];
	char send_qp_type[1 + offsetof(struct ibv_send_wr, qp_type)];
	char send_srqn[1 + offsetof(struct ibv_send_wr, qp_type.xrc.remote_srqn)];
	char send_bind[1 + offsetof(struct ibv_send_wr, bind_mw)];
	char tso_hdr_sz[1 + offsetof(struct ibv_send_wr, tso.hdr_sz)];
	char ud_ah[1 + offsetof(struct ibv_send_wr, wr.ud.ah)];
	char ud_qpn[1 + offsetof(struct ibv_send_wr, wr.ud.remote_qpn)];
	char ud_qkey[1 + offsetof(struct ibv_send_wr, wr.ud.remote_qkey)];
	char send_last[1 + offsetof(struct ibv_send_wr, bind_mw.bind_info.mw_access_flags) + sizeof(unsigned int)];

	char recv_size[1 + sizeof(struct ibv_recv_wr)];
	char recv_id[1 + offsetof(struct ibv_recv_wr, wr_id)];
	char recv_next[1 + offsetof(struct ibv_recv_wr, next)];
	char recv_list[1 + offsetof(struct ibv_recv_wr, sg_list)];
	char recv_num[1 + offsetof(struct ibv_recv_wr, num_sge)];
	char recv_last[1 + offsetof(struct ibv_recv_wr, num_sge) + sizeof(int)];

	char ops_size[1 + sizeof(struct ibv_ops_wr)];
	char ops_id[1 + offsetof(struct ibv_ops_wr, wr_id)];
	char ops_next[1 + offsetof(struct ibv_ops_wr, next)];
	char ops_opcode[1 + offsetof(struct ibv_ops_wr, opcode)];
	char ops_flags[1 + offsetof(struct ibv_ops_wr, flags)];
	char ops_count[1 + offsetof(struct ibv_ops_wr, tm.unexpected_cnt)];
	char ops_handle[1 + offsetof(struct ibv_ops_wr, tm.handle)];
	char ops_recv[1 + offsetof(struct ibv_ops_wr, tm.add.recv_wr_id)];
	char ops_list[1 + offsetof(struct ibv_ops_wr, tm.add.sg_list)];
	char ops_num[1 + offsetof(struct ibv_ops_wr, tm.add.num_sge)];
	char ops_last[1 + offsetof(struct ibv_ops_wr, tm.add.num_sge) + sizeof(int)];
	char ops_tag[1 + offsetof(struct ibv_ops_wr, tm.add.tag)];
	char ops_mask[1 + offsetof(struct ibv_ops_wr, tm.add.mask)];

	char sge_size[1 + sizeof(struct ibv_sge)];
	char sge_addr[1 + offsetof(struct ibv_sge, addr)];
	char sge_length[1 + offsetof(struct ibv_sge, length)];
	char sge_lkey[1 + offsetof(struct ibv_sge, lkey)];

	char wc_size[1 + sizeof(struct ibv_wc)];
	char wc_id[1 + offsetof(struct ibv_wc, wr_id)];
	char wc_status[1 + offsetof(struct ibv_wc, status)];
	char wc_opcode[1 + offsetof(struct ibv_wc, opcode)];
	char wc_vendor[1 + offsetof(struct ibv_wc, vendor_err)];
	char wc_len[1 + offsetof(struct ibv_wc, byte_len)];
	char wc_imm[1 + offsetof(struct ibv_wc, imm_data)];
	char wc_rkey[1 + offsetof(struct ibv_wc, invalidated_rkey)];
	char wc_qp[1 + offsetof(struct ibv_wc, qp_num)];
	char wc_src[1 + offsetof(struct ibv_wc, src_qp)];
	char wc_flags[1 + offsetof(struct ibv_wc, wc_flags)];
	char wc_pkey[1 + offsetof(struct ibv_wc, pkey_index)];
	char wc_slid[1 + offsetof(struct ibv_wc, slid)];
	char wc_sl[1 + offsetof(struct ibv_wc, sl)];
	char wc_bits[1 + offsetof(struct ibv_wc, dlid_path_bits)];

	char bind_mw[1 + offsetof(struct ibv_send_wr, bind_mw.mw) - offsetof(struct ibv_send_wr, wr)];
	char bind_rkey[1 + offsetof(struct ibv_send_wr, bind_mw.rkey) - offsetof(struct ibv_send_wr, wr)];
	char bind_rkey_end[1 + offsetof(struct ibv_send_wr, bind_mw.rkey) + sizeof(uint32_t) - offsetof(struct ibv_send_wr, wr)];
	char bind_info[1 + offsetof(struct ibv_send_wr, bind_mw.bind_info) - offsetof(struct ibv_send_wr, wr)];
	char bind_srqn[1 + offsetof(struct ibv_send_wr, qp_type.xrc.remote_srqn) - offsetof(struct ibv_send_wr, wr)];
	char bind_srqn_end[1 + offsetof(struct ibv_send_wr, qp_type) + sizeof(((struct ibv_send_wr *)0)->qp_type) - offsetof(struct ibv_send_wr, wr)];
	char bind_wr_end[1 + sizeof(((struct ibv_send_wr *)0)->wr)];

	char info_mr[1 + offsetof(struct ibv_mw_bind_info, mr)];
	char info_addr[1 + offsetof(struct ibv_mw_bind_info, addr)];
	char info_length[1 + offsetof(struct ibv_mw_bind_info, length)];
	char info_access[1 + offsetof(struct ibv_mw_bind_info, mw_access_flags)];

	char mw_bind_id[1 + offsetof(struct ibv_mw_bind, wr_id)];
	char mw_bind_flags[1 + offsetof(struct ibv_mw_bind, send_flags)];
	char mw_bind_info[1 + offsetof(struct ibv_mw_bind, bind_info)];

	char wr_rdma_write[1 + IBV_WR_RDMA_WRITE];
	char wr_rdma_write_with_imm[1 + IBV_WR_RDMA_WRITE_WITH_IMM];
	char wr_send[1 + IBV_WR_SEND];
	char wr_send_with_imm[1 + IBV_WR_SEND_WITH_IMM];
	char wr_rdma_read[1 + IBV_WR_RDMA_READ];
	char wr_atomic_cmp_and_swp[1 + IBV_WR_ATOMIC_CMP_AND_SWP];
	char wr_atomic_fetch_and_add[1 + IBV_WR_ATOMIC_FETCH_AND_ADD];
	char wr_local_inv[1 + IBV_WR_LOCAL_INV];
	char wr_tso[1 + IBV_WR_TSO];
	char wr_flush[1 + IBV_WR_FLUSH];
	char wr_atomic_write[1 + IBV_WR_ATOMIC_WRITE];
	char wr_send_with_inv[1 + IBV_WR_SEND_WITH_INV];
	char wr_tag_add[1 + IBV_WR_TAG_ADD];
	char wr_tag_del[1 + IBV_WR_TAG_DEL];
	char wr_tag_sync[1 + IBV_WR_TAG_SYNC];
	char ops_signaled[1 + IBV_OPS_SIGNALED];
	char ops_tm_sync[1 + IBV_OPS_TM_SYNC];
	char send_fence[1 + IBV_SEND_FENCE];
	char send_signaled[1 + IBV_SEND_SIGNALED];
	char send_solicited[1 + IBV_SEND_SOLICITED];
	char send_inline[1 + IBV_SEND_INLINE];
	char send_ip_csum[1 + IBV_SEND_IP_CSUM];
	char wc_grh[1 + IBV_WC_GRH];
	char wc_with_imm[1 + IBV_WC_WITH_IMM];
	char wc_with_inv[1 + IBV_WC_WITH_INV];
	char wr_bind_mw[1 + IBV_WR_BIND_MW];
};

// Where no union or field of its own width is assigned from Go, the width must be that of the Go field.
_Static_assert(sizeof(enum ibv_wr_opcode) == 4 && sizeof(enum ibv_ops_wr_opcode) == 4 && sizeof(enum ibv_wc_status) == 4 &&
	sizeof(enum ibv_wc_opcode) == 4, "enums");
_Static_assert(sizeof(int) == 4 && sizeof(void *) == sizeof(uintptr_t), "int and pointers");

#endif
