//go:build linux && cgo

package softverbs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Go's race detector does not see C, so the C sources are built once more with those of the C compiler.
func TestSanitizers(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the C sources again, a few seconds")
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	sources, err := filepath.Glob("*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no C sources: %v", err)
	}
	for _, sanitizer := range []string{"thread", "address,undefined"} {
		t.Run(sanitizer, func(t *testing.T) {
			exe := filepath.Join(t.TempDir(), "race")
			probe := exec.Command(cc, "-fsanitize="+sanitizer, "-x", "c", "-", "-o", exe)
			probe.Stdin = strings.NewReader("int main(void) { return 0; }\n")
			if out, err := probe.CombinedOutput(); err != nil {
				t.Skipf("%s has no %s sanitizer: %s", cc, sanitizer, out)
			}
			if out, err := exec.Command(exe).CombinedOutput(); err != nil {
				t.Skipf("the %s sanitizer does not run on this kernel: %v: %s", sanitizer, err, out)
			}
			args := []string{"-fsanitize=" + sanitizer, "-fno-sanitize-recover=all", "-g", "-O1", "-Wall", "-Wextra", "-Werror",
				"-D_GNU_SOURCE", "-I.", "-I../gensupport/abi", "-o", exe, "testdata/race.c"}
			if out, err := exec.Command(cc, append(append(args, sources...), "-lpthread")...).CombinedOutput(); err != nil {
				t.Fatalf("compile: %v\n%s", err, out)
			}
			if out, err := exec.Command(exe).CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "ok\n") {
				t.Errorf("run: %v\n%s", err, out)
			}
		})
	}
}
