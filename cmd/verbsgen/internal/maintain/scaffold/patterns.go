package scaffold

import (
	"slices"
	"strings"
)

// Words of C names, and what they most often mean.
var (
	ends    = []string{"destroy", "free", "close", "dealloc", "delete", "release", "put"} // an object
	asks    = []string{"query", "get", "read", "stat", "info"}                            // fills a struct
	answers = []string{"get", "num", "max", "min", "count", "is", "has", "equal", "test", "weight", "size", "distance", "available",
		"possible", "version"}
	flagged = []string{"flags", "mask", "fields", "bits", "caps", "ops", "op"} // the last word of the tag of an enum of flags
)

func has(words, of []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
}

// split is a C name in words, without the prefix of the module.
func (d *drafter) split(name string) []string { return strings.Split(d.bare(name), "_") }

// bare is a C name without the prefix of the module.
func (d *drafter) bare(name string) string {
	for _, p := range d.m.Prefixes() {
		if rest, ok := strings.CutPrefix(strings.ToLower(name), p); ok && rest != "" {
			return rest
		}
	}
	return strings.ToLower(name)
}

// common is the longest prefix of names that ends with an underscore.
func common(names []string) string {
	if len(names) == 0 {
		return ""
	}
	first := names[0]
	for i := len(first); i > 0; i-- {
		if first[i-1] == '_' && !slices.ContainsFunc(names, func(n string) bool { return !strings.HasPrefix(n, first[:i]) || len(n) == i }) {
			return first[:i]
		}
	}
	return ""
}

// powers reports whether all values are different single bits.
func powers(values []int64) bool {
	seen := int64(0)
	for _, v := range values {
		if v <= 0 || v&(v-1) != 0 || seen&v != 0 {
			return false
		}
		seen |= v
	}
	return true
}
