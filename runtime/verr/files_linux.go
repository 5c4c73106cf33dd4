package verr

import "golang.org/x/sys/unix"

func filesHint() string {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return ""
	}
	return filesText(leftOf(lim.Cur), lim.Cur)
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
