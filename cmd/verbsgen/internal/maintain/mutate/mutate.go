package mutate

import (
	"fmt"
	"math/rand/v2"
)

// Mutant is one damaged header.
type Mutant struct {
	Kind string
	File int    // which of the headers is damaged
	Note string // what was done, and where
	Text string // the damaged header
}

// kind is one kind of damage. It gives no text where a header has no place for it.
type kind struct {
	name string
	make func(r *rand.Rand, s *source) (text, note string)
}

// changed is a kind that damages a header at one of its declarations of some kinds.
func changed(name string, of []string, change func(r *rand.Rand, s *source, d span) (text, note string)) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		d, ok := pick(r, s.of(of...))
		if !ok {
			return "", ""
		}
		return change(r, s, d)
	}}
}

// Kinds names the kinds of damage, in the order in which they are done.
func Kinds() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

func kinds() []kind {
	var all []kind
	for _, list := range [][]kind{cuts, removals, moves, types, values, names, lexical, arrays, functions, additions} {
		all = append(all, list...)
	}
	return all
}

// Set makes mutants of headers.
type Set struct {
	seed  uint64
	files []*source
	kinds []kind
}

// New reads the headers. The first is the one that most mutants damage.
func New(seed uint64, headers ...string) *Set {
	s := &Set{seed: seed, kinds: kinds()}
	for _, text := range headers {
		s.files = append(s.files, read(text))
	}
	return s
}

// othersShare is how often, one in so many, a header other than the first is damaged.
const othersShare = 6

// Mutant makes the i-th mutant, which depends on the seed and i alone. The kinds take turns.
func (s *Set) Mutant(i int) Mutant {
	r := rand.New(rand.NewPCG(s.seed, uint64(i)))
	k := s.kinds[i%len(s.kinds)]
	order := r.Perm(len(s.files))
	if r.IntN(othersShare) != 0 {
		order[0] = 0
	}
	order = append(order[:1], 0)
	for _, file := range order {
		if text, note := k.make(r, s.files[file]); text != "" {
			return Mutant{Kind: k.name, File: file, Note: note, Text: text}
		}
	}
	return Mutant{Kind: k.name, Note: "the headers have no place for it"}
}

// pick chooses one of a list; ok is false for an empty one.
func pick[T any](r *rand.Rand, list []T) (x T, ok bool) {
	if len(list) == 0 {
		return x, false
	}
	return list[r.IntN(len(list))], true
}

// at is how notes name a line.
func at(i int) string { return fmt.Sprintf("line %d", i+1) }
