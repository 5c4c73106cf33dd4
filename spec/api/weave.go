package api

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Store adds the facts of a release to the stored facts: text is the content of facts.txt, or empty. Facts of the same
// release are replaced. The result does not depend on the order in which releases are stored. source says where the
// facts were read.
func Store(text string, rel *Release, source string) ([]byte, error) {
	old, err := parseHistory(text)
	if err != nil {
		return nil, err
	}
	names := old.releases
	if !slices.Contains(names, rel.Release) {
		names = append(slices.Clone(names), rel.Release)
		slices.SortFunc(names, Compare)
	}
	h := &history{releases: names, sources: old.sources, header: headerOf(rel)}
	h.sources[rel.Release] = source
	for i, name := range names {
		one := rel
		if name != rel.Release {
			if one, err = old.release(name); err != nil {
				return nil, err
			}
		}
		facts, err := factsOf(one)
		if err != nil {
			return nil, err
		}
		h.weave(i, facts)
	}
	return h.format(), nil
}

// headerOf is the name of the header of a release.
func headerOf(rel *Release) string {
	if len(rel.Functions) == 0 {
		return ""
	}
	return path.Base(rel.Functions[0].Pos.File)
}

// factsOf lists the facts of a release, without lines of the header.
func factsOf(rel *Release) ([]fact, error) {
	l := &lister{}
	for _, f := range rel.Functions {
		f.Pos = Pos{File: f.Pos.File}
		l.add(KindFunction, "", f)
	}
	for _, r := range rel.Records {
		r.Pos = Pos{File: r.Pos.File}
		l.add(KindRecord, "", struct {
			Record
			Fields any `json:"fields,omitempty"` // which follow
		}{Record: r})
		for _, f := range r.Fields {
			f.Pos = Pos{}
			l.add(KindField, r.Tag, f)
		}
	}
	for _, e := range rel.Enums {
		e.Pos = Pos{File: e.Pos.File}
		l.add(KindEnum, "", struct {
			Enum
			Enumerators any `json:"enumerators,omitempty"`
		}{Enum: e})
		for _, m := range e.Enumerators {
			m.Line = 0
			l.add(KindEnumerator, e.Tag, m)
		}
	}
	for _, m := range rel.Macros {
		m.Pos = Pos{File: m.Pos.File}
		l.add(KindMacro, "", m)
	}
	for _, a := range rel.Aliases {
		a.Pos = Pos{File: a.Pos.File}
		l.add(KindAlias, "", a)
	}
	for _, t := range rel.Typedefs {
		t.Pos = Pos{File: t.Pos.File}
		l.add(KindTypedef, "", t)
	}
	for _, v := range rel.Variables {
		v.Pos = Pos{File: v.Pos.File}
		l.add(KindVariable, "", v)
	}
	return l.facts, l.err
}

// lister keeps the first error.
type lister struct {
	facts []fact
	err   error
}

func (l *lister) add(kind, owner string, v any) {
	w := &writer{}
	w.value(v)
	if w.err != nil && l.err == nil {
		l.err = w.err
	}
	l.facts = append(l.facts, fact{kind: kind, owner: owner, data: w.buf.String()})
}

// weave adds the facts of the release with an index, the one after those that are woven in already: what the release
// before has too goes on, what it has no more ends with that one, and what is new is put behind what stands before it.
func (h *history) weave(index int, facts []fact) {
	live := []int{} // of the facts that the release before has
	for i := range h.facts {
		if h.facts[i].open {
			live = append(live, i)
		}
	}
	before := make([]fact, len(live))
	for i, at := range live {
		before[i] = h.facts[at]
	}
	var out []fact
	copied := 0 // of h.facts
	upTo := func(n int) {
		out = append(out, h.facts[copied:n]...)
		copied = n
	}
	next := 0
	for _, step := range compare(before, facts) {
		switch {
		case step.old >= 0 && step.cur >= 0:
			upTo(live[step.old] + 1)
			out[len(out)-1].last = index
			next = step.cur + 1
		case step.old >= 0:
			upTo(live[step.old] + 1)
			out[len(out)-1].open = false
		default:
			f := facts[step.cur]
			f.first, f.last, f.open = index, index, true
			out = append(out, f)
			next = step.cur + 1
		}
	}
	if next != len(facts) {
		panic(fmt.Sprintf("weave: %d of %d facts", next, len(facts)))
	}
	upTo(len(h.facts))
	h.facts = out
}

// step pairs a fact of the older release with the same one of the newer; -1 where only one has it.
type step struct{ old, cur int }

// compare aligns the facts of two releases, by content and by what they belong to.
func compare(old, cur []fact) []step {
	var steps []step
	i, j := 0, 0
	a, b := lines(old), lines(cur)
	same := func(until int) {
		for ; i < until; i, j = i+1, j+1 {
			steps = append(steps, step{i, j})
		}
	}
	at, line := 0, 0 // the number of a line by its offset
	lineAt := func(offset int) int {
		line += strings.Count(a[at:offset], "\n")
		at = offset
		return line
	}
	for _, e := range udiff.Lines(a, b) {
		first := lineAt(e.Start)
		gone := strings.Count(a[e.Start:e.End], "\n")
		same(first)
		for ; i < first+gone; i++ {
			steps = append(steps, step{i, -1})
		}
		for range strings.Count(e.New, "\n") {
			steps = append(steps, step{-1, j})
			j++
		}
	}
	same(len(old))
	return steps
}

// lines is the text that the alignment works on.
func lines(facts []fact) string {
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(f.kind + " " + f.owner + " " + f.data + "\n")
	}
	return b.String()
}
