package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const overPage = `page: ibv_fork_init
title: fork
release: "65.0"
verbs:
  ibv_fork_init:
    returns: errno
    doc: prepares for fork
    params: {}
    methods:
      Lib.ForkInit: {}
skip:
  struct ibv_wq: another page will have it
  ibv_fork_status: another page will have it
`

// TestOverlayDecidesWhatIsPending lays a page over the own ones that binds and skips names which they leave pending.
func TestOverlayDecidesWhatIsPending(t *testing.T) {
	own, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"ibv_fork_init", "struct ibv_wq", "enum ibv_fork_status"}
	for _, c := range names {
		if own.PendingByC(c) == nil {
			t.Fatalf("%s is not pending any more; take another name for this test", c)
		}
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("ibv_fork_init.yaml", overPage)
	s, err := Overlay(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range names {
		if s.PendingByC(c) != nil {
			t.Errorf("%s is pending still", c)
		}
	}
	if s.VerbByC("ibv_fork_init") == nil || len(s.Pending) != len(own.Pending)-len(names) {
		t.Errorf("%d names are pending, of %d before", len(s.Pending), len(own.Pending))
	}

	// Its own list and its own page are to agree.
	write("pending.yaml", "functions: [ibv_fork_init]\nrecords: []\nenums: []\nmacros: []\n")
	if _, err := Overlay(dir); err == nil || !strings.Contains(err.Error(), "ibv_fork_init: this C name is pending; it is decided at ") {
		t.Errorf("a name both bound and pending in one folder: %v", err)
	}
}
