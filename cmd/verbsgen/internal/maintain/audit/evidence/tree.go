package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/rdmacore"
)

// tree is the source of a project: of one release in a folder, or of all releases in a git repository.
type tree struct {
	project string
	release string // empty for a repository
	dir     string
}

var treeRE = regexp.MustCompile(`^([a-z][a-z0-9_.-]*)(?::([A-Za-z0-9][A-Za-z0-9._-]*))?=(.+)$`)

// parseTree reads PROJECT:RELEASE=FOLDER or PROJECT=REPOSITORY.
func parseTree(arg string) (tree, error) {
	m := treeRE.FindStringSubmatch(arg)
	if m == nil {
		return tree{}, fmt.Errorf("%q is neither PROJECT:RELEASE=FOLDER nor PROJECT=REPOSITORY", arg)
	}
	t := tree{project: m[1], release: m[2], dir: m[3]}
	if info, err := os.Stat(t.dir); err != nil || !info.IsDir() {
		return tree{}, fmt.Errorf("%s: no such folder", arg)
	}
	if t.release == "" && !(&rdmacore.Tree{Dir: t.dir, Commit: "HEAD"}).Exists() {
		return tree{}, fmt.Errorf("%s: git reads no repository there; of a folder, give the release", arg)
	}
	return t, nil
}

// sources reads files of the releases that there are trees for, each once.
type sources struct {
	trees []tree
	files map[string]*ctext // by project, release and file; nil for one that does not exist
	known map[string]bool   // by project and release: whether a repository has it
}

func newSources(trees []tree) *sources {
	return &sources{trees: trees, files: map[string]*ctext{}, known: map[string]bool{}}
}

// find returns the tree with a release: a folder before a repository, of which the commit is returned too.
func (s *sources) find(project, release string) (t tree, commit string, ok bool) {
	for _, c := range s.trees {
		if c.project == project && c.release == release {
			return c, "", true
		}
		if c.project == project && c.release == "" && s.has(c, release) {
			t, commit, ok = c, release, true
		}
	}
	return t, commit, ok
}

// repository reports whether a repository of the project is given: it must have the releases that have no folder.
func (s *sources) repository(project string) bool {
	return slices.ContainsFunc(s.trees, func(t tree) bool { return t.project == project && t.release == "" })
}

func (s *sources) has(t tree, commit string) bool {
	key := t.project + " " + commit
	if _, ok := s.known[key]; !ok {
		s.known[key] = (&rdmacore.Tree{Dir: t.dir, Commit: commit}).Exists()
	}
	return s.known[key]
}

// read returns a file of a release, and nil if the release has no such file. It is not ok where there is no tree of the release.
func (s *sources) read(project, release, file string) (text *ctext, ok bool) {
	t, commit, ok := s.find(project, release)
	if !ok {
		return nil, false
	}
	key := project + " " + release + " " + file
	if text, ok := s.files[key]; ok {
		return text, true
	}
	var data []byte
	var err error
	if commit == "" {
		data, err = os.ReadFile(filepath.Join(t.dir, filepath.FromSlash(file)))
	} else {
		data, err = (&rdmacore.Tree{Dir: t.dir, Commit: commit}).File(file)
	}
	if err == nil {
		text = readC(data)
	}
	s.files[key] = text
	return text, true
}
