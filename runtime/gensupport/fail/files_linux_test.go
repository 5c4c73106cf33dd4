package fail

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFilesText(t *testing.T) {
	const want = "only 7 of 1024 file descriptors (RLIMIT_NOFILE) are left; raise the limit (ulimit -n, LimitNOFILE=) and start again: " +
		"libibverbs looks for its providers only once"
	if got := filesText(7, 1024); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := filesText(8, 1024); got != "" {
		t.Errorf("8 are enough, yet the hint is %q", got)
	}
}

// TestFilesHint lets the process have few descriptors more than are open, then enough.
func TestFilesHint(t *testing.T) {
	var before unix.Rlimit
	check(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &before)
	limit := uint64(1) // the lowest limit with a descriptor free below it
	for leftOf(limit) == 0 {
		limit++
	}
	for more, want := range map[uint64]string{0: "only 1 of ", 4: " file descriptors (RLIMIT_NOFILE) are left"} {
		check(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: limit + more, Max: before.Max}))
		if got := FilesHint(); !strings.Contains(got, want) {
			t.Errorf("limit %d: %q, want %q in it", limit+more, got, want)
		}
	}
	check(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: limit + 512, Max: before.Max}))
	if got := FilesHint(); got != "" {
		t.Errorf("limit %d: %q, want none", limit+512, got)
	}
}
