//go:build linux && cgo

package pythontests

import (
	"fmt"
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

// families is the table of the families of cases: their man pages, and what became of their cases. Its last row are the pages without
// a case.
func families(t *testing.T, reports []map[string]string) []string {
	t.Helper()
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	pages, ids, names, of := map[string][]string{}, map[string][]string{}, []string{}, map[string]string{}
	add := func(family, page string) {
		if !slices.Contains(pages[family], page) {
			pages[family] = append(pages[family], page)
		}
	}
	for _, c := range cases.All() {
		if !slices.Contains(names, c.Family) {
			names = append(names, c.Family)
		}
		ids[c.Family] = append(ids[c.Family], c.ID)
		of[c.ID] = c.Family
		add(c.Family, c.Page)
	}
	for _, p := range sp.Pages {
		own := slices.ContainsFunc(cases.All(), func(c suite.Case) bool { return c.Page == p.Page })
		beside := shownBeside[p.Page]
		switch {
		case len(p.Verbs) == 0: // it says only why something is left out
		case own && beside != "":
			t.Errorf("%s has a case of its own: strike it out of shownBeside", p.Page)
		case beside != "" && of[beside] == "":
			t.Errorf("no case has the ID %s, which shownBeside names", beside)
		case !own && of[beside] == "":
			add(noFamily, p.Page)
		case !own:
			add(of[beside], p.Page)
		}
	}
	out := []string{"| family | man pages | cases | " + headings() + " |", "|---|---|---|---|---|---|"}
	for _, f := range names {
		slices.Sort(pages[f])
		cells := fmt.Sprintf("| %s | %s | %d |", f, strings.Join(pages[f], ", "), len(ids[f]))
		for _, r := range reports {
			cells += " " + tally(ids[f], r) + " |"
		}
		out = append(out, cells)
	}
	if slices.Sort(pages[noFamily]); len(pages[noFamily]) > 0 {
		out = append(out, fmt.Sprintf("| %s | %s | 0 |%s", noFamily, strings.Join(pages[noFamily], ", "), strings.Repeat(" – |", len(reports))))
	}
	return out
}

// noFamily is the row of the pages that no case is about.
const noFamily = "without a case"

// tally counts what became of cases: "12 pass, 1 known, 2 skip". A case that is newer than the report is "not run".
func tally(ids []string, status map[string]string) string {
	var out []string
	for _, s := range []struct{ status, word string }{{"pass", "pass"}, {"known", "known"}, {"skip", "skip"}, {"", notRun}} {
		n := 0
		for _, id := range ids {
			if status[id] == s.status {
				n++
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, s.word))
		}
	}
	return strings.Join(out, ", ")
}
