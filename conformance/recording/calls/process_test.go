//go:build linux && cgo

package calls

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	envChild = "VERBS_CALLS" // what this process calls; nothing in the one that tests
	envFrom  = "VERBS_CALLS_FROM"
)

// event is what a child reports: a call that begins, or how it ended.
type event struct {
	Number int     `json:"n"`
	Call   string  `json:"call,omitempty"`
	End    string  `json:"end,omitempty"` // "" at the beginning, otherwise the kind of the end
	Text   string  `json:"text,omitempty"`
	Counts *counts `json:"counts,omitempty"`
}

// mark begins the lines that are events. The others are of the library, or of a crash.
const mark = "\x00"

var reports = bufio.NewWriterSize(os.Stdout, 1<<16)

// report writes an event. It is flushed before each call, so that the last one is known when the process ends.
func report(e event) {
	text, _ := json.Marshal(e)
	fmt.Fprintf(reports, "%s%s\n", mark, text)
	reports.Flush()
}

// patience is how long a child may be silent.
const patience = 2 * time.Minute

// child runs this program to make calls of a kind, and passes its events to each. It returns what else the child printed, and the error
// of a child that did not end by itself.
func child(t *testing.T, kind string, env []string, each func(event)) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=0")
	cmd.Env = append(append(os.Environ(), envChild+"="+kind, "GOTRACEBACK=all"), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	silent := time.AfterFunc(patience, func() { cmd.Process.Signal(syscall.SIGQUIT) })
	defer silent.Stop()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		silent.Reset(patience)
		text, ok := strings.CutPrefix(lines.Text(), mark)
		var e event
		if !ok || json.Unmarshal([]byte(text), &e) != nil {
			fmt.Fprintln(&said, lines.Text())
			continue
		}
		each(e)
	}
	err = cmd.Wait()
	return said.String(), err
}
