package spec

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/refusing.txt anew")

// TestRefusing holds which rules refuse a call to a list: one that comes newly to it breaks programs that made the call, and so
// does no rule by accident. With -update the list is written anew.
func TestRefusing(t *testing.T) {
	s, err := Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	var now []string
	for _, r := range s.Rules() {
		if r.Severity == SeverityError {
			now = append(now, r.ID)
		}
	}
	const file = "testdata/refusing.txt"
	text := strings.Join(now, "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) == text {
		return
	}
	before := map[string]bool{}
	for _, id := range strings.Fields(string(data)) {
		before[id] = true
	}
	for _, id := range now {
		if !before[id] {
			t.Errorf("%s refuses calls, and is not in %s", id, file)
		}
		delete(before, id)
	}
	for id := range before {
		t.Errorf("%s refuses no calls, and is in %s", id, file)
	}
	t.Errorf("with -update %s is written anew, in the order of the pages", file)
}
