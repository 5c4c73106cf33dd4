package main

import (
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/audit"
	"github.com/verbsgen/verbsgen/spec/api"
)

func TestReadChanges(t *testing.T) {
	if _, err := readChanges(api.Releases()); err != nil {
		t.Error(err)
	}
	if _, err := readChanges([]string{"33.2"}); err == nil || !strings.Contains(err.Error(), "is no known release") {
		t.Errorf("releases that are not known: %v", err)
	}
}

// entry is a passage of page ibv_x in one release.
func entry(id, passage string, s audit.Status) audit.Entry {
	return audit.Entry{Page: "ibv_x", ID: id, Passage: passage, Status: s}
}

func TestExplain(t *testing.T) {
	releases := []string{"1.0", "2.0", "3.0", "4.0", "5.0"}
	early := change{Commit: "early", Release: "2.0", Pages: []string{"ibv_x"}}
	same := change{Commit: "same", Release: "3.0", Pages: []string{"ibv_x"}}
	late := change{Commit: "late", Release: "4.0", Pages: []string{"ibv_x"}}
	other := change{Commit: "other", Release: "4.0", Pages: []string{"ibv_y"}}
	named := change{Commit: "named", Release: "5.0", Pages: []string{"ibv_x"}, Passages: []string{"b"}}
	added := change{Commit: "added", Release: "3.0", Pages: []string{"ibv_x"}, New: true}
	for _, c := range []struct {
		name     string
		changes  []change
		passage  string
		statuses [3]audit.Status // in 1.0, 3.0 and 5.0
		want     [3]string
		problem  string
	}{
		{"present", nil, "a", [3]audit.Status{audit.Found, audit.Found, audit.Found}, [3]string{}, ""},
		{"another source", nil, "", [3]audit.Status{audit.OffPage, audit.OffPage, audit.OffPage}, [3]string{}, ""},
		{"one change", []change{early, other}, "a", [3]audit.Status{audit.Missing, audit.Found, audit.Found}, [3]string{"early"}, ""},
		{"moved", []change{early}, "a", [3]audit.Status{audit.Moved, audit.Found, audit.Found}, [3]string{"early"}, ""},
		{"of the right time", []change{early, late}, "a", [3]audit.Status{audit.Missing, audit.Missing, audit.Found},
			[3]string{"late", "late"}, ""},
		{"too late", []change{late}, "a", [3]audit.Status{audit.Missing, audit.Found, audit.Found}, [3]string{}, "no change explains"},
		{"too early", []change{same}, "a", [3]audit.Status{audit.Found, audit.Missing, audit.Found}, [3]string{}, "no change explains"},
		{"of another page", []change{other}, "a", [3]audit.Status{audit.Found, audit.Missing, audit.Found}, [3]string{}, "no change explains"},
		{"named", []change{late, named}, "b", [3]audit.Status{audit.Found, audit.Missing, audit.Found}, [3]string{"", "named"}, ""},
		{"two, none names it", []change{late, named}, "a", [3]audit.Status{audit.Found, audit.Missing, audit.Found}, [3]string{},
			"no change explains"},
		{"new page", []change{early, added}, "a", [3]audit.Status{audit.NoPage, audit.Found, audit.Found}, [3]string{"added"}, ""},
		{"new page, then a change", []change{added, late}, "a", [3]audit.Status{audit.NoPage, audit.Missing, audit.Found},
			[3]string{"added", "late"}, ""},
		{"not in the newest", []change{early, late}, "a", [3]audit.Status{audit.Found, audit.Found, audit.Missing}, [3]string{},
			"no release given has"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var audits []audited
			for i, r := range []string{"1.0", "3.0", "5.0"} {
				audits = append(audits, audited{r, []audit.Entry{entry("VR-ibv_x-y-0001", c.passage, c.statuses[i])}})
			}
			got, err := explain(releases, c.changes, audits)
			if err != nil {
				t.Fatal(err)
			}
			for i, by := range got.because {
				name := ""
				for n := range by {
					name = c.changes[n].Commit
				}
				if name != c.want[i] {
					t.Errorf("%s: %q, want %q", audits[i].release, name, c.want[i])
				}
			}
			if all := strings.Join(got.unexplained, "\n"); (all == "") != (c.problem == "") || !strings.Contains(all, c.problem) {
				t.Errorf("unexplained: %q, want %q", all, c.problem)
			}
		})
	}
}

func TestExplainOrder(t *testing.T) {
	for _, order := range [][]string{{"2.0", "1.0"}, {"1.0", "1.0"}, {"9.0"}} {
		var audits []audited
		for _, r := range order {
			audits = append(audits, audited{release: r})
		}
		if _, err := explain([]string{"1.0", "2.0"}, nil, audits); err == nil {
			t.Errorf("%v: no error", order)
		}
	}
}

func TestMarkdown(t *testing.T) {
	changes := []change{
		{Commit: "0123456789ab", Release: "2.0", What: "a word", Pages: []string{"ibv_x"}},
		{Commit: "ba9876543210", Release: "2.0", What: "nothing that is missed", Pages: []string{"ibv_z"}},
	}
	got, err := explain([]string{"1.0", "2.0"}, changes, []audited{
		{"1.0", []audit.Entry{
			entry("VR-ibv_x-y-0001", "a", audit.Missing), entry("note 2 of ibv_x", "b", audit.Moved),
			entry("left_out 1 of ibv_w", "c", audit.Missing), entry("VR-ibv_x-y-0002", "", audit.OffPage),
		}},
		{"2.0", []audit.Entry{
			entry("VR-ibv_x-y-0001", "a", audit.Found), entry("note 2 of ibv_x", "b", audit.Found),
			entry("left_out 1 of ibv_w", "c", audit.Found), entry("VR-ibv_x-y-0002", "", audit.OffPage),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := got.markdown()
	for _, line := range []string{
		"| 1.0 | 3 | 0 | 1 | 2 | 0 | 0 |",
		"| 2.0 | 3 | 3 | 0 | 0 | 0 | 0 |",
		"| 2.0 | 0123456789ab | a word | 3 |  |",
		"| ibv_x | 0123456789ab | 0001, n2, ibv_w l1 |",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	if strings.Contains(text, "ba9876543210") || strings.Contains(text, "Without") {
		t.Errorf("more than there is to say:\n%s", text)
	}
	if err := got.unexplainedErr(); err != nil {
		t.Error(err)
	}
}

func TestMarkdownUnexplained(t *testing.T) {
	got, err := explain([]string{"1.0"}, nil, []audited{{"1.0", []audit.Entry{entry("note 1 of ibv_x", "a", audit.Missing)}}})
	if err != nil {
		t.Fatal(err)
	}
	if text := got.markdown(); !strings.Contains(text, "| 1.0 | 1 | 0 | 0 | 1 | 0 | 1 |\n") ||
		!strings.Contains(text, "\n- 1.0: note 1 of ibv_x on ibv_x(3)") {
		t.Error(text)
	}
	if err := got.unexplainedErr(); err == nil || !strings.HasPrefix(err.Error(), "1 passage") {
		t.Error(err)
	}
}
