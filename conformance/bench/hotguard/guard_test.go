//go:build linux && cgo && amd64 && !race && !asan

package hotguard_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/verbsgen/verbsgen/conformance/bench/hotguard"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

var update = flag.Bool("update", false, "write testdata/counts.txt")

const (
	// countsFile has the instructions of one call, and of what they were counted with: another compiler or processor has other counts.
	countsFile = "testdata/counts.txt"
	// requireVar names a variable of the environment: 1 makes it a failure that the counts cannot be compared.
	requireVar = "VERBS_REQUIRE_COUNTS"
	// providerVar is for the process that is counted: the library of a provider with device memory.
	providerVar = "HOTGUARD_PROVIDER"
	// rounds is how often each call is counted. The least count is taken: the others have work of the Go runtime in them.
	rounds = 3
	// tolerance is how much a count may change. Two runs of the same program differ by less than a percent.
	tolerance = 0.02
)

// TestCounts compares the instructions of each call with those that are recorded. One that needs more got slower. One that needs fewer is
// logged: record it, so that it stays so.
func TestCounts(t *testing.T) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		notCompared(t, "valgrind is not installed (make setup)")
	}
	got := count(t, valgrind)
	if *update {
		if err := os.WriteFile(countsFile, []byte(format(toolchain(t), got)), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(countsFile)
	if err != nil {
		t.Fatal(err)
	}
	with, want, err := parse(string(data))
	if err != nil {
		t.Fatal(err)
	}
	now := toolchain(t)
	if compilers(with) != compilers(now) {
		notCompared(t, fmt.Sprintf("the counts were made with %s, and this is %s; record those of the commit before with "+
			"go test ./conformance/bench/hotguard -update, and commit them", with, now))
	}
	if now != with {
		t.Skipf("NOT COMPARED: the counts were made on a processor with other instructions: %s, and this is %s", with, now)
	}
	slower, faster := compare(got, want)
	for _, problem := range slower {
		t.Error(problem)
	}
	for _, call := range faster {
		t.Log(call)
	}
}

// notCompared skips the test, or fails where that is required.
func notCompared(t *testing.T, why string) {
	t.Helper()
	if os.Getenv(requireVar) == "1" {
		t.Fatalf("NOT COMPARED: %s (%s=1)", why, requireVar)
	}
	t.Skip("NOT COMPARED: ", why)
}

// compilers is the part of a toolchain that is not the processor, which no setup can change.
func compilers(with string) string {
	before, _, _ := strings.Cut(with, ", avx2")
	return before
}

// toolchain is what counts depend on beside the code.
func toolchain(t *testing.T) string {
	t.Helper()
	cc, err := exec.Command("go", "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	version, err := exec.Command("sh", "-c", strings.TrimSpace(string(cc))+" -dumpfullversion").Output()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s, gcc %s, avx2 %v, erms %v", runtime.Version(), bytes.TrimSpace(version), cpu.X86.HasAVX2, cpu.X86.HasERMS)
}

// row is a call and its instructions.
type row struct {
	name  string
	count float64
}

// compare returns what is wrong, and which calls got faster.
func compare(got, want []row) (problems, faster []string) {
	recorded := map[string]float64{}
	for _, r := range want {
		recorded[r.name] = r.count
	}
	const record = "go test ./conformance/bench/hotguard -update records it"
	for _, r := range got {
		old, ok := recorded[r.name]
		delete(recorded, r.name)
		switch change := r.count/old - 1; {
		case !ok:
			problems = append(problems, r.name+": has no count; "+record)
		case change > tolerance:
			problems = append(problems, fmt.Sprintf("%s: %.1f instructions, recorded are %.1f (%+.1f %%); if that is meant, %s", r.name, r.count,
				old, 100*change, record))
		case change < -tolerance:
			faster = append(faster, fmt.Sprintf("%s: %.1f instructions, recorded are %.1f (%+.1f %%); %s", r.name, r.count, old, 100*change, record))
		}
	}
	for _, r := range want {
		if _, left := recorded[r.name]; left {
			problems = append(problems, r.name+": is recorded, and not called; "+record)
		}
	}
	return problems, faster
}

func format(with string, rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Instructions of one call: go test ./conformance/bench/hotguard -update\n# %s\n", with)
	for _, r := range rows {
		fmt.Fprintf(&b, "%-26s %8.1f\n", r.name, r.count)
	}
	return b.String()
}

func parse(text string) (with string, rows []row, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			with = rest // the last of these
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseFloat(line[at+1:], 64)
		if at < 0 || err != nil || n <= 0 {
			return "", nil, fmt.Errorf("%s: %q is not a call and a count", countsFile, line)
		}
		rows = append(rows, row{strings.TrimSpace(line[:max(at, 0)]), n})
	}
	return with, rows, nil
}

// TestCompare has a call that got slower, one that got faster, a new one and one that is gone.
func TestCompare(t *testing.T) {
	with, want, err := parse(format("go1", []row{{"slow", 100}, {"fast", 100}, {"same", 100}, {"gone", 7}}))
	if err != nil || with != "go1" {
		t.Fatal(with, err)
	}
	problems, faster := compare([]row{{"slow", 102.1}, {"fast", 97.9}, {"same", 101.9}, {"new", 1}}, want)
	const record = "go test ./conformance/bench/hotguard -update records it"
	if got, want := strings.Join(problems, "\n"), "slow: 102.1 instructions, recorded are 100.0 (+2.1 %); if that is meant, "+record+
		"\nnew: has no count; "+record+"\ngone: is recorded, and not called; "+record; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := strings.Join(faster, "\n"), "fast: 97.9 instructions, recorded are 100.0 (-2.1 %); "+record; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, _, err := parse("call many\n"); err == nil {
		t.Error("a count that is no number is read")
	}
}

// count runs TestCalls under callgrind, which dumps what it has counted at each mark.
func count(t *testing.T, valgrind string) (rows []row) {
	t.Helper()
	dir := t.TempDir()
	provider, err := fakeprov.Build(dir, fakeprov.MLX5, false)
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "calls.test") // with its symbols, which the binary that go test runs lacks
	if said, err := exec.Command("go", "test", "-c", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	out := filepath.Join(dir, "counts")
	cmd := exec.Command(valgrind, "--tool=callgrind", "--callgrind-out-file="+out, "--dump-before=hg_mark", exe, "-test.run=^TestCalls$")
	// Nothing else works: no collector, no signals that stop goroutines, one processor. Valgrind 3.19 does not know RDTSCP, which a thread
	// of the runtime reaches when it waits for a lock.
	cmd.Env = append(os.Environ(), providerVar+"="+provider, "GOGC=off", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOMAXPROCS=1")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	dump := 1 // of what is before the first mark
	for _, c := range calls {
		least := int64(math.MaxInt64)
		for range rounds {
			dump++
			least = min(least, summary(t, fmt.Sprintf("%s.%d", out, dump)))
		}
		dump++ // of what is between two calls
		rows = append(rows, row{c.name, float64(least) / float64(c.times)})
	}
	if _, err := os.Stat(fmt.Sprintf("%s.%d", out, dump)); err == nil {
		t.Fatal("there are more marks than calls have")
	}
	return rows
}

// summary reads the number of instructions from a dump.
func summary(t *testing.T, file string) int64 {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "summary: "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("%s has no summary", file)
	return 0
}

// TestCalls makes the calls between marks, in the process that TestCounts starts; alone it asks that they succeed.
func TestCalls(t *testing.T) {
	provider := os.Getenv(providerVar)
	if provider == "" {
		var err error
		if provider, err = fakeprov.Build(t.TempDir(), fakeprov.MLX5, false); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range calls {
		do := c.open(t, provider)
		if err := do(50); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		hotguard.Mark()
		for range rounds {
			err := do(c.times)
			hotguard.Mark()
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
	}
}
