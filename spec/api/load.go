package api

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.json
var stored embed.FS

// Releases lists the releases whose facts are known, oldest first.
func Releases() []string {
	entries, err := stored.ReadDir(".")
	if err != nil {
		return nil // an embedded folder can always be read
	}
	var list []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, Compare)
	return list
}

// Newest is the newest release whose facts are known.
func Newest() string {
	list := Releases()
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// Compare orders release names by their numbers: "9.0" is older than "33.2". Parts that are no numbers are compared as
// text and come first.
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

// UnknownError tells that no facts of a release are stored.
type UnknownError struct {
	Release string
	Known   []string // oldest first
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no facts of release %s; known are %s", e.Release, strings.Join(e.Known, ", "))
}

// Load gives the stored facts of a release, a fresh copy for each call. The error is an *UnknownError for a release that
// is not stored.
func Load(release string) (*Release, error) {
	if !slices.Contains(Releases(), release) {
		return nil, &UnknownError{release, Releases()}
	}
	data, err := stored.ReadFile(release + ".json")
	if err != nil {
		return nil, err
	}
	rel, err := Unmarshal(data)
	if err != nil {
		return nil, fmt.Errorf("facts of %s: %w", release, err)
	}
	return rel, nil
}

// Unmarshal reads what Marshal wrote.
func Unmarshal(data []byte) (*Release, error) {
	rel := new(Release)
	if err := json.Unmarshal(data, rel); err != nil {
		return nil, err
	}
	return rel, nil
}
