package fail

import (
	"os"

	"golang.org/x/sys/unix"
)

func memlockHint(more uint64) string {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &lim); err != nil {
		return ""
	}
	var m memState
	if f, err := os.Open("/proc/self/status"); err == nil {
		m = readMemState(f)
		f.Close()
	}
	return memlockText(lim.Cur, lim.Cur == unix.RLIM_INFINITY, m, more)
}
