package audit

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// Status says what became of the passage of one rule or note.
type Status string

// What an audit can say of a passage.
const (
	Found    Status = "found"    // it stands in its section
	Moved    Status = "moved"    // it stands in another section: Entry.Now
	Missing  Status = "missing"  // the page has it no more: changed or withdrawn
	NoPage   Status = "no page"  // the folder has no such page
	OffPage  Status = "off page" // the page is silent, the rule names a source instead
	Unhashed Status = "unhashed" // neither a passage nor a source is given
)

// Entry is the verdict on one rule or note.
type Entry struct {
	Page    string
	ID      string // of a rule; "note N of VERB", "left_out N of VERB" or "plain N of PAGE" for another passage
	Section string // where the spec says that it stands
	Passage string
	Status  Status
	Now     string // the section it stands in now, when Moved
	Pos     spec.Pos
}

// Report is the outcome of an audit, in the order of pages and of the YAML.
type Report struct {
	Tool    string // program that rendered the pages
	Entries []Entry
	Absent  []string // pages that the folder lacks, sorted
}

// Count returns the number of entries with a status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, e := range r.Entries {
		if e.Status == s {
			n++
		}
	}
	return n
}

// Empty reports whether the folder has none of the pages.
func (r *Report) Empty() bool {
	return len(r.Absent) > 0 && r.Count(Found)+r.Count(Moved)+r.Count(Missing) == 0
}

// Audit looks for the passage of every rule and note in the man pages of a folder: one with *.3 or *.3.gz files, or
// with a man3 folder of them. Retired rules are left out.
func (t Tool) Audit(ctx context.Context, pages []*spec.Page, manDir string) (*Report, error) {
	report := &Report{Tool: t.Name}
	for _, page := range pages {
		entries := entriesOf(page)
		if len(entries) == 0 {
			continue
		}
		where, err := t.index(ctx, manDir, page.Page)
		if errors.Is(err, errAbsent) {
			report.Absent = append(report.Absent, page.Page)
		} else if err != nil {
			return nil, fmt.Errorf("man page %s: %w", page.Page, err)
		}
		for _, e := range entries {
			e.judge(where, err != nil)
			report.Entries = append(report.Entries, e)
		}
	}
	sort.Strings(report.Absent)
	return report, nil
}

func entriesOf(page *spec.Page) []Entry {
	var out []Entry
	for _, r := range page.Rules {
		if r.Retired {
			continue
		}
		e := Entry{Page: page.Page, ID: r.ID, Section: r.Section, Passage: r.Passage, Pos: r.Pos}
		if r.Passage == "" && len(r.Source) > 0 {
			e.Status = OffPage
		}
		out = append(out, e)
	}
	count := map[string]int{}
	add := func(what string, n spec.Note) {
		what += " of " + n.Verb
		count[what]++
		id := strings.Replace(what, " of", fmt.Sprintf(" %d of", count[what]), 1)
		e := Entry{Page: page.Page, ID: id, Section: n.Section, Passage: n.Passage, Pos: n.Pos}
		if n.Passage == "" && len(n.Source) > 0 {
			e.Status = OffPage
		}
		out = append(out, e)
	}
	for _, n := range page.Notes {
		add("note", n)
	}
	for _, l := range page.LeftOut {
		add("left_out", l.Note)
	}
	for i, p := range page.Plain {
		id := fmt.Sprintf("plain %d of %s", i+1, page.Page)
		out = append(out, Entry{Page: page.Page, ID: id, Section: p.Section, Passage: p.Passage, Pos: p.Pos})
	}
	return out
}

func (e *Entry) judge(where map[string][]string, absent bool) {
	switch {
	case e.Status != "":
		return
	case e.Passage == "":
		e.Status = Unhashed
		return
	case absent:
		e.Status = NoPage
		return
	}
	sections, ok := where[e.Passage]
	if !ok {
		e.Status = Missing
		return
	}
	for _, s := range sections {
		if strings.EqualFold(s, normalise(e.Section)) {
			e.Status = Found
			return
		}
	}
	e.Status, e.Now = Moved, sections[0]
}

// index maps the hash of every passage of a page to the sections it stands in.
func (t Tool) index(ctx context.Context, manDir, page string) (map[string][]string, error) {
	sections, err := t.sections(ctx, manDir, page)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, p := range passages(sections, maxRun) {
		if s := out[p.Hash]; len(s) == 0 || s[len(s)-1] != p.Section {
			out[p.Hash] = append(s, p.Section)
		}
	}
	return out, nil
}

func (t Tool) sections(ctx context.Context, manDir, page string) ([]section, error) {
	file, err := pageFile(manDir, page)
	if err != nil {
		return nil, err
	}
	src, err := readPage(file)
	if err != nil {
		return nil, err
	}
	if src, err = roff(ctx, file, src); err != nil {
		return nil, err
	}
	text, err := t.render(ctx, src)
	if err != nil {
		return nil, err
	}
	return parse(text), nil
}

// Passages lists the passages of a page with their text, for the author of a rule to choose from. It is the only way by
// which a page's words come out of this package.
func Passages(ctx context.Context, manDir, page string) ([]Passage, error) {
	tool, err := FindTool()
	if err != nil {
		return nil, err
	}
	sections, err := tool.sections(ctx, manDir, page)
	if err != nil {
		return nil, fmt.Errorf("man page %s in %s: %w", page, manDir, err)
	}
	return passages(sections, maxRun), nil
}

// Cited tells of each passage in the list whether all of it stands in passages of the page's rules, notes, left-out statements and
// plain passages.
func Cited(pages []*spec.Page, page string, list []Passage) []bool {
	hashes := map[string]bool{}
	for _, p := range pages {
		if p.Page == page {
			for _, e := range entriesOf(p) {
				hashes[e.Passage] = true
			}
		}
	}
	type piece struct {
		section string
		number  int
	}
	covered := map[piece]bool{}
	for _, p := range list {
		for n := p.First; hashes[p.Hash] && n <= p.Last; n++ {
			covered[piece{p.Section, n}] = true
		}
	}
	out := make([]bool, len(list))
	for i, p := range list {
		out[i] = true
		for n := p.First; n <= p.Last; n++ {
			out[i] = out[i] && covered[piece{p.Section, n}]
		}
	}
	return out
}
