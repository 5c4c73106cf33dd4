package fail

import (
	"fmt"
	"strconv"
	"strings"
)

// MemlockHint returns a hint about the limit on locked memory, "" where the limit cannot be the cause. Call it only after a failure: it
// reads /proc/self/status.
func MemlockHint() string { return memlockHint(unknownSize) }

// unknownSize stands for an amount of memory that is not known, and more than any limit.
const unknownSize = ^uint64(0)

// capIPCLock is the number of CAP_IPC_LOCK in the capability sets of Linux.
const capIPCLock = 14

// memState is what /proc/self/status says of locked memory; amounts are in KiB.
type memState struct {
	locked, pinned uint64
	mayExceed      bool
}

// memStateOf reads it.
func memStateOf(status string) memState {
	kib := func(name string) uint64 {
		n, _ := strconv.ParseUint(strings.TrimSuffix(field(status, name), " kB"), 10, 64)
		return n
	}
	return memState{kib("VmLck"), kib("VmPin"), capable(status, capIPCLock)}
}

// capable reports whether /proc/self/status says that the process has a capability.
func capable(status string, capability int) bool {
	set, _ := strconv.ParseUint(field(status, "CapEff"), 16, 64)
	return set&(1<<capability) != 0
}

// memlockText returns a hint about the limit on locked memory, the usual cause of ENOMEM when memory is registered: for a limit in bytes,
// which allows no more bytes to be pinned. What is locked does not count (Linux, core/umem.c, ib_umem_get). It returns "" where the limit
// cannot be the cause: no limit is set, or the process may exceed it (CAP_IPC_LOCK).
func memlockText(limit uint64, unlimited bool, m memState, more uint64) string {
	pinned := m.pinned * 1024
	if unlimited || m.mayExceed || pinned <= limit && more <= limit-pinned {
		return ""
	}
	return fmt.Sprintf("the limit on locked memory, RLIMIT_MEMLOCK, is %d KiB (%d KiB locked and %d KiB pinned now); "+
		"raise it (ulimit -l, limits.conf, LimitMEMLOCK=) or give the process CAP_IPC_LOCK",
		limit/1024, m.locked, m.pinned)
}
