package spec

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Codes of the errors that this package reports. Each stands for one kind of mistake, whatever its words.
const (
	CodeUnreadable    = "spec-unreadable"     // a file or folder cannot be read
	CodeEmpty         = "spec-empty"          // a file without content
	CodeEncoding      = "spec-encoding"       // not UTF-8
	CodeTab           = "spec-tab"            // indented by a tab
	CodeSyntax        = "spec-syntax"         // not YAML, or more than one document
	CodeAlias         = "spec-alias"          // an anchor, alias or merge key
	CodeType          = "spec-type"           // a value of another type than the key takes
	CodeUnknownKey    = "spec-unknown-key"    // a key that the form does not have
	CodeDuplicateKey  = "spec-duplicate-key"  // a key given twice in one mapping
	CodeMissingKey    = "spec-missing-key"    // a mandatory key left out
	CodeValue         = "spec-value"          // a text outside its closed list
	CodePageName      = "spec-page-name"      // the file is not called after its page
	CodeExtends       = "spec-extends"        // an extension that does not fit its page
	CodeUnknownKind   = "spec-unknown-kind"   // a rule kind outside the closed list
	CodeKindKey       = "spec-kind-key"       // a key that this kind of rule does not use, or lacks
	CodeRoleKey       = "spec-role-key"       // a key that this role of parameters does not take, or lacks
	CodeRuleID        = "spec-rule-id"        // an ID of another form, or for another verb
	CodeSharedRule    = "spec-shared-rule"    // a rule about several parameters or fields that does not fit them
	CodeDuplicateRule = "spec-duplicate-rule" // a rule number used twice in the project
	CodeDuplicateName = "spec-duplicate-name" // a C or Go name decided twice
	CodeGlob          = "spec-glob"           // a pattern where one name belongs
	CodeUnknownName   = "spec-unknown-name"   // a C name that no known release has
	CodeUnknownPath   = "spec-unknown-path"   // a path that leads to no argument or field
	CodeCase          = "spec-case"           // a case that cannot be read
	CodeGoName        = "spec-go-name"        // a text that cannot be the Go name it becomes
	CodeModule        = "spec-module"         // a module that does not fit those that it stands on
	CodeTooMuch       = "spec-too-much"       // nested too deeply, or too many values
)

// Error is one mistake in a YAML file, at its place.
type Error struct {
	Pos     Pos
	Subject string // what it is about: a page, a rule ID, a C name
	Problem string
	Fix     string // what to do; may be empty
	Code    string // CodeUnreadable and the like
}

// Error returns `file:line:col: subject: problem; fix`.
func (e Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Pos.String())
	b.WriteString(": ")
	if e.Subject != "" {
		b.WriteString(e.Subject)
		b.WriteString(": ")
	}
	b.WriteString(e.Problem)
	if e.Fix != "" {
		b.WriteString("; ")
		b.WriteString(e.Fix)
	}
	return b.String()
}

// String returns `file:line:col`; a place without a line is the file alone.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Errors are all mistakes of one phase, sorted by place.
type Errors []Error

// Error returns one mistake a line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// sorted puts the mistakes in the order of their places and drops repeats, whatever their subject; nil when there are none.
func (es Errors) sorted() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b Error) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	out := es[:0]
	seen := map[Error]bool{}
	for _, e := range es {
		same := e
		same.Subject = "" // a mistake in a shared rule is told once, not for each of its entries
		if !seen[same] {
			out = append(out, e)
		}
		seen[same] = true
	}
	return out
}

// Closest returns the name of the list that is most similar to name, or "" if none is similar enough.
func Closest(name string, among []string) string {
	best, bestDist := "", 1+max(1, len(name)/3)
	has := letters(name)
	for _, a := range among {
		if x := letters(a); bits.OnesCount64(x&^has) >= bestDist || bits.OnesCount64(has&^x) >= bestDist {
			continue // each step of a distance adds or removes one letter at most
		}
		if d := distance(name, a, bestDist); d < bestDist && a != name {
			best, bestDist = a, d
		}
	}
	return best
}

// letters is the set of the letters of a text, in which some share a bit.
func letters(s string) (set uint64) {
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return set
}

// DidYouMean is Closest as a fix; empty if no name is similar enough.
func DidYouMean(name string, among []string) string {
	if c := Closest(name, among); c != "" {
		return "did you mean " + c + "?"
	}
	return ""
}

// Choice lists the names of a kind, such as parameter, as a fix.
func Choice(kind string, names []string) string {
	if len(names) == 0 {
		return "it has no " + kind + "s"
	}
	return "the " + kind + "s are " + strings.Join(names, ", ")
}

// distance is the number of insertions, deletions, replacements and swaps of neighbours between two texts; limit
// when it is not below that.
func distance(a, b string, limit int) int {
	if diff := len(a) - len(b); diff >= limit || -diff >= limit {
		return limit
	}
	var room [3 * 64]int // enough for nearly all names: a list of cases may have many that nobody knows
	n := len(b) + 1
	rows := room[:]
	if 3*n > len(rows) {
		rows = make([]int, 3*n)
	}
	before, prev, cur := rows[:n], rows[n:2*n], rows[2*n:3*n]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
			least = min(least, cur[j])
		}
		if least > limit { // a swap of neighbours looks one row further back, and costs 1
			return limit
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(b)], limit)
}
