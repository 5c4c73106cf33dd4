package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var from = flag.String("from", "", "take the reports of this folder over into docs/reports, in the form that is kept")

// kept are the reports of docs/reports: which one has the titles of the cases, and which one the answers, for TestParity.
var kept = []struct {
	name            string
	titles, answers bool
}{
	{"softverbs", true, false}, {"rxe-6.1", false, true}, {"rxe-6.12", false, false}, {"rxe-7.2", false, false},
	{"rxe-7.2-rdma-core-65.0", false, false}, {"mlx5-44.0", false, false}, {"mlx5-65.0", false, false},
}

// TestKept looks at the reports that the repository has: in the form of Keep, without a failure, and without the name or a folder of
// the machine that they were made on. With -from it writes them.
func TestKept(t *testing.T) {
	const docs = "../../../docs/reports"
	files, err := filepath.Glob(docs + "/*")
	if err != nil || len(files) != len(kept) {
		t.Errorf("%d files, %v; want %d", len(files), err, len(kept))
	}
	for _, k := range kept {
		file := filepath.Join(docs, k.name+".json")
		source := file
		if *from != "" {
			source = filepath.Join(*from, k.name+".json")
		}
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		short, err := Keep(r, k.titles, k.answers)
		if err != nil {
			t.Fatal(err)
		}
		if *from != "" {
			if err := os.WriteFile(file, short, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if !bytes.Equal(data, short) {
			t.Errorf("%s is not in the form that is kept; take full reports over: go test ./cmd/verbsgen/report -run TestKept -args -from "+
				"FOLDER", file)
		}
		if r.Host.Name != "" {
			t.Errorf("%s: host %q", source, r.Host.Name)
		}
		if n := r.Count(); n[Fail] != 0 || n[Pass] == 0 {
			t.Errorf("%s: %v", source, n)
		}
		for _, folder := range []string{"/home/", "/root", "/tmp", "/work", "/var/"} {
			if at := strings.Index(string(short), folder); at >= 0 {
				t.Errorf("%s: has a path of a machine: %.60q", source, short[at:])
			}
		}
	}
}
