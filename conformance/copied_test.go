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

// TestCopied runs a copy of this binary as on a machine without Go: in an empty folder, with an empty environment. It begins with the
// suite, as the other tests' files are not there.
func TestCopied(t *testing.T) {
	binary := must(os.ReadFile(os.Args[0]))(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "verbs-conformance"), binary, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "./verbs-conformance", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{}
	killedInSuite(t, cmd)
}

// killedInSuite runs a program until it has begun some cases, and ends it as a fault in C does. It has begun nothing but the suite.
func killedInSuite(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := 0
	for said := bufio.NewScanner(out); begun < 5 && said.Scan(); {
		name, isRun := strings.CutPrefix(said.Text(), "=== RUN   ")
		if isRun && !strings.HasPrefix(name, "TestSuite") {
			t.Errorf("it ran %s", name)
		}
		if isRun {
			begun++
		}
	}
	if err := errors.Join(cmd.Process.Kill(), cmd.Wait()); err == nil || begun < 5 {
		t.Errorf("it ended after %d cases: %v", begun, err)
	}
}

// TestEndedEarly ends the process in a case. The report has the cases so far, and that one as failed.
func TestEndedEarly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	killedInSuite(t, exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-device", suite.Software, "-report", file))
	data := must(os.ReadFile(file))(t)
	r := must(report.Decode(data))(t)
	last := r.Cases[len(r.Cases)-1]
	if last.Status != report.Fail || !strings.Contains(last.Reason, "the process ended") || len(r.Cases) == len(cases.All()) ||
		r.Count()[report.Fail] != 1 {
		t.Errorf("%d cases, the last one: %+v", len(r.Cases), last)
	}
}
