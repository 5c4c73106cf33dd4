package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/mutate"
	"github.com/verbsgen/verbsgen/spec/api"
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

// mutationPatience is how long one run may take before it counts as hung. Such a run takes a third of a second, and much longer on a
// machine that has other work.
const mutationPatience = 5 * time.Minute

// headerFiles are the headers that are damaged, and those beside them that are needed, in the installed folder.
var headerFiles = []string{"verbs.h", "verbs_api.h", "ib_user_ioctl_verbs.h"}

// TestMutations generates from damaged copies of the installed header over a good package. Whatever the damage, the
// command refuses it at its place and leaves the package alone, or what comes out is right.
func TestMutations(t *testing.T) {
	b := newMutationBench(t)
	for i, kind := range b.set.Kinds() {
		if b.set.Mutant(i).Text == "" {
			t.Errorf("no header has a place for %s", kind)
		}
	}
	n, step := *mutations, 1
	if n == 0 {
		n, step = len(b.set.Kinds()), 3
	}
	next := make(chan int)
	go func() {
		defer close(next)
		for i := 0; i < n; i += step {
			next <- *mutationFrom + i
		}
	}()
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		f := b.newFolder(t)
		wait.Go(func() {
			for i := range next {
				b.one(t, f, i)
			}
		})
	}
	wait.Wait()
	t.Log(b.counts)
}

// mutationBench is what the runs of a test share.
type mutationBench struct {
	headers  map[string]string // by headerFiles
	original *api.Release
	good     map[string]string // the package that the whole header gives
	set      *mutate.Set
	compiler *outputCompiler

	mu     sync.Mutex
	counts map[outcome]int
}

// theMutationBench is the one that all tests have.
var theMutationBench *mutationBench

func newMutationBench(t *testing.T) *mutationBench {
	if theMutationBench != nil {
		return theMutationBench
	}
	b := &mutationBench{counts: map[outcome]int{}, headers: map[string]string{}}
	for _, name := range headerFiles {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(installedHeader), name))
		if err != nil {
			t.Skip("libibverbs-dev is not installed (make setup): ", err)
		}
		b.headers[name] = string(data)
	}
	b.compiler = newOutputCompiler(t)
	b.set = mutate.Header(*mutationSeed, append(slices.Repeat(headerFiles[:1], 5), headerFiles[1]), b.headers)
	f := &mutationFolder{bench: b, dir: t.TempDir()}
	f.writeHeaders(t, headerFiles[0], b.headers[headerFiles[0]])
	var err error
	if b.original, err = cheader.Parse(cheader.Options{Header: f.header()}); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if run(t.Context(), f.args(), &stderr, &stderr) != exitOK {
		t.Fatalf("the whole header is refused:\n%s", &stderr)
	}
	b.good = readFolder(t, f.out())
	if problem := b.compiler.check(b.good); problem != "" {
		t.Fatalf("what the whole header gives does not compile: %s", problem)
	}
	theMutationBench = b
	return b
}

// mutationFolder is the headers and the output of one run after the other.
type mutationFolder struct {
	bench *mutationBench
	dir   string
}

func (b *mutationBench) newFolder(t *testing.T) *mutationFolder {
	f := &mutationFolder{bench: b, dir: t.TempDir()}
	f.restore(t)
	return f
}

func (f *mutationFolder) header() string { return filepath.Join(f.dir, "infiniband", headerFiles[0]) }
func (f *mutationFolder) out() string    { return filepath.Join(f.dir, "out") }

func (f *mutationFolder) args(more ...string) []string {
	return append([]string{"generate", "--header", f.header(), "-o", f.out()}, more...)
}

// writeHeaders writes the headers, one of them damaged.
func (f *mutationFolder) writeHeaders(t *testing.T, damaged, text string) {
	for name, whole := range f.bench.headers {
		writeFile(t, filepath.Join(f.dir, "infiniband", name), []byte(whole))
	}
	writeFile(t, filepath.Join(f.dir, "infiniband", damaged), []byte(text))
}

// restore puts the good package back.
func (f *mutationFolder) restore(t *testing.T) {
	if err := os.RemoveAll(f.out()); err != nil {
		t.Error(err)
	}
	for name, text := range f.bench.good {
		writeFile(t, filepath.Join(f.out(), name), []byte(text))
	}
}

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

// one generates from one damaged header.
func (b *mutationBench) one(t *testing.T, f *mutationFolder, i int) {
	m := b.set.Mutant(i)
	if m.Text == "" {
		return
	}
	f.writeHeaders(t, m.File, m.Text)
	round := i / len(b.set.Kinds())
	b.judge(t, f, i, m, mutationWays[(i+round)%len(mutationWays)])
	if round == 0 {
		b.placed(t, f, i)
	}
}

// judge generates in one way, and says what must not come of it.
func (b *mutationBench) judge(t *testing.T, f *mutationFolder, i int, m mutate.Mutant, way mutationWay) {
	o, problem := f.generate(t, way)
	b.mu.Lock()
	b.counts[o]++
	b.mu.Unlock()
	if o > compiles {
		t.Errorf("mutation %d of seed %d, %s: %s\n%s %v: %s\n%s", i, *mutationSeed, m.Kind, m.Note, o, way.flags, problem,
			clip(udiff.Unified(m.File, m.File, b.headers[m.File], m.Text), 2000))
	}
}

// placed stores the facts of one damaged header, or looks for the places of what import says against it.
func (b *mutationBench) placed(t *testing.T, f *mutationFolder, i int) {
	var out bytes.Buffer
	args := []string{"import", "--header", f.header(), "--release", "66.0", "-o", filepath.Join(t.TempDir(), "facts.txt")}
	if _, list := runList(t.Context(), args, &out, &out); slices.ContainsFunc(list, func(d diag.Diag) bool { return !hasPlace(d) }) {
		t.Errorf("import of mutation %d of seed %d:\n%v", i, *mutationSeed, list)
	}
}

// clip shortens a text that is too long to read.
func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "\n..."
	}
	return s
}

// mutationWay is a way to call generate. With mayChange a change of what is known is what was asked for.
type mutationWay struct {
	flags     []string
	mayChange bool
}

// mutationWays take turns, with kinds and with rounds: after three rounds each kind was there in every way.
var mutationWays = []mutationWay{
	{nil, false}, {[]string{"--allow-undecided", "--allow-changed-abi"}, true}, {[]string{"--allow-undecided"}, false},
}

// generate runs the command once and judges what came of it.
func (f *mutationFolder) generate(t *testing.T, way mutationWay) (outcome, string) {
	o, problem := attempt(f.args(way.flags...), hasPlace, func() (outcome, string) { return f.accepted(t, way) })
	switch {
	case o == hung: // the run may still write into the folder
		f.dir = t.TempDir()
	case o == refused && maps.Equal(readFolder(t, f.out()), f.bench.good):
		return o, problem
	case o == refused:
		o = damaged
	}
	f.restore(t)
	return o, problem
}

// attempt runs the command once. It asks of each diagnostic whether it has its place, and of output that came out what it is.
func attempt(args []string, placed func(diag.Diag) bool, accepted func() (outcome, string)) (outcome, string) {
	type result struct {
		code int
		list diag.List
	}
	done := make(chan result, 1)
	go func() {
		code, list := runList(context.Background(), args, io.Discard, io.Discard)
		done <- result{code, list}
	}()
	select {
	case r := <-done:
		text := clip(r.list.Error(), 1500)
		switch {
		case r.code == exitOK:
			return accepted()
		case len(r.list) == 0:
			return unplaced, "no diagnostic at all"
		}
		for _, d := range r.list {
			switch {
			case d.Code == diag.Internal:
				return internal, text
			case strings.Contains(d.Problem, "has not come to an end"):
				return hung, text
			case !placed(d):
				return unplaced, text
			}
		}
		return refused, text
	case <-time.After(mutationPatience):
		return hung, mutationPatience.String()
	}
}

// hasPlace reports whether a diagnostic names a line, or a file that cannot be read at all.
func hasPlace(d diag.Diag) bool { return d.File != "" && (d.Line > 0 || d.Code == diag.HeaderRead) }

// accepted looks at what the damaged header says, and at what was made of it.
func (f *mutationFolder) accepted(t *testing.T, way mutationWay) (outcome, string) {
	rel, err := cheader.Parse(cheader.Options{Header: f.header()})
	if err != nil {
		return internal, "accepted, and then not: " + err.Error()
	}
	if diffs := contradictions(f.bench.original, rel); len(diffs) > 0 && !way.mayChange {
		return changed, clip(strings.Join(diffs, "\n"), 1000)
	}
	files := readFolder(t, f.out())
	if plainText(files) == plainText(f.bench.good) {
		return harmless, ""
	}
	if problem := f.bench.compiler.check(files); problem != "" {
		return broken, clip(problem, 1500)
	}
	return compiles, ""
}
