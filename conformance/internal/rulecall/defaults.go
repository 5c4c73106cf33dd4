//go:build linux && cgo

package rulecall

import (
	"fmt"
	"strings"
)

// m is a mapping as cases of rules have it.
type m = map[string]any

// defaults are arguments of valid calls, for what cases leave out.
var defaults = map[string]m{
	"ibv_advise_mr":                  {"advice": "IBV_ADVISE_MR_ADVICE_PREFETCH", "sg_list": []any{m{}}, "num_sge": 1},
	"ibv_alloc_buf":                  {"size": 4096},
	"ibv_alloc_dm":                   {"attr": m{"length": 4096}},
	"ibv_alloc_mw":                   {"type": "IBV_MW_TYPE_1"},
	"ibv_alloc_parent_domain":        {"attr": m{"pd": "@valid"}},
	"ibv_attach_counters_point_flow": {"flow": nil},
	"ibv_attach_mcast":               {"gid": "@group", "qp": m{"qp_type": "IBV_QPT_UD"}},
	"ibv_bind_mw": {"mw_bind": m{"bind_info": m{"mr": "@valid", "length": 64,
		"mw_access_flags": "IBV_ACCESS_REMOTE_READ"}, "send_flags": "IBV_SEND_SIGNALED"},
		"qp": m{"qp_type": "IBV_QPT_RC", "state": "IBV_QPS_RTS"}},
	"ibv_create_ah":              {"attr": m{"port_num": 1}},
	"ibv_create_cq":              {"cqe": 4, "channel": nil},
	"ibv_create_cq_ex":           {"cq_attr": m{"cqe": 4, "channel": nil, "parent_domain": nil}},
	"ibv_create_flow":            {"flow": m{"port": 1}, "qp": m{"qp_type": "IBV_QPT_UD"}},
	"ibv_create_flow_action_esp": {"esp": m{"keymat_ptr": "@keys"}},
	"ibv_create_qp":              {"qp_init_attr": m{"qp_type": "IBV_QPT_RC", "send_cq": "@valid", "recv_cq": "@other", "cap": room}},
	"ibv_create_qp_ex": {"qp_init_attr_ex": m{"qp_type": "IBV_QPT_RC", "send_cq": "@valid", "recv_cq": "@other",
		"pd": "@valid", "cap": room}},
	"ibv_create_rwq_ind_table":    {"init_attr": m{"ind_tbl": "@list"}},
	"ibv_create_srq":              {"srq_init_attr": m{"attr": m{"max_wr": 1, "max_sge": 1}}},
	"ibv_create_srq_ex":           {"srq_init_attr_ex": m{"pd": "@valid", "attr": m{"max_wr": 1, "max_sge": 1}}},
	"ibv_create_wq":               {"wq_init_attr": m{"pd": "@valid", "cq": "@valid", "max_wr": 1, "max_sge": 1}},
	"ibv_detach_mcast":            {"gid": "@group", "qp": m{"qp_type": "IBV_QPT_UD", "mcasts": 1}},
	"ibv_get_pkey_index":          {"port_num": 1, "pkey": 0xffff},
	"ibv_modify_qp":               {"attr": m{"port_num": 1}, "qp": m{"qp_type": "IBV_QPT_RC", "state": "IBV_QPS_INIT"}},
	"ibv_post_send":               {"qp": m{"qp_type": "IBV_QPT_RC", "state": "IBV_QPS_RTS"}},
	"ibv_query_gid":               {"port_num": 1},
	"ibv_query_gid_ex":            {"port_num": 1},
	"ibv_query_gid_table":         {"max_entries": 64},
	"ibv_query_pkey":              {"port_num": 1},
	"ibv_query_port":              {"port_num": 1},
	"ibv_read_counters":           {"ncounters": 1, "counters": m{"flows": 1}},
	"ibv_reg_buf_mr":              {"addr": buffer, "length": 64},
	"ibv_reg_dm_mr":               {"length": 64, "access": "IBV_ACCESS_ZERO_BASED"},
	"ibv_reg_dmabuf_mr":           {"length": 4096, "fd": 0},
	"ibv_reg_mr":                  {"length": 64},
	"ibv_reg_mr_ex":               {"mr_init_attr": m{"length": 64}},
	"ibv_reg_mr_iova":             {"length": 64},
	"ibv_rereg_mr":                {"addr": nil, "pd": nil, "flags": "IBV_REREG_MR_CHANGE_ACCESS"},
	"ibv_resolve_eth_l2_from_gid": {"attr": m{"port_num": 1}},
}

// room is for one request in each direction, and for one more.
var room = m{"max_send_wr": 4, "max_recv_wr": 1, "max_send_sge": 1, "max_recv_sge": 1}

// completed returns the arguments of a call with what a case leaves out.
func (u *Context) completed(verb string, args m) (m, error) {
	out := merged(defaults[verb], args)
	switch verb {
	case "ibv_modify_qp":
		// a path changes in these states only
		if mask := fmt.Sprint(args["attr_mask"]); args["qp"] == nil &&
			(strings.Contains(mask, "IBV_QP_AV") || strings.Contains(mask, "IBV_QP_ALT_PATH")) {
			out["qp"] = m{"qp_type": "IBV_QPT_RC", "state": "IBV_QPS_SQD"}
			out["attr"] = merged(m{"alt_port_num": 1, "alt_ah_attr": m{"port_num": 1}}, mapping(out["attr"]))
		}
	case "ibv_advise_mr":
		u.paged = true
	case "ibv_bind_mw":
		return u.within(out)
	case "ibv_create_qp_ex":
		return u.withTable(out, args)
	case "ibv_open_qp":
		return u.shared(out)
	case "ibv_import_mr":
		mr, err := u.object("struct ibv_mr", nil)
		return merged(out, m{"mr_handle": int(u.read(mr, "struct ibv_mr", "handle"))}), err
	case "ibv_post_send":
		u.kind = ""
		if qp, ok := out["qp"].(m); ok {
			out["qp"] = merged(m{"state": "IBV_QPS_RTS"}, qp)
			u.kind, _ = qp["qp_type"].(string)
		}
	case "ibv_create_flow_action_esp", "ibv_modify_flow_action_esp":
		return m{"ctx": "@valid", "action": "@valid", "esp": u.protected(mapping(out["esp"]), verb)}, nil
	case "ibv_reg_buf_mr", "ibv_export_buf_dmabuf_fd", "ibv_reg_mr_ex":
		return u.withBuffer(verb, out)
	}
	return out, nil
}

// within has the window bound to the beginning of its region.
func (u *Context) within(out m) (m, error) {
	bind := mapping(out["mw_bind"])
	info := mapping(bind["bind_info"])
	mr, err := u.argument("struct ibv_mr *", info["mr"])
	if err != nil {
		return nil, err
	}
	if mr == 0 {
		return out, nil
	}
	info = merged(info, m{"mr": mr, "addr": u.read(mr, "struct ibv_mr", "addr")})
	return merged(out, m{"mw_bind": merged(bind, m{"bind_info": info})}), nil
}

// withTable makes the arguments for a queue pair with a table of work queues: it has no receives of its own.
func (u *Context) withTable(out, args m) (m, error) {
	given, _ := args["qp_init_attr_ex"].(m)
	mask, err := u.number(given["comp_mask"])
	table := u.facts.Const("IBV_QP_INIT_ATTR_IND_TABLE").Uint64()
	if given["comp_mask"] == nil || err != nil || mask&table == 0 {
		return out, nil
	}
	attr := merged(m{"qp_type": "IBV_QPT_RAW_PACKET", "recv_cq": nil, "send_cq": "@valid", "pd": "@valid"}, given)
	attr["cap"] = merged(m{"max_send_wr": 1, "max_send_sge": 1}, mapping(given["cap"]))
	attr["comp_mask"] = mask | u.facts.Const("IBV_QP_INIT_ATTR_PD").Uint64()
	return m{"context": "@valid", "qp_init_attr_ex": attr}, nil
}

// keys is the struct with the keys of ESP.
const keys = "struct ib_uverbs_flow_action_esp_keymat_aes_gcm"

// protected returns the lengths of what an action of ESP has, a header of IPv4, and full offload, which all of that needs.
func (u *Context) protected(esp m, verb string) m {
	out := merged(m{"esp_attr": "@esp"}, esp)
	if verb == "ibv_modify_flow_action_esp" && esp["esp_attr"] == nil {
		delete(out, "esp_attr")
	}
	if out["esp_attr"] == "@esp" {
		out["esp_attr"] = m{"flags": "IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD"}
	}
	for pointer, tag := range map[string]string{"keymat": keys, "replay": "struct ib_uverbs_flow_action_esp_replay_bmp"} {
		if out[pointer+"_ptr"] != nil && out[pointer+"_len"] == nil {
			out[pointer+"_len"] = int(u.facts.Record(tag).Size)
		}
	}
	if tunnel := out["esp_encap"]; tunnel != nil {
		size := int(u.facts.Record("struct ibv_flow_ipv4_filter").Size)
		out["esp_encap"] = merged(m{"type": "IBV_FLOW_SPEC_IPV4", "val_ptr": buffer, "len": size}, mapping(tunnel))
	}
	return out
}

// shared opens a queue pair that is there, where a case has a number for it.
func (u *Context) shared(out m) (m, error) {
	attr := mapping(out["qp_open_attr"])
	if n, err := u.number(attr["qp_num"]); err != nil || n >= 1<<24 {
		return out, nil
	}
	qp, err := u.queuePair(m{"qp_type": "IBV_QPT_XRC_RECV"})
	if err != nil {
		return nil, err
	}
	attr = merged(attr, m{"qp_num": u.read(qp, "struct ibv_qp", "qp_num")})
	return merged(out, m{"qp_open_attr": attr}), nil
}

// withBuffer has the domain made so that the buffer gets the memory that a case wants.
func (u *Context) withBuffer(verb string, out m) (m, error) {
	in := out
	if verb == "ibv_reg_mr_ex" {
		in = mapping(out["mr_init_attr"])
	}
	if some(mapping(in["buf"])["dmabuf"]) {
		_, err := u.object("struct ibv_pd", m{"unprotected": 1})
		return out, err
	}
	return out, nil
}

// element returns what an element of a list has beside what a case says.
func (u *Context) element(tag string) (m, error) {
	switch tag {
	case "struct ibv_sge":
		var want m
		if u.paged { // advice on another region is nothing to try: it can end in an oops of Linux 7.2
			want = m{"access": "IBV_ACCESS_ON_DEMAND|IBV_ACCESS_LOCAL_WRITE"}
		}
		mr, err := u.made("struct ibv_mr", makers["struct ibv_mr"], want)
		if err != nil {
			return nil, err
		}
		return m{"addr": u.read(mr, "struct ibv_mr", "addr"), "length": 64, "lkey": u.read(mr, "struct ibv_mr", "lkey")}, nil
	case "struct ibv_send_wr":
		out := m{"sg_list": []any{m{}}, "num_sge": 1, "send_flags": "IBV_SEND_SIGNALED"}
		if u.kind == "IBV_QPT_UD" {
			ah, err := u.object("struct ibv_ah", nil)
			out["wr"] = m{"ud": m{"ah": ah, "remote_qpn": 1}}
			return out, err
		}
		return out, nil
	}
	return nil, nil
}

// mapping returns a mapping, empty for another value.
func mapping(v any) m {
	out, _ := v.(m)
	return out
}
