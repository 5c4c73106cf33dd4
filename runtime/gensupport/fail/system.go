package fail

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// system is where to look.
type system struct {
	sysfs, dev, conf string
	library          string // path of libibverbs, empty when it is not known
}

// systemOf returns where to look for a source of functions; ok is false for one that is not a real library.
func systemOf(src any) (s system, ok bool) {
	lib, ok := src.(interface{ Path() string })
	if !ok {
		return s, false
	}
	return system{cmp.Or(os.Getenv("SYSFS_PATH"), "/sys"), "/dev/infiniband", "/etc/libibverbs.d", lib.Path()}, true
}

// mostNamed is how many devices, or entries of a table, a text names.
const mostNamed = 4

// line is the text of a file of one line, empty if it cannot be read.
func line(path ...string) string {
	text, _ := os.ReadFile(filepath.Join(path...))
	return strings.TrimSpace(string(text))
}

// numberOf reads the number in a file, 0 if there is none.
func numberOf(file string) uint64 {
	text, _ := os.ReadFile(file)
	n, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n
}

// names returns the files of a folder, without an error for one that does not exist.
func names(folder string) (out []string) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
