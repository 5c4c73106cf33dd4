//go:build linux && cgo

package device

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
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
func kernelObjects(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("rdma", "-j", "resource", "show").Output()
	if err != nil {
		t.Fatalf("rdma resource show: %v", err)
	}
	var devices []struct {
		Name                        string `json:"ifname"`
		PD, CQ, QP, MR, Ctx, SRQ    int
		ConnectionManagerIdentifier int `json:"cm_id"`
	}
	if err := json.Unmarshal(out, &devices); err != nil {
		t.Fatalf("rdma resource show says %s: %v", out, err)
	}
	var lines []string
	for _, d := range devices {
		lines = append(lines, fmt.Sprintf("%s: pd %d cq %d qp %d cm_id %d mr %d ctx %d srq %d",
			d.Name, d.PD, d.CQ, d.QP, d.ConnectionManagerIdentifier, d.MR, d.Ctx, d.SRQ))
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

// TestStock makes one object of each kind, and wants to see it.
func TestStock(t *testing.T) {
	b := open(t)
	noLeak(t)
	pd := must(b.dev.AllocPD())(t)
	type closer interface{ Close() error }
	for name, object := range map[string]func() (closer, error){
		"PD":      func() (closer, error) { return b.dev.AllocPD() },
		"MR":      func() (closer, error) { return pd.RegMR(make([]byte, 3*page), verbs.MRAccessLocalWrite) },
		"channel": func() (closer, error) { return b.dev.CreateCompChannel() },
		"CQ":      func() (closer, error) { return b.dev.CreateCQ(1, nil, 0) },
		"device":  func() (closer, error) { return b.lib.OpenDevice(b.name) },
	} {
		before := stock(t)
		made := must(object())(t)
		with := stock(t)
		if err := made.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if with == before {
			t.Errorf("%s: not seen in\n%s", name, with)
		}
		settle(t, before)
	}
	if err := pd.Close(); err != nil {
		t.Error(err)
	}
}
