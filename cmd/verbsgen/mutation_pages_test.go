package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	for _, o := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%5d %v", counts[o], o)
	}
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
		for _, name := range []string{page + ".yaml", page + ".go.yaml"} {
			copyPage(t, filepath.Join("../../spec/verbs", name), filepath.Join(own, page, name))
		}
		bases = append(bases, newPageBase(t, page, own, page, true, "--only", page))
	}
	files, err := filepath.Glob("../../spec/rdmacm/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no pages of rdmacm: ", err)
	}
	for _, name := range files {
		copyPage(t, name, filepath.Join(own, "rdmacm", filepath.Base(name)))
	}
	return append(bases, newPageBase(t, "rdmacm", own, "rdmacm", false))
}

func copyPage(t *testing.T, from, to string) {
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, data)
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
	type result struct {
		code  int
		list  diag.List
		panic any
	}
	done := make(chan result, 1)
	args := b.command(t)
	go func() {
		var r result
		defer func() { r.panic = recover(); done <- r }()
		var out bytes.Buffer
		r.code, r.list = runList(context.Background(), args, &out, &out)
	}()
	select {
	case r := <-done:
		switch {
		case r.panic != nil:
			return panicked, fmt.Sprint(r.panic)
		case r.code == exitOK && b.compiles:
			return typeChecks(readFolder(t, b.out()), compiler)
		case r.code == exitOK:
			return compiles, ""
		}
		return refusalOfPage(r.list)
	case <-time.After(pagePatience):
		t.Fatalf("%s, at %s: no end after %v", m.Kind, m.Note, pagePatience)
		return hung, ""
	}
}

// pagePatience is how long one run may take. Such a run takes a tenth of a second.
const pagePatience = time.Minute

// refusalOfPage looks whether each diagnostic has a place.
func refusalOfPage(list diag.List) (outcome, string) {
	for _, d := range list {
		switch {
		case d.Code == diag.Internal:
			return internal, clip(d.Error(), 1500)
		case d.Code == diag.OnlyNoMatch: // about the command line
		case strings.HasSuffix(d.File, ".h") && d.Line == 0 && d.Subject != "": // a declaration of a stored release, of which no lines are known
		case d.Line == 0 || d.File == "":
			return unplaced, clip(d.Error(), 1500)
		}
	}
	if len(list) == 0 {
		return unplaced, "no diagnostic at all"
	}
	return refused, ""
}

// typeChecks checks the types of a package, of each of its builds.
func typeChecks(files map[string]string, compiler *outputCompiler) (outcome, string) {
	for _, without := range []string{"raw_none.gen.go", "raw.gen.go"} {
		if problem := compiler.checkGo(files, without); problem != "" {
			return broken, clip(problem, 1500)
		}
	}
	return compiles, ""
}
