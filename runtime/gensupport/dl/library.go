package dl

// Path returns the file that the loader of the system used.
func (l *Library) Path() string { return l.path }

// Release returns the rdma-core release of the library, "44.0", or "" if its file name does not show it.
func (l *Library) Release() string { return l.release }

// String names the library for messages, "/usr/lib/libibverbs.so.1 (rdma-core 44.0)".
func (l *Library) String() string {
	if l.release == "" {
		return l.path
	}
	return l.path + " (rdma-core " + l.release + ")"
}
