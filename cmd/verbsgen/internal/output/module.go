package output

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/verbsgen/verbsgen/spec/regular"
)

// Module returns the module of Go that a folder is in: the root, and the path that its go.mod names. Both are empty where no folder above
// has a go.mod. The error is a *fs.PathError, of a go.mod that cannot be read.
func Module(dir string) (root, module string, err error) {
	if root, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	for {
		data, err := regular.Read(filepath.Join(root, "go.mod"), 1<<20)
		if err == nil {
			return root, modfile.ModulePath(data), nil
		}
		above := filepath.Dir(root)
		if !errors.Is(err, fs.ErrNotExist) || above == root {
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return "", "", err
		}
		root = above
	}
}

// ImportPath is the path by which Go imports the package in a folder: that of its module and the folders between. It is empty where there
// is no module, or one without a name. The error is that of [Module].
func ImportPath(dir string) (string, error) {
	root, module, err := Module(dir)
	if err != nil || module == "" {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	below, err := filepath.Rel(root, dir)
	return path.Join(module, filepath.ToSlash(below)), err
}

// ModuleRoot returns the root of the module of a name that a folder is in; empty when it is in none.
func ModuleRoot(dir, module string) string {
	for {
		root, name, err := Module(dir)
		switch {
		case err != nil || root == "" || root == filepath.Dir(root):
			return ""
		case name == module:
			return root
		}
		dir = filepath.Dir(root)
	}
}
