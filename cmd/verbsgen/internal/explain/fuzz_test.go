package explain

import (
	"encoding/json"
	"testing"
)

// FuzzEvaluate: any bytes give cases or errors, never both and never a panic; every case gets an answer that agrees
// with itself.
func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{
		"- {id: a, verb: ibv_reg_mr, args: {access: IBV_ACCESS_REMOTE_WRITE}}",
		"- {verb: ibv_reg_mr, args: {addr: null, length: SIZE_MAX, access: [IBV_ACCESS_ON_DEMAND, 0x80]}}",
		"- {verb: ibv_reg_mr_ex, args: {pd: '@pd', mr_init_attr: {comp_mask: 0, fd: -1, addr: 0x1000, length: page}}}",
		"- {verb: ibv_reg_dm_mr, args: {dm: {length: 64, mrs: ['@a']}, dm_offset: 0xffffffffffffffff, length: 2}}",
		"- {verb: ibv_alloc_dm, args: {attr.length: 5, attr.log_align_req: 70}, caps: {device_attr_ex.max_dm_size: 4}}",
		"- {verb: ibv_advise_mr, args: {sg_list: [{addr: 1, length: 2, lkey: 3}, null], advice: 9}}",
		"- {verb: ibv_alloc_parent_domain, args: {attr: {pd: null, td: {closed: true}, alloc: '@f'}}}",
		"- &a {verb: ibv_reg_mr, args: {access: '|'}}\n- *a", "- &a [*a]", "[]", "- {}", "- {verb: x, id: {}}",
		"[\t{\"verb\": \"ibv_close_device\"}]",
		"- {verb: ibv_create_flow, args: {flow: {num_of_specs: 3, specs: [{type: 0x120, size: 40}, '@a', {type: -1}]}}}",
	} {
		f.Add([]byte(s))
	}
	_, k := newest(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		cases, err := parse("cases.yaml", data)
		if err != nil {
			if cases != nil || err.Error() == "" {
				t.Fatalf("cases %v with error %q", cases, err)
			}
			return
		}
		results := k.EvaluateAll(cases)
		if len(results) != len(cases) {
			t.Fatalf("%d answers to %d cases", len(results), len(cases))
		}
		for _, r := range results {
			switch {
			case r.Verdict == Accept && len(r.Rules) == 0 && !r.Problem:
			case r.Verdict == Reject && len(r.Rules) > 0 && len(r.Messages) >= len(r.Rules) && !r.Problem:
			case r.Verdict == Unknown && len(r.Rules) == 0 && len(r.Messages) > 0:
			default:
				t.Fatalf("%+v", r)
			}
		}
		if _, err := json.Marshal(results); err != nil {
			t.Fatal(err)
		}
	})
}
