package fail

import "golang.org/x/sys/unix"

// memlockHint is memlockText for the limit of this process.
func memlockHint(more uint64) string {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &lim); err != nil {
		return ""
	}
	return memlockText(lim.Cur, lim.Cur == unix.RLIM_INFINITY, memStateOf(line("/proc/self/status")), more)
}
