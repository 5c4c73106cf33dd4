package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// vetted runs verbsgen vet, a built one, on packages of the clone, and gives what it prints.
func vetted(t *testing.T, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles packages")
	}
	exe := filepath.Join(t.TempDir(), "verbsgen")
	build := exec.Command("go", "build", "-o", exe, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe, append([]string{"vet"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}

// TestVetOwnPrograms finds nothing in the project's own programs and tests but the mistakes that are made on purpose.
func TestVetOwnPrograms(t *testing.T) {
	if out := vetted(t, "./gen/...", "./runtime/...", "./examples/..."); out != "" {
		t.Errorf("reported:\n%s", out)
	}
}
