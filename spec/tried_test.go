package spec

import (
	"slices"
	"strings"
	"testing"
)

// TestTried asks that each line of tried.txt is of a rule with such a party, and that parties of kernels count as read unless they were
// measured.
func TestTried(t *testing.T) {
	pages := must(Embedded(""))(t)
	for line := range strings.Lines(tried) {
		words := strings.Fields(line)
		r := pages.RuleByID(words[0])
		if r == nil {
			t.Errorf("%s: no such rule; run go test ./conformance/device/oncard -run Parties -update", words[0])
			continue
		}
		all := slices.Concat(r.AcceptedBy, r.RefusedBy)
		if !slices.ContainsFunc(all, func(p Party) bool { return p.Provider == words[1] && p.Run(r) }) {
			t.Errorf("%s: no party %s was run", r.ID, words[1])
		}
	}
	run, read := 0, 0
	for _, r := range pages.Rules() {
		for _, p := range slices.Concat(r.AcceptedBy, r.RefusedBy) {
			switch {
			case p.Run(r):
				run++
			case p.Source.Measured():
				t.Errorf("%s: %s was measured and counts as read", r.ID, p.String())
			default:
				read++
			}
			if p.Kernel != "" && p.Run(r) != p.Source.Measured() {
				t.Errorf("%s: %s is of a kernel and was not measured, but counts as run", r.ID, p.String())
			}
		}
	}
	t.Logf("%d parties were run, %d read", run, read)
}
