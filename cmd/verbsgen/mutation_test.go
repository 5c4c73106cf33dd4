package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/mutate"
)

var (
	mutations    = flag.Int("mutations", 0, "how many damaged headers to generate from (default: one of every third kind)")
	mutationSeed = flag.Uint64("mutation-seed", 1, "what the damage is drawn from")
	mutationFrom = flag.Int("mutation-from", 0, "number of the first damaged header")
)

// outcome is what came of generating from damaged input. Those up to compiles are what must come of it.
type outcome int

const (
	refused  outcome = iota // with diagnostics that have a place, and the old output as it was
	harmless                // accepted, and the output is what the whole header gives
	compiles                // accepted with additions, and the output compiles
	internal
	unplaced
	hung
	damaged
	changed
	broken
)

func (o outcome) String() string {
	return [...]string{"refused", "harmless", "compiles", "INTERNAL ERROR", "NO PLACE", "HANG", "OLD OUTPUT DAMAGED",
		"KNOWN ABI CHANGED", "DOES NOT COMPILE"}[o]
}

// mutated is a folder of files, and the package that is generated from them, or from damaged ones.
type mutated struct {
	dir    string
	files  map[string]string // as they are without damage
	set    *mutate.Set
	args   []string          // of generate, beside -o
	good   map[string]string // the package of the files
	placed func(diag.Diag) bool
	counts map[outcome]int
}

// begin generates from the whole files, of which the folder may have some already.
func (m *mutated) begin(t *testing.T) {
	for name, text := range m.files {
		writeFile(t, filepath.Join(m.dir, name), []byte(text))
	}
	if code, list := m.generate(t); code != exitOK {
		t.Fatalf("%s: the whole files are refused:\n%v", m.dir, list)
	}
	m.good = readFolder(t, m.out())
}

func (m *mutated) out() string { return m.dir + ".out" }

func (m *mutated) generate(t *testing.T, flags ...string) (int, diag.List) {
	return runList(t.Context(), slices.Concat([]string{"generate", "-o", m.out()}, m.args, flags), io.Discard, io.Discard)
}

// try generates from a damaged file, and reports what must not come of it. It asks accepted of output that came out what it is.
func (m *mutated) try(t *testing.T, d mutate.Mutant, flags []string, accepted func(files map[string]string) (outcome, string)) {
	at := filepath.Join(m.dir, d.File)
	writeFile(t, at, []byte(d.Text))
	defer writeFile(t, at, []byte(m.files[d.File]))
	code, list := m.generate(t, flags...)
	files := readFolder(t, m.out())
	var o outcome
	var problem string
	if code == exitOK {
		o, problem = accepted(files)
	} else if o, problem = refusal(list, m.placed), list.Error(); o == refused && !maps.Equal(files, m.good) {
		o = damaged
	}
	if m.counts[o]++; o > compiles {
		t.Errorf("%s: %s\n%v %v: %s\n%s", d.Kind, d.Note, o, flags, clip(problem, 1500),
			clip(udiff.Unified(d.File, d.File, m.files[d.File], d.Text), 2000))
	}
	if !maps.Equal(files, m.good) {
		if err := os.RemoveAll(m.out()); err != nil {
			t.Error(err)
		}
		for name, text := range m.good {
			writeFile(t, filepath.Join(m.out(), name), []byte(text))
		}
	}
}

// refusal judges diagnostics: each must have its place.
func refusal(list diag.List, placed func(diag.Diag) bool) outcome {
	for _, d := range list {
		switch {
		case d.Code == diag.Internal:
			return internal
		case strings.Contains(d.Problem, "has not come to an end"):
			return hung
		case !placed(d):
			return unplaced
		}
	}
	if len(list) == 0 {
		return unplaced
	}
	return refused
}

// headerFiles are the headers that are damaged, and those beside them that are needed, in the installed folder.
var headerFiles = []string{"verbs.h", "verbs_api.h", "ib_user_ioctl_verbs.h"}

// mutationWay is a way to call generate. With mayChange a change of what is known is what was asked for.
type mutationWay struct {
	flags     []string
	mayChange bool
}

// mutationWays take turns, with kinds and with rounds: after three rounds each kind was there in every way.
var mutationWays = []mutationWay{
	{nil, false}, {[]string{"--allow-undecided", "--allow-changed-abi"}, true}, {[]string{"--allow-undecided"}, false},
}

// TestMutations generates from damaged copies of the installed header over a good package. Whatever the damage, the
// command refuses it at its place and leaves the package alone, or what comes out is right.
func TestMutations(t *testing.T) {
	m := &mutated{dir: filepath.Join(t.TempDir(), "infiniband"), files: map[string]string{}, counts: map[outcome]int{}, placed: hasPlace}
	for _, name := range headerFiles {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(installedHeader), name))
		if err != nil {
			t.Skip("libibverbs-dev is not installed (make setup): ", err)
		}
		m.files[name] = string(data)
	}
	header := filepath.Join(m.dir, headerFiles[0])
	m.args = []string{"--header", header}
	m.set = mutate.Header(*mutationSeed, append(slices.Repeat(headerFiles[:1], 5), headerFiles[1]), m.files)
	m.begin(t)
	original, err := cheader.Parse(cheader.Options{Header: header})
	if err != nil {
		t.Fatal(err)
	}
	compiler := newOutputCompiler(t)
	if problem := compiler.check(m.good); problem != "" {
		t.Fatalf("what the whole header gives does not compile: %s", problem)
	}
	kinds := m.set.Kinds()
	for i, kind := range kinds {
		if m.set.Mutant(i).Text == "" {
			t.Errorf("no header has a place for %s", kind)
		}
	}
	n, step := *mutations, 1
	if n == 0 {
		n, step = len(kinds), 3
	}
	for i := *mutationFrom; i < *mutationFrom+n; i += step {
		d, round := m.set.Mutant(i), i/len(kinds)
		if d.Text == "" {
			continue
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if round == 0 {
				importPlaces(t, m, d)
			}
			way := mutationWays[(i+round)%len(mutationWays)]
			m.try(t, d, way.flags, func(files map[string]string) (outcome, string) {
				rel, err := cheader.Parse(cheader.Options{Header: header})
				if err != nil {
					return internal, "accepted, and then not: " + err.Error()
				}
				if diffs := contradictions(original, rel); len(diffs) > 0 && !way.mayChange {
					return changed, strings.Join(diffs, "\n")
				}
				if plainText(files) == plainText(m.good) {
					return harmless, ""
				}
				return compiler.outcome(files)
			})
		})
	}
	t.Log(m.counts)
}

// importPlaces stores the facts of a damaged header, or looks for the places of what import says against it.
func importPlaces(t *testing.T, m *mutated, d mutate.Mutant) {
	dir := filepath.Join(t.TempDir(), "infiniband")
	for name, text := range m.files {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	writeFile(t, filepath.Join(dir, d.File), []byte(d.Text))
	args := []string{"import", "--header", filepath.Join(dir, headerFiles[0]), "--release", "66.0", "-o", filepath.Join(dir, "facts.txt")}
	if code, list := runList(t.Context(), args, io.Discard, io.Discard); code != exitOK && refusal(list, hasPlace) != refused {
		t.Errorf("import: %v", list)
	}
}

// hasPlace reports whether a diagnostic names a line, or a file that cannot be read at all.
func hasPlace(d diag.Diag) bool { return d.File != "" && (d.Line > 0 || d.Code == diag.HeaderRead) }

func writeFile(t *testing.T, at string, data []byte) {
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(at, data, 0o666); err != nil {
		t.Error(err)
	}
}

// readFolder maps the names of a folder's files to their content.
func readFolder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// clip shortens a text that is too long to read.
func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "\n..."
	}
	return s
}
