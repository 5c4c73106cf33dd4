//go:build linux && cgo

package cm

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// file has what soft-RoCE of Linux 6.1, 6.12 and 7.2 answers, equally, with the librdmacm of rdma-core 44.0 and 65.0: a line for each call
// in each state, "state call: errno; event for it; event for its peer".
var file = filepath.Join("testdata", "states.txt")

// TestMain has many answers waited for at a time: most tests in parallel wait for an event that does not come.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "64"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// recording returns the recorded lines by state and call.
func recording(t *testing.T) map[string]string {
	t.Helper()
	lines := map[string]string{}
	for line := range strings.Lines(string(must(os.ReadFile(file))(t))) {
		of, _, _ := strings.Cut(line, ":")
		lines[of] = strings.TrimSuffix(line, "\n")
	}
	return lines
}

// record writes the file of these answers where the tests of a guest leave their results.
func record(t *testing.T, got map[string]string) {
	t.Helper()
	out := os.Getenv("VERBS_OUT")
	if out == "" {
		return
	}
	var text strings.Builder
	for _, of := range slices.Sorted(maps.Keys(got)) {
		text.WriteString(got[of] + "\n")
	}
	check(t, os.WriteFile(filepath.Join(out, "states.txt"), []byte(text.String()), 0o644))
}
