package fail

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
)

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
