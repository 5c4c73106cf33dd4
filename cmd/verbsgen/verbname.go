package main

import (
	"path"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/spec"
)

// fullName completes the name of a function: reg_mr is short for ibv_reg_mr. The name may belong to a module that no flag names, as
// rdma_connect does: then src gets the module.
func fullName(src *source, name string) string {
	if src.Module == "" && len(src.Specs) == 0 && src.Header == "" {
		for _, module := range spec.Modules() {
			if m, err := spec.ModuleOf(module); err == nil && hasPrefix(name, m) {
				src.Module = module
				return name
			}
		}
	}
	m, err := spec.ModuleOf(src.Module, src.Specs...)
	if err != nil || hasPrefix(name, m) || name == "" {
		return name
	}
	rel, err := input.Facts(src.Source, m)
	if err != nil {
		return name
	}
	has := functions(rel)
	for _, p := range m.Prefixes() {
		if !has[name] && has[p+name] {
			return p + name
		}
	}
	return name
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
