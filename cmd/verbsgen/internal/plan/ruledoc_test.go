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
		"ibv_attach_mcast": `Errors (the call is not made):
  - only UD queue pairs can be in a multicast group [VR-ibv_attach_mcast-qp-0745]

Hints (some devices accept these):
  - lid must be that of a multicast group, 0xc000 to 0xfffe [VR-ibv_attach_mcast-lid-3180]`,
		"ibv_modify_qp": `  - State is RESET, INIT, RTR, RTS, SQD, SQE or ERR
  - CurState is RESET, INIT, RTR, RTS, SQD, SQE or ERR
  - PortNum is at least 1, as ports are numbered from 1; PortNum is at most the number of ports
  - AV.PortNum is at least 1, as a path needs a local port; AV.PortNum must be port_num, where both are given;`,
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
