//go:build linux && cgo

package oncard

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/spec"
)

// untried are rules whose breach here is not the one that the page speaks of.
var untried = map[string]string{
	"VR-ibv_dealloc_pd-pd-0143":             "the page is about address handles on InfiniBand; the card is Ethernet, the case has a region",
	"VR-ibv_create_ah-is_global-0316":       "the card is Ethernet, where libmlx5 wants a GRH; on InfiniBand it takes the call",
	"VR-ibv_create_ah-is_global-0317":       "the card is Ethernet, where libmlx5 wants a GRH; on InfiniBand it takes the call",
	"VR-ibv_create_ah-is_global-0318":       "the card is Ethernet, where libmlx5 wants a GRH; on InfiniBand it takes the call",
	"VR-ibv_create_ah-is_global-0319":       "the card is Ethernet, where libmlx5 wants a GRH; on InfiniBand it takes the call",
	"VR-ibv_post_send-remote_addr-0352":     "libmlx5 posts the request; its completion is the emulated card's",
	"VR-ibv_bind_mw-access-1111":            "libmlx5 posts the request; its completion is the emulated card's",
	"VR-ibv_bind_mw-access-1112":            "libmlx5 posts the request; its completion is the emulated card's",
	"VR-ibv_create_qp-qp_type-4211":         "the case has no attributes of mlx5dv, with which libmlx5 takes the type",
	"VR-ibv_create_qp_ex-qp_type-4212":      "the case has no attributes of mlx5dv, with which libmlx5 takes the type",
	"VR-ibv_create_qp_ex-create_flags-3151": "only a library before 30.0 leaves the flags to the driver",
	"VR-ibv_post_send-num_sge-3501":         "the queue pair of the case takes fewer elements than the case has",
	"VR-ibv_wr_send_tso-qp_type-4005":       "the request of the case has no header, and libmlx5 reads it",
	"VR-ibv_wr_send_tso-wr_flags-4008":      "the request of the case has no header, and libmlx5 reads it",
}

// userHalves returns the parties of a rule that are code of mlx5 or of libibverbs, whatever else is so, and that answer: no call is
// made that ends the process.
func userHalves(r *spec.Rule) (parties []spec.Party, refuses []bool) {
	for i, list := range [][]spec.Party{r.RefusedBy, r.AcceptedBy} {
		for _, p := range list {
			if p.IsUserHalf() && !p.Crash && len(p.When) == 0 && (p.Provider == spec.Library || p.Provider == "mlx5") {
				parties, refuses = append(parties, p), append(refuses, i == 0)
			}
		}
	}
	return parties, refuses
}

// TestParties makes the call that breaks a rule, where its page says what the user half of mlx5 or of libibverbs answers.
// spec/tried.txt has the answers; rules --json reports which parties were run by it.
func TestParties(t *testing.T) {
	pages := must(spec.Embedded(""))(t)
	rules := slices.DeleteFunc(pages.Rules(), func(r *spec.Rule) bool { list, _ := userHalves(r); return len(list) == 0 })
	var lines []string
	not := 0
	for _, v := range rulecall.JudgeApart(t, must(dl.Open(""))(t), card.Devices[0], rules, untried) {
		if v.Why != "" {
			t.Logf("%s: not judged: %s", v.Rule, v.Why)
			not++
			continue
		}
		list, refuses := userHalves(pages.RuleByID(v.Rule))
		for i, p := range list {
			switch {
			case refuses[i] && v.Answer == "":
				t.Errorf("%s: the page says that %s refuses the call, and it succeeds", v.Rule, p.Provider)
			case !refuses[i] && v.Answer != "" && v.Answer != rulecall.Ended:
				t.Errorf("%s: the page says that %s accepts the call, and it fails: %s", v.Rule, p.Provider, v.Answer)
			default:
				answer := v.Answer
				if answer == "" {
					answer = "accepts"
				}
				lines = append(lines, v.Rule+" "+p.Provider+" "+answer+"\n")
			}
		}
	}
	t.Logf("%d answers of parties, %d rules not judged", len(lines), not)
	slices.Sort(lines)
	compare(t, "../../../spec/tried.txt", strings.Join(slices.Compact(lines), ""))
}
