package reach

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const populateWrite = 23 // MADV_POPULATE_WRITE, of Linux 5.14

// Writable reports whether all of length bytes at addr are mapped and can be written. What it cannot find out is true. The answer holds at
// this moment: another thread may unmap the memory.
func Writable(addr uintptr, length uint64) bool {
	if length == 0 {
		return true
	}
	page := uintptr(os.Getpagesize())
	from := addr &^ (page - 1)
	_, _, errno := syscall.Syscall(unix.SYS_MADVISE, from, uintptr(length)+addr-from, populateWrite)
	switch {
	case errno == 0:
		return true
	case errors.Is(errno, syscall.EFAULT): // behind the end of a file
		return false
	}
	return tableCovers("/proc/self/maps", uint64(addr), uint64(addr)+length) // an older kernel, memory of a device, or what is not there
}

// tableCovers reports whether a table of mappings has all addresses from need to end, to be read and written.
func tableCovers(table string, need, end uint64) bool {
	f, err := os.Open(table)
	if err != nil {
		return true
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan() && need < end; {
		where, rest, _ := strings.Cut(sc.Text(), " ")
		first, behind, _ := strings.Cut(where, "-")
		from, err := strconv.ParseUint(first, 16, 64)
		to, err2 := strconv.ParseUint(behind, 16, 64)
		if err != nil || err2 != nil || to <= need {
			continue
		}
		if from > need || !strings.HasPrefix(rest, "rw") {
			return false
		}
		need = to
	}
	return need >= end
}
