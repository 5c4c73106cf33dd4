package bind

import (
	"cmp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
)

// This file has the form of the checks of pages: what a page says of a declaration must be what C has there. A check is a row: what is
// wrong, the key, the message; a C type is compared with a shape. What the header lacks is not looked at.

func each[T any](entries []T, do func(*T)) {
	for i := range entries {
		do(&entries[i])
	}
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

// wrong reports each row that is wrong.
func (b *binder) wrong(e entry, rows ...row) {
	for _, r := range rows {
		if r.wrong {
			b.mismatch(diag.TypeUnknown, e.at(r.key, ""), e.name, r.problem, cmp.Or(r.fix, "correct "+r.key+":"))
		}
	}
}

// first reports the first row that is wrong, and whether there is one.
func (b *binder) first(e entry, rows ...row) bool {
	i := slices.IndexFunc(rows, func(r row) bool { return r.wrong })
	if i >= 0 {
		b.wrong(e, rows[i])
	}
	return i >= 0
}

// shaped reports a C type that is not of the shape that the value of a key is for.
func (b *binder) shaped(e entry, key, value, what string, t spec.CType, want shape) {
	if want.has == nil || want.has(t) {
		return
	}
	given := key + ": " + value
	if strings.HasSuffix(what, value) { // what is the value already
		given = key + ":"
	}
	b.mismatch(diag.TypeMismatch, e.at(key, ""), e.name, what+" is of type "+t.C+", and "+given+" is for "+want.words, "correct "+key+":")
}

// mismatch adds a problem of a page that says of a declaration what C does not have there.
func (b *binder) mismatch(code string, pos spec.Pos, subject, problem, fix string) {
	if !b.generated {
		b.errorf(code, pos, subject, problem, fix)
	}
}

// orZero is what a pointer points to, or a zero value, so that checks need not look for nil.
func orZero[T any](p *T) *T { return cmp.Or(p, new(T)) }
