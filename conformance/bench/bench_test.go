package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const printed = `goos: linux
cpu: AMD EPYC
BenchmarkStream/built/16-2   	       1	         7.0 C-ns	         3.0 x-C
BenchmarkStream/what all have/16-2
BenchmarkGenerate
    bench_test.go:1: a log
BenchmarkGenerate-16         	       1	       240 ms
PASS
`

// TestReport has two rounds of two trees, and looks at the table and the file.
func TestReport(t *testing.T) {
	targets, err := parseTargets("# a comment\n\nconformance/bench/hotbench Stream/built/16 x-C 2\n" +
		"conformance/bench/hotbench Generate ms 250\n")
	if err != nil {
		t.Fatal(err)
	}
	var r results
	r.add(printed)
	r.add(strings.ReplaceAll(printed, "3.0 x-C", "2.5 x-C"))
	r.add(strings.ReplaceAll(printed, "3.0 x-C", "9.0 x-C"))
	if len(r.order) != 3 || median(r.values[key{"Stream/built/16", "x-C"}]) != 3 || cpuOf(printed) != "AMD EPYC" {
		t.Fatalf("%+v", r)
	}
	before := 1.5
	rep := report{Commit: "now", Against: "old", Go: "go1", CPU: "x", Rounds: 3}
	for _, k := range r.order {
		rep.Rows = append(rep.Rows, row{Package: "conformance/bench/hotbench", Benchmark: k.name, Unit: k.unit, Value: median(r.values[k])})
	}
	rep.Rows[1].Before = &before
	rep.judge(targets)
	var out strings.Builder
	rep.print(&out, false)
	want := `now, go1, x; medians of 3
package                     benchmark        unit  measured  target  verdict  old  ratio
conformance/bench/hotbench  Stream/built/16  x-C   3         2       missed   1.5  2.00
conformance/bench/hotbench  Generate         ms    240       250     met      -    -
1 of 2 targets met
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
	file := filepath.Join(t.TempDir(), "bench.json")
	if err := rep.write(file); err != nil {
		t.Fatal(err)
	}
	var again report
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &again) != nil || len(again.Rows) != 3 || again.Rows[1].Verdict != "missed" {
		t.Errorf("%v, %+v", err, again)
	}
}

// TestTargets shows that each target is of a package that exists and of a benchmark whose name begins as one of its functions, and that a
// line with a mistake is an error.
func TestTargets(t *testing.T) {
	targets, err := parseTargets(targetsFile)
	if err != nil || len(targets) == 0 {
		t.Fatal(len(targets), err)
	}
	for _, target := range targets {
		files, err := filepath.Glob(filepath.Join("../..", target.pkg, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no tests, %v", target.pkg, err)
		}
		name, _, _ := strings.Cut(target.key.name, "/")
		found := false
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(data), "func Benchmark"+name+"(")
		}
		if !found {
			t.Errorf("%s has no Benchmark%s", target.pkg, name)
		}
	}
	for _, bad := range []string{"a b c", "a b c d e", "a b c d"} {
		if _, err := parseTargets(bad); err == nil || !strings.Contains(err.Error(), "targets.txt:1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
