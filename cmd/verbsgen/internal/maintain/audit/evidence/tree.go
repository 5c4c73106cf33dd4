package main

import (
	"fmt"
	"os"
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
	trees    []tree
	releases map[string]*rdmacore.Tree // by project and release; nil for one that no tree has
	files    map[string]*ctext         // by project, release and file; nil for one that does not exist
}

func newSources(trees []tree) *sources {
	return &sources{trees: trees, releases: map[string]*rdmacore.Tree{}, files: map[string]*ctext{}}
}

// find returns the tree with a release: a folder before a repository.
func (s *sources) find(project, release string) *rdmacore.Tree {
	key := project + " " + release
	found, ok := s.releases[key]
	for _, t := range s.trees {
		if ok || t.project != project {
			continue
		}
		if at := (&rdmacore.Tree{Dir: t.dir, Commit: release}); t.release == "" && found == nil && at.Exists() {
			found = at
		} else if t.release == release {
			found = &rdmacore.Tree{Dir: t.dir}
		}
	}
	s.releases[key] = found
	return found
}

// repository reports whether a repository of the project is given: it must have the releases that have no folder.
func (s *sources) repository(project string) bool {
	return slices.ContainsFunc(s.trees, func(t tree) bool { return t.project == project && t.release == "" })
}

// read returns a file of a release, and nil if the release has no such file. It is not ok where there is no tree of the release.
func (s *sources) read(project, release, file string) (text *ctext, ok bool) {
	tree := s.find(project, release)
	if tree == nil {
		return nil, false
	}
	key := project + " " + release + " " + file
	if _, ok := s.files[key]; !ok {
		s.files[key] = nil
		if data, err := tree.File(file); err == nil {
			s.files[key] = readC(data)
		}
	}
	return s.files[key], true
}
