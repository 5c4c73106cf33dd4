package main

import (
	"bytes"
	"context"
	"testing"
)

// TestExitCodes pins the exit code of each kind of outcome; the texts are pinned by the scripts.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		want int
		args []string
	}{
		{exitOK, []string{"--help"}},
		{exitOK, []string{"rules", "--json"}},
		{exitOK, []string{"explain", "ibv_reg_mr", "access=IBV_ACCESS_REMOTE_WRITE"}}, // whatever the verdict
		{exitOK, []string{"explain", "ibv_reg_mr", "length=0x10000000000000000"}},     // a value that does not fit
		{exitError, []string{"explain", "no_such_verb"}},
		{exitOK, []string{"diff", "33.2", "65.0"}},
		{exitError, []string{"inventory", "--release", "1.0"}},
		{exitError, []string{"check", "-o", "testdata"}},
		{exitError, []string{"generate", "--only", "no_such_verb"}},
		{exitError, []string{"rules", "no_such_verb"}},
		{exitOK, nil}, // help
		{exitUsage, []string{"no-such-command"}},
		{exitUsage, []string{"rules", "--no-such-flag"}},
		{exitUsage, []string{"rules", "a", "b"}},
		{exitUsage, []string{"explain"}},
		{exitUsage, []string{"diff", "33.2"}},
		{exitUsage, []string{"generate", "--release"}},
		{exitUsage, []string{"generate", "--pkg", ""}},
		{exitUsage, []string{"import"}},
	} {
		var stdout, stderr bytes.Buffer
		got := run(context.Background(), c.args, &stdout, &stderr)
		if got != c.want {
			t.Errorf("%q: exit code %d, want %d\n%s", c.args, got, c.want, &stderr)
		}
		if (got == exitOK) != (stderr.Len() == 0) {
			t.Errorf("%q: exit code %d, standard error\n%s", c.args, got, &stderr)
		}
	}
}
