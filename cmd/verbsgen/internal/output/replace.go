package output

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// staging is the folder in which new files are written before they take their places. Neither the go command nor git
// finds it in a folder that verbsgen has finished.
const staging = ".verbsgen-new"

// unfinished is a Go file that does not compile. It stands in the folder from before the first of several files is
// replaced until after the last one is, so that a mixture of old and new never passes for a package.
const unfinished = "unfinished.gen.go"

// unfinishedText is the content of that file in a package.
func unfinishedText(pkg string) []byte {
	return fmt.Appendf(nil, `%s
// A run of verbsgen was cut off while it wrote this folder: some files are new, others are old. Run it again.

package %s

const _ = runVerbsgenGenerateAgain
`, Banner, pkg)
}

// packageOf reads the package clause of the generated Go files.
func packageOf(files []File) string {
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") || strings.HasSuffix(f.Name, "_test.go") {
			continue
		}
		if file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, parser.PackageClauseOnly); err == nil {
			return file.Name.Name
		}
	}
	return "unfinished"
}

// replace stages every changed file, then renames them all, then removes the leftovers.
func replace(dir string, files []File, now *state) (Result, error) {
	var res Result
	var changed []File
	for _, f := range files {
		if old, ok := now.old[f.Name]; ok && bytes.Equal(old, f.Data) {
			res.Same++
			continue
		}
		changed = append(changed, f)
	}
	res.Written, res.Removed = len(changed), now.leftovers
	removeStaging := func() error { return placed(dir, staging, os.RemoveAll(filepath.Join(dir, staging))) }
	err := removeStaging() // of a killed run
	if err == nil && (len(changed)+len(now.leftovers) > 0 || now.cutOff) {
		if err = stage(dir, append(changed, File{unfinished, unfinishedText(packageOf(files))})); err == nil {
			err = commit(dir, changed, now.leftovers)
		}
		err = errors.Join(err, removeStaging())
	}
	if err != nil {
		return Result{}, err
	}
	return res, nil
}

// stage writes the new files beside the folder's own, and brings them to the disk.
func stage(dir string, files []File) error {
	if err := os.Mkdir(filepath.Join(dir, staging), 0o777); err != nil {
		return writeError(dir, err)
	}
	for _, f := range files {
		if err := placed(dir, f.Name, writeSync(filepath.Join(dir, staging, f.Name), f.Data)); err != nil {
			return err
		}
	}
	return nil
}

// commit renames the staged files and removes the leftovers. Meanwhile, the file that does not compile stands in the folder; it stays
// there after an error.
func commit(dir string, changed []File, leftovers []string) error {
	move := func(name string) error {
		return placed(dir, name, os.Rename(filepath.Join(dir, staging, name), filepath.Join(dir, name)))
	}
	remove := func(name string) error { return placed(dir, name, os.Remove(filepath.Join(dir, name))) }
	if err := move(unfinished); err != nil {
		return err
	}
	syncDir(dir)
	for _, f := range changed {
		if err := move(f.Name); err != nil {
			return err
		}
	}
	for _, name := range leftovers {
		if err := remove(name); err != nil {
			return err
		}
	}
	syncDir(dir)
	return remove(unfinished)
}

// placed is an error of the file system about a file of a folder.
func placed(dir, name string, err error) error {
	if err != nil {
		return writeError(filepath.Join(dir, name), err)
	}
	return nil
}

// writeSync writes a new file and brings it to the disk.
func writeSync(at string, data []byte) error {
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir brings the names in a folder to the disk, as far as the file system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
