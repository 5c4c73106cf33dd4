// Package mutate makes damaged copies of C headers and of pages, for tests of what the command does with them.
//
// It owns the kinds of damage: regular expressions, and what their matches become. It knows nothing of facts, specs or the command.
package mutate

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Mutant is one damaged file.
type Mutant struct {
	Kind string
	File string // its name
	Note string // what was done, and where
	Text string // the damaged file; empty where no file has a place for the damage
}

// kind is one kind of damage: one match of an expression becomes one of the texts. In these $1 is a group, {NAME} is one of the words of
// this name, {cut} drops the rest of the file, and {from} what is before.
type kind struct {
	name string
	in   string // where it is not empty, the expression is looked for in one match of this one
	old  string
	new  []string
	all  bool // each match with the same text becomes the same
}

// Set makes mutants of files.
type Set struct {
	seed  uint64
	kinds []kind
	names []string // of the files; one that stands here twice is damaged twice as often
	files map[string]string
	words map[string][]string
}

// newSet takes the words of some names from the files: all matches of an expression, or of its group.
func newSet(seed uint64, kinds []kind, names []string, files map[string]string, words map[string][]string, found map[string]string) *Set {
	s := &Set{seed, kinds, names, files, words}
	for name, expression := range found {
		for _, file := range slices.Compact(slices.Sorted(slices.Values(names))) {
			for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(files[file], -1) {
				words[name] = append(words[name], m[len(m)-1])
			}
		}
	}
	return s
}

// Kinds names the kinds of damage, in the order in which they are done.
func (s *Set) Kinds() []string {
	var names []string
	for _, k := range s.kinds {
		names = append(names, k.name)
	}
	return names
}

// Mutant makes the i-th mutant, which depends on the seed and i alone. The kinds take turns.
func (s *Set) Mutant(i int) Mutant {
	r := rand.New(rand.NewPCG(s.seed, uint64(i)))
	k := s.kinds[i%len(s.kinds)]
	for range 100 {
		name := pick(r, s.names)
		if text, note := s.damage(r, k, s.files[name]); text != "" && text != s.files[name] {
			return Mutant{k.name, name, name + ":" + note, text}
		}
	}
	return Mutant{Kind: k.name, Note: "no file has a place for it"}
}

// damage does damage to a text that has a place for it.
func (s *Set) damage(r *rand.Rand, k kind, text string) (damaged, note string) {
	from, to := 0, len(text)
	if k.in != "" {
		places := regexp.MustCompile(k.in).FindAllStringIndex(text, -1)
		if len(places) == 0 {
			return "", ""
		}
		place := pick(r, places)
		from, to = place[0], place[1]
	}
	re := regexp.MustCompile(k.old)
	places := re.FindAllStringSubmatchIndex(text[from:to], -1)
	if len(places) == 0 {
		return "", ""
	}
	place := pick(r, places)
	fresh := string(re.ExpandString(nil, s.filled(r, pick(r, k.new)), text[from:to], place))
	begin, end := from+place[0], from+place[1]
	old := text[begin:end]
	note = fmt.Sprintf("%d: %.60q becomes %.60q", 1+strings.Count(text[:begin], "\n"), old, fresh)
	if k.all {
		return re.ReplaceAllStringFunc(text, func(match string) string {
			if match == old {
				return fresh
			}
			return match
		}), note
	}
	before, rest := text[:begin], text[end:]
	if head, _, ok := strings.Cut(fresh, "{cut}"); ok {
		fresh, rest = head, ""
	}
	if head, tail, ok := strings.Cut(fresh, "{from}"); ok {
		before, fresh = head, tail
	}
	return before + fresh + rest, note
}

var blank = regexp.MustCompile(`\{([a-z]+)\}`)

// filled puts words into a text.
func (s *Set) filled(r *rand.Rand, text string) string {
	return blank.ReplaceAllStringFunc(text, func(b string) string {
		if words := s.words[b[1:len(b)-1]]; len(words) > 0 {
			return strings.ReplaceAll(pick(r, words), "$", "$$")
		}
		return b
	})
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
