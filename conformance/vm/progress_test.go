//go:build linux

package main

import (
	"strings"
	"testing"
)

// TestProgress writes a changing line between lines that stay, on a terminal and elsewhere.
func TestProgress(t *testing.T) {
	for terminal, want := range map[bool]string{
		true:  "vm: booting\r\x1b[Kvm: stays\nvm: running\r\x1b[K",
		false: "vm: stays\n",
	} {
		var told strings.Builder
		p := newProgress(&told)
		if p.terminal {
			t.Error("a string is taken for a terminal")
		}
		p.terminal = terminal
		p.status("booting")
		p.status("booting")
		p.line("stays")
		p.status("running")
		p.clear()
		p.clear()
		if told.String() != want {
			t.Errorf("terminal %t: %q, want %q", terminal, &told, want)
		}
	}
}
