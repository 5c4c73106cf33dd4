package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommitted looks at the reports that the repository shows: whole, without a failure, and without the name or a folder of
// the machine that they were made on.
func TestCommitted(t *testing.T) {
	files, err := filepath.Glob("../../../docs/reports/*.json")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d reports below docs, %v; make matrix makes them", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Decode(data)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if r.Host.Name != "" {
			t.Errorf("%s: host %q", f, r.Host.Name)
		}
		if n := r.Count(); n[Fail] != 0 || n[Pass] == 0 {
			t.Errorf("%s: %v", f, n)
		}
		for _, folder := range []string{"/home/", "/root", "/tmp", "/work", "/var/"} {
			if at := strings.Index(string(data), folder); at >= 0 {
				t.Errorf("%s: has a path of a machine: %.60q", f, data[at:])
			}
		}
	}
}
