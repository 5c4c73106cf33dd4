package verr

import "fmt"

// FilesHint tells that the process has hardly any file descriptor left, which libibverbs reports as something else: as a kernel
// without RDMA, or as a list without devices. It is empty where there are enough, and where the system is not Linux. Call it
// after a failure only.
func FilesHint() string { return filesHint() }

// fewFiles is how many descriptors are few: a library that looks for its providers and then opens a device holds five at once.
const fewFiles = 8

// filesText gives the hint for a limit and what is left of it.
func filesText(left, limit uint64) string {
	if left >= fewFiles {
		return ""
	}
	return fmt.Sprintf("only %d of %d file descriptors (RLIMIT_NOFILE) are left; raise the limit (ulimit -n, LimitNOFILE=) and start "+
		"again: libibverbs looks for its providers only once", left, limit)
}
