package fail

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// MapHint explains why length bytes could not be mapped (ENOMEM), where a limit of the process is the cause. A length of 0 is unknown.
func MapHint(length uint64) string {
	if hint := mapCountText(mapCount("/proc/self/maps"), numberOf("/proc/sys/vm/max_map_count")); hint != "" {
		return hint
	}
	const size, data = 0, 5 // in pages (proc_pid_statm(5))
	for _, l := range []struct {
		resource, field   int
		name, what, raise string
	}{
		{unix.RLIMIT_AS, size, "RLIMIT_AS", "address space", "ulimit -v, LimitAS="},
		{unix.RLIMIT_DATA, data, "RLIMIT_DATA", "private memory", "ulimit -d, LimitDATA="},
	} {
		var limit unix.Rlimit
		text, _ := os.ReadFile("/proc/self/statm")
		fields := strings.Fields(string(text))
		if unix.Getrlimit(l.resource, &limit) != nil || len(fields) <= l.field {
			continue
		}
		pages, _ := strconv.ParseUint(fields[l.field], 10, 64)
		if used := pages * PageSize(); limit.Cur != unix.RLIM_INFINITY && (used > limit.Cur || length > limit.Cur-used) {
			return fmt.Sprintf("the process uses %d KiB of %s, and its limit (%s) is %d KiB; raise it (%s)", used/1024, l.what, l.name,
				limit.Cur/1024, l.raise)
		}
	}
	return ""
}

// mapCountText returns the hint for a process with count mappings, of which the kernel allows most. The two differ by a few, as the kernel
// does not count all that it lists.
func mapCountText(count, most uint64) string {
	if count+4 < most || most == 0 {
		return ""
	}
	return fmt.Sprintf("the process has %d mappings of memory, and the kernel allows %d (vm.max_map_count); unmap some, or raise it (sysctl)",
		count, most)
}

// mapCount counts the lines of a file.
func mapCount(file string) (count uint64) {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		count++
	}
	return count
}

// noThreadHint is the hint after EAGAIN, which a library returns too when it cannot start a thread: the stack of one is a mapping.
func noThreadHint() string {
	if hint := MapHint(0); hint != "" {
		return hint
	}
	text, _ := os.ReadFile("/proc/self/cgroup")
	return threadText("/sys/fs/cgroup", string(text))
}

// threadText returns the hint for a process in a control group, or below one, with as many threads as that may have. cgroups is what
// /proc/self/cgroup says.
func threadText(root, cgroups string) string {
	for line := range strings.Lines(cgroups) {
		at, ok := strings.CutPrefix(strings.TrimSpace(line), "0::/")
		for at = "/" + at; ok; at = filepath.Dir(at) {
			ok = at != "/" // the last: that of the container, if there is one
			dir := filepath.Join(root, at)
			now, most := numberOf(filepath.Join(dir, "pids.current")), numberOf(filepath.Join(dir, "pids.max"))
			if most > 0 && now >= most {
				return fmt.Sprintf("the control group %s has %d threads, and may have %d (pids.max); end some, or raise it (TasksMax=)", at, now, most)
			}
		}
	}
	return ""
}
