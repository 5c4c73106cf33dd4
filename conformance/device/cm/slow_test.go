//go:build linux && cgo

package cm

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// apart is the variable of the environment of the process that asks what is slow, and answerMark begins its answers.
const (
	apart      = "VERBS_CM_APART"
	answerMark = "answer: "
)

// slow reports whether a call takes back a request or an answer that the kernel goes on to send: for up to 100 s, it does not end the
// identifier.
func slow(st state, c call) bool {
	return slices.Contains([]string{"connecting", "accepted"}, st.name) &&
		slices.Contains([]string{"accept", "establish", "reject", "reject_ece"}, c.name)
}

// selfCommand is how this program was begun, without its arguments: with the loader of another release before it, perhaps.
func selfCommand(t *testing.T) []string {
	t.Helper()
	line := strings.Split(string(must(os.ReadFile("/proc/self/cmdline"))(t)), "\x00")
	return slices.Clip(line[:slices.Index(line, os.Args[0])+1])
}

// answersApart makes the slow calls in another process, and does not wait for its end, which comes with that of its identifiers.
func answersApart(t *testing.T) map[string]string {
	t.Helper()
	n := 0
	for _, st := range states() {
		for _, c := range calls {
			if slow(st, c) {
				n++
			}
		}
	}
	self := append(selfCommand(t), "-test.run", "^TestStates$", "-server", *serverFlag, "-client", *clientFlag)
	cmd := exec.Command(self[0], self[1:]...)
	cmd.Env = append(os.Environ(), apart+"=1")
	out := must(cmd.StdoutPipe())(t)
	check(t, cmd.Start())
	late := time.AfterFunc(3*patience, func() { _ = out.Close() })
	defer late.Stop()
	got := map[string]string{}
	for said := bufio.NewScanner(out); len(got) < n && said.Scan(); {
		line, ok := strings.CutPrefix(said.Text(), answerMark)
		if !ok {
			t.Log(said.Text())
			continue
		}
		of, _, _ := strings.Cut(line, ":")
		got[of] = line
	}
	if len(got) < n {
		t.Errorf("the other process gave %d of %d answers", len(got), n)
	}
	check(t, cmd.Process.Release())
	return got
}
