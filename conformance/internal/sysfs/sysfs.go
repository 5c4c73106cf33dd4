// Package sysfs names files of /sys, in the folder where libibverbs looks for them.
package sysfs

import (
	"cmp"
	"os"
	"path/filepath"
)

// Path joins names to the folder that SYSFS_PATH names, or to /sys.
func Path(names ...string) string {
	return filepath.Join(append([]string{cmp.Or(os.Getenv("SYSFS_PATH"), "/sys")}, names...)...)
}
