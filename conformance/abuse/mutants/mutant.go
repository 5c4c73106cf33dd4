package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// mutant is one change of one file: the text old at offset at becomes new.
type mutant struct {
	area     string
	file     string
	line     int
	at       int
	old, new string
	kind     string
	text     string // the line that is changed, without space around it
	name     string // of one that is listed
	sum      uint64 // of the file's text
}

func newMutant(file, text string, at int, old, new, kind string) mutant {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	return mutant{file: file, line: 1 + strings.Count(text[:at], "\n"), at: at, old: old, new: new, kind: kind,
		text: strings.TrimSpace(text[begin:end]), sum: hash(0, text)}
}

// id is the same as long as the line and what is before it in the line are.
func (m mutant) id() string {
	if m.named() {
		return m.file + ": " + m.name
	}
	return fmt.Sprintf("%s: %s: %q to %q: %s", m.file, m.kind, m.old, m.new, m.text)
}

func (m mutant) named() bool { return m.name != "" }

func (m mutant) String() string {
	what := fmt.Sprintf("%q to %q", m.old, m.new)
	if m.named() {
		what = m.name
	}
	return fmt.Sprintf("%s:%d: %s", m.file, m.line, what)
}

// of is the file's text with the change.
func (m mutant) of(text string) (string, error) {
	if m.at < 0 || m.at > len(text) || !strings.HasPrefix(text[m.at:], m.old) {
		return "", fmt.Errorf("%s: the file does not have %q there", m, m.old)
	}
	return text[:m.at] + m.new + text[m.at+len(m.old):], nil
}

func hash(seed uint64, s string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, s)
	return h.Sum64()
}

// choose puts the mutants in the order in which they are run: those listed by name, then by seed, and one of a line. Lines
// of a file that are alike have one too: their mutants have the same ID, and so the same result.
func choose(found []mutant, seed uint64) []mutant {
	out := slices.Clone(found)
	slices.SortStableFunc(out, func(a, b mutant) int {
		if a.named() != b.named() {
			return map[bool]int{true: -1, false: 1}[a.named()]
		}
		if a.named() {
			return cmp.Compare(a.id(), b.id())
		}
		return cmp.Or(cmp.Compare(hash(seed, a.id()), hash(seed, b.id())), cmp.Compare(a.at, b.at))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(m mutant) bool {
		at := fmt.Sprint(m.file, m.line, m.name)
		again := seen[at] || seen[m.id()]
		seen[at], seen[m.id()] = true, true
		return again
	})
}
