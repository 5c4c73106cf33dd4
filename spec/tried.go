package spec

import (
	_ "embed"
	"slices"
	"strings"
)

// tried has the answers of user halves to breaches of rules, a line each: the rule, the provider, and its answer. TestParties of
// conformance/device/oncard writes it with -update, and fails while it is outdated.
//
//go:embed tried.txt
var tried string

// Run reports whether the answer of a party of the rule was seen: the call was made. Otherwise it was read in the source that it names.
func (p *Party) Run(r *Rule) bool {
	if p.Source.Measured() {
		return true
	}
	return p.IsUserHalf() && strings.Contains("\n"+tried, "\n"+r.ID+" "+p.Provider+" ")
}

// IsUserHalf reports whether the party is code of rdma-core, which answers before a kernel is asked.
func (p *Party) IsUserHalf() bool {
	return p.Provider != "" && p.Kernel == "" &&
		slices.ContainsFunc(p.Source, func(s Source) bool { return s.Project == ProjectRDMACore })
}
