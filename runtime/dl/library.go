package dl

// Path tells the file that the system's loader took.
func (l *Library) Path() string { return l.path }

// Release gives the rdma-core release that the library comes from, "44.0", or "" when its file name does not tell.
func (l *Library) Release() string { return l.release }

// String names the library for messages, "/usr/lib/libibverbs.so.1 (rdma-core 44.0)".
func (l *Library) String() string {
	if l.release == "" {
		return l.path
	}
	return l.path + " (rdma-core " + l.release + ")"
}
