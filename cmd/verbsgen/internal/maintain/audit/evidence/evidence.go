package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// line is what spec/evidence.txt keeps of a function in a release.
type line struct{ project, release, file, function string }

func (l line) String() string {
	return l.project + " " + l.release + " " + l.file + " " + l.function
}

func compareLines(a, b line) int { return strings.Compare(a.String(), b.String()) }

const heading = "# The functions that rules rest on: project, release, file, function, hash of its tokens. Written by `.ci/evidence`.\n"

// readEvidence reads a file of hashes.
func readEvidence(path string) (map[line]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	hashes := map[line]string{}
	for n, text := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		f := strings.Fields(text)
		switch {
		case strings.HasPrefix(text, "#") || text == "":
		case len(f) != 5:
			return nil, fmt.Errorf("%s:%d: not project, release, file, function and hash; run .ci/evidence", path, n+1)
		default:
			hashes[line{f[0], f[1], f[2], f[3]}] = f[4]
		}
	}
	return hashes, nil
}

// evidenceText is the content of a file of hashes.
func evidenceText(hashes map[line]string) []byte {
	out := heading
	for _, l := range slices.SortedFunc(maps.Keys(hashes), compareLines) {
		out += l.String() + " " + hashes[l] + "\n"
	}
	return []byte(out)
}

// releases are those that a source names; a commit is one.
func releases(s *spec.Source) []string {
	if s.Commit != "" {
		return []string{s.Commit}
	}
	return s.Release
}

// result is what reading the citations found.
type result struct {
	hashes   map[line]string
	problems []string       // citations of what is not there
	unread   map[string]int // citations by project and release that there is no tree for
	unnamed  int            // citations without a function
}

// collect looks up the citations. Of releases that there is no tree for, the hashes of before are kept.
// Of sources of errors, it also keeps the hashes at the ends, where the function is there.
func collect(list []spec.Citation, src *sources, before map[line]string, e *ends) *result {
	r := &result{hashes: map[line]string{}, unread: map[string]int{}}
	seen := map[string]bool{} // a shared rule has one source for all its verbs
	for _, c := range list {
		s := c.Source
		if c.Source.Func == "" && !s.IsManPage() && !seen[s.Pos.String()] {
			r.unnamed++
		}
		for _, release := range releases(s) {
			if key := s.Pos.String() + " " + release; !seen[key] {
				seen[key] = true
				r.look(c, release, src, before)
			}
		}
		seen[s.Pos.String()] = true
	}
	for _, c := range list {
		for _, l := range e.lines(c) {
			if text, ok := src.read(l.project, l.release, l.file); !ok && before[l] != "" {
				r.hashes[l] = before[l]
			} else if text != nil {
				if hash := text.hash(l.function); hash != "" {
					r.hashes[l] = hash
				}
			}
		}
	}
	slices.Sort(r.problems)
	return r
}

// look looks up a citation in a release.
func (r *result) look(c spec.Citation, release string, src *sources, before map[line]string) {
	s := c.Source
	l := line{s.Project, release, s.File, s.Func}
	text, ok := src.read(s.Project, release, s.File)
	problem := ""
	switch {
	case !ok && src.repository(s.Project):
		problem = fmt.Sprintf("the repository of %s has no %s, and no folder is given for it", s.Project, release)
	case !ok:
		r.unread[s.Project+" "+release]++
		if old, ok := before[l]; ok {
			r.hashes[l] = old
		}
	case text == nil:
		problem = fmt.Sprintf("%s: %s %s has no such file", s.File, s.Project, release)
	case s.Func == "":
	case text.hash(s.Func) == "":
		problem = fmt.Sprintf("%s: %s %s has no %s in this file", s.File, s.Project, release, s.Func)
	default:
		r.hashes[l] = text.hash(s.Func)
	}
	if problem != "" {
		r.problems = append(r.problems, fmt.Sprintf("%s: %s: %s", s.Pos, c.Of, problem))
	}
}

// change is a function that a newer release changed, and what rests on it.
type change struct {
	line
	what string
	of   []string
}

// changes compares the functions that are cited with those of a newer tree, or of a newer patch of an older series. One that has the text
// of any release with a hash was read.
func changes(list []spec.Citation, hashes map[line]string, newer tree) []*change {
	src := newSources([]tree{newer})
	found := map[line]*change{}
	read := map[line]bool{} // with the hash for the release
	for l, hash := range hashes {
		read[line{l.project, hash, l.file, l.function}] = true
	}
	for _, c := range list {
		s := c.Source
		if s.Project != newer.project || s.Func == "" {
			continue
		}
		var l line // in the newest release that has a hash and is not newer than the tree
		for _, release := range releases(s) {
			if at := (line{s.Project, release, s.File, s.Func}); hashes[at] != "" && !olderRelease(newer.release, release) {
				l = at
			}
		}
		what := ""
		switch text, _ := src.read(s.Project, newer.release, s.File); {
		case l == line{}:
		case text == nil:
			what = "the file is gone"
		case text.hash(s.Func) == "":
			what = "gone from the file"
		case !read[line{s.Project, text.hash(s.Func), s.File, s.Func}]:
			what = "changed"
		}
		if what == "" {
			continue
		}
		of := c.Of
		if c.Rule != nil {
			of += " (" + c.Rule.Verb + ")"
		}
		if found[l] == nil {
			found[l] = &change{line: l, what: what}
		}
		if f := found[l]; !slices.Contains(f.of, of) {
			f.of = append(f.of, of)
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *change) int {
		return cmp.Or(strings.Compare(a.file, b.file), strings.Compare(a.function, b.function), compareLines(a.line, b.line))
	})
}
