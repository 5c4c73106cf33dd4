package fail

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// MemlockHint returns a hint about the limit on locked memory, the usual cause of ENOMEM when memory is registered. It
// returns "" where the limit cannot be the cause: no limit is set, the process may exceed it (CAP_IPC_LOCK), or the
// system is not Linux. Call it only after a failure: it reads /proc/self/status.
func MemlockHint() string { return memlockHint(unknownSize) }

// MemlockHintOf is MemlockHint for a limit that a device made of software has, of whose bytes some are pinned.
func MemlockHintOf(limit, pinned uint64) string {
	return softMemlockHint(limit, pinned, unknownSize)
}

func softMemlockHint(limit, pinned, more uint64) string {
	return memlockText(limit, limit == 0, memState{pinned: pinned / 1024}, more)
}

// unknownSize stands for an amount of memory that is not known, and more than any limit.
const unknownSize = ^uint64(0)

// capIPCLock is the number of CAP_IPC_LOCK in the capability sets of Linux.
const capIPCLock = 14

// memState is what /proc/self/status says of locked memory; amounts are in KiB.
type memState struct {
	locked, pinned uint64
	mayExceed      bool
}

func readMemState(r io.Reader) memState {
	var m memState
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		key, val, ok := strings.Cut(sc.Text(), ":")
		if !ok {
			continue
		}
		val = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(val), "kB"))
		switch key {
		case "VmLck":
			m.locked, _ = strconv.ParseUint(val, 10, 64)
		case "VmPin":
			m.pinned, _ = strconv.ParseUint(val, 10, 64)
		case "CapEff":
			set, _ := strconv.ParseUint(val, 16, 64)
			m.mayExceed = set&(1<<capIPCLock) != 0
		}
	}
	return m
}

// memlockText returns the hint for a limit in bytes, which allows no more bytes to be pinned. What is locked does not count (Linux,
// core/umem.c, ib_umem_get).
func memlockText(limit uint64, unlimited bool, m memState, more uint64) string {
	pinned := m.pinned * 1024
	if unlimited || m.mayExceed || pinned <= limit && more <= limit-pinned {
		return ""
	}
	return fmt.Sprintf("the limit on locked memory, RLIMIT_MEMLOCK, is %d KiB (%d KiB locked and %d KiB pinned now); "+
		"raise it (ulimit -l, limits.conf, LimitMEMLOCK=) or give the process CAP_IPC_LOCK",
		limit/1024, m.locked, m.pinned)
}
