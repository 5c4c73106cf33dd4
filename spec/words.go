package spec

import (
	"maps"
	"slices"
	"strings"
)

// Words are what rules and cases of a module may speak of besides what its header declares: the structs that are used through
// handles, with their properties, and the capabilities.
type Words struct {
	prefixes []string            // of C names: "ibv_"
	objects  map[string][]string // struct without "struct " -> properties
	types    map[string]string   // property -> C type, of those that are no counts or truths
	synonyms map[string]string   // "ibv_buf.length" -> "size"
	caps     map[string]Capability
}

// Capability is what the first word of capability paths stands for.
type Capability struct {
	Struct string            `page:"key=c,must"` // without "struct "
	Device bool              // of a device or port
	Holds  map[string]string // field -> the word under which its fields are known too
}

// Capabilities returns the first words of capability paths.
func (w *Words) Capabilities() map[string]Capability { return w.caps }

// joined are the words of several modules.
func joined(all []*Words) *Words {
	out := &Words{objects: map[string][]string{}, types: map[string]string{}, synonyms: map[string]string{}, caps: map[string]Capability{}}
	for _, w := range slices.Backward(all) {
		out.prefixes = append(slices.Clone(w.prefixes), out.prefixes...)
		maps.Copy(out.objects, w.objects)
		maps.Copy(out.types, w.types)
		maps.Copy(out.synonyms, w.synonyms)
		maps.Copy(out.caps, w.caps)
	}
	return out
}

// published are the words of a module for one that stands on it: handles have the fields that their methods return as properties, too.
func (s *Spec) published() *Words {
	w := *s.Module.Words
	w.objects = maps.Clone(w.objects)
	for o := range s.Objects() {
		for _, g := range o.Getters {
			if props, ok := w.objects[o.C]; ok && !g.FD && !slices.Contains(props, g.C) {
				w.objects[o.C] = append(slices.Clone(props), g.C)
			}
		}
	}
	return &w
}

// Bare is a C name without the prefix that the names of its module have.
func (w *Words) Bare(c string) string {
	for _, p := range w.prefixes {
		if rest, ok := strings.CutPrefix(c, p); ok && rest != "" {
			return rest
		}
	}
	return c
}

// IsObject reports whether a struct is used through handles. What a case says of such a struct are properties, and a
// property that it does not give is unknown, not neutral. tag is without "struct ".
func (w *Words) IsObject(tag string) bool {
	_, ok := w.objects[tag]
	return ok
}

// PropAlias returns the other name that a case may use for a property, or "".
func (w *Words) PropAlias(tag, prop string) string { return w.synonyms[tag+"."+prop] }

// IsCapPath reports whether a path begins like a capability of a device or port.
func (w *Words) IsCapPath(p string) bool {
	root, _, _ := w.CapParts(p)
	return w.caps[root].Device
}

// NormalCap returns the one path for a capability that two queries return: a struct that another one holds goes by its own word.
func (w *Words) NormalCap(p string) string {
	root, index, rest := w.CapParts(p)
	field, more, deeper := strings.Cut(rest, ".")
	if word := w.caps[root].Holds[field]; word != "" && deeper && index == "" {
		return word + "." + more
	}
	return p
}

// CapParts splits a capability path: for "port_attr[1].max_msg_sz" root is port_attr, index is 1 and rest is
// max_msg_sz. The index may be the path of an argument.
func (w *Words) CapParts(p string) (root, index, rest string) {
	if i := strings.IndexByte(p, '['); i >= 0 {
		if j := strings.IndexByte(p[i:], ']'); j > 0 {
			return p[:i], p[i+1 : i+j], strings.TrimPrefix(p[i+j+1:], ".")
		}
	}
	root, rest, _ = strings.Cut(p, ".")
	sub, more, _ := strings.Cut(rest, ".")
	if _, two := w.caps[root+"."+sub]; two {
		root, rest = root+"."+sub, more
	}
	return root, "", rest
}
