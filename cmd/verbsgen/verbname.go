package main

import (
	"path"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// moduleOf gives src the module whose prefix a name has, as rdma_connect has that of rdmacm, if no flag names a module.
func moduleOf(src *source, name string) {
	if src.Module != "" || len(src.Specs) > 0 || src.Header != "" {
		return
	}
	for _, module := range spec.Modules() {
		if m, err := spec.ModuleOf(module); err == nil && hasPrefix(name, m) {
			src.Module = module
			return
		}
	}
}

// hasPrefix reports whether a name is one of the module's.
func hasPrefix(name string, m *spec.Module) bool {
	return slices.ContainsFunc(m.Prefixes(), func(p string) bool { return strings.HasPrefix(name, p) })
}

// isPattern reports whether a word can match several names.
func isPattern(word string) bool { return strings.ContainsAny(word, "*?[") }

// matching are the names that match a pattern; an error says that it is not a pattern.
func matching(names []string, pattern string) ([]string, error) {
	var out []string
	for _, n := range names {
		ok, err := path.Match(pattern, n)
		if err != nil {
			return nil, usagef("%q is not a pattern: %w", pattern, err)
		}
		if ok {
			out = append(out, n)
		}
	}
	return out, nil
}
