package spec

import (
	"bytes"
	"io/fs"
	"slices"
)

// Differing compares the embedded pages with those of a folder spec of a clone, and returns the names of those that differ, that only
// one of the two has, or that cannot be read: "verbs/ibv_reg_mr.yaml".
func Differing(clone fs.FS) []string {
	names := globPages(pages)
	for _, name := range globPages(clone) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool {
		own, err := fs.ReadFile(pages, name)
		theirs, cloneErr := fs.ReadFile(clone, name)
		return err == nil && cloneErr == nil && bytes.Equal(own, theirs)
	})
}

// globPages lists the pages of a folder spec.
func globPages(fsys fs.FS) []string {
	names, _ := fs.Glob(fsys, "*/*.yaml") // the pattern is well formed
	return names
}
