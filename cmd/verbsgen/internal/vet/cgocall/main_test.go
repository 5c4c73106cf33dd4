package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wrong gives C a pointer to memory that has a pointer of Go.
const wrong = `package wrong

// static void keep(void *p) {}
import "C"

import "unsafe"

func Keep(c *chan int) { C.keep(unsafe.Pointer(c)) }
`

// TestSecondFolder compiles a package in one folder, and has it checked in another, where the build cache names the first.
func TestSecondFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	tool := filepath.Join(t.TempDir(), "cgocall")
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The go command keeps what vet says: each run has a package of its own.
	text := fmt.Sprintf("%s// made %v\n", wrong, time.Now())
	first, second := folder(t, text), folder(t, text)
	if out, err := goIn(first, "build", "."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	if out, err := goIn(second, "vet", "-cgocall", "."); err == nil || !strings.Contains(out, "no such file") {
		t.Errorf("go vet opens the right file now, so this command is not needed: %v\n%s", err, out)
	}
	if out, err := goIn(second, "vet", "-vettool="+tool, "."); err == nil || !strings.HasPrefix(out, "wrong.go:8:") ||
		!strings.Contains(out, "possibly passing Go type with embedded pointer to C") {
		t.Errorf("%v\n%s", err, out)
	}
}

func folder(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/wrong\n\ngo 1.26\n", "wrong.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func goIn(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off", "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
