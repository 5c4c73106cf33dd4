package main

import (
	"flag"
	"fmt"
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

// libraries have pages in scripts. Of some, what the package imports is not at hand, so that it cannot be compiled.
var libraries = []struct {
	script, header, pages string
	compiles              bool
}{
	{"modules_stand", "include/store.h", "pages/store", true}, {"modules_stand", "include/gift.h", "pages/gift", false},
	{"reads", "bell.h", "good", true}, {"optional", "well.h", "pages", true}, {"modules", "include/store.h", "pages/store", true},
	{"modules", "include/label.h", "pages/label", false}, {"readers", "gauge.h", "spec", true}, {"pump", "pump.h", "spec", true},
}

// TestPageMutations generates from damaged pages and module.yaml files: of libraries of the scripts, of librdmacm, and of single pages of
// libibverbs. Whatever the damage, the command refuses it at its place, or what comes out compiles.
func TestPageMutations(t *testing.T) {
	counts, compiler := map[outcome]int{}, newOutputCompiler(t)
	var all []*mutated
	uncompiled := map[*mutated]bool{}
	add := func(compiles bool, dir string, args ...string) {
		m := &mutated{dir: dir, files: map[string]string{}, args: append([]string{"--spec", dir}, args...), placed: placedInPage, counts: counts}
		for file, text := range readFolder(t, dir) {
			if strings.HasSuffix(file, ".yaml") {
				m.files[file] = text
			}
		}
		m.set = mutate.Pages(*pageMutationSeed, m.files)
		m.begin(t)
		all, uncompiled[m] = append(all, m), !compiles
	}
	for _, l := range libraries {
		dir := t.TempDir()
		archive, err := txtar.ParseFile(filepath.Join("testdata", "script", l.script+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			writeFile(t, filepath.Join(dir, f.Name), f.Data)
		}
		add(l.compiles, filepath.Join(dir, l.pages), "--header", filepath.Join(dir, l.header))
	}
	own := t.TempDir()
	for _, page := range []string{"ibv_alloc_dm", "ibv_reg_mr", "ibv_create_flow", "ibv_modify_qp", "ibv_create_cq_ex"} {
		copyPages(t, "../../spec/verbs/"+page+".*yaml", filepath.Join(own, page))
		add(true, filepath.Join(own, page), "--only", page)
	}
	copyPages(t, "../../spec/rdmacm/*.yaml", filepath.Join(own, "rdmacm"))
	add(false, filepath.Join(own, "rdmacm"))

	kinds := all[0].set.Kinds()
	for i, kind := range kinds {
		if !slices.ContainsFunc(all, func(m *mutated) bool { return m.set.Mutant(i).Text != "" }) {
			t.Errorf("no page has a place for %s", kind)
		}
	}
	n := *pageMutations
	if n == 0 {
		n = len(kinds)
	}
	for i := *pageMutationFrom; i < *pageMutationFrom+n; i++ {
		m := all[i%len(all)]
		if d := m.set.Mutant(i); d.Text != "" {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				m.try(t, d, nil, func(files map[string]string) (outcome, string) {
					if uncompiled[m] {
						return compiles, ""
					}
					return compiler.outcome(files)
				})
			})
		}
	}
	t.Log(counts)
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

// placedInPage reports whether a diagnostic has a place. One about the command line has none, nor one about a declaration of a stored
// release, of which no lines are known.
func placedInPage(d diag.Diag) bool {
	return d.Code == diag.OnlyNoMatch || strings.HasSuffix(d.File, ".h") && d.Subject != "" || d.Line > 0 && d.File != ""
}
