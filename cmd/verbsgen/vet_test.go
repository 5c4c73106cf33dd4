package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// builtVerbsgen is the command, built: the go command runs it as a tool. Without the revision in it, the build cache has the verdicts of a
// run at an earlier commit with the same command.
func builtVerbsgen(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles packages")
	}
	exe := filepath.Join(t.TempDir(), "verbsgen")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// TestVetOwnPrograms finds nothing in the project's own programs and tests but the mistakes that are made on purpose.
func TestVetOwnPrograms(t *testing.T) {
	cmd := exec.Command(builtVerbsgen(t), "vet", "./gen/...", "./runtime/...", "./examples/...")
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

// TestVetElsewhere judges a program by a package that it generated itself, in a module and under a name of its own, and mends it.
func TestVetElsewhere(t *testing.T) {
	exe := builtVerbsgen(t)
	dir := t.TempDir()
	var out, wrong bytes.Buffer
	if code := run(t.Context(), []string{"generate", "--pkg", "rdma", "--only", "ibv_open_device,ibv_alloc_pd,ibv_reg_mr", "-o",
		filepath.Join(dir, "rdma")}, &out, &wrong); code != 0 {
		t.Fatal(&wrong)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	// With -trimpath, the build cache has the findings of an earlier run, with the files of its folder, for a program of the same text.
	program := "// In " + dir + ".\n" + `package main

import "example.com/own/rdma"

func main() {
	pd := new(rdma.PD)
	_, _ = pd.RegMR(make([]byte, 64), rdma.MRAccessRemoteWrite)
	pd.RegMR(nil, rdma.MRAccessLocalWrite)
}

func again(pd *rdma.PD) {
	pd.RegMR(nil, rdma.MRAccessLocalWrite)
	_, _ = pd.RegMR(nil, rdma.MRAccessRemoteWrite)
}

type kept struct{ a, b, c, d, e, f, g, h *rdma.MR }

func (k *kept) Close() {}

func (k *kept) fill(pd *rdma.PD) {
	k.a, _ = pd.RegMR(nil, rdma.MRAccessLocalWrite)
	k.b, _ = pd.RegMR(nil, rdma.MRAccessLocalWrite)
	k.c, _ = pd.RegMR(nil, rdma.MRAccessLocalWrite)
	k.d, _ = pd.RegMR(nil, rdma.MRAccessLocalWrite)
	k.e, _ = pd.RegMR(nil, rdma.MRAccessLocalWrite)
	k.f, _ = pd.RegMR(nil, rdma.MRAccessLocalWrite)
	k.g, _ = pd.RegMR(nil, rdma.MRAccessLocalWrite)
	k.h, _ = pd.RegMR(nil, rdma.MRAccessLocalWrite)
}
`
	for name, data := range map[string]string{"main.go": program, "go.sum": string(sum), "go.mod": "module example.com/own\n\ngo 1.26\n\n" +
		"require github.com/verbsgen/verbsgen v0.0.0\n\nreplace github.com/verbsgen/verbsgen => " + root + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	vet := func(args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(exe, append([]string{"vet"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off")
		text, _ := cmd.CombinedOutput()
		return string(text), cmd.ProcessState.ExitCode()
	}
	const access, dropped = "main.go:8:36: ibv_reg_mr: access REMOTE_WRITE (0x2): REMOTE_WRITE needs LOCAL_WRITE", "is dropped"
	if got, code := vet("./..."); code != 1 || !strings.Contains(got, access) || !strings.Contains(got, dropped) {
		t.Errorf("exit code %d, reported %q", code, got)
	}
	got, _ := vet(".")
	var lines []string
	for line := range strings.Lines(got) {
		if m := position.FindStringSubmatch(line); m != nil {
			lines = append(lines, fmt.Sprintf("%3s:%3s", m[2], m[3]))
		}
	}
	if len(lines) < 12 || !slices.IsSorted(lines) {
		t.Errorf("not by position:\n%s", got)
	}
	const better = "rdma.MRAccessRemoteWrite|rdma.MRAccessLocalWrite)"
	if got, code := vet("-diff", "."); code != 1 || !strings.Contains(got, better) {
		t.Errorf("-diff: exit code %d, printed %q", code, got)
	}
	if got, code := vet("-fix", "."); code != 1 || strings.Contains(got, access) || !strings.Contains(got, dropped) {
		t.Errorf("-fix: exit code %d, reported %q; want what remains", code, got)
	}
	data, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil || !strings.Contains(string(data), better) {
		t.Errorf("%v: mended to\n%s", err, data)
	}
	if got, code := vet("-verbsrules", "-fix", "./..."); code != 0 || got != "" {
		t.Errorf("with all mended, -fix has exit code %d, and reported %q", code, got)
	}
}
