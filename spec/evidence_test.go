package spec

import (
	"slices"
	"testing"
)

// waiting lists the pages whose error rules do not all say where a breach is refused yet.
var waiting = []string{
	"ibv_attach_counters_point_flow", "ibv_attach_mcast", "ibv_create_ah", "ibv_create_comp_channel", "ibv_create_comp_cntr",
	"ibv_create_counters", "ibv_create_cq", "ibv_create_cq_ex", "ibv_create_flow", "ibv_create_flow_action", "ibv_create_qp",
	"ibv_create_qp_ex", "ibv_create_rwq_ind_table", "ibv_create_srq", "ibv_create_srq_ex", "ibv_create_wq", "ibv_get_pkey_index",
	"ibv_import_device", "ibv_modify_cq", "ibv_modify_qp", "ibv_modify_qp_rate_limit", "ibv_modify_wq", "ibv_open_device",
	"ibv_open_qp", "ibv_open_xrcd", "ibv_post_send", "ibv_post_srq_ops", "ibv_qp_attach_comp_cntr", "ibv_query_device_ex",
	"ibv_query_gid", "ibv_query_gid_ex", "ibv_query_gid_table", "ibv_query_pkey", "ibv_query_port", "ibv_query_port_speed",
	"ibv_query_qp", "ibv_query_rt_values_ex", "ibv_read_counters", "ibv_resolve_eth_l2_from_gid", "ibv_set_ece", "ibv_wr_post",
}

// TestEvidence wants of each rule that refuses a call who else would refuse it, or why no device can. A NULL pointer needs
// neither.
func TestEvidence(t *testing.T) {
	s, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Rules() {
		if r.Severity != SeverityError || r.Kind == KindNotNull || slices.Contains(waiting, r.Page) {
			continue
		}
		if len(r.RefusedBy) == 0 && r.Note == "" {
			t.Errorf("%s: the rule says neither who refuses a breach nor why no device can; add refused_by or note", r.ID)
		}
	}
}
