//go:build linux && cgo

package conformance

import (
	"bufio"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/cases"
)

// suiteAlone leaves all tests but the suite out when one of its flags is given, or where the source is not: the others need it
// and a C compiler, which a machine that the binary was copied to may not have. Flags are parsed already.
func suiteAlone() {
	_, err := os.Stat("suite/known.json")
	alone := err != nil
	flag.Visit(func(f *flag.Flag) { alone = alone || !strings.HasPrefix(f.Name, "test.") })
	if run := flag.Lookup("test.run"); alone && run.Value.String() == "" {
		if err := run.Value.Set("^TestSuite$"); err != nil {
			panic(err)
		}
	}
}

// copied makes a folder that holds a copy of this binary, verbs-conformance, and nothing else.
func copied(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "verbs-conformance"), binary, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestCopied runs a copy of this binary as on a machine without Go: in an empty folder, with an empty environment. It runs the
// suite and nothing else, and leaves a whole report.
func TestCopied(t *testing.T) {
	dir := copied(t)
	cmd := exec.Command("./verbs-conformance", "-test.v", "-device", suite.Software, "-report", "report.json", "-junit", "report.xml")
	cmd.Dir, cmd.Env = dir, []string{}
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for line := range strings.Lines(string(said)) {
		if name, ok := strings.CutPrefix(line, "=== RUN   "); ok && !strings.HasPrefix(name, "TestSuite") {
			t.Errorf("it ran %s", name)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Count(); len(r.Cases) != len(cases.All()) || n[report.Pass] == 0 || n[report.Fail] != 0 {
		t.Errorf("%d cases of %d, %v", len(r.Cases), len(cases.All()), n)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.xml")); err != nil {
		t.Error(err)
	}
}

// TestCopiedWithoutFlags runs a copy without any: the suite is what it begins with, as the other tests' files are not there.
func TestCopiedWithoutFlags(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "./verbs-conformance", "-test.v")
	cmd.Dir, cmd.Env = copied(t), []string{}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "=== RUN   TestSuite\n" {
		t.Errorf("it begins with %q, %v", line, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed
}

// TestEndedEarly ends the process in a case, as a fault in C does. The report has the cases so far, and that one as failed.
func TestEndedEarly(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.Command(self, "-device", suite.Software, "-report", file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			break
		}
	}
	if err := errors.Join(cmd.Process.Kill(), cmd.Wait()); err == nil {
		t.Fatal("the suite had ended before it was killed")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	last := r.Cases[len(r.Cases)-1]
	if last.Status != report.Fail || !strings.Contains(last.Reason, "the process ended") || len(r.Cases) == len(cases.All()) ||
		r.Count()[report.Fail] != 1 {
		t.Errorf("%d cases, the last one: %+v", len(r.Cases), last)
	}
}
