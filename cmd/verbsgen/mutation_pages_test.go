package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/mutate"
)

var (
	pageMutations    = flag.Int("page-mutations", 0, "how many damaged pages to generate from (default: one of each kind)")
	pageMutationSeed = flag.Uint64("page-mutation-seed", 1, "what the damage is drawn from")
	pageMutationFrom = flag.Int("page-mutation-from", 0, "number of the first damaged page")
)

// pageBase is a library whose pages are damaged: those of a folder below dir.
type pageBase struct {
	name     string
	dir      string
	spec     string   // folder of the damaged pages
	args     []string // of generate, beside --spec and -o
	compiles bool     // what it imports is at hand
	set      *mutate.Set
	pages    map[string]string
}

// TestPageMutations generates from damaged pages and module.yaml files: of libraries of the scripts, of librdmacm, and of single pages of
// libibverbs. Whatever the damage, the command refuses it at its place, or what comes out compiles.
func TestPageMutations(t *testing.T) {
	bases := pageBases(t)
	for i, kind := range bases[0].set.Kinds() {
		if !slices.ContainsFunc(bases, func(b *pageBase) bool { return b.set.Mutant(i).Text != "" }) {
			t.Errorf("no page has a place for %s", kind)
		}
	}
	n := *pageMutations
	if n == 0 {
		n = len(bases[0].set.Kinds())
	}
	compiler := newOutputCompiler(t)
	counts, bad := map[outcome]int{}, 0
	for i := *pageMutationFrom; i < *pageMutationFrom+n; i++ {
		b := bases[i%len(bases)]
		m := b.set.Mutant(i)
		if m.Text == "" {
			continue
		}
		o, problem := b.generate(t, m, compiler)
		counts[o]++
		if o <= compiles {
			continue
		}
		if bad++; bad <= 30 {
			t.Errorf("page mutation %d of seed %d, %s of %s, at %s\n%v: %s", i, *pageMutationSeed, m.Kind, b.name, m.Note, o, problem)
		}
	}
	t.Log(counts)
}

// pageBases makes the libraries.
func pageBases(t *testing.T) []*pageBase {
	scripts := []struct {
		script, header, spec string
		compiles             bool
	}{
		{"modules_stand", "include/store.h", "pages/store", true}, {"modules_stand", "include/gift.h", "pages/gift", false},
		{"reads", "bell.h", "good", true}, {"optional", "well.h", "pages", true}, {"modules", "include/store.h", "pages/store", true},
		{"modules", "include/label.h", "pages/label", false}, {"readers", "gauge.h", "spec", true}, {"pump", "pump.h", "spec", true},
	}
	var bases []*pageBase
	for _, s := range scripts {
		dir := t.TempDir()
		archive, err := txtar.ParseFile(filepath.Join("testdata", "script", s.script+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			writeFile(t, filepath.Join(dir, f.Name), f.Data)
		}
		bases = append(bases, newPageBase(t, s.script+" "+s.spec, dir, s.spec, s.compiles, "--header", filepath.Join(dir, s.header)))
	}
	own := t.TempDir()
	for _, page := range []string{"ibv_alloc_dm", "ibv_reg_mr", "ibv_create_flow", "ibv_modify_qp", "ibv_create_cq_ex"} {
		copyPages(t, "../../spec/verbs/"+page+".*yaml", filepath.Join(own, page))
		bases = append(bases, newPageBase(t, page, own, page, true, "--only", page))
	}
	copyPages(t, "../../spec/rdmacm/*.yaml", filepath.Join(own, "rdmacm"))
	return append(bases, newPageBase(t, "rdmacm", own, "rdmacm", false))
}

func copyPages(t *testing.T, pattern, to string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s, %v", pattern, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(to, filepath.Base(file)), data)
	}
}

// newPageBase reads the pages of a folder, which are whole: a package can be generated from them.
func newPageBase(t *testing.T, name, dir, spec string, compiles bool, args ...string) *pageBase {
	b := &pageBase{name: name, dir: dir, spec: filepath.Join(dir, spec), compiles: compiles, args: args, pages: map[string]string{}}
	for file, text := range readFolder(t, b.spec) {
		if strings.HasSuffix(file, ".yaml") {
			b.pages[file] = text
		}
	}
	b.set = mutate.Pages(*pageMutationSeed, b.pages)
	var out bytes.Buffer
	if code, list := runList(t.Context(), b.command(t), &out, &out); code != exitOK {
		t.Fatalf("%s: the whole pages are refused:\n%v", name, list)
	}
	return b
}

func (b *pageBase) out() string { return filepath.Join(b.dir, "out") }

func (b *pageBase) command(t *testing.T) []string {
	if err := os.RemoveAll(b.out()); err != nil {
		t.Fatal(err)
	}
	return append([]string{"generate", "--spec", b.spec, "-o", b.out()}, b.args...)
}

// generate runs the command on a damaged page and judges what came of it.
func (b *pageBase) generate(t *testing.T, m mutate.Mutant, compiler *outputCompiler) (outcome, string) {
	at := filepath.Join(b.spec, m.File)
	writeFile(t, at, []byte(m.Text))
	defer writeFile(t, at, []byte(b.pages[m.File]))
	return attempt(b.command(t), placedInPage, func() (outcome, string) {
		if !b.compiles {
			return compiles, ""
		}
		if problem := compiler.check(readFolder(t, b.out())); problem != "" {
			return broken, problem
		}
		return compiles, ""
	})
}

// placedInPage reports whether a diagnostic has a place. One about the command line has none, nor one about a declaration of a stored
// release, of which no lines are known.
func placedInPage(d diag.Diag) bool {
	return d.Code == diag.OnlyNoMatch || strings.HasSuffix(d.File, ".h") && d.Subject != "" || d.Line > 0 && d.File != ""
}
