package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Releases lists the stored releases, oldest first.
func (k *Known) Releases() []string {
	h, err := k.history()
	if err != nil {
		return nil // a test reads all of the embedded text
	}
	return slices.Clone(h.releases)
}

// Newest returns the newest stored release, "" if there is none.
func (k *Known) Newest() string {
	list := k.Releases()
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// Oldest returns the oldest stored release, "" if there is none.
func (k *Known) Oldest() string {
	list := k.Releases()
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// Source says where the facts of a release were read: "git:" and a tag of rdma-core, "tree" for the tarball of the release, or "header".
func (k *Known) Source(release string) string {
	h, err := k.history()
	if err != nil {
		return ""
	}
	return h.sources[release]
}

// Compare compares two release names by their numbers: "9.0" is older than "33.2". Parts that are no numbers are
// compared as text and come first. The result is negative when a is older.
func Compare(a, b string) int {
	pa, pb := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(pa), len(pb)) {
		na, errA := strconv.Atoi(pa[i])
		nb, errB := strconv.Atoi(pb[i])
		if errA != nil {
			na = -1
		}
		if errB != nil {
			nb = -1
		}
		if c := cmp.Or(cmp.Compare(na, nb), strings.Compare(pa[i], pb[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(pa), len(pb))
}

// UnknownError is the error of Load for a release that is not stored.
type UnknownError struct {
	Release string
	Known   []string // oldest first
}

func (e *UnknownError) Error() string {
	if len(e.Known) == 0 {
		return "no facts of release " + e.Release + "; none are known"
	}
	return fmt.Sprintf("no facts of release %s; known are %s", e.Release, Ranges(e.Known))
}

// Ranges returns a short form of a list of releases: the first and the last of each run of neighbours, "28.0 to 32.0,
// 33.2".
func Ranges(releases []string) string {
	var parts []string
	for i := 0; i < len(releases); {
		j := i
		for j+1 < len(releases) && follows(releases[j], releases[j+1]) {
			j++
		}
		switch {
		case j > i+1:
			parts = append(parts, releases[i]+" to "+releases[j])
		default:
			parts = append(parts, releases[i:j+1]...)
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// follows reports whether b is the main release after a: 29.0 after 28.0.
func follows(a, b string) bool {
	majorA, minorA, _ := strings.Cut(a, ".")
	majorB, minorB, _ := strings.Cut(b, ".")
	na, errA := strconv.Atoi(majorA)
	nb, errB := strconv.Atoi(majorB)
	return errA == nil && errB == nil && nb == na+1 && minorA == minorB
}

// Load returns the stored facts of a release, a new copy for each call. The error is an *UnknownError for a release
// that is not stored.
func (k *Known) Load(release string) (*Release, error) {
	h, err := k.history()
	if err != nil {
		return nil, err
	}
	return h.release(release)
}

// Unmarshal reads what Marshal wrote.
func Unmarshal(data []byte) (*Release, error) {
	rel := new(Release)
	if err := json.Unmarshal(data, rel); err != nil {
		return nil, err
	}
	return rel, nil
}
