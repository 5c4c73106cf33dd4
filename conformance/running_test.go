//go:build linux && cgo

package conformance

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/google/renameio/v2"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
)

// The text of a report: how it ends without cases, and what is around them.
const (
	noCases    = "[]\n}\n"
	beforeCase = "[\n"
	afterCase  = "\n  ]\n}\n"
)

// runningReport is the file of a report while its cases run: whatever becomes of the process, it is whole. A case is added in its
// place: written anew for each case, the report took more time in a guest than the cases.
type runningReport struct {
	path string
	file *os.File
	at   int64  // where the next write begins
	text []byte // what has ended and is not in the file
}

// newRunning begins the report of -report, whose text is there from the first case on.
func newRunning(t *testing.T, r *report.Report) *runningReport {
	t.Helper()
	text, err := report.Encode(r)
	head, ok := bytes.CutSuffix(text, []byte(noCases))
	if !ok && err == nil {
		err = errors.New("the text of a report ends otherwise than with its cases")
	}
	if err != nil {
		t.Fatal(err)
	}
	return &runningReport{path: *reportFlag, text: append(head, beforeCase...)}
}

// begin has the file end with a case that has not ended. It is one write, longer than what it overwrites: that was another such case.
func (w *runningReport) begin(t *testing.T, unended report.Case) {
	t.Helper()
	if w.path == "" {
		return
	}
	all := slices.Concat(w.text, encodeCase(t, unended), []byte(afterCase))
	var err error
	if w.file == nil {
		if err = renameio.WriteFile(w.path, all, 0o644); err == nil {
			w.file, err = os.OpenFile(w.path, os.O_WRONLY, 0)
		}
	} else {
		_, err = w.file.WriteAt(all, w.at)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.at += int64(len(w.text))
	w.text = nil
}

// end has the next write begin with the case, in the place of the one that begin wrote.
func (w *runningReport) end(t *testing.T, c report.Case) {
	t.Helper()
	w.text = append(encodeCase(t, c), ",\n"...)
}

// close leaves the file to who writes the report of all cases.
func (w *runningReport) close(t *testing.T) {
	t.Helper()
	if w.file == nil {
		return
	}
	if err := w.file.Close(); err != nil {
		t.Error(err)
	}
}

// encodeCase returns a case as it is in the text of a report.
func encodeCase(t *testing.T, c report.Case) []byte {
	t.Helper()
	text := must(report.Encode(&report.Report{Cases: []report.Case{c}}))(t)
	_, text, _ = bytes.Cut(text, []byte(`"cases": `+beforeCase))
	return bytes.TrimSuffix(text, []byte(afterCase))
}

// TestRunning holds what is in the file while a case runs to the report with the same cases: long ones, short ones.
func TestRunning(t *testing.T) {
	defer func(old string) { *reportFlag = old }(*reportFlag)
	*reportFlag = t.TempDir() + "/report.json"
	ended := []report.Case{}
	w := newRunning(t, &report.Report{Schema: report.Schema, Version: report.Version, Cases: ended})
	for i, reason := range []string{"", "long: " + string(bytes.Repeat([]byte("x"), 9000)), "", "\"]}<", ""} {
		running := report.Case{ID: "CF-dev-0001", Status: report.Fail, Reason: "the process ended"}
		w.begin(t, running)
		want := must(report.Encode(&report.Report{Schema: report.Schema, Version: report.Version, Cases: append(ended, running)}))(t)
		got, err := os.ReadFile(*reportFlag)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("case %d: %v\n%s", i, err, got)
		}
		c := report.Case{ID: "CF-dev-0001", Status: report.Pass, Reason: reason}
		if i == 3 {
			c.Observed = []report.Observation{{What: "x", Answer: "y"}}
		}
		w.end(t, c)
		ended = append(ended, c)
	}
	w.close(t)
}
