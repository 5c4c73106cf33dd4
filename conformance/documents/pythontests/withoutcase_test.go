//go:build linux && cgo

package pythontests

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/cases"
	"github.com/verbsgen/verbsgen/spec"
)

// shownBeside are the pages of verbs that no case has as its own page, with a case that calls them.
var shownBeside = map[string]string{
	"ibv_fork_init":            "CF-fork-0001",
	"ibv_get_device_guid":      "CF-dev-0001",
	"ibv_get_device_index":     "CF-dev-0001",
	"ibv_get_device_name":      "CF-dev-0001",
	"ibv_get_srq_num":          "CF-xrc-0001",
	"ibv_inc_rkey":             "CF-mw-0011",
	"ibv_post_srq_ops":         "CF-srq-0001",
	"ibv_post_srq_recv":        "CF-srq-0007",
	"ibv_query_comp_cntr_caps": "CF-cntr-0001",
	"ibv_query_ece":            "CF-ece-0001",
	"ibv_query_pkey":           "CF-tables-0004",
	"ibv_query_srq":            "CF-srq-0001",
	"ibv_rate_to_mbps":         "CF-values-0001",
}

// withoutCase is the line with the pages that no case is about.
func withoutCase(t *testing.T) []string {
	t.Helper()
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	has := func(is func(c suite.Case) bool) bool { return slices.ContainsFunc(cases.All(), is) }
	var out []string
	for _, p := range sp.Pages {
		own := has(func(c suite.Case) bool { return c.Page == p.Page })
		beside := shownBeside[p.Page]
		known := has(func(c suite.Case) bool { return c.ID == beside })
		switch {
		case len(p.Verbs) == 0: // it says only why something is left out
		case own && beside != "":
			t.Errorf("%s has a case of its own: strike it out of shownBeside", p.Page)
		case beside != "" && !known:
			t.Errorf("no case has the ID %s, which shownBeside names", beside)
		case !own && !known:
			out = append(out, p.Page)
		}
	}
	return []string{"Man pages of bound functions without a case: " + cmp.Or(strings.Join(out, ", "), "none") + "."}
}
