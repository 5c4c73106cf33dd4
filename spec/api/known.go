package api

import (
	"embed"
	"fmt"
	"sync"
)

//go:embed *.txt
var stored embed.FS

// Known has the stored facts of all known releases of one header. Its methods may be called from several goroutines.
type Known struct {
	history func() (*history, error)
	names   func() (map[string]Lifetime, error)
}

// KnownOf returns the stored facts in a file of this package, such as facts.txt; with an empty name those of a header of which no
// release is known.
func KnownOf(file string) (*Known, error) {
	if file == "" {
		return newKnown(""), nil
	}
	if k, ok := known.Load(file); ok {
		return k.(*Known), nil
	}
	text, err := stored.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no facts are stored as %s", file)
	}
	k, _ := known.LoadOrStore(file, newKnown(string(text)))
	return k.(*Known), nil
}

// Parse returns the facts in a text as [Store] returns it.
func Parse(text string) (*Known, error) {
	h, err := parseHistory(text)
	if err != nil {
		return nil, err
	}
	return knownFrom(func() (*history, error) { return h, nil }), nil
}

// Before returns the facts of the releases that are older than a release.
func (k *Known) Before(release string) (*Known, error) {
	h, err := k.history()
	if err != nil {
		return nil, err
	}
	return knownFrom(func() (*history, error) { return h.before(release), nil }), nil
}

// known has the facts that were asked for, by file.
var known sync.Map

func newKnown(text string) *Known {
	return knownFrom(sync.OnceValues(func() (*history, error) { return parseHistory(text) }))
}

func knownFrom(read func() (*history, error)) *Known {
	k := &Known{history: read}
	k.names = sync.OnceValues(k.lifetimes)
	return k
}

// verbs has the facts of verbs.h, which the functions of this package are about.
var verbs = sync.OnceValue(func() *Known {
	k, err := KnownOf("facts.txt")
	if err != nil {
		panic(err) // it is embedded
	}
	return k
})

// Releases lists the stored releases of verbs.h, oldest first.
func Releases() []string { return verbs().Releases() }

// Newest returns the newest stored release of verbs.h.
func Newest() string { return verbs().Newest() }

// Source says where the facts of a release of verbs.h were read.
func Source(release string) string { return verbs().Source(release) }

// Load returns the stored facts of a release of verbs.h.
func Load(release string) (*Release, error) { return verbs().Load(release) }

// Since computes the [Index] of verbs.h.
func Since() (Index, error) { return verbs().Since() }
