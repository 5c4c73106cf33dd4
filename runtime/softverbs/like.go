package softverbs

// capRXE61 are the bits of device_cap_flags that soft-RoCE has in Linux 6.1, but for registration by work requests (21), which this
// device has not.
const capRXE61 = 1<<1 | 1<<2 | 1<<4 | 1<<5 | 1<<6 | 1<<10 | 1<<11 | capRNRNakGen | capSRQResize | 1<<17 | 1<<24

// LikeRXE61 makes a device with the abilities, errors and limits of soft-RoCE in Linux 6.1. Options after it change
// this. Together with Release("44.0") it imitates the library with which the answers of soft-RoCE were recorded.
func LikeRXE61() Option {
	return func(s *settings) error {
		for _, o := range []Option{MaxDMSize(0), WithoutThreadDomains(), WithoutNullMR(), WithoutDMABuf(), WithoutRereg(), WithoutImport(),
			WithoutOp("advise_mr", "open_xrcd", "close_xrcd", "open_qp", "get_srq_num", "create_counters", "destroy_counters", "read_counters",
				"attach_counters_point_flow", "query_rt_values", "create_flow_action_esp", "modify_flow_action_esp", "destroy_flow_action",
				"ibv_create_flow", "ibv_destroy_flow", "modify_cq", "create_wq", "modify_wq", "destroy_wq", "create_rwq_ind_table",
				"destroy_rwq_ind_table"),
			ODP(0, 0, 0, 0), MRUnsupported(0), MRUnknown(accessOnDemand | accessFlushGlobal | accessFlushPersistent),
			CapFlags(capRXE61), MaxMRSize(1<<64 - 1), MaxMsgSize(8 << 20), OneKey(),
			WithoutRawPackets(), StandardFields()} {
			if err := o(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// LikeMLX5 makes a device that is as strict as mlx5 where soft-RoCE is lenient, so that programs fail in a test as they would
// on such a card. Options after it change this. What it does follows the source, and is compared with the real libmlx5 on an emulated
// card, not with a card (docs/card.md). providers/mlx5 is that of rdma-core v64.0, Linux is drivers/infiniband/hw/mlx5 at commit
// 002bf2282b2d for qp.c, which newer kernels have changed since, and at 0cfa80d3c398 for dm.c:
//
//   - A request has its place in a queue until a completion of it, or for sends of a later one, is polled. A program that posts
//     only unsignaled requests, or does not poll, fills the queue: ENOMEM (providers/mlx5/qp.c: mlx5_wq_overflow; cq.c moves the tail).
//     Requests of shared receive queues have theirs until they are used.
//   - retry_cnt 7 is a number, so a request to a dead peer ends with RETRY_EXC_ERR after 8 timeouts (qp.c of Linux hands it to the
//     card as it is). With soft-RoCE 7 is forever. rnr_retry 7 stays forever. While a receive is missing, no timeouts are counted;
//     soft-RoCE counts them (retransmit_timer in rxe_comp.c goes on). A receive that is posted late is in time.
//   - max_send_wr, max_inline_data, max_recv_wr and max_recv_sge are rounded up to what fits in descriptors of 64 bytes:
//     an RC or UC queue pair with one SGE can send 60 bytes inline without having asked, and 828 is the most (providers/mlx5/verbs.c:
//     mlx5_calc_send_wqe and what is around it). max_send_sge is not rounded: 52 are the most for RC, 60 for UD, whatever max_sge
//     is. A max_inline_data of 2^31 overflows, and 60 are granted. A queue that was asked for with 0 requests takes none.
//   - Shared receive queues have room for one less than a power of two, and 1, 3, 7, 15 or 31 elements in a request; ibv_query_srq counts
//     more (srq.c: mlx5_alloc_srq_buf). Their size cannot be changed.
//   - Some calls fail without errno: ibv_create_qp of type DRIVER, ibv_create_qp_ex with an unknown comp_mask, ibv_create_ah with a
//     port that is not there, ibv_open_xrcd with a wrong comp_mask.
//   - A region has one key for both ends, and ZERO_BASED and HUGETLB are ignored in ibv_reg_mr.
//   - A post to a send queue that was never in RTS fails with ENOMEM, so do too many SGEs and too much inline data; an
//     opcode that does not exist fails with EINVAL at once (providers/mlx5/qp.c: _mlx5_post_send; verbs.c: set_qp_operational_state).
//     A misaligned atomic is posted, and ends with an error.
//   - modify_qp refuses with EINVAL: every change into, in and out of SQD but to RESET and ERR, as the driver has no command for it;
//     an MTU of 0; a pkey_index outside the table; more than 16 reads and atomics under way, or to serve (Linux: optab and
//     the checks in mlx5_ib_modify_qp and __mlx5_ib_modify_qp; 16 is an example: each card reports its limit).
//   - RESET and the end of a queue pair take its completions out of their queues (providers/mlx5/verbs.c: mlx5_cq_clean).
//   - Device memory comes in units of 64 bytes, which count against max_dm_size; log_align_req may be 0 to 12, and less than 6
//     counts as 6; copies are of multiples of 4 bytes (Linux dm.c: mlx5_cmd_alloc_memic; providers/mlx5/verbs.c: mlx5_access_dm).
//     256 KiB of device memory and the 12 are examples: each card reports its limits.
//
// The access checks of regions, and verbs without a queue pair, work as on the default device, which imitates mlx5 for device memory.
func LikeMLX5() Option {
	return func(s *settings) error {
		strict := set(func(d *device) { d.mlx5 = true })
		for _, o := range []Option{Driver(driverMLX5), MaxDMSize(256 << 10), DMAlign(12), DMCopyAlign(4), OneKey(),
			MRUnsupported(0), strict} {
			if err := o(s); err != nil {
				return err
			}
		}
		return nil
	}
}
