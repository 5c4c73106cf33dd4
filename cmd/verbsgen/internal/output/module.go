package output

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

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

// HasTool reports whether the go.mod of a folder's module has a tool line for an import path.
func HasTool(dir, tool string) bool {
	root, _, err := Module(dir)
	if err != nil || root == "" {
		return false
	}
	file := filepath.Join(root, "go.mod")
	data, err := regular.Read(file, 1<<20)
	if err != nil {
		return false
	}
	mod, err := modfile.Parse(file, data, nil)
	return err == nil && slices.ContainsFunc(mod.Tool, func(t *modfile.Tool) bool { return t.Path == tool })
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
