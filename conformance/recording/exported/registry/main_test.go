package main

import (
	"bytes"
	"os"
	"testing"
)

// TestCurrent compares the checked-in list with what the packages export.
func TestCurrent(t *testing.T) {
	want, err := list()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("../exported.gen.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("exported.gen.go is not what the packages export; run make generate (%v)", err)
	}
}
