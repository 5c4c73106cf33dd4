// Package fit compares pages with the header, and what is to be generated with the declarations that hand-written text was written for.
//
// It owns the checks of types, roles, forms and widths: what a page says of a declaration must be what C has there. A check is a row:
// what is wrong, the key, the message; a C type is compared with a shape. All problems are reported together, each with its place.
// It resolves nothing, so that nothing depends on it: it knows neither how names become the model, nor how code is written.
package fit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
)

// Pages compares the pages with the declarations of a header. What the header lacks is not looked at. The error is a
// diag.List.
func Pages(facts *spec.Facts, sp *spec.Spec) error {
	c := &checker{Spec: sp, facts: facts, arms: map[string]bool{}, pointed: map[string]bool{}, tailed: map[string]bool{}}
	for _, p := range sp.Pages {
		for _, r := range p.Records {
			c.arms[orZero(r.Arm).Of] = true
			c.tailed[orZero(r.Tail).Of] = true
			for _, f := range r.Fields {
				c.pointed[f.Points] = true
			}
		}
	}
	for _, p := range sp.Pages {
		each(p.Flags, c.flags)
		each(p.Enums, c.enum)
		each(p.Records, c.record)
		each(p.Objects, c.object)
		each(p.Verbs, c.verb)
	}
	return c.errs.Err()
}

func each[T any](entries []T, check func(*T)) {
	for i := range entries {
		check(&entries[i])
	}
}

// checker collects what Pages finds.
type checker struct {
	*spec.Spec
	facts *spec.Facts
	errs  diag.List
	// The types that records are an arm of, those that fields point to, and those of tails.
	arms, pointed, tailed map[string]bool
}

// entry is what checks are about: an entry of a page, with the places of its keys.
type entry struct {
	name string
	at   func(key, text string) spec.Pos
}

// on is the entry with one place, which its keys alone do not tell.
func (e entry) on(pos spec.Pos) entry {
	return entry{e.name, func(_, _ string) spec.Pos { return pos }}
}

// row is one check of an entry: whether it is wrong, the key whose place is reported (empty: the entry itself), and the message.
type row struct {
	wrong        bool
	key, problem string
	fix          string // empty: "correct KEY:"
}

// all reports every row that is wrong.
func (c *checker) all(e entry, rows ...row) {
	for _, r := range rows {
		if r.wrong {
			c.add(diag.TypeUnknown, e.at(r.key, ""), e.name, r.problem, cmp.Or(r.fix, "correct "+r.key+":"))
		}
	}
}

// first reports the first row that is wrong, and whether there is one.
func (c *checker) first(e entry, rows ...row) bool {
	i := slices.IndexFunc(rows, func(r row) bool { return r.wrong })
	if i >= 0 {
		c.all(e, rows[i])
	}
	return i >= 0
}

// fits reports a C type that is not of the shape that the value of a key is for.
func (c *checker) fits(e entry, key, value, what string, t spec.CType, want shape) {
	if want.has == nil || want.has(t) {
		return
	}
	given := key + ": " + value
	if strings.HasSuffix(what, value) { // what is the value already
		given = key + ":"
	}
	c.add(diag.TypeMismatch, e.at(key, ""), e.name, what+" is of type "+t.C+", and "+given+" is for "+want.words, "correct "+key+":")
}

func (c *checker) add(code string, pos spec.Pos, subject, problem, fix string) {
	c.errs.Add(diag.New(code, pos.File, pos.Line, pos.Col, subject, problem, fix))
}

// orZero is what a pointer points to, or a zero value, so that checks need not look for nil.
func orZero[T any](p *T) *T { return cmp.Or(p, new(T)) }
