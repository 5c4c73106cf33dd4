//go:build linux && cgo

package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// m is a mapping as cases of rules have it.
type m = map[string]any

// defaults are arguments of valid calls, for what cases leave out.
var defaults = map[string]m{
	"ibv_advise_mr":           {"advice": "IBV_ADVISE_MR_ADVICE_PREFETCH", "sg_list": []any{m{"addr": "@valid", "length": 64}}, "num_sge": 1},
	"ibv_alloc_dm":            {"attr": m{"length": 4096}},
	"ibv_alloc_mw":            {"type": "IBV_MW_TYPE_1"},
	"ibv_alloc_parent_domain": {"attr": m{"pd": "@valid"}},
	"ibv_create_ah":           {"attr": m{"port_num": 1, "is_global": 1}},
	"ibv_create_cq":           {"cqe": 4, "channel": nil},
	"ibv_create_cq_ex":        {"cq_attr": m{"cqe": 4, "channel": nil, "parent_domain": nil}},
	"ibv_create_flow":         {"flow": m{"port": 1, "size": 24}, "qp": m{"qp_type": "IBV_QPT_UD"}},
	"ibv_create_qp":           {"qp_init_attr": m{"qp_type": "IBV_QPT_RC", "send_cq": "@valid", "recv_cq": "@valid", "cap": room}},
	"ibv_create_qp_ex":        {"qp_init_attr_ex": m{"qp_type": "IBV_QPT_RC", "send_cq": "@valid", "recv_cq": "@valid", "pd": "@valid", "cap": room}},
	"ibv_create_srq":          {"srq_init_attr": m{"attr": m{"max_wr": 1, "max_sge": 1}}},
	"ibv_create_wq":           {"wq_init_attr": m{"pd": "@valid", "cq": "@valid", "max_wr": 1, "max_sge": 1}},
	"ibv_get_pkey_index":      {"port_num": 1, "pkey": 0xffff},
	"ibv_modify_qp":           {"attr": m{"port_num": 1}, "qp": m{"qp_type": "IBV_QPT_RC", "state": "IBV_QPS_INIT"}},
	"ibv_post_send":           {"qp": m{"qp_type": "IBV_QPT_RC", "state": "IBV_QPS_RTS"}},
	"ibv_query_gid":           {"port_num": 1},
	"ibv_query_gid_ex":        {"port_num": 1},
	"ibv_query_gid_table":     {"max_entries": 64},
	"ibv_query_pkey":          {"port_num": 1},
	"ibv_query_port":          {"port_num": 1},
	"ibv_reg_dm_mr":           {"length": 64, "access": "IBV_ACCESS_ZERO_BASED"},
	"ibv_reg_mr":              {"length": 64},
	"ibv_reg_mr_ex":           {"mr_init_attr": m{"length": 64}},
	"ibv_reg_mr_iova":         {"length": 64},
	"ibv_rereg_mr":            {"addr": nil, "pd": nil},
}

// room is for one request in each direction.
var room = m{"max_send_wr": 1, "max_recv_wr": 1, "max_send_sge": 1, "max_recv_sge": 1}

// makers are the verbs that make the objects that calls take.
var makers = map[string]string{
	"struct ibv_context":  "",
	"struct ibv_pd":       "ibv_alloc_pd",
	"struct ibv_cq":       "ibv_create_cq",
	"struct ibv_mr":       "ibv_reg_mr",
	"struct ibv_dm":       "ibv_alloc_dm",
	"struct ibv_srq":      "ibv_create_srq",
	"struct ibv_wq":       "ibv_create_wq",
	"struct ibv_ah":       "ibv_create_ah",
	"struct ibv_mw":       "ibv_alloc_mw",
	"struct ibv_counters": "ibv_create_counters",
	"struct ibv_qp":       "ibv_create_qp",
}

// makeQP makes a queue pair of a type, and brings it to a state.
func makeQP(u *unchecked, want m) (uintptr, error) {
	init, state := m{}, "IBV_QPS_RESET"
	for property, v := range want {
		switch property {
		case "qp_type":
			init["qp_type"] = v
		case "state":
			state, _ = v.(string)
		default:
			return 0, fmt.Errorf("no queue pair is made with the property %s", property)
		}
	}
	at, errno, err := u.call("ibv_create_qp", m{"qp_init_attr": init})
	if err != nil || errno != 0 {
		return 0, fmt.Errorf("ibv_create_qp: %v, %v", err, errno)
	}
	if state == "IBV_QPS_RESET" {
		return at, nil
	}
	u.objects["struct ibv_qp"] = at
	kind, _ := want["qp_type"].(string)
	for _, step := range ways[strings.TrimPrefix(kind, "IBV_QPT_")] {
		_, errno, err := u.call("ibv_modify_qp", m{"qp": "@made", "attr": step.attr, "attr_mask": step.mask})
		if err != nil || errno != 0 {
			return 0, fmt.Errorf("%v: %v, %v", step.attr, err, errno)
		}
		if step.attr["qp_state"] == state {
			return at, nil
		}
	}
	return 0, fmt.Errorf("no way of a %s to %s", kind, state)
}

// step is a change of state.
type step struct {
	attr m
	mask string
}

var (
	path = m{"is_global": 1, "port_num": 1}
	ways = map[string][]step{
		"RC": {
			{m{"qp_state": "IBV_QPS_INIT", "port_num": 1}, "IBV_QP_STATE|IBV_QP_PKEY_INDEX|IBV_QP_PORT|IBV_QP_ACCESS_FLAGS"},
			{m{"qp_state": "IBV_QPS_RTR", "path_mtu": "IBV_MTU_1024", "ah_attr": path},
				"IBV_QP_STATE|IBV_QP_AV|IBV_QP_PATH_MTU|IBV_QP_DEST_QPN|IBV_QP_RQ_PSN|IBV_QP_MAX_DEST_RD_ATOMIC|IBV_QP_MIN_RNR_TIMER"},
			{m{"qp_state": "IBV_QPS_RTS"}, "IBV_QP_STATE|IBV_QP_SQ_PSN|IBV_QP_MAX_QP_RD_ATOMIC|IBV_QP_RETRY_CNT|IBV_QP_RNR_RETRY|IBV_QP_TIMEOUT"},
		},
		"UC": {
			{m{"qp_state": "IBV_QPS_INIT", "port_num": 1}, "IBV_QP_STATE|IBV_QP_PKEY_INDEX|IBV_QP_PORT|IBV_QP_ACCESS_FLAGS"},
			{m{"qp_state": "IBV_QPS_RTR", "path_mtu": "IBV_MTU_1024", "ah_attr": path}, "IBV_QP_STATE|IBV_QP_AV|IBV_QP_PATH_MTU|IBV_QP_DEST_QPN|IBV_QP_RQ_PSN"},
			{m{"qp_state": "IBV_QPS_RTS"}, "IBV_QP_STATE|IBV_QP_SQ_PSN"},
		},
		"UD": {
			{m{"qp_state": "IBV_QPS_INIT", "port_num": 1}, "IBV_QP_STATE|IBV_QP_PKEY_INDEX|IBV_QP_PORT|IBV_QP_QKEY"},
			{m{"qp_state": "IBV_QPS_RTR"}, "IBV_QP_STATE"},
			{m{"qp_state": "IBV_QPS_RTS"}, "IBV_QP_STATE|IBV_QP_SQ_PSN"},
		},
	}
)

// object gives an object, the same one for the same type unless properties are asked for; for another pointer, memory.
func (u *unchecked) object(tag string, want m) (uintptr, error) {
	verb, ok := makers[tag]
	if !ok {
		return rawcall.Zeroed(1 << 16), nil
	}
	if at := u.objects[tag]; at != 0 && want == nil {
		return at, nil
	}
	if tag == "struct ibv_qp" && want != nil {
		return makeQP(u, want)
	}
	for property := range want {
		return 0, fmt.Errorf("%s makes nothing with the property %s", verb, property)
	}
	at, errno, err := u.call(verb, nil)
	if err != nil || errno != 0 {
		return 0, fmt.Errorf("%s: %v, %v", verb, err, errno)
	}
	u.objects[tag] = at
	return at, nil
}

// TestErrorsAreRefused makes the calls of the rules with severity error on a software device, without the bindings and so without
// the rules: one that keeps the rule and one that breaks it. When the device does the first, it must refuse the second. What no
// such pair can be made of is told with -v.
func TestErrorsAreRefused(t *testing.T) {
	pages := must(spec.Embedded())(t)
	facts := spec.NewFacts(must(api.Load(api.Newest()))(t))
	judged, on := 0, devices{}
	defer func() {
		for _, soft := range on {
			soft.Close() // it tells what the calls left open
		}
	}()
	for _, r := range pages.Rules() {
		if r.Severity != spec.SeverityError || r.Kind == spec.KindNotNull { // C that reads NULL ends the process
			continue
		}
		why, accepted := on.judge(pages, facts, r)
		switch {
		case why != "":
			t.Logf("%s: not judged: %s", r.ID, why)
			continue
		case accepted:
			t.Errorf("%s is an error, and the software device accepts %v", r.ID, r.Reject.Args)
		}
		judged++
	}
	if t.Logf("%d rules judged", judged); judged < enough {
		t.Errorf("%d rules were judged, fewer than %d", judged, enough)
	}
}

// judge makes the two calls of a rule, each on a context of its own. why is empty when the first succeeded.
func (d devices) judge(pages *spec.Spec, facts *spec.Facts, r *spec.Rule) (why string, accepted bool) {
	for i, c := range []spec.Case{r.Accept, r.Reject} {
		soft, err := d.of(c.Caps, facts)
		if err != nil {
			return err.Error(), false
		}
		u, err := newUnchecked(soft, pages, facts)
		if err != nil {
			return err.Error(), false
		}
		defer u.close()
		_, errno, err := u.call(r.Verb, c.Args)
		switch {
		case err != nil:
			return err.Error(), false
		case i == 0 && errno != 0:
			return fmt.Sprintf("%v fails with %v", c.Args, errno), false
		case i == 1:
			return "", errno == 0
		}
	}
	return "", false
}

// devices are software devices by their capabilities. What is left open in a context goes with it.
type devices map[string]*softverbs.Device

// of gives the device with the capabilities of a case.
func (d devices) of(caps map[string]any, facts *spec.Facts) (*softverbs.Device, error) {
	name := fmt.Sprint(caps)
	if d[name] == nil {
		options, err := deviceOf(caps, facts)
		if err != nil {
			return nil, err
		}
		d[name] = softverbs.New(append(options, softverbs.Name("soft0"))...)
	}
	return d[name], nil
}

// deviceOf gives the options of a device with the capabilities of a case.
func deviceOf(caps map[string]any, facts *spec.Facts) (options []softverbs.Option, err error) {
	options = append(options, softverbs.ODP(3, 0xff, 0xff, 0xff), softverbs.MRUnsupported(0))
	for name, v := range caps {
		n, err := (&unchecked{facts: facts}).number(v)
		if err != nil {
			return nil, err
		}
		switch name {
		case "device_attr.phys_port_cnt", "device_attr_ex.phys_port_cnt_ex":
			options = append(options, softverbs.Ports(uint32(n)))
		case "device_attr_ex.max_dm_size":
			options = append(options, softverbs.MaxDMSize(n))
		case "device_attr.device_cap_flags", "device_attr_ex.device_cap_flags_ex":
			options = append(options, softverbs.CapFlags(n))
		case "device_attr_ex.odp_caps.general_caps":
			options = append(options, softverbs.ODP(n, 0xff, 0xff, 0xff))
		default:
			return nil, fmt.Errorf("no option gives a device %s", name)
		}
	}
	return options, nil
}

// enough is how many rules the software device can judge at least.
const enough = 100
