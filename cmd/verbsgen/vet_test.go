package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestVetOwnPrograms finds nothing in the project's own programs and tests but the mistakes that are made on purpose. Without the
// revision in the command, the build cache has the verdicts of a run at an earlier commit with the same command.
func TestVetOwnPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	exe := filepath.Join(t.TempDir(), "verbsgen")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe, "vet", "./gen/...", "./runtime/...", "./examples/...")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v, reported:\n%s", err, out)
	}
}

// TestByPosition keeps headings, and the lines that belong to a finding.
func TestByPosition(t *testing.T) {
	const said = "go: downloading\nb.go:1:1: b\na.go:10:2: ten\n\t10\tcode\na.go:9:12: nine\nb.go:7:1: \tof nine\na.go:9:2: nine\n" +
		"# z\nz.go:1:1: z\n# a\na.go:1:1: a\n"
	const want = "go: downloading\na.go:9:2: nine\na.go:9:12: nine\nb.go:7:1: \tof nine\na.go:10:2: ten\n\t10\tcode\nb.go:1:1: b\n" +
		"# z\nz.go:1:1: z\n# a\na.go:1:1: a\n"
	if got := byPosition(said); got != want {
		t.Errorf("got\n%s", got)
	}
}
