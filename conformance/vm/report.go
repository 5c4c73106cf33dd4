//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/gtr"
	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/jstemmer/go-junit-report/v2/parser/gotest"
)

// shownSkips is how many skipped tests of a package are shown; all are in the files.
const shownSkips = 10

// report says how a boot ended, and gives the exit status.
func report(o *options, g *guest, end ending, say *progress, stdout io.Writer) int {
	status := 0
	for _, j := range g.jobs {
		got, ended := j.status()
		if !ended {
			got = statusDied
		}
		if status == 0 && got != 0 {
			status = got
		}
		if j.path != "" {
			if err := j.summary(g, ended && got == 0, o.verbose, stdout); err != nil {
				say.line("%s: %v", j.name, err)
				status = max(status, 1)
			}
		}
	}
	switch end {
	case endLimit:
		say.line("time limit of %v reached; %s", g.limit, g.why())
		return statusLimit
	case endDied:
		say.line("the guest died; %s", g.why())
		return statusDied
	case endInterrupted:
		say.line("interrupted")
		return statusDied
	}
	if status != 0 {
		if text := g.log(); text != "" {
			say.line("the kernel's log since the start of the jobs:\n%s", lastLines(text, 40))
		}
		if len(o.packages) > 0 {
			return 1
		}
	}
	return status
}

// summary writes a line for a package, the skipped tests with their reasons, and on failure all that it said. It puts the tests into a
// file of JUnit, the form that CI systems read.
func (j *job) summary(g *guest, passed, shown bool, stdout io.Writer) error {
	text, err := os.ReadFile(j.file("output"))
	if err != nil {
		return fmt.Errorf("no output: %w", err)
	}
	if !passed && !shown {
		fmt.Fprintf(stdout, "%s", text)
	}
	tests, err := gotest.NewParser(gotest.PackageName(j.path)).Parse(bytes.NewReader(text))
	if err != nil {
		return err
	}
	file := filepath.Join(g.out, filepath.Base(j.dir)+"-"+j.name+".xml")
	if err := writeJUnit(file, tests); err != nil {
		return err
	}
	t := count(tests)
	word := "ok  "
	if !passed {
		word = "FAIL"
	}
	fmt.Fprintf(stdout, "%s %s on kernel %s: %d passed, %d failed, %d skipped\n", word, j.path, g.image.release, t.passed,
		len(t.failed), len(t.skipped))
	for _, f := range t.failed {
		fmt.Fprintf(stdout, "     failed %s\n", f)
	}
	if !passed && len(t.failed) == 0 {
		fmt.Fprintf(stdout, "     failed outside of a test; it ended with:\n%s\n", lastLines(string(text), 10))
	}
	for i, s := range t.skipped {
		if i == shownSkips && !shown {
			fmt.Fprintf(stdout, "     skipped %d more: see %s\n", len(t.skipped)-i, file)
			break
		}
		fmt.Fprintf(stdout, "     skipped %s\n", s)
	}
	if passed && t.passed == 0 {
		return fmt.Errorf("no test passed; a run without tests is no pass")
	}
	return nil
}

func writeJUnit(file string, tests gtr.Report) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	suites := junit.CreateFromReport(tests, "")
	return errors.Join(suites.WriteXML(f), f.Close())
}

// tally counts the tests of one binary.
type tally struct {
	passed          int
	failed, skipped []string // "TestName: reason"
}

// count counts every test and every subtest.
func count(tests gtr.Report) tally {
	var t tally
	for _, p := range tests.Packages {
		for _, test := range p.Tests {
			said := test.Name + ":"
			for _, line := range test.Output {
				said += " " + strings.TrimSpace(line)
			}
			switch test.Result {
			case gtr.Pass:
				t.passed++
			case gtr.Fail:
				t.failed = append(t.failed, said)
			case gtr.Skip:
				t.skipped = append(t.skipped, said)
			}
		}
	}
	return t
}
