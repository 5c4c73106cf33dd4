package main

import (
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
