package fail

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// withoutDAX reports whether a file is known not to be one of a file system with dax, as the kernel says since Linux 5.10.
func withoutDAX(path string) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_DONT_SYNC, 0, &st)
	return err == nil && st.Attributes_mask&unix.STATX_ATTR_DAX != 0 && st.Attributes&unix.STATX_ATTR_DAX == 0
}

// mappings says what is wrong with memory that the kernel could not pin (EFAULT).
func mappings(errno syscall.Errno, addr, length, access uint64) string {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return ""
	}
	defer f.Close()
	var maps []mapping
	for sc := bufio.NewScanner(f); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		if len(fields) < 5 {
			continue
		}
		m := mapping{perms: fields[1]}
		if _, err := fmt.Sscanf(fields[0], "%x-%x", &m.from, &m.to); err != nil || len(m.perms) < 4 {
			continue
		}
		if len(fields) > 5 {
			m.path = strings.Join(fields[5:], " ")
		}
		maps = append(maps, m)
	}
	return wrong(maps, errno, addr, length, access)
}
