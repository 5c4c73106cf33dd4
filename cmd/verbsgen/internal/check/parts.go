package check

import (
	"math/big"
	"slices"

	"github.com/verbsgen/verbsgen/spec"
)

// What package rulefile writes down for programs in other languages, which judge calls as this package does.

// Condition is the condition under which a call breaks a rule; nil for a rule of which the release lacks something.
func (k *Checker) Condition(r *spec.Rule) *spec.Cond {
	if u := k.usable[r]; u != nil {
		return u.broken
	}
	return nil
}

// Masks returns, by the path of each mask of a function, what its bits say is given.
func (k *Checker) Masks(verb string) map[string][]Gate { return k.gates[verb] }

// Flags ors flags by name, and numbers; all reports whether the release has each.
func (k *Checker) Flags(names []string) (m *big.Int, all bool) { return mask(k.facts, names) }

// FlagNames returns the names of flags, and of each enum among them those of its flags; never nil.
func (k *Checker) FlagNames(names []string) []string {
	out := []string{}
	for _, name := range names {
		if e := k.facts.EnumOf(name); spec.IsEnum(name) && e != nil {
			for _, m := range spec.FlagsOf(e) {
				out = append(out, m.Name)
			}
			continue
		}
		out = append(out, name)
	}
	return out
}

// Counted is the field whose elements a field counts, or "".
func Counted(field string) string { return counted[field] }

// End is the field among those of a struct that is the sum of its addr and length, or "".
func End(fields []string) string {
	if slices.Contains(fields, end) && slices.Contains(fields, "addr") {
		return end
	}
	return ""
}
