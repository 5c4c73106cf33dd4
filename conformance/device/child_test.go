//go:build linux && cgo

package device

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childVar names, in the environment, what a process of this binary is to be instead of a run of the tests.
const childVar = "VERBS_TEST_CHILD"

// children are what a test starts as a process of its own. Arguments come by the environment.
var children = map[string]func() error{
	"memlock": lockedMemory,
	"writer":  writer,
	"judge":   judge,
}

func TestMain(m *testing.M) {
	name := os.Getenv(childVar)
	if name == "" {
		os.Exit(m.Run())
	}
	be, ok := children[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "%s=%s: no such child\n", childVar, name)
		os.Exit(2)
	}
	if err := be(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child prepares a process that is killed when the test ends, or at the deadline.
func child(t *testing.T, limit time.Duration, name string, env ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, must(os.Executable())(t))
	cmd.Env = append(append(os.Environ(), childVar+"="+name), env...)
	cmd.WaitDelay = time.Second
	return cmd
}

// runChild runs a process to its end, logs what it says, and fails the test when it fails.
func runChild(t *testing.T, limit time.Duration, name string, env ...string) {
	t.Helper()
	out, err := child(t, limit, name, env...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		t.Log(strings.TrimSpace(line))
	}
	if err != nil {
		t.Errorf("process %s: %v", name, err)
	}
}
