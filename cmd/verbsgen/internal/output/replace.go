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

// change is what replace does to a folder.
type change struct {
	dir     string
	now     *state
	names   []string // of files to replace, staged
	guarded bool     // the file that does not compile stands in the folder
	done    []string // files replaced
	gone    []string // leftovers removed
}

// replace stages every changed file, then renames them all, then removes the leftovers. When a later step fails the
// earlier ones are taken back.
func replace(dir string, files []File, now *state) (Result, error) {
	c := &change{dir: dir, now: now, guarded: now.cutOff}
	if now.staged {
		if err := c.removeStaging(); err != nil {
			return Result{}, err
		}
	}
	var res Result
	var changed []File
	for _, f := range files {
		if old, ok := now.old[f.Name]; ok && bytes.Equal(old, f.Data) {
			res.Same++
			continue
		}
		changed, c.names = append(changed, f), append(c.names, f.Name)
	}
	err := c.stage(changed, packageOf(files))
	if err == nil {
		err = c.commit()
	}
	if err != nil {
		return Result{}, errors.Join(err, c.takeBack(), c.removeStaging())
	}
	res.Written, res.Removed = len(c.done), now.leftovers
	return res, c.removeStaging()
}

// at is the place of a file in the folder.
func (c *change) at(name string) string { return filepath.Join(c.dir, name) }

// stagedAt is its place among the new files.
func (c *change) stagedAt(name string) string { return filepath.Join(c.dir, staging, name) }

// steps is how many files are replaced or removed.
func (c *change) steps() int { return len(c.names) + len(c.now.leftovers) }

// stage writes the new files beside the folder's own, and brings them to the disk.
func (c *change) stage(changed []File, pkg string) error {
	if c.steps() == 0 {
		return nil
	}
	if err := os.Mkdir(c.at(staging), 0o777); err != nil {
		return writeError(c.dir, err)
	}
	if c.steps() > 1 {
		changed = append(changed, File{unfinished, unfinishedText(pkg)})
	}
	for _, f := range changed {
		if err := writeSync(c.stagedAt(f.Name), f.Data); err != nil {
			return writeError(c.at(f.Name), err)
		}
	}
	return nil
}

// commit renames the staged files and removes the leftovers.
func (c *change) commit() error {
	if c.steps() > 1 {
		if err := os.Rename(c.stagedAt(unfinished), c.at(unfinished)); err != nil {
			return writeError(c.at(unfinished), err)
		}
		c.guarded = true
		syncDir(c.dir)
	}
	for _, name := range c.names {
		if err := os.Rename(c.stagedAt(name), c.at(name)); err != nil {
			return writeError(c.at(name), err)
		}
		c.done = append(c.done, name)
	}
	for _, name := range c.now.leftovers {
		if err := os.Remove(c.at(name)); err != nil {
			return writeError(c.at(name), err)
		}
		c.gone = append(c.gone, name)
	}
	return c.unguard()
}

// unguard lets the folder compile again.
func (c *change) unguard() error {
	if !c.guarded {
		return nil
	}
	syncDir(c.dir)
	if err := os.Remove(c.at(unfinished)); err != nil {
		return writeError(c.at(unfinished), err)
	}
	c.guarded = false
	return nil
}

// takeBack restores the folder: files that were there get their content back, others are removed. The file that does not
// compile stays where that fails, and where an earlier run left it.
func (c *change) takeBack() error {
	var errs []error
	for _, l := range []struct {
		names []string
		old   map[string][]byte
	}{{c.done, c.now.old}, {c.gone, c.now.leftover}} {
		for _, name := range l.names {
			data, had := l.old[name]
			var err error
			if had {
				if err = writeSync(c.stagedAt(name), data); err == nil {
					err = os.Rename(c.stagedAt(name), c.at(name))
				}
			} else {
				err = os.Remove(c.at(name))
			}
			if err != nil {
				errs = append(errs, writeError(c.at(name), err))
			}
		}
	}
	if len(errs) == 0 && !c.now.cutOff {
		return c.unguard()
	}
	return errors.Join(errs...)
}

// removeStaging removes the folder of new files.
func (c *change) removeStaging() error {
	if err := os.RemoveAll(c.at(staging)); err != nil {
		return writeError(c.at(staging), err)
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
