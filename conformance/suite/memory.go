//go:build linux

package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// lacksMemory says why a process cannot have need bytes of memory, and pin them; empty when nothing speaks against it. root is where
// /proc and /sys are.
func lacksMemory(need uint64, root string, pinned bool) string {
	gib := func(n uint64) string { return strconv.FormatFloat(float64(n)/(1<<30), 'f', 1, 64) + " GiB" }
	if free := memAvailable(root); free < need {
		return "less than " + gib(need) + " of memory are free"
	}
	if left, limited := groupLeft(root); limited && left < need {
		return fmt.Sprintf("the control group of the process has %s left, less than %s", gib(left), gib(need))
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil && limit.Cur < need {
		return "the limit of addresses (RLIMIT_AS, ulimit -v) is below " + gib(need)
	}
	if pinned && unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit) == nil && limit.Cur < need {
		return fail.MemlockHint() // none for a process that may exceed the limit
	}
	return ""
}

// memAvailable returns the bytes that the kernel thinks can still be had; 0 where it does not say.
func memAvailable(root string) uint64 {
	data, err := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "MemAvailable:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseUint(fields[0], 10, 54)
	if err != nil {
		return 0
	}
	return kib << 10
}

// groupLeft returns what the control groups of the process, and those above them, let it have, as jobs of Slurm and pods have them; limited
// is false where no group has a limit. It knows both versions of control groups.
func groupLeft(root string) (left uint64, limited bool) {
	data, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3) // 0::/path, or 4:memory:/path; others have none of the files
		if len(f) != 3 {
			continue
		}
		at, most, used := "sys/fs/cgroup", "memory.max", "memory.current"
		if f[1] == "memory" {
			at, most, used = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
		}
		for path := filepath.Clean("/" + f[2]); ; path = filepath.Dir(path) {
			m, errM := number(filepath.Join(root, at, path, most))
			u, errU := number(filepath.Join(root, at, path, used))
			if rest := m - min(u, m); errM == nil && errU == nil && (!limited || rest < left) {
				left, limited = rest, true
			}
			if path == "/" {
				break
			}
		}
	}
	return left, limited
}

// number reads a file with one number; "max" is an error.
func number(path string) (uint64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
}
