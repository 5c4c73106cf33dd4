package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

const intro = `# What the man pages say, and what covers it

Every statement of the man pages of libibverbs and librdmacm 65.0, in our own words, with the hash of the passage that it is about. It is covered by

- a rule: an *error* refuses the call, a *hint* gives a message, or says why a call failed;
- what is named after *by*: Go of package verbs, of rdmacm on its pages, or of a package of runtime/ that keeps programs to it, or a rule about another passage;
- nothing, as it is a fact: what a call does or what a result means, so that no call can break it;
- nothing, though a program can break it: it is *left out*, with the reason.

Plain passages demand and promise nothing: headings, and what a name means. Rules that rest on a source and not on a man page are in
` + "`verbsgen rules`" + `.

`

// statement is one line of the list.
type statement struct {
	section, passage, text, by string
}

// counts are how many statements of a page are covered by what.
type counts struct {
	errors, hints, kept, facts, left, plain int
}

func (c *counts) add(o counts) {
	c.errors, c.hints, c.kept = c.errors+o.errors, c.hints+o.hints, c.kept+o.kept
	c.facts, c.left, c.plain = c.facts+o.facts, c.left+o.left, c.plain+o.plain
}

// markdown writes the list.
func markdown(pages []*spec.Page) string {
	var b strings.Builder
	b.WriteString(intro)
	for _, p := range pages {
		list, _ := statements(p)
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "## %s\n\n", p.Page)
		row(&b, "section", "passage", "statement", "covered by")
		row(&b, "---", "---", "---", "---")
		for _, s := range list {
			row(&b, s.section, s.passage, s.text, s.by)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sums writes how many statements of each page are covered by what.
func sums(pages []*spec.Page) string {
	var total counts
	var b strings.Builder
	row(&b, "page", "statements", "errors", "hints", "by", "facts", "left out", "plain passages")
	row(&b, "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:")
	for _, p := range pages {
		if list, n := statements(p); len(list) > 0 {
			total.add(n)
			row(&b, n.cells(p.Page)...)
		}
	}
	row(&b, total.cells("all")...)
	return b.String()
}

// cells are a row of the table of counts.
func (c counts) cells(name string) []string {
	out := []string{name}
	for _, n := range []int{c.errors + c.hints + c.kept + c.facts + c.left, c.errors, c.hints, c.kept, c.facts, c.left, c.plain} {
		out = append(out, fmt.Sprint(n))
	}
	return out
}

// statements lists what a page says, with rules first.
func statements(p *spec.Page) ([]statement, counts) {
	var out []statement
	n := counts{plain: len(p.Plain)}
	for _, r := range p.Rules {
		if r.Retired || r.Passage == "" {
			continue
		}
		kind := "error"
		if n.errors++; r.Severity == spec.SeverityLint {
			kind = "hint"
			n.errors, n.hints = n.errors-1, n.hints+1
		}
		out = append(out, statement{r.Section, r.Passage, r.Statement, kind + " " + r.ID})
	}
	for _, l := range p.LeftOut {
		n.left++
		out = append(out, statement{l.Section, l.Passage, l.Statement, "left out: " + l.Reason})
	}
	for _, t := range p.Notes {
		if t.Passage == "" {
			continue
		}
		by := "a fact"
		if n.facts++; len(t.By) > 0 {
			by = "by " + strings.Join(t.By, ", ")
			n.facts, n.kept = n.facts-1, n.kept+1
		}
		out = append(out, statement{t.Section, t.Passage, t.Statement, by})
	}
	return out, n
}

func row(b *strings.Builder, cells ...string) {
	cells = slices.Clone(cells)
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}
