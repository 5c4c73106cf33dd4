package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCurrent compares docs/pictures with what would be drawn now.
func TestCurrent(t *testing.T) {
	pictures, err := draw()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pictures {
		stored, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "pictures", name))
		if err != nil || string(stored) != text {
			t.Errorf("docs/pictures/%s is out of date (%v); run go run ./conformance/documents/pictures at the root", name, err)
		}
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	for name, wants := range map[string][]string{
		"objects.svg": {">Device<", ">PD<", ">QP<", ">MR<", "also of XRCD<"},
		"states.svg": {">SQE<", "RESET to INIT needs PKEY_INDEX, PORT, ACCESS_FLAGS<",
			"also change to RESET and to ERR."},
	} {
		for _, want := range wants {
			if !strings.Contains(pictures[name], want) {
				t.Errorf("%s has no %s", name, want)
			}
		}
	}
}
