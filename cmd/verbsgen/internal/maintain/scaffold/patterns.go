package scaffold

import (
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Words of C names, and what they most often mean. One with a star is the beginning or the end of a word.
var (
	ends = []string{"destroy*", "free*", "close*", "dealloc*", "delete*", "release*", "unref*", "unreg*", "dereg*", "fini", "exit",
		"cleanup"} // an object
	makes = []string{"create*", "open*", "alloc*", "new", "make", "init", "dup*", "clone*", "copy", "import*", "reg", "register",
		"start", "accept", "build", "wrap", "add"} // an object
	asks    = []string{"query", "get", "read", "stat", "info"} // fills a struct
	answers = []string{"get", "num", "max", "min", "count", "is", "has", "equal", "test", "weight", "size", "distance", "available",
		"possible", "version"}
	// the last word of the tag of an enum of flags
	flagged = []string{"flags", "mask", "fields", "bits", "caps", "ops", "op"}
	// the first word of a number of elements, and words of numbers that count nothing
	counting = []string{"n", "nr", "num", "count", "max", "len", "size"}
	plain    = []string{"port", "portnum", "portid", "index", "idx", "id", "key", "flag", "flags", "fd", "timeout", "ms", "type", "level",
		"version"}
)

// ends reports whether a function ends what it is given. Put may be a value or a reference.
func (d *drafter) ends(f api.Function) bool {
	words := d.split(f.Name)
	return has(words, ends) || slices.Contains(words, "put") && slices.ContainsFunc(tags(f), func(tag string) bool {
		r := d.facts.Record("struct " + tag)
		return r != nil && r.Incomplete
	})
}

func has(words, of []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(of, func(o string) bool {
			stem, open := strings.CutSuffix(o, "*")
			return w == o || open && (strings.HasPrefix(w, stem) || strings.HasSuffix(w, stem))
		})
	})
}

var humps = regexp.MustCompile(`([a-z])([A-Z])`)

// snake is a C name in small letters, with an underscore between the words.
func snake(name string) string { return strings.ToLower(humps.ReplaceAllString(name, "${1}_$2")) }

// split is a C name in words, without the prefix of the module.
func (d *drafter) split(name string) []string { return strings.Split(d.bare(name), "_") }

// bare is a C name without the prefix of the module.
func (d *drafter) bare(name string) string {
	for _, p := range d.m.Prefixes() {
		if len(name) > len(p) && strings.EqualFold(name[:len(p)], p) {
			return snake(name[len(p):])
		}
	}
	return snake(name)
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
