package fail

import "golang.org/x/sys/unix"

// filesLeft returns how many descriptors are free, as far as they are few, and the limit.
func filesLeft() (left, limit uint64) {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return fewFiles, 0
	}
	return leftOf(lim.Cur), lim.Cur
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
