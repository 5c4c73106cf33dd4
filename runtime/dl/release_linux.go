//go:build cgo

package dl

import (
	"path/filepath"
	"regexp"
)

// fullName is the file name of a libibverbs as rdma-core installs it: soname, ABI minor version, release. (The private
// symbol version tells less: 44.0 and 56.1 both carry IBVERBS_PRIVATE_34.)
var fullName = regexp.MustCompile(`^libibverbs\.so\.\d+\.\d+\.(\d+\.\d+)$`)

// releaseOf reads the release off the name of the file that path leads to.
func releaseOf(path string) string {
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if m := fullName.FindStringSubmatch(filepath.Base(file)); m != nil {
		return m[1]
	}
	return ""
}
