package spec

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// For loads what the rules of some functions need of the project's own pages: the pages that name these functions, those whose shared
// rules such a page extends, and those of the types of their parameters. The rules of these functions are all there, the rest of the pages
// may be missing. A function that no page names needs all pages, for a similar name.
func For(module string, verbs ...string) (*Spec, error) {
	o := &only{verbs: verbs}
	sources, errs := ownSources(cmp.Or(module, DefaultModule))
	s, err := loaded(load(sources, errs, ".", nil, o))
	if err != nil {
		return nil, err
	}
	for _, v := range verbs {
		if s.VerbByC(v) == nil && s.SkipByC(v) == nil && s.PendingByC(v) == nil {
			return OverlayModule(module)
		}
	}
	return s, nil
}

// only says what is loaded of the pages. Nil loads all. It reads the text of the pages, before YAML does, and depends on their layout: the
// entries of a section are indented by two spaces, and what belongs to one by more.
type only struct {
	verbs []string
	types []string // names of Go types that the verbs need, those of other modules with the module before them
}

// has reports whether the rules of a function are loaded.
func (o *only) has(verb string) bool { return o == nil || slices.Contains(o.verbs, verb) }

// of is what is needed of a module that the one of the verbs uses: the types named with it.
func (o *only) of(module string) *only {
	if o == nil {
		return nil
	}
	used := &only{}
	for _, t := range o.types {
		if bare, ok := strings.CutPrefix(t, module+"."); ok {
			used.types = append(used.types, bare)
		}
	}
	return used
}

var (
	extended = regexp.MustCompile(`(?m)^ +(?:- )?extends: (VR-\S+)$`)
	typeKey  = regexp.MustCompile(`\b(?:type|nested|points): \[?([A-Za-z][\w.]*)`)
)

// pick returns the sources that are needed, in their order: the module, pending.yaml and pages.
func (o *only) pick(sources []source) []source {
	if o == nil {
		return sources
	}
	need := make([]bool, len(sources))
	add := func(is func(text []byte) bool) {
		for i, src := range sources {
			need[i] = is(src.data) || need[i]
		}
	}
	for i, src := range sources {
		need[i] = isModule(src.name) || pageName(src.name)+".yaml" == pendingFile
	}
	for _, v := range o.verbs {
		add(func(text []byte) bool { return hasWord(text, v) })
	}
	for i, src := range sources {
		if need[i] {
			for _, m := range extended.FindAllSubmatch(src.data, -1) {
				add(func(text []byte) bool { return hasWord(text, string(m[1])) })
			}
		}
	}
	wanted := slices.Concat(o.verbs, o.types)
	for n := 0; n < len(wanted); n++ {
		add(func(text []byte) bool {
			entry := entryOf(text, wanted[n])
			for _, line := range bytes.Split(entry, []byte("\n")) {
				for _, m := range typeKey.FindAllSubmatch(line, -1) {
					if t := string(m[1]); !bytes.Contains(line, []byte("role: handle")) && !slices.Contains(wanted, t) {
						wanted = append(wanted, t)
					}
				}
			}
			return entry != nil
		})
	}
	o.types = wanted[len(o.verbs):]
	for i, src := range sources { // both halves of a page
		for j, other := range sources {
			need[j] = need[j] || need[i] && half(src.name) == half(other.name)
		}
	}
	var out []source
	for i, src := range sources {
		if need[i] {
			out = append(out, src)
		}
	}
	return out
}

// half is the name of the page that a file is a half of.
func half(name string) string { return strings.TrimSuffix(pageName(name), ".go") }

// hasWord reports whether a text has a word that is not a part of a longer one.
func hasWord(text []byte, word string) bool {
	part := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
	}
	for i := 0; word != ""; {
		j := bytes.Index(text[i:], []byte(word))
		if j < 0 {
			break
		}
		i += j + len(word)
		if (i == len(word) || !part(text[i-len(word)-1])) && (i == len(text) || !part(text[i])) {
			return true
		}
	}
	return false
}

// entryOf returns the lines of the entry of a section that has a name; nil where there is none.
func entryOf(text []byte, name string) []byte {
	i := bytes.Index(text, []byte("\n  "+name+":"))
	if i < 0 {
		return nil
	}
	entry := text[i+1:]
	for end := 0; ; {
		line := bytes.IndexByte(entry[end:], '\n')
		if line < 0 {
			return entry
		}
		end += line + 1
		if !bytes.HasPrefix(entry[end:], []byte("   ")) {
			return entry[:end]
		}
	}
}
