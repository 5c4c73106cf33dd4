//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// event is a line of test2json, as cmd/test2json documents it.
type event struct {
	Time    time.Time `json:",omitzero"`
	Action  string
	Package string  `json:",omitempty"`
	Test    string  `json:",omitempty"`
	Elapsed float64 `json:",omitempty"`
	Output  string  `json:",omitempty"`
}

// tally counts the tests of one binary.
type tally struct {
	passed          int
	failed, skipped []string // "TestName: reason"
	tests           []tested
}

// tested is a test, or a subtest, that ended.
type tested struct {
	name, action string // the action is pass, fail or skip
	seconds      float64
	said         string
}

// shownSkips is how many skipped tests of a package are shown; all are in the files.
const shownSkips = 10

// report says how a boot ended, and gives the exit status.
func report(ctx context.Context, o *options, g *guest, end ending, say *progress, stdout io.Writer) int {
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
			if err := j.summary(ctx, g, ended && got == 0, o.verbose, stdout); err != nil {
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

// summary writes a line for a package, the skipped tests with their reasons, and on failure all that it said; beside the
// output it puts the same as JSON.
func (j *job) summary(ctx context.Context, g *guest, passed, shown bool, stdout io.Writer) error {
	text, err := os.ReadFile(j.file("output"))
	if err != nil {
		return fmt.Errorf("no output: %w", err)
	}
	if !passed && !shown {
		fmt.Fprintf(stdout, "%s", text)
	}
	events, err := convert(ctx, string(text), j.path)
	if err != nil {
		return err
	}
	file := filepath.Join(g.out, filepath.Base(j.dir)+"-"+j.name)
	if err := os.WriteFile(file+".json", events, 0o644); err != nil {
		return err
	}
	t, err := count(events)
	if err != nil {
		return err
	}
	if err := writeJUnit(file+".xml", j.path, t); err != nil {
		return err
	}
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
			fmt.Fprintf(stdout, "     skipped %d more: see %s.xml\n", len(t.skipped)-i, file)
			break
		}
		fmt.Fprintf(stdout, "     skipped %s\n", s)
	}
	if passed && t.passed == 0 {
		return fmt.Errorf("no test passed; a run without tests is no pass")
	}
	return nil
}

// convert makes JSON of a test binary's output.
func convert(ctx context.Context, text, path string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", "tool", "test2json", "-t", "-p", path)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go tool test2json: %w", err)
	}
	return out, nil
}

// count reads the events. Every test and every subtest counts.
func count(events []byte) (*tally, error) {
	t := &tally{}
	said := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(string(events)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("event %q: %w", lines.Text(), err)
		}
		if e.Test == "" {
			continue
		}
		switch e.Action {
		case "pass", "fail", "skip":
			t.tests = append(t.tests, tested{e.Test, e.Action, e.Elapsed, strings.TrimSpace(said[e.Test])})
		}
		switch e.Action {
		case "output":
			if line := strings.TrimSpace(e.Output); !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
				said[e.Test] += " " + line
			}
		case "pass":
			t.passed++
		case "fail":
			t.failed = append(t.failed, e.Test+":"+said[e.Test])
		case "skip":
			t.skipped = append(t.skipped, e.Test+":"+said[e.Test])
		}
	}
	return t, lines.Err()
}
