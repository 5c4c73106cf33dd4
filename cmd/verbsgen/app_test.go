package main

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// goEnv asks the go command for one of its variables.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// unquote reads a Go string without its quotes.
func unquote(s string) (string, error) { return strconv.Unquote(`"` + s + `"`) }

type panicWriter struct{}

func (panicWriter) Write([]byte) (int, error) { panic("boom") }

func TestPanicIsAnInternalError(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"--help"}, panicWriter{}, &stderr); code != exitError {
		t.Errorf("exit code %d, want %d", code, exitError)
	}
	want := "verbsgen: internal error: boom; report it with the command line and the input\n"
	if stderr.String() != want {
		t.Errorf("stderr\n%s\nis not %q", &stderr, want)
	}
	stderr.Reset()
	t.Setenv(debugVar, "1")
	run(context.Background(), []string{"--help"}, panicWriter{}, &stderr)
	if !strings.Contains(stderr.String(), "panicWriter") || !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("with %s=1, stderr has no stack:\n%s", debugVar, &stderr)
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestFullDiskIsAnError(t *testing.T) {
	for _, args := range [][]string{{"rules"}, {"rules", "--json"}, {"coverage"}, {"inventory"}, {"--help"}} {
		code, list := runList(context.Background(), args, fullWriter{}, &bytes.Buffer{})
		if code != exitError || len(list) != 1 || list[0].Code != diag.OutputWrite {
			t.Errorf("%q: exit code %d, %v; want an error of writing", args, code, list)
		}
	}
}
