package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// limits lists, by capability, what may not be larger; a transcription of its own of what the fields of struct
// ibv_device_attr, ibv_port_attr and ibv_qp_cap mean.
var limits = map[string]string{
	"device_attr.phys_port_cnt": "ibv_create_ah attr.port_num, ibv_create_ah_from_wc port_num, " +
		"ibv_init_ah_from_wc port_num, ibv_get_pkey_index port_num, ibv_modify_qp attr.port_num, ibv_query_gid port_num, ibv_query_pkey " +
		"port_num, ibv_query_port port_num, ibv_modify_qp attr.ah_attr.port_num, ibv_modify_qp attr.alt_port_num, ibv_create_flow " +
		"flow.port, ibv_resolve_eth_l2_from_gid attr.port_num",
	"device_attr_ex.phys_port_cnt_ex": "ibv_query_gid_ex port_num, ibv_query_port port_num, " +
		"ibv_query_port_speed port_num",
	"device_attr.max_sge_rd":         "ibv_post_send wr[].num_sge",
	"device_attr_ex.tm_caps.max_sge": "ibv_post_srq_ops op[].tm.add.num_sge",
	"device_attr_ex.tm_caps.max_ops": "ibv_create_srq_ex srq_init_attr_ex.tm_cap.max_ops",
	"device_attr_ex.max_dm_size":     "ibv_alloc_dm attr.length",
	"device_attr.max_mr_size":        "ibv_reg_mr length, ibv_reg_mr_iova length, ibv_reg_mr_ex mr_init_attr.length",
	"device_attr.max_cqe":            "ibv_create_cq cqe, ibv_create_cq_ex cq_attr.cqe, ibv_resize_cq cqe",
	"device_attr.max_qp_wr": "ibv_create_qp qp_init_attr.cap.max_send_wr, ibv_create_qp " +
		"qp_init_attr.cap.max_recv_wr, ibv_create_qp_ex qp_init_attr_ex.cap.max_send_wr, ibv_create_qp_ex " +
		"qp_init_attr_ex.cap.max_recv_wr, ibv_create_wq wq_init_attr.max_wr",
	"device_attr.max_sge": "ibv_create_qp qp_init_attr.cap.max_send_sge, ibv_create_qp " +
		"qp_init_attr.cap.max_recv_sge, ibv_create_qp_ex qp_init_attr_ex.cap.max_send_sge, ibv_create_qp_ex " +
		"qp_init_attr_ex.cap.max_recv_sge, ibv_create_wq wq_init_attr.max_sge",
	"device_attr.max_srq_wr": "ibv_create_srq srq_init_attr.attr.max_wr, ibv_create_srq_ex " +
		"srq_init_attr_ex.attr.max_wr, ibv_modify_srq srq_attr.max_wr, ibv_modify_srq srq_attr.srq_limit",
	"device_attr.max_srq_sge": "ibv_create_srq srq_init_attr.attr.max_sge, ibv_create_srq_ex " +
		"srq_init_attr_ex.attr.max_sge",
	"device_attr_ex.tm_caps.max_num_tags":                    "ibv_create_srq_ex srq_init_attr_ex.tm_cap.max_num_tags",
	"device_attr_ex.rss_caps.max_rwq_indirection_table_size": "ibv_create_rwq_ind_table init_attr.log_ind_tbl_size",
	"srq_attr.max_wr":                 "ibv_modify_srq srq_attr.srq_limit",
	"device_attr.max_qp_init_rd_atom": "ibv_modify_qp attr.max_rd_atomic",
	"device_attr.max_qp_rd_atom":      "ibv_modify_qp attr.max_dest_rd_atomic",
	"qp.cap.max_send_sge":             "ibv_post_send wr[].num_sge, ibv_wr_set_sge_list num_sge",
	"qp.cap.max_recv_sge":             "ibv_post_recv wr[].num_sge",
	"qp.cap.max_inline_data": "ibv_post_send wr[].sg_list[].length, ibv_wr_set_inline_data length, " +
		"ibv_wr_set_inline_data_list buf_list[].length",
	"port_attr[port_num].gid_tbl_len >":                      "ibv_query_gid index, ibv_query_gid_ex gid_index",
	"port_attr[attr.port_num].pkey_tbl_len >":                "ibv_modify_qp attr.pkey_index",
	"port_attr[attr.alt_port_num].pkey_tbl_len >":            "ibv_modify_qp attr.alt_pkey_index",
	"port_attr[attr.ah_attr.port_num].active_mtu >=":         "ibv_modify_qp attr.path_mtu",
	"port_attr[attr.ah_attr.port_num].gid_tbl_len >":         "ibv_modify_qp attr.ah_attr.grh.sgid_index",
	"port_attr[attr.alt_ah_attr.port_num].gid_tbl_len >":     "ibv_modify_qp attr.alt_ah_attr.grh.sgid_index",
	"port_attr[port_num].pkey_tbl_len >":                     "ibv_query_pkey index",
	"srq_attr.max_sge":                                       "ibv_post_srq_recv recv_wr[].num_sge",
	"device_attr_ex.cq_mod_caps.max_cq_count":                "ibv_modify_cq attr.moderate.cq_count",
	"device_attr_ex.cq_mod_caps.max_cq_period":               "ibv_modify_cq attr.moderate.cq_period",
	"device_attr_ex.tso_caps.max_tso":                        "ibv_post_send wr[].sg_list[].length",
	"device_attr_ex.packet_pacing_caps.qp_rate_limit_max":    "ibv_modify_qp attr.rate_limit",
	"device_attr_ex.packet_pacing_caps.qp_rate_limit_min <=": "ibv_modify_qp attr.rate_limit, ibv_modify_qp_rate_limit attr.rate_limit",
	"context.num_comp_vectors >":                             "ibv_create_cq comp_vector, ibv_create_cq_ex cq_attr.comp_vector",
	"device_attr.max_pkeys >":                                "ibv_modify_qp attr.pkey_index",
	"port_attr[attr.port_num].gid_tbl_len >":                 "ibv_create_ah attr.grh.sgid_index",
	"comp_cntr_caps.max_counters >":                          "ibv_create_comp_cntr 0",
	"device_attr.max_srq >":                                  "ibv_create_srq 0, ibv_create_srq_ex 0",
	"device_attr_ex.max_wq_type_rq >":                        "ibv_create_wq 0",
	"comp_cntr_caps.max_value":                               "ibv_set_comp_cntr value, ibv_set_err_comp_cntr value",
}

// supports returns the mask of types of queue pairs that has one of them.
func supports(qpType int) string { return fmt.Sprintf("0x%x", 1<<qpType) }

// Types of queue pairs, as they stand in the masks of capabilities.
const (
	typeRC        = 2
	typeUD        = 4
	typeRawPacket = 8
)

// abilities lists, by capability, the flags that need it, and the verbs that take them.
var abilities = map[string]string{
	"device_attr.atomic_cap IBV_ATOMIC_HCA": "IBV_ACCESS_REMOTE_ATOMIC: " +
		"ibv_reg_mr, ibv_reg_mr_iova, ibv_reg_mr_ex, ibv_reg_buf_mr, ibv_reg_dmabuf_mr, ibv_reg_dm_mr, ibv_rereg_mr, ibv_bind_mw",
	"device_attr_ex.device_cap_flags_ex IB_UVERBS_DEVICE_FLUSH_GLOBAL": "IBV_ACCESS_FLUSH_GLOBAL: " +
		"ibv_reg_mr, ibv_reg_mr_iova, ibv_reg_mr_ex, ibv_reg_buf_mr, ibv_rereg_mr",
	"device_attr_ex.device_cap_flags_ex IB_UVERBS_DEVICE_FLUSH_PERSISTENT": "IBV_ACCESS_FLUSH_PERSISTENT: " +
		"ibv_reg_mr, ibv_reg_mr_iova, ibv_reg_mr_ex, ibv_reg_buf_mr, ibv_rereg_mr",
	"device_attr_ex.odp_caps.general_caps IBV_ODP_SUPPORT": "IBV_ACCESS_ON_DEMAND: " +
		"ibv_reg_mr, ibv_reg_mr_iova, ibv_reg_mr_ex, ibv_reg_buf_mr, ibv_rereg_mr; : ibv_advise_mr",
	"device_attr_ex.odp_caps.general_caps IBV_ODP_SUPPORT_IMPLICIT": "IBV_ACCESS_ON_DEMAND with " +
		"SIZE_MAX: ibv_reg_mr, ibv_reg_mr_iova, ibv_reg_mr_ex",
	"device_attr.device_cap_flags IBV_DEVICE_RESIZE_MAX_WR": "IBV_QP_CAP: ibv_modify_qp",
	"device_attr.device_cap_flags IBV_DEVICE_SRQ_RESIZE":    "IBV_SRQ_MAX_WR: ibv_modify_srq",
	"device_attr.device_cap_flags IBV_DEVICE_XRC":           "IBV_SRQT_XRC: ibv_create_srq_ex",
	"device_attr.device_cap_flags IBV_DEVICE_AUTO_PATH_MIG": "IBV_QP_ALT_PATH|IBV_QP_PATH_MIG_STATE: ibv_modify_qp",
	"device_attr.device_cap_flags IBV_DEVICE_UD_IP_CSUM": "IBV_SEND_IP_CSUM with " +
		"IBV_QPT_UD: ibv_post_send",
	"device_attr.device_cap_flags IBV_DEVICE_RC_IP_CSUM": "IBV_SEND_IP_CSUM with " +
		"IBV_QPT_RC: ibv_post_send",
	"device_attr.device_cap_flags IBV_DEVICE_RAW_IP_CSUM": "IBV_SEND_IP_CSUM with " +
		"IBV_QPT_RAW_PACKET: ibv_post_send, ibv_wr_send, ibv_wr_send_tso",
	"comp_cntr_caps.supported_qp_attach_ops IBV_QP_ATTACH_COMP_CNTR_OP_SEND": "IBV_QP_ATTACH_COMP_CNTR_OP_SEND: " +
		"ibv_qp_attach_comp_cntr",
	"comp_cntr_caps.supported_qp_attach_ops IBV_QP_ATTACH_COMP_CNTR_OP_RECV": "IBV_QP_ATTACH_COMP_CNTR_OP_RECV: " +
		"ibv_qp_attach_comp_cntr",
	"comp_cntr_caps.supported_qp_attach_ops IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ": "" +
		"IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ: ibv_qp_attach_comp_cntr",
	"comp_cntr_caps.supported_qp_attach_ops IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ": "" +
		"IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ: ibv_qp_attach_comp_cntr",
	"comp_cntr_caps.supported_qp_attach_ops IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE": "" +
		"IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE: ibv_qp_attach_comp_cntr",
	"comp_cntr_caps.supported_qp_attach_ops IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE": "" +
		"IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE: ibv_qp_attach_comp_cntr",
	"device_attr.device_cap_flags IBV_DEVICE_MANAGED_FLOW_STEERING":                               ": ibv_create_flow",
	"device_attr.device_cap_flags IBV_DEVICE_MEM_WINDOW":                                          "IBV_MW_TYPE_1: ibv_alloc_mw",
	"device_attr.device_cap_flags IBV_DEVICE_MEM_WINDOW_TYPE_2A or IBV_DEVICE_MEM_WINDOW_TYPE_2B": "IBV_MW_TYPE_2: ibv_alloc_mw",
	"device_attr_ex.raw_packet_caps IBV_RAW_PACKET_CAP_CVLAN_STRIPPING": "IBV_WQ_FLAGS_CVLAN_STRIPPING: " +
		"ibv_create_wq, ibv_modify_wq; IBV_QP_CREATE_CVLAN_STRIPPING: ibv_create_qp_ex",
	"device_attr_ex.raw_packet_caps IBV_RAW_PACKET_CAP_SCATTER_FCS": "IBV_WQ_FLAGS_SCATTER_FCS: " +
		"ibv_create_wq, ibv_modify_wq; IBV_QP_CREATE_SCATTER_FCS: ibv_create_qp_ex",
	"device_attr_ex.raw_packet_caps IBV_RAW_PACKET_CAP_DELAY_DROP": "IBV_WQ_FLAGS_DELAY_DROP: ibv_create_wq",
	"device_attr_ex.device_cap_flags_ex IBV_DEVICE_PCI_WRITE_END_PADDING": "IBV_QP_CREATE_PCI_WRITE_END_PADDING: ibv_create_qp_ex; " +
		"IBV_WQ_FLAGS_PCI_WRITE_END_PADDING: ibv_create_wq",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_SRC_IPV4": "IBV_RX_HASH_SRC_IPV4: ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_DST_IPV4": "IBV_RX_HASH_DST_IPV4: ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_SRC_IPV6": "IBV_RX_HASH_SRC_IPV6: ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_DST_IPV6": "IBV_RX_HASH_DST_IPV6: ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_SRC_PORT_TCP": "IBV_RX_HASH_SRC_PORT_TCP: " +
		"ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_DST_PORT_TCP": "IBV_RX_HASH_DST_PORT_TCP: " +
		"ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_SRC_PORT_UDP": "IBV_RX_HASH_SRC_PORT_UDP: " +
		"ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_DST_PORT_UDP": "IBV_RX_HASH_DST_PORT_UDP: " +
		"ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_IPSEC_SPI": "IBV_RX_HASH_IPSEC_SPI: ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_fields_mask IBV_RX_HASH_INNER":     "IBV_RX_HASH_INNER: ibv_create_qp_ex",
	"device_attr_ex.rss_caps.rx_hash_function IBV_RX_HASH_FUNC_TOEPLITZ": "IBV_RX_HASH_FUNC_TOEPLITZ: " +
		"ibv_create_qp_ex",
	"device_attr_ex.rss_caps.supported_qpts " + supports(typeRawPacket): "IBV_QPT_RAW_PACKET with " +
		"IBV_QPT_RAW_PACKET: ibv_create_qp_ex",
	"device_attr_ex.tm_caps.flags IBV_TM_CAP_RC": "IBV_SRQT_TM: ibv_create_srq_ex",
	"device_attr_ex.tso_caps.supported_qpts " + supports(typeUD): "IBV_WR_TSO with IBV_QPT_UD: ibv_post_send; " +
		"IBV_QPT_UD with IBV_QPT_UD: ibv_wr_send_tso",
	"device_attr_ex.tso_caps.supported_qpts " + supports(typeRawPacket): "IBV_WR_TSO with " +
		"IBV_QPT_RAW_PACKET: ibv_post_send; IBV_QPT_RAW_PACKET with IBV_QPT_RAW_PACKET: ibv_wr_send_tso; " +
		" with IBV_QPT_RAW_PACKET: ibv_create_qp_ex",
	"device_attr_ex.packet_pacing_caps.supported_qpts " + supports(typeRC): "IBV_QP_RATE_LIMIT with " +
		"IBV_QPT_RC: ibv_modify_qp; IBV_QPT_RC: ibv_modify_qp_rate_limit",
	"device_attr_ex.packet_pacing_caps.supported_qpts " + supports(typeRawPacket): "IBV_QP_RATE_LIMIT with " +
		"IBV_QPT_RAW_PACKET: ibv_modify_qp",
}

// TestCapabilities compares the rules about capabilities with the transcription: each says what it should, and none is missing.
func TestCapabilities(t *testing.T) {
	s, err := Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for c, subjects := range limits {
		for _, one := range strings.Split(subjects, ", ") {
			want[one+" | "+c] = true
		}
	}
	for c, groups := range abilities {
		for _, group := range strings.Split(groups, "; ") {
			flags, verbs, _ := strings.Cut(group, ": ")
			for _, verb := range strings.Split(verbs, ", ") {
				want[verb+" "+flags+" | "+c] = true
			}
		}
	}
	got := map[string][]string{}
	for _, r := range s.Rules() {
		if text := aboutCapability(r); text != "" {
			got[text] = append(got[text], r.ID)
		}
	}
	for text, ids := range got {
		if !want[text] {
			t.Errorf("%s: %q is not in the transcription", strings.Join(ids, ", "), text)
		}
	}
	for text := range want {
		if got[text] == nil {
			t.Errorf("no rule says %q", text)
		}
	}
}

// aboutCapability writes a rule about a capability in the form of the transcription; empty for another rule.
func aboutCapability(r *Rule) string {
	if r.Kind == KindDependsOn {
		for _, a := range r.Must {
			root, _, _ := verbsWords().CapParts(a.Of)
			if verbsWords().caps[root].c == "" {
				continue
			}
			for _, c := range []struct{ than, sign string }{{a.Gt, " >"}, {a.Ge, " >="}, {a.Le, " <="}} {
				if c.than != "" {
					return r.Verb + " " + c.than + " | " + a.Of + c.sign
				}
			}
			if len(a.Has) > 0 {
				return r.Verb + " " + r.When[0].Eq + " | " + a.Of + " " + strings.Join(a.Has, " or ")
			}
		}
		return ""
	}
	if r.Kind != KindCapBound {
		return ""
	}
	if len(r.CapHas) == 0 {
		subject := r.Subject
		if len(r.Sum) > 0 {
			subject = strings.Join(r.Sum, "+")
		}
		// A device with device memory that says it has none is a rule of its own.
		if slices.ContainsFunc(r.When, func(a Atom) bool { return a.Of == r.Cap && a.Eq == "0" }) {
			return ""
		}
		return r.Verb + " " + subject + " | " + r.Cap
	}
	flags := strings.Join(r.If, "|")
	for _, a := range r.When {
		if a.Of == r.Subject && a.Eq != "SIZE_MAX" {
			flags += a.Eq
		}
	}
	for _, a := range r.When {
		if strings.HasPrefix(a.Eq, "IBV_QPT_") || a.Eq == "SIZE_MAX" {
			flags += " with " + a.Eq
		}
	}
	return r.Verb + " " + flags + " | " + r.Cap + " " + strings.Join(r.CapHas, "|")
}
