//go:build cgo

package dl

import (
	"path/filepath"
	"regexp"
	"strings"
)

// fullName is the end of the file name of a library as rdma-core installs it: soname, ABI minor version, release. (The private
// symbol version says less: 44.0 and 56.1 both carry IBVERBS_PRIVATE_34.)
var fullName = regexp.MustCompile(`^\.so\.\d+\.\d+\.(\d+\.\d+)$`)

// releaseOf reads the release off the name of the file that path leads to.
func releaseOf(m Module, path string) string {
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	rest, ok := strings.CutPrefix(filepath.Base(file), m.base())
	if found := fullName.FindStringSubmatch(rest); ok && found != nil {
		return found[1]
	}
	return ""
}
