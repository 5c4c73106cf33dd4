package fail

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func filesHint() string {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return ""
	}
	return filesText(leftOf(lim.Cur), lim.Cur)
}

// noFilesHint is the hint after EMFILE.
func noFilesHint() string {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil || leftOf(lim.Cur) >= fewFiles {
		return ""
	}
	return fmt.Sprintf("nearly all of the %d file descriptors of the process are open (RLIMIT_NOFILE); close some, or raise the limit "+
		"(ulimit -n, LimitNOFILE=)", lim.Cur)
}

// leftOf counts the descriptors below a limit that are free, up to what is not few any more. It needs none itself, and begins
// where most are free.
func leftOf(limit uint64) (left uint64) {
	for fd := limit; fd > 0 && left < fewFiles; fd-- {
		if _, err := unix.FcntlInt(uintptr(fd-1), unix.F_GETFD, 0); err != nil {
			left++
		}
	}
	return left
}
