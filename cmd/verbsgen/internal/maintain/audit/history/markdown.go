package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/audit"
)

const intro = `# The man pages of older releases

The rules and notes of the pages in [spec](../spec) rest on passages of the man pages of rdma-core %s. ` + "`verbsgen audit --man`" + ` finds
them by their hashes. This page says which of them the man pages of older releases lack, and why: the commit of rdma-core that
added or changed each. It is written by ` + "`.ci/man-audit`" + `, from the packages that ` + "`make libs`" + ` gets; the
commits are in [changes.json](../cmd/verbsgen/internal/maintain/audit/history/changes.json).

`

// markdown writes the table.
func (t *table) markdown() string {
	var b strings.Builder
	newest := t.audits[len(t.audits)-1].release
	fmt.Fprintf(&b, intro, newest)
	t.counts(&b)
	t.causes(&b)
	t.lists(&b)
	if len(t.unexplained) > 0 {
		fmt.Fprintf(&b, "\n## Without an explanation\n\n- %s\n", strings.Join(t.unexplained, "\n- "))
	}
	return b.String()
}

func row(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// counts writes what became of the passages in each release.
func (t *table) counts(b *strings.Builder) {
	row(b, "release", "passages", "found", "moved", "missing", "on a page that is new", "unexplained")
	row(b, "---", "---:", "---:", "---:", "---:", "---:", "---:")
	for i, a := range t.audits {
		n := map[audit.Status]int{}
		for _, e := range a.entries {
			n[e.Status]++
		}
		lacking := n[audit.Moved] + n[audit.Missing] + n[audit.NoPage]
		explained := 0
		for _, list := range t.because[i] {
			explained += len(list)
		}
		cells := []string{a.release}
		for _, c := range []int{lacking + n[audit.Found], n[audit.Found], n[audit.Moved], n[audit.Missing], n[audit.NoPage],
			lacking - explained} {
			cells = append(cells, fmt.Sprint(c))
		}
		row(b, cells...)
	}
}

// used returns the changes that explain something.
func (t *table) used() []int {
	var out []int
	for c := range t.changes {
		if slices.ContainsFunc(t.because, func(by map[int][]audit.Entry) bool { return len(by[c]) > 0 }) {
			out = append(out, c)
		}
	}
	return out
}

// causes writes how many passages each change explains, by release.
func (t *table) causes(b *strings.Builder) {
	fmt.Fprint(b, "\n## Changes, and how many passages each release lacks without them\n\n")
	head, rule := []string{"since", "commit", "what it did"}, []string{"---", "---", "---"}
	for _, a := range t.audits {
		head, rule = append(head, a.release), append(rule, "---:")
	}
	row(b, head...)
	row(b, rule...)
	for _, c := range t.used() {
		of := t.changes[c]
		cells := []string{of.Release, of.Commit, of.What}
		for i := range t.audits {
			cell := ""
			if n := len(t.because[i][c]); n > 0 {
				cell = fmt.Sprint(n)
			}
			cells = append(cells, cell)
		}
		row(b, cells...)
	}
}

// lists writes the rules and notes whose passages a change brought, by page.
func (t *table) lists(b *strings.Builder) {
	fmt.Fprint(b,
		"\n## What rests on these passages\n\nRules by their number; n2 is the second note of the verb that the page is named after, l2 "+
			"the second statement that is left out.\n\n")
	row(b, "page", "commit", "rules and notes")
	row(b, "---", "---", "---")
	var lines [][]string
	for _, c := range t.used() {
		pages := map[string][]string{}
		for i := range t.audits {
			for _, e := range t.because[i][c] {
				if id := short(e); !slices.Contains(pages[e.Page], id) {
					pages[e.Page] = append(pages[e.Page], id)
				}
			}
		}
		for page, ids := range pages {
			lines = append(lines, []string{page, t.changes[c].Commit, strings.Join(ids, ", ")})
		}
	}
	slices.SortFunc(lines, slices.Compare)
	for _, l := range lines {
		row(b, l...)
	}
}

// short is the number of a rule, or what and which another statement is; of a verb with a page of another name it names the verb.
func short(e audit.Entry) string {
	var what, verb string
	var n int
	if k, _ := fmt.Sscanf(e.ID, "%s %d of %s", &what, &n, &verb); k != 3 {
		return e.ID[strings.LastIndex(e.ID, "-")+1:]
	}
	if verb == e.Page {
		return fmt.Sprintf("%s%d", what[:1], n)
	}
	return fmt.Sprintf("%s %s%d", verb, what[:1], n)
}
