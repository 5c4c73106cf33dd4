package spec

import (
	"slices"
	"testing"
)

// waiting lists the pages whose error rules do not all say where a breach is refused yet.
var waiting = []string{
	"ibv_attach_mcast", "ibv_create_ah", "ibv_create_qp", "ibv_create_qp_ex", "ibv_create_rwq_ind_table", "ibv_create_srq",
	"ibv_create_srq_ex", "ibv_create_wq", "ibv_modify_qp", "ibv_modify_qp_rate_limit", "ibv_modify_wq", "ibv_open_qp", "ibv_post_send",
	"ibv_post_srq_ops", "ibv_query_qp", "ibv_set_ece", "ibv_wr_post",
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
