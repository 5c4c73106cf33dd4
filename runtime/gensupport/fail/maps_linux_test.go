package fail

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMapCountText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "maps")
	check(t, os.WriteFile(file, []byte(strings.Repeat("7f00-7f01 rw-p 00000000 00:00 0\n", 20)), 0o600))
	const want = "the process has 20 mappings of memory, and the kernel allows 19 (vm.max_map_count); unmap some, or raise it (sysctl)"
	if got := mapCountText(mapCount(file), 19); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, most := range []uint64{0, 30} {
		if got := mapCountText(20, most); got != "" {
			t.Errorf("20 of %d: %q, want none", most, got)
		}
	}
}

// TestMapHint asks for more memory than there is no limit on, and than a limit allows.
func TestMapHint(t *testing.T) {
	if n := mapCount("/proc/self/maps"); n == 0 || numberOf("/proc/sys/vm/max_map_count") == 0 {
		t.Errorf("%d mappings", n)
	}
	if got := MapHint(1 << 30); got != "" {
		t.Skip("this process has a limit: ", got)
	}
	for resource, name := range map[int]string{unix.RLIMIT_AS: "RLIMIT_AS", unix.RLIMIT_DATA: "RLIMIT_DATA"} {
		var before unix.Rlimit
		check(t, unix.Getrlimit(resource, &before))
		check(t, unix.Setrlimit(resource, &unix.Rlimit{Cur: 1 << 45, Max: before.Max}))
		got, less := MapHint(1<<46), MapHint(1<<20)
		check(t, unix.Setrlimit(resource, &before))
		if !strings.Contains(got, name) || less != "" {
			t.Errorf("%s: %q, and for less memory %q", name, got, less)
		}
	}
}

func TestThreadText(t *testing.T) {
	root := folder(t, map[string]string{"a/pids.current": "8", "a/pids.max": "8", "a/b/pids.current": "3", "a/b/pids.max": "max",
		"c/pids.current": "3", "c/pids.max": "8"})
	const want = "the control group /a has 8 threads, and may have 8 (pids.max); end some, or raise it (TasksMax=)"
	if got := threadText(root, "1:cpu:/\n0::/a/b\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := threadText(filepath.Join(root, "a"), "0::/\n"); !strings.Contains(got, "/ has 8 threads") {
		t.Errorf("in a container: %q", got)
	}
	for _, cgroups := range []string{"", "0::/\n", "0::/c\n", "0::/none\n", "0::relative\n"} {
		if got := threadText(root, cgroups); got != "" {
			t.Errorf("%q: %q, want none", cgroups, got)
		}
	}
}

// TestFullMaps registers one region too many after ForkInit, which makes a mapping of each: libibverbs returns EAGAIN then. The same errno
// of a process with few mappings has no such cause. A process of its own makes the mappings, since Go needs some, too.
func TestFullMaps(t *testing.T) {
	const role = "VERBSGEN_FAIL_MAPS"
	failed := func() string { return Failed("ibv_reg_mr", syscall.EAGAIN, nil).Error() }
	if os.Getenv(role) == "" {
		if got := failed(); strings.Contains(got, "max_map_count") {
			t.Errorf("with few mappings: %s", got)
		}
		most := numberOf("/proc/sys/vm/max_map_count")
		if most == 0 || most > 1<<18 {
			t.Skipf("the kernel allows %d mappings", most)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestFullMaps$")
		cmd.Env = append(os.Environ(), role+"=1", "GOGC=off")
		out, err := cmd.CombinedOutput()
		if want := "mappings of memory, and the kernel allows " + strconv.FormatUint(most, 10) + " (vm.max_map_count)"; err != nil ||
			!strings.Contains(string(out), want) {
			t.Errorf("%v, and it says %s, want %q", err, out, want)
		}
		return
	}
	page := os.Getpagesize()
	most := int(numberOf("/proc/sys/vm/max_map_count"))
	all, err := unix.Mmap(-1, 0, (most+8)*page, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	check(t, err)
	// Each second page gets other rights, as ForkInit gives it another behaviour at a fork: two mappings more. A few are left for Go, which
	// may have taken more by then than it had at the beginning: a thread that starts takes some.
	for n, at := int(mapCount("/proc/self/maps")), page; n+3 < most; n, at = n+2, at+2*page {
		if err := unix.Mprotect(all[at:at+page], unix.PROT_READ); err == unix.ENOMEM && at > page {
			check(t, unix.Mprotect(all[at-2*page:at-page], unix.PROT_NONE))
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	os.Stdout.WriteString(failed() + "\n")
	os.Exit(0)
}
