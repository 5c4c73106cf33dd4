package mutate

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// PageMutant is one damaged page.
type PageMutant struct {
	Kind, File, Note, Text string
}

// PageSet makes mutants of the YAML files of a folder. It looks at them as lines, words and marks.
type PageSet struct {
	seed  uint64
	names []string
	lines map[string][]string
	words []string // of all files: keys, names and values
}

// yamlWord is a word of a YAML file, and yamlKey a key.
var (
	yamlWord = regexp.MustCompile(`[A-Za-z_][\w.]*|-?[0-9][\w.]*`)
	yamlKey  = regexp.MustCompile(`[\w.]+:`)
	yamlMark = regexp.MustCompile(`[][{},:"|>-]`)
)

// NewPages reads the files.
func NewPages(seed uint64, files map[string]string) *PageSet {
	s := &PageSet{seed: seed, lines: map[string][]string{}}
	for name, text := range files {
		s.names, s.lines[name] = append(s.names, name), strings.Split(text, "\n")
		s.words = append(s.words, yamlWord.FindAllString(text, -1)...)
	}
	slices.Sort(s.names)
	slices.Sort(s.words)
	s.words = slices.Compact(s.words)
	return s
}

// pageKind is one kind of damage to the lines of a page, of which at is one. It returns nil where the line has no place for it.
type pageKind struct {
	name string
	make func(r *rand.Rand, s *PageSet, lines []string, at int) []string
}

// PageKinds names the kinds of damage, in the order in which they are done.
func PageKinds() []string {
	var names []string
	for _, k := range pageKinds {
		names = append(names, k.name)
	}
	return names
}

// Mutant makes the i-th mutant, which depends on the seed and i alone. The kinds take turns.
func (s *PageSet) Mutant(i int) PageMutant {
	r := rand.New(rand.NewPCG(s.seed, uint64(i)))
	k := pageKinds[i%len(pageKinds)]
	for range 500 {
		name := s.names[r.IntN(len(s.names))]
		lines := s.lines[name]
		at := r.IntN(len(lines))
		if strings.TrimSpace(lines[at]) == "" {
			continue
		}
		damaged := k.make(r, s, slices.Clone(lines), at)
		if text := strings.Join(damaged, "\n"); damaged != nil && text != strings.Join(lines, "\n") {
			return PageMutant{k.name, name, fmt.Sprintf("%s:%d: %s", name, at+1, strings.TrimSpace(lines[at])), text}
		}
	}
	return PageMutant{Kind: k.name, Note: "the pages have no place for it"}
}

// block is how many lines an entry has: its line, and those that are indented more.
func block(lines []string, at int) int {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	n := 1
	for at+n < len(lines) && (strings.TrimSpace(lines[at+n]) == "" || indent(lines[at+n]) > indent(lines[at])) {
		n++
	}
	return n
}

// replaced is a kind that replaces a match of an expression in the line.
func replaced(name string, of *regexp.Regexp, with func(r *rand.Rand, s *PageSet, old string) string) pageKind {
	return pageKind{name, func(r *rand.Rand, s *PageSet, lines []string, at int) []string {
		places := of.FindAllStringIndex(lines[at], -1)
		p, ok := pick(r, places)
		if !ok {
			return nil
		}
		old := lines[at][p[0]:p[1]]
		lines[at] = lines[at][:p[0]] + with(r, s, old) + lines[at][p[1]:]
		return lines
	}}
}

// oddValues are values that pages do not have.
var oddValues = []string{"", `""`, "0", "-1", "1", "64", "255", "4294967296", "99999999999999999999", "1e9", "null",
	"NULL", "true", "false", "[]", "{}", "[a]", "{a: b}", "~", "\"\u3164\"", "'@a'", "&a b", "*a", "!!int 3", "|", "x",
	"X", "func", "err", "lib", "Lib", "Lib.Close", "Close", "go", "int", "string", "_", "a.b.c", "verbs.PD", "store.Box",
	"none.Thing", "ptr", "unsafe", "verr", ".", "..", "/", "*", "a b", "{IBV_X}", "{", "%s"}

// closedWords are words that pages choose from.
var closedWords = strings.Fields(`handle in flags enum in_record out_record in_out_record out bytes slice filled addr len data sockaddr given made mask
	out_mask errno null_errno minus1_errno errno_either number_minus1 number_negated void value rereg buffer pin implicit end next_record attach detach special
	stream reader requires excludes mandatory gated_by required not_null range aligned cap_bound depends_on mask_for_transition allowed_set
	object handle marks none device host memory allocator context network event entry lazy out in arm tail points nested hide type c role tag is
	size new bit bool text count null parent moves reads rest from hex means creates destroy parents methods params fixed form fields members
	prefix doc docs names needs_verbs needs_types state_from getters lends also callback len pair default updates lists asks extent iova`)

func anyWord(r *rand.Rand, s *PageSet, _ string) string { return s.words[r.IntN(len(s.words))] }

var pageKinds = []pageKind{
	{"an entry removed", func(_ *rand.Rand, _ *PageSet, lines []string, at int) []string {
		return slices.Delete(lines, at, at+block(lines, at))
	}},
	{"an entry twice", func(_ *rand.Rand, _ *PageSet, lines []string, at int) []string {
		return slices.Insert(lines, at, slices.Clone(lines[at:at+block(lines, at)])...)
	}},
	{"an entry moved", func(r *rand.Rand, _ *PageSet, lines []string, at int) []string {
		entry := slices.Clone(lines[at : at+block(lines, at)])
		lines = slices.Delete(lines, at, at+len(entry))
		return slices.Insert(lines, r.IntN(len(lines)+1), entry...)
	}},
	{"an entry of another place", func(r *rand.Rand, s *PageSet, lines []string, at int) []string {
		from := s.lines[s.names[r.IntN(len(s.names))]]
		i := r.IntN(len(from))
		return slices.Insert(lines, at, slices.Clone(from[i:i+block(from, i)])...)
	}},
	{"a line indented otherwise", func(r *rand.Rand, _ *PageSet, lines []string, at int) []string {
		if r.IntN(2) == 0 {
			lines[at] = "  " + lines[at]
		} else {
			lines[at] = strings.TrimPrefix(lines[at], "  ")
		}
		return lines
	}},
	{"the end cut off", func(r *rand.Rand, _ *PageSet, lines []string, at int) []string {
		lines[at] = lines[at][:r.IntN(len(lines[at]))]
		return lines[:at+1]
	}},
	replaced("another word", yamlWord, anyWord),
	replaced("another word of the closed lists", yamlWord, func(r *rand.Rand, _ *PageSet, _ string) string {
		return closedWords[r.IntN(len(closedWords))]
	}),
	replaced("an odd value", yamlWord, func(r *rand.Rand, _ *PageSet, _ string) string { return oddValues[r.IntN(len(oddValues))] }),
	replaced("another key", yamlKey, func(r *rand.Rand, _ *PageSet, _ string) string { return closedWords[r.IntN(len(closedWords))] + ":" }),
	replaced("a key more", yamlKey, func(r *rand.Rand, s *PageSet, old string) string {
		value := anyWord(r, s, "")
		if r.IntN(2) == 0 {
			value = oddValues[r.IntN(len(oddValues))]
		}
		return closedWords[r.IntN(len(closedWords))] + ": " + value + ", " + old
	}),
	{"a word changed everywhere", func(r *rand.Rand, s *PageSet, lines []string, at int) []string {
		old, ok := pick(r, yamlWord.FindAllString(lines[at], -1))
		if !ok {
			return nil
		}
		word := anyWord(r, s, "")
		for i := range lines {
			lines[i] = yamlWord.ReplaceAllStringFunc(lines[i], func(w string) string {
				if w == old {
					return word
				}
				return w
			})
		}
		return lines
	}},
	replaced("a letter changed", regexp.MustCompile(`\w`), func(r *rand.Rand, _ *PageSet, _ string) string {
		return string("aZ_0.- é"[r.IntN(8)])
	}),
	replaced("a mark removed", yamlMark, func(*rand.Rand, *PageSet, string) string { return "" }),
	replaced("a mark twice", yamlMark, func(_ *rand.Rand, _ *PageSet, old string) string { return old + old }),
	replaced("another mark", yamlMark, func(r *rand.Rand, _ *PageSet, _ string) string { return string("[]{},:\"'|#&*!"[r.IntN(13)]) }),
	replaced("a list emptied", regexp.MustCompile(`\[[^\]]*\]|\{[^{}]*\}`), func(_ *rand.Rand, _ *PageSet, old string) string {
		return old[:1] + old[len(old)-1:]
	}),
	{"a list that is long", func(r *rand.Rand, s *PageSet, lines []string, at int) []string {
		places := regexp.MustCompile(`\[[^\]]+\]`).FindAllStringIndex(lines[at], -1)
		p, ok := pick(r, places)
		if !ok {
			return nil
		}
		inner := lines[at][p[0]+1 : p[1]-1]
		lines[at] = lines[at][:p[0]+1] + inner + strings.Repeat(", "+inner, 1+r.IntN(2000)) + lines[at][p[1]-1:]
		return lines
	}},
}
