package vet

import (
	"go/token"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestInOrder has an analyzer report as a map leads it.
func TestInOrder(t *testing.T) {
	var got []token.Pos
	pass := &analysis.Pass{Report: func(d analysis.Diagnostic) { got = append(got, d.Pos) }}
	_, err := inOrder(func(pass *analysis.Pass) (any, error) {
		for _, at := range []token.Pos{31, 15, 19, 23} {
			pass.Report(analysis.Diagnostic{Pos: at})
		}
		return nil, nil
	})(pass)
	if err != nil || !slices.IsSorted(got) || len(got) != 4 {
		t.Errorf("%v, reported at %v", err, got)
	}
}
