package main

import (
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestOwnPagesName holds the names of the own pages against all known releases, as the command does for the pages of
// others each time.
func TestOwnPagesName(t *testing.T) {
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	var rels []*api.Release
	for _, name := range api.Releases() {
		rel, err := api.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		rels = append(rels, rel)
	}
	if err := sp.CheckNames(rels...); err != nil {
		t.Error(err)
	}
}
