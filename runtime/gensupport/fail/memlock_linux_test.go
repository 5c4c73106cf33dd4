package fail

import (
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

func TestSystemErrnoName(t *testing.T) {
	if got := verr.ErrnoName(syscall.ENOTCONN); got != "ENOTCONN" {
		t.Errorf("ErrnoName(ENOTCONN) = %q", got)
	}
}

func TestMemlockText(t *testing.T) {
	status := "Name:\tverbs\nVmLck:\t      64 kB\nVmPin:\t     128 kB\nno colon here\nCapEff:\t%s\n"
	const want = "the limit on locked memory, RLIMIT_MEMLOCK, is 8192 KiB (64 KiB locked and 128 KiB pinned now); " +
		"raise it (ulimit -l, limits.conf, LimitMEMLOCK=) or give the process CAP_IPC_LOCK"
	tests := []struct {
		name, caps string
		unlimited  bool
		more       uint64
		want       string
	}{
		{"limited", "0000000000000000", false, 8 << 20, want},
		{"other capabilities", "000001ffffffbfff", false, 8 << 20, want},
		{"CAP_IPC_LOCK", "0000000000004000", false, 8 << 20, ""},
		{"unlimited", "0000000000000000", true, 8 << 20, ""},
		{"all that is left, and a byte", "0000000000000000", false, 8<<20 - 128<<10 + 1, want},
		{"all that is left", "0000000000000000", false, 8<<20 - 128<<10, ""},
		{"an unknown size", "0000000000000000", false, unknownSize, want},
	}
	for _, tt := range tests {
		m := memStateOf(strings.Replace(status, "%s", tt.caps, 1))
		if got := memlockText(8<<20, tt.unlimited, m, tt.more); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
