package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// drawObjects draws each object below its first parent, as an outline; other parents are named beside it.
func drawObjects(pages *spec.Spec) string {
	const step, row, width, height = 44, 34, 170, 26
	below := map[string][]spec.Object{}
	n := 0
	for o := range pages.Objects() {
		parent := ""
		if len(o.Parents) > 0 {
			parent = o.Parents[0]
		}
		below[parent] = append(below[parent], *o)
		n++
	}
	for _, list := range below { // those with children last, so that lines are short
		slices.SortFunc(list, func(a, b spec.Object) int {
			return cmp.Or(cmp.Compare(len(below[a.Go]), len(below[b.Go])), cmp.Compare(a.Go, b.Go))
		})
	}
	p := newPicture(620, n*row+16, "The objects of package verbs, each below the one that it is made from")
	y := 8
	var outline func(parent string, x, from int)
	outline = func(parent string, x, from int) {
		for _, o := range below[parent] {
			fill := "#ddf4ff"
			if len(below[o.Go]) > 0 {
				fill = "#fff8c5"
			}
			if parent != "" {
				p.line(pathOf("M", x-step/2, from, "V", y+height/2, "H", x), "")
			}
			p.box(x, y, width, height, o.Go, fill)
			if len(o.Parents) > 1 {
				p.text(x+width+10, y+height/2+4, "also of "+strings.Join(o.Parents[1:], ", "))
			}
			top := y + height
			from = y + height/2 // the next one continues the line
			y += row
			outline(o.Go, x+step, top)
		}
	}
	outline("", 8, 0)
	return p.end()
}
