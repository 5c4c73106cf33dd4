package input

import (
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// ImportPath is the path by which Go imports the package in a folder: that of the module above it and the folders between. It is empty
// where there is no go.mod, or none that names a module.
func ImportPath(dir string) string {
	dir, err := filepath.Abs(dir)
	for below := ""; err == nil; {
		if data, readErr := os.ReadFile(filepath.Join(dir, "go.mod")); readErr == nil {
			if module := modfile.ModulePath(data); module != "" {
				return path.Join(module, filepath.ToSlash(below))
			}
			return ""
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		below, dir = filepath.Join(filepath.Base(dir), below), above
	}
	return ""
}
