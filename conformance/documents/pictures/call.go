package main

import (
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/spec"
)

// refusal makes the wrong call of the picture on a software device and returns its error.
func refusal() (refused error, err error) {
	soft := softverbs.New()
	defer soft.Close()
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		return nil, err
	}
	list, err := lib.Devices()
	if err != nil {
		return nil, err
	}
	dev, err := lib.OpenDevice(list[0].Name)
	if err != nil {
		return nil, err
	}
	defer dev.CloseAll()
	pd, err := dev.AllocPD()
	if err != nil {
		return nil, err
	}
	if _, refused = pd.RegMR(make([]byte, 4096), verbs.MRAccessRemoteWrite); refused == nil {
		return nil, errors.New("the call was not refused")
	}
	return refused, nil
}

// drawCall draws one wrong call in C and in Go, from what the program writes to its end.
func drawCall(pages *spec.Spec) (string, error) {
	refused, err := refusal()
	if err != nil {
		return "", err
	}
	rules := len(pages.RulesOf("ibv_reg_mr"))
	rows := []struct{ when, c, golang string }{
		{"The program", "ibv_reg_mr(pd, buf, 4096, IBV_ACCESS_REMOTE_WRITE)", "pd.RegMR(buf, verbs.MRAccessRemoteWrite)"},
		{"Compiling", "Takes any flag of any call, as a number.", "Takes only flags of type MRAccess."},
		{"Before the call", "Nothing is checked.", fmt.Sprintf("%d rules of the man page are checked; buf is pinned.", rules)},
		{"The kernel", "Is asked, and refuses.", "Is asked only if no rule refuses the call."},
		{"The program gets", "NULL; errno is EINVAL: Invalid argument.", refused.Error()},
		{"At the end", "ibv_dereg_mr(mr) before free(buf) and ibv_dealloc_pd(pd); another order fails, or corrupts memory.",
			"mr.Close(), or dev.CloseAll() for everything; another order is an error that names what is still open."},
	}
	const left, width, cell, letters, line = 130, 850, 350, 46, 18
	p, y := &picture{}, 50
	for i, r := range rows {
		c, golang := wrapped(r.c, letters), wrapped(r.golang, letters)
		h := max(len(c), len(golang))*line + 16
		p.text(10, y+h/2+4, r.when)
		for _, x := range []int{left, left + cell + 10} {
			fill := "#ddf4ff"
			if x == left {
				fill = "#fff8c5"
			}
			p.box(x, y, cell, h, "", fill)
			if i < len(rows)-1 {
				p.line(pathOf("M", x+cell/2, y+h, "V", y+h+10), ` marker-end="url(#tip)"`)
			}
		}
		for n, part := range c {
			p.text(left+10, y+22+n*line, html.EscapeString(part))
		}
		for n, part := range golang {
			p.text(left+cell+20, y+22+n*line, html.EscapeString(part))
		}
		y += h + 12
	}
	whole := newPicture(width, y, "One wrong call in C and in Go")
	whole.text(left+cell/2-5, 34, "C")
	whole.text(left+cell+10+cell/2-8, 34, "Go")
	whole.WriteString(p.String())
	return whole.end(), nil
}

// wrapped breaks a text at spaces into lines of at most n letters, where it can.
func wrapped(text string, n int) (lines []string) {
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(word) <= n {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
