package mem

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// vmFlags returns the kernel's flags of the mapping that begins at addr.
func vmFlags(t *testing.T, addr uintptr) []string {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	at := fmt.Sprintf("%x-", addr)
	inside, seen := false, false
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := sc.Text()
		if strings.HasPrefix(line, at) {
			inside, seen = true, true
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			return strings.Fields(flags)
		}
	}
	if seen {
		t.Skip("this kernel tells no flags of mappings")
	}
	t.Fatalf("no mapping begins at %#x", addr)
	return nil
}

// TestDontFork reads from the kernel that a child would not get the pages ("dc", do not copy on fork).
func TestDontFork(t *testing.T) {
	b := newBuffer(t, 1<<20)
	defer b.Close()
	flags := " " + strings.Join(vmFlags(t, b.Addr()), " ") + " "
	if !strings.Contains(flags, " dc ") {
		t.Errorf("flags of the mapping:%s", flags)
	}
}

// hugeDir makes a folder as /sys/kernel/mm/hugepages: name of the pool -> total, free, reserved.
func hugeDir(t *testing.T, pools map[string][3]string) string {
	t.Helper()
	dir := t.TempDir()
	for pool, counts := range pools {
		check(t, os.Mkdir(filepath.Join(dir, pool), 0o755))
		for i, name := range []string{"nr_hugepages", "free_hugepages", "resv_hugepages"} {
			check(t, os.WriteFile(filepath.Join(dir, pool, name), []byte(counts[i]+"\n"), 0o644))
		}
	}
	return dir
}

func TestHugeState(t *testing.T) {
	dir := hugeDir(t, map[string][3]string{"hugepages-2048kB": {"10", "6", "4"}, "hugepages-1048576kB": {"0", "0", "0"}})
	tests := []struct {
		dir        string
		size, need uint64
		want       string
	}{
		{dir, 2 << 20, 3, "it needs 3 huge pages of 2048 KiB, 2 of 10 are free; write 11 to " + dir + "/hugepages-2048kB/nr_hugepages"},
		{dir, 1 << 30, 1, "it needs 1 huge pages of 1048576 KiB, 0 of 0 are free; write 1 to " + dir + "/hugepages-1048576kB/nr_hugepages"},
		{dir, 4 << 20, 1, "this kernel has no huge pages of 4096 KiB, it has 2048 KiB, 1048576 KiB"},
		{t.TempDir(), 2 << 20, 1, "this kernel has no huge pages of 2048 KiB, it has none"},
	}
	for _, tt := range tests {
		if got := hugeState(tt.dir, tt.size, tt.need); got != tt.want {
			t.Errorf("\n got %s\nwant %s", got, tt.want)
		}
	}
}

func TestDefaultHuge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "meminfo")
	if got := defaultHuge(file); got != 0 {
		t.Errorf("without the file: %d", got)
	}
	text := "MemTotal: 100 kB\nHugePages_Free:        0\nHugepagesize:       2048 kB\nHugetlb: 0 kB\n"
	check(t, os.WriteFile(file, []byte(text), 0o644))
	if got := defaultHuge(file); got != 2<<20 {
		t.Errorf("default size %d", got)
	}
}

func TestHugePages(t *testing.T) {
	for _, size := range []uint64{3 << 20, 512} {
		_, err := New(1, HugePages(size))
		wantErr(t, err, syscall.EINVAL, fmt.Sprintf("map a buffer of huge pages: %d bytes is no size of a huge page; "+
			"this kernel has %s: invalid argument (EINVAL)", size, hugeSizes(sysHuge)))
	}
	const odd = 8 << 40
	_, err := New(1, HugePages(odd))
	wantErr(t, err, syscall.EINVAL, "map a buffer of 1 bytes: this kernel has no huge pages of 8589934592 KiB, it has "+
		hugeSizes(sysHuge)+": invalid argument (EINVAL)")

	size := defaultHuge(memInfo)
	if size == 0 {
		t.Skip("this kernel has no huge pages")
	}
	b, err := New(size+1, HugePages(0), Populate())
	if err != nil {
		wantErr(t, err, syscall.ENOMEM, fmt.Sprintf("map a buffer of %d bytes: %s: cannot allocate memory (ENOMEM)",
			size+1, hugeState(sysHuge, size, 2)))
		return
	}
	if b.Addr()%uintptr(size) != 0 || b.Len() != size+1 || uint64(len(b.Bytes())) != size+1 {
		t.Errorf("%d bytes at %#x", len(b.Bytes()), b.Addr())
	}
	b.Bytes()[size] = 1
	check(t, b.Close())
}

// TestLimited maps more than a limit of the process allows: the error names it.
func TestLimited(t *testing.T) {
	var before unix.Rlimit
	check(t, unix.Getrlimit(unix.RLIMIT_DATA, &before))
	if before.Cur != unix.RLIM_INFINITY {
		t.Skip("this process has a limit")
	}
	check(t, unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: 1 << 40, Max: before.Max}))
	_, err := New(1 << 41)
	check(t, unix.Setrlimit(unix.RLIMIT_DATA, &before))
	if !errors.Is(err, syscall.ENOMEM) || !strings.Contains(err.Error(), "RLIMIT_DATA") {
		t.Errorf("%v, want ENOMEM that names the limit", err)
	}
}
