//go:build linux && cgo

package cm

import (
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// base is the kernel whose answers are all recorded, with the librdmacm of rdma-core 44.0, in testdata/states-6.1.txt: a line for each,
// "state call: errno; event for it; event for its peer". The file of another kernel has the lines that differ from these.
const base = "6.1"

// TestMain has many answers waited for at a time: most tests in parallel wait for an event that does not come.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "64"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// kernelName is the version of the kernel, such as 6.1.
func kernelName(t *testing.T) string {
	var u unix.Utsname
	check(t, unix.Uname(&u))
	parts := strings.SplitN(unix.ByteSliceToString(u.Release[:]), ".", 3)
	return parts[0] + "." + strings.TrimRight(parts[1], "-abcdefghijklmnopqrstuvwxyz")
}

// recording returns the recorded lines of a kernel by state and call. One without a file answers like the base.
func recording(t *testing.T, kernel string) map[string]string {
	t.Helper()
	lines := map[string]string{}
	for _, k := range []string{base, kernel} {
		text, err := os.ReadFile(filepath.Join("testdata", "states-"+k+".txt"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			of, _, _ := strings.Cut(line, ":")
			lines[of] = strings.TrimSuffix(line, "\n")
		}
	}
	return lines
}

// recorded returns the file of a kernel with these answers.
func recorded(t *testing.T, kernel string, got map[string]string) string {
	t.Helper()
	var known map[string]string
	if kernel != base {
		known = recording(t, base)
	}
	var out strings.Builder
	for _, of := range slices.Sorted(maps.Keys(got)) {
		if got[of] != known[of] {
			out.WriteString(got[of] + "\n")
		}
	}
	return out.String()
}
