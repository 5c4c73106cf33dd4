package mem

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Where the kernel lists its huge pages.
const (
	sysHuge = "/sys/kernel/mm/hugepages"
	memInfo = "/proc/meminfo"
)

// hugeSize checks the size of huge pages asked for, in bytes, and finds the default for 0.
func hugeSize(size uint64) (uint64, error) {
	if size == 0 {
		size = defaultHuge(memInfo)
		if size == 0 {
			return 0, &verr.Error{Errno: syscall.ENOSYS,
				Msg: "map a buffer of huge pages: this kernel has none (no Hugepagesize in " + memInfo + ")"}
		}
	}
	if size&(size-1) != 0 || size < uint64(os.Getpagesize()) {
		return 0, &verr.Error{Errno: syscall.EINVAL,
			Msg: fmt.Sprintf("map a buffer of huge pages: %d bytes is no size of a huge page; this kernel has %s", size, hugeSizes(sysHuge))}
	}
	return size, nil
}

// defaultHuge reads the default size in bytes from a file like /proc/meminfo, 0 when it does not tell.
func defaultHuge(file string) uint64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		val, ok := strings.CutPrefix(sc.Text(), "Hugepagesize:")
		if !ok {
			continue
		}
		kib, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(val, "kB")), 10, 64)
		return kib << 10
	}
	return 0
}

// hugeState reports why need huge pages of size bytes could not be had. dir is the kernel's folder of huge pages.
func hugeState(dir string, size, need uint64) string {
	pool := filepath.Join(dir, fmt.Sprintf("hugepages-%dkB", size>>10))
	total, err := readCount(pool, "nr_hugepages")
	if err != nil {
		return fmt.Sprintf("this kernel has no huge pages of %d KiB, it has %s", size>>10, hugeSizes(dir))
	}
	free, _ := readCount(pool, "free_hugepages")
	reserved, _ := readCount(pool, "resv_hugepages")
	free -= min(free, reserved)
	return fmt.Sprintf("it needs %d huge pages of %d KiB, %d of %d are free; write %d to %s", need, size>>10, free, total,
		total-min(total, free)+need, filepath.Join(pool, "nr_hugepages"))
}

func readCount(dir, name string) (uint64, error) {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
}

// hugeSizes lists the sizes that the kernel has, "2048 KiB, 1048576 KiB".
func hugeSizes(dir string) string {
	pools, _ := filepath.Glob(filepath.Join(dir, "hugepages-*kB"))
	var kib []int
	for _, pool := range pools {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(pool), "hugepages-"), "kB")
		if n, err := strconv.Atoi(name); err == nil {
			kib = append(kib, n)
		}
	}
	if len(kib) == 0 {
		return "none"
	}
	slices.Sort(kib)
	names := make([]string, len(kib))
	for i, n := range kib {
		names[i] = strconv.Itoa(n) + " KiB"
	}
	return strings.Join(names, ", ")
}
