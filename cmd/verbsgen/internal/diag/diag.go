// Package diag holds the diagnostics of the command: what went wrong, where, and what to do about it.
//
// It owns the form in which they are printed (`file:line:col: subject: problem; fix`), their order, and
// their codes. It knows nothing of the phases that find them.
package diag

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Diag is one diagnostic. Line and Col count from 1; 0 means the place is not that exact. Problem and Fix are lower
// case without a final full stop; Fix may be empty where the problem says it all.
type Diag struct {
	Code    Code
	File    string // as the user gave it, or the name inside the project for embedded data; empty: the command line
	Line    int
	Col     int
	Subject string // what the problem is about: a name, a flag, a key
	Problem string
	Fix     string
}

// New fills in a diagnostic. An empty file and 0, 0 place it on the command line.
func New(code Code, file string, line, col int, subject, problem, fix string) Diag {
	return Diag{Code: code, File: file, Line: line, Col: col, Subject: subject, Problem: problem, Fix: fix}
}

// At is New for a place of a header or a page.
func At[P api.Pos | spec.Pos](code Code, place P, subject, problem, fix string) Diag {
	at := api.Pos(place)
	return New(code, at.File, at.Line, at.Col, subject, problem, fix)
}

// Error returns the diagnostic on one line: `file:line:col: subject: problem; fix`.
func (d Diag) Error() string {
	return d.line(plain)
}

// Form makes a line of the parts of a diagnostic. Subject and fix may be empty.
type Form func(place, subject, problem, fix string) string

func (d Diag) line(form Form) string {
	return form(d.place(), oneLine(d.Subject), oneLine(d.Problem), oneLine(d.Fix))
}

// plain is the form without colours.
func plain(place, subject, problem, fix string) string {
	if subject != "" {
		place += ": " + subject
	}
	if fix != "" {
		problem += "; " + fix
	}
	return place + ": " + problem
}

// place is the part of the text before the subject.
func (d Diag) place() string {
	if d.File == "" {
		return "verbsgen"
	}
	s := oneLine(d.File)
	if d.Line > 0 {
		s += ":" + strconv.Itoa(d.Line)
		if d.Col > 0 {
			s += ":" + strconv.Itoa(d.Col)
		}
	}
	return s
}

// oneLine keeps a text printable on one line of a terminal: control characters and bytes that are not UTF-8 are
// written as Go escapes.
func oneLine(s string) string {
	for _, r := range s {
		if r == '\uFFFD' || !strconv.IsPrint(r) {
			q := strconv.Quote(s)
			return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
		}
	}
	return s
}

// List is the diagnostics of one phase. It is an error; an empty list is none, see [List.Err].
type List []Diag

// Add appends one diagnostic.
func (l *List) Add(d Diag) { *l = append(*l, d) }

// AddErr appends what err holds: all of a List or of spec.Errors, a single Diag, each part of a joined error; anything else becomes an
// [Internal] diagnostic. A nil error adds nothing.
func (l *List) AddErr(err error) { *l = append(*l, From(err)...) }

// Err is nil for an empty list, else the list, sorted.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l.Sorted()
}

// Sorted returns a copy in the order of printing: by file, line, column, subject, problem; repeated ones once.
func (l List) Sorted() List {
	s := slices.Clone(l)
	slices.SortStableFunc(s, func(a, b Diag) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col),
			strings.Compare(a.Subject, b.Subject),
			strings.Compare(a.Problem, b.Problem),
			strings.Compare(a.Fix, b.Fix),
		)
	})
	return slices.Compact(s)
}

// Error returns one line for each diagnostic, sorted, without a final newline.
func (l List) Error() string {
	lines := make([]string, 0, len(l))
	for _, d := range l.Sorted() {
		lines = append(lines, d.Error())
	}
	return strings.Join(lines, "\n")
}

// maxShown is how many diagnostics are printed.
const maxShown = 50

// Print writes one line for each diagnostic, sorted; of many, the first ones and how many more there are.
func (l List) Print(w io.Writer, form Form) {
	sorted := l.Sorted()
	for _, d := range sorted[:min(len(sorted), maxShown)] {
		fmt.Fprintln(w, d.line(form))
	}
	if more := len(sorted) - maxShown; more > 0 {
		fmt.Fprintf(w, "verbsgen: ... and %s more\n", thousands(more))
	}
}

// thousands writes a number with commas: 299,950.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// One makes an error of a single diagnostic.
func One(d Diag) error { return List{d} }

// From returns the diagnostics that an error holds, however deeply wrapped or joined. A nil error holds none; an error
// of unknown kind is an [Internal] one with the error's text.
func From(err error) List {
	if err == nil {
		return nil
	}
	if l, ok := walk(err); ok {
		return l
	}
	return List{internal(err)}
}

// walk looks for diagnostics in err and what it wraps; false when there are none. Of joined errors the parts of
// unknown kind become internal ones, so that none is lost.
func walk(err error) (List, bool) {
	switch e := err.(type) {
	case List:
		return e, true
	case Diag:
		return List{e}, true
	case spec.Errors:
		return fromSpec(e), true
	case spec.Error:
		return fromSpec(spec.Errors{e}), true
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return walk(inner)
		}
	case interface{ Unwrap() []error }:
		var all List
		found := false
		for _, part := range e.Unwrap() {
			l, ok := walk(part)
			if !ok {
				l = List{internal(part)}
			}
			found = found || ok
			all = append(all, l...)
		}
		return all, found
	}
	return nil, false
}

// internal describes an error of unknown kind.
func internal(err error) Diag {
	return Diag{Code: Internal, Subject: "internal error", Problem: err.Error(),
		Fix: "report it with the command line and the input"}
}

// fromSpec takes over the mistakes found in YAML files.
func fromSpec(es spec.Errors) List {
	l := make(List, 0, len(es))
	for _, e := range es {
		l.Add(At(e.Code, e.Pos, e.Subject, e.Problem, e.Fix))
	}
	return l
}
