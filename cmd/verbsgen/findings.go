package main

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// position is the beginning of a finding. Before a tab, it is a place that belongs to the finding above.
var position = regexp.MustCompile(`^(.+?):(\d+):(\d+): [^\t]`)

// byPosition sorts findings by file, line, column and text: go vet prints those of one analyzer after those of another, in a random order.
// They stay below the heading "# PACKAGE", and other lines below the line that they follow.
func byPosition(text string) string {
	type finding struct {
		section      int
		file         string
		line, column int
		text         string
	}
	all := []finding{{}}
	for line := range strings.Lines(text) {
		last := &all[len(all)-1]
		switch m := position.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "# "):
			all = append(all, finding{section: last.section + 1, text: line})
		case m != nil:
			at, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			all = append(all, finding{last.section, m[1], at, column, line})
		default:
			last.text += line
		}
	}
	slices.SortStableFunc(all, func(a, b finding) int {
		return cmp.Or(a.section-b.section, strings.Compare(a.file, b.file), a.line-b.line, a.column-b.column, strings.Compare(a.text, b.text))
	})
	var out strings.Builder
	for _, f := range all {
		out.WriteString(f.text)
	}
	return out.String()
}
