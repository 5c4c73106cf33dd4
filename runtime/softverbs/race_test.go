//go:build linux && cgo

package softverbs_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Go's race detector does not see C, so the C sources are built once more with those of the C compiler. The programs run
// each time; what is compiled is kept.
func TestSanitizers(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the C sources again, a few seconds")
	}
	cc := compiler()
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
			dir := compiled(t, "testdata/race.c", "-fsanitize="+sanitizer, "-fno-sanitize-recover=all", "-g1", "-O1", "-Wall", "-Wextra", "-Werror",
				"-pthread", "-o", "race")
			if out, err := exec.Command(filepath.Join(dir, "race")).CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "ok\n") {
				t.Errorf("run: %v\n%s", err, out)
			}
		})
	}
}
