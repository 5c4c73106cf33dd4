//go:build linux && cgo

package device

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/census"
	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
)

// settling is how long a device may take to give up what a test or a process left, on a slow machine.
const settling = 10 * time.Second

// noLeak compares, after everything else that the test cleans up, what there is with what there was.
func noLeak(t *testing.T) {
	t.Helper()
	before := stock(t)
	t.Cleanup(func() { settle(t, before) })
}

// settle waits until there is what there was before.
func settle(t *testing.T, before string) {
	t.Helper()
	after := stock(t)
	for end := time.Now().Add(settling); after != before && time.Now().Before(end); after = stock(t) {
		time.Sleep(50 * time.Millisecond)
	}
	if after != before {
		t.Errorf("left behind; before:\n%s\nafter:\n%s", before, after)
	}
}

// stock says what would grow by a leak: the kernel's objects of every device, by its own count, the open files of
// this process, and its pinned memory.
func stock(t *testing.T) string {
	t.Helper()
	lines := append(kernelObjects(t), openFiles(t)...)
	return strings.Join(append(lines, pinned(t)), "\n")
}

// kernelObjects returns a line for each device.
func kernelObjects(t *testing.T) (lines []string) {
	t.Helper()
	for _, e := range must(os.ReadDir(sysfs.Path("class/infiniband")))(t) {
		lines = append(lines, fmt.Sprint(e.Name(), ": ", must(census.Count(e.Name()))(t)))
	}
	return lines
}

// openFiles names the open files of this process, without those of Go's poller, which come when needed.
func openFiles(t *testing.T) []string {
	t.Helper()
	const dir = "/proc/self/fd"
	var lines []string
	for _, e := range must(os.ReadDir(dir))(t) {
		to, err := os.Readlink(dir + "/" + e.Name())
		if err != nil || strings.HasSuffix(to, "[eventpoll]") || strings.HasSuffix(to, "[eventfd]") { // gone: the folder itself
			continue
		}
		lines = append(lines, "file "+to)
	}
	sort.Strings(lines)
	return lines
}

// pinned returns the line of /proc/self/status on pinned memory.
func pinned(t *testing.T) string {
	t.Helper()
	_, after, ok := strings.Cut(string(must(os.ReadFile("/proc/self/status"))(t)), "VmPin:")
	line, _, _ := strings.Cut(after, "\n")
	if !ok {
		t.Fatal("/proc/self/status has no VmPin")
	}
	return "pinned " + strings.TrimSpace(line)
}
