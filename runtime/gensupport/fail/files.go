package fail

import "fmt"

// FilesHint returns a hint when the process has almost no file descriptors left: libibverbs then reports a kernel
// without RDMA, or an empty list of devices. It returns "" when there are enough, and on systems other than Linux. Call
// it only after a failure.
func FilesHint() string { return filesText(filesLeft()) }

// noFilesHint is the hint after EMFILE.
func noFilesHint() string {
	left, limit := filesLeft()
	if left >= fewFiles {
		return ""
	}
	return fmt.Sprintf("nearly all of the %d file descriptors of the process are open (RLIMIT_NOFILE); close some, or raise the limit "+
		"(ulimit -n, LimitNOFILE=)", limit)
}

// fewFiles is how many descriptors are few: a library that looks for its providers and then opens a device holds five at once.
const fewFiles = 8

// filesText returns the hint for a limit and what is left of it.
func filesText(left, limit uint64) string {
	if left >= fewFiles {
		return ""
	}
	return fmt.Sprintf("only %d of %d file descriptors (RLIMIT_NOFILE) are left; raise the limit (ulimit -n, LimitNOFILE=) and start "+
		"again: libibverbs looks for its providers only once", left, limit)
}
