// Package cgen writes C: the C side of a generated package, declarations of the whole ABI of a release or of a part of it, and the
// assertions that hold a compiler's view of a header against the facts. It also says what a C type is, and how it crosses between
// Go and C (Classify).
//
// Declarations are made from the facts alone (package api). The functions that cross into C (shims.go) are made from the model, with the
// text of templates/. It knows no Go code.
package cgen

import (
	"cmp"
	"maps"
	"slices"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
