//go:build linux && cgo

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRun serves files on a software device and, if VERBS_DEVICE names one, on a real device: one that the program makes, and one that
// ends within a page and within a READ.
func TestRun(t *testing.T) {
	devices := []string{""}
	if name := os.Getenv("VERBS_DEVICE"); name != "" {
		devices = append(devices, name)
	}
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("one line\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^with LOCAL_WRITE the mapping is refused: true
server: (\d+) bytes, SHA-256 (\w{64})
client: (\d+) bytes by (\d+) READs, SHA-256 (\w{64})
$`)
	for _, device := range devices {
		for _, file := range []struct{ name, bytes, reads string }{{"", "1088890", "17"}, {short, "9", "1"}} {
			t.Run(cmp.Or(device, "software"), func(t *testing.T) {
				var out strings.Builder
				if err := run(&out, device, file.name); err != nil {
					t.Fatal(err)
				}
				m := want.FindStringSubmatch(out.String())
				if m == nil || m[1] != file.bytes || m[3] != file.bytes || m[4] != file.reads || m[2] != m[5] {
					t.Errorf("printed\n%s", out.String())
				}
			})
		}
	}
}

// TestNoFile has a file that is not there.
func TestNoFile(t *testing.T) {
	if err := run(&strings.Builder{}, "", "/no/such/file"); err == nil || !strings.Contains(err.Error(), "/no/such/file") {
		t.Error(err)
	}
}
