package vet

import (
	"os"
	"path/filepath"
	"testing"
)

// TestShapes reports nothing in programs that have the shapes of real ones: a prober of a fleet that polls, and one that waits for events.
func TestShapes(t *testing.T) {
	files, err := filepath.Glob("testdata/shapes/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { wants(t, string(src), own(t, "verbs")) })
	}
}
