// Package cdecl writes C from the facts of a release: declarations of the whole verbs ABI or of a part of it, and the
// assertions that hold a compiler's view of a header against the facts. It also tells other emitters what a C type
// is (Classify) and how it crosses between Go and C.
//
// It knows the facts (package api) alone: no specs, no model, no Go code.
package cdecl

import (
	"cmp"
	"maps"
	"slices"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
