// Package diagnose finds out why a call failed: it looks at the files, nodes, mappings and limits that the errno is about. Calls that
// succeed come here only for what a provider cannot do without harm, and not on the data path.
//
// It states only what it has looked at, and returns nothing where it has found nothing. It looks at the system for a real library
// only: a software device has no files. SYSFS_PATH names the folder of sysfs, as libibverbs has it. It must not know verbs or generated
// packages.
package diagnose

import (
	"cmp"
	"os"
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

// maxNamed is how many devices, or entries of a table, a text names.
const maxNamed = 4
