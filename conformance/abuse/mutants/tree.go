package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// tree is a copy of the files of the repository, in which mutants are made.
type tree struct {
	source, root string
	files        []string
}

// newTree makes the copy equal to the source: the files that git knows or would add.
func newTree(source, root string) (*tree, error) {
	list, err := output(source, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	t := &tree{source: source, root: root}
	for _, f := range strings.Split(strings.TrimSuffix(list, "\x00"), "\x00") {
		if info, err := os.Stat(filepath.Join(source, f)); err == nil && info.Mode().IsRegular() {
			t.files = append(t.files, f)
		}
	}
	return t, t.restore("")
}

// restore makes the files below a folder those of the source again.
func (t *tree) restore(under string) error {
	known := map[string]bool{}
	for _, f := range t.files {
		if !strings.HasPrefix(f, under) {
			continue
		}
		known[f] = true
		want, err := os.ReadFile(filepath.Join(t.source, f))
		if err != nil {
			return err
		}
		to := filepath.Join(t.root, f)
		if have, err := os.ReadFile(to); err == nil && bytes.Equal(have, want) {
			continue
		}
		info, err := os.Stat(filepath.Join(t.source, f))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, want, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return filepath.WalkDir(filepath.Join(t.root, under), func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(t.root, at)
		if err != nil || known[filepath.ToSlash(rel)] {
			return err
		}
		return os.Remove(at)
	})
}

// moduleOf returns the folder of the module that a folder is in, and the folder below it.
func (t *tree) moduleOf(dir string) (module, in string) {
	for at := dir; at != "."; at = path.Dir(at) {
		if _, err := os.Stat(filepath.Join(t.root, at, "go.mod")); err == nil {
			return filepath.Join(t.root, at), strings.TrimPrefix(strings.TrimPrefix(dir, at), "/")
		}
	}
	return t.root, dir
}

// read returns the text of a file, between two mutants.
func (t *tree) read(file string) (string, error) {
	data, err := os.ReadFile(filepath.Join(t.root, file))
	return string(data), err
}

func (t *tree) write(file, text string) error {
	return os.WriteFile(filepath.Join(t.root, file), []byte(text), 0o644)
}

// output runs a command that is to work.
func output(dir string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	return string(out), err
}
