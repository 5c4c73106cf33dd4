//go:build linux

package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLacksMemory has a machine with free memory, and jobs that may not have it.
func TestLacksMemory(t *testing.T) {
	const free = "MemTotal: 67108864 kB\nMemAvailable: 33554432 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no group": {map[string]string{"proc/meminfo": free}, ""},
		"little":   {map[string]string{"proc/meminfo": "MemAvailable: 4194304 kB\n"}, "less than 8.0 GiB of memory are free"},
		"no limit": {map[string]string{"proc/meminfo": free, "proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/job/memory.max": "max\n",
			"sys/fs/cgroup/job/memory.current": "4096\n"}, ""},
		"a job's limit": {map[string]string{"proc/meminfo": free, "proc/self/cgroup": "0::/job/step\n",
			"sys/fs/cgroup/job/memory.max":     "4294967296\n",
			"sys/fs/cgroup/job/memory.current": "1073741824\n", "sys/fs/cgroup/job/step/memory.max": "max\n"},
			"the control group of the process has 3.0 GiB left, less than 8.0 GiB"},
		"version 1": {map[string]string{"proc/meminfo": free, "proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/job\n0::/\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "2147483648\n", "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "0\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "1\n"},
			"the control group of the process has 2.0 GiB left, less than 8.0 GiB"},
	} {
		root := t.TempDir()
		for path, text := range c.files {
			at := filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := lacksMemory(8<<30, root, false); got != c.want && !strings.Contains(got, "RLIMIT_AS") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
