package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// TestRuleList looks at the lists of rules of methods: short lists have IDs, long ones a line for each field.
func TestRuleList(t *testing.T) {
	pkg, err := real()
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range map[string]string{
		"ibv_alloc_pd": "",
		"ibv_attach_mcast": `Rules:
  - only UD queue pairs are in multicast groups [VR-ibv_attach_mcast-qp-0745]

Hints (some devices accept these):
  - lid: LIDs of multicast groups are 0xc000 to 0xfffe [VR-ibv_attach_mcast-lid-3180]`,
		"ibv_modify_qp": `  - State is RESET, INIT, RTR, RTS, SQD, SQE or ERR
  - CurState is RESET, INIT, RTR, RTS, SQD, SQE or ERR
  - PortNum is at least 1, as ports are numbered from 1; PortNum is at most the number of ports
  - AV.PortNum: the path needs a local port, and ports are numbered from 1; with a port given beside it, the path leaves by that port;`,
	} {
		i := slices.IndexFunc(pkg.Verbs, func(v *model.Verb) bool { return v.C == c })
		got := ruleList(pkg.Verbs[i])
		if got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("%s: got\n%s", c, got)
		}
	}
	for _, v := range pkg.Verbs {
		if n := strings.Count(ruleList(v), "\n"); n > 40 {
			t.Errorf("%s: a list of %d lines", v.C, n)
		}
	}
}
