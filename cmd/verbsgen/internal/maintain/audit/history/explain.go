package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/audit"
)

//go:embed changes.json
var changesJSON []byte

// change is a commit of rdma-core that changed man pages.
type change struct {
	Commit   string   `json:"commit"`  // or "rendering": the text is the same, and the page was made of it by another program
	Release  string   `json:"release"` // the first with it
	What     string   `json:"what"`
	Pages    []string `json:"pages"`
	New      bool     `json:"new"`      // it added the pages
	Passages []string `json:"passages"` // hashes of what it brought, where another change is of the same page and time
}

// readChanges reads the embedded list of changes, and looks whether it makes sense.
func readChanges(releases []string) ([]change, error) {
	dec := json.NewDecoder(bytes.NewReader(changesJSON))
	dec.DisallowUnknownFields()
	var list []change
	if err := dec.Decode(&list); err != nil {
		return nil, fmt.Errorf("changes.json: %w", err)
	}
	commit := regexp.MustCompile(`^([0-9a-f]{12}|rendering)$`)
	for i, c := range list {
		switch {
		case !commit.MatchString(c.Commit):
			return nil, fmt.Errorf("changes.json: %q is not the beginning of a commit, of 12 digits, nor rendering", c.Commit)
		case !slices.Contains(releases, c.Release):
			return nil, fmt.Errorf("changes.json: %s: %q is no known release", c.Commit, c.Release)
		case c.What == "" || len(c.Pages) == 0:
			return nil, fmt.Errorf("changes.json: %s: what and pages are required", c.Commit)
		case i > 0 && slices.Index(releases, list[i-1].Release) > slices.Index(releases, c.Release):
			return nil, fmt.Errorf("changes.json: %s: put it before those of release %s", c.Commit, list[i-1].Release)
		}
	}
	return list, nil
}

// audited is the audit of the man pages of a release.
type audited struct {
	release string
	entries []audit.Entry
}

// table says which changes explain the passages that releases lack.
type table struct {
	changes     []change
	audits      []audited
	because     []map[int][]audit.Entry // of each audit: what is missing, by the change that explains it
	unexplained []string
}

// explain finds for each passage that a release lacks the change that brought it: one of its page, later than the last release that
// lacks it, and not later than the next one, which has it. Where several are, it is the one that names the passage.
func explain(releases []string, changes []change, audits []audited) (*table, error) {
	t := &table{changes: changes, audits: audits}
	for i, a := range audits {
		at := slices.Index(releases, a.release)
		if at < 0 || i > 0 && at <= slices.Index(releases, audits[i-1].release) {
			return nil, fmt.Errorf("%s: give known releases, from the oldest to the newest", a.release)
		}
		by := map[int][]audit.Entry{}
		for n, e := range a.entries {
			if !lacks(e) {
				continue
			}
			until := slices.IndexFunc(audits[i:], func(b audited) bool { return b.entries[n].Status == audit.Found })
			if until < 0 {
				t.unexplained = append(t.unexplained, fmt.Sprintf("%s: %s on %s(3): no release given has passage %s", a.release, e.ID, e.Page,
					e.Passage))
				continue
			}
			from := a.release // it is the page that is not there yet
			if e.Status != audit.NoPage {
				from = audits[i+until-1].release
			}
			after, end := slices.Index(releases, from), slices.Index(releases, audits[i+until].release)
			c := cause(changes, e, func(release string) bool {
				at := slices.Index(releases, release)
				return at > after && at <= end
			})
			if c < 0 {
				t.unexplained = append(t.unexplained, fmt.Sprintf("%s: %s on %s(3): no change explains that passage %s is missing", a.release,
					e.ID, e.Page, e.Passage))
				continue
			}
			by[c] = append(by[c], e)
		}
		t.because = append(t.because, by)
	}
	return t, nil
}

func lacks(e audit.Entry) bool {
	return e.Status == audit.Missing || e.Status == audit.Moved || e.Status == audit.NoPage
}

// cause returns the index of the change that explains an entry; -1 without one.
func cause(changes []change, e audit.Entry, inTime func(release string) bool) int {
	var found []int
	for i, c := range changes {
		if slices.Contains(c.Pages, e.Page) && c.New == (e.Status == audit.NoPage) && inTime(c.Release) {
			found = append(found, i)
		}
	}
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(i int) bool { return !slices.Contains(changes[i].Passages, e.Passage) })
	}
	if len(found) == 1 {
		return found[0]
	}
	return -1
}

func (t *table) unexplainedErr() error {
	if len(t.unexplained) == 0 {
		return nil
	}
	return fmt.Errorf("%d passages without an explanation; find the commit, and add it to changes.json:\n%s", len(t.unexplained),
		strings.Join(t.unexplained, "\n"))
}
