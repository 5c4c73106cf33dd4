package audit_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/audit"
	"github.com/verbsgen/verbsgen/spec"
)

const root = "../../../../../"

// What keeps programs to a statement exists: in the lists of what packages export, or as a rule.
func TestKeepers(t *testing.T) {
	for _, module := range spec.Modules() {
		sp, err := spec.Embedded(module)
		if err != nil {
			t.Fatal(err)
		}
		names := exported(t, module)
		for _, r := range sp.Rules() {
			names[r.ID] = true
		}
		kept := 0
		for _, p := range sp.Pages {
			for _, n := range p.Notes {
				for _, name := range n.By {
					if kept++; !names[name] {
						t.Errorf("%s:%d: by: nothing is called %s", n.Pos.File, n.Pos.Line, name)
					}
				}
			}
		}
		if kept == 0 {
			t.Errorf("module %s: nothing is kept by anything", module)
		}
	}
}

// exported are the names in docs/api: of the package of a module as they are, of other packages after the name of the package.
func exported(t *testing.T, module string) map[string]bool {
	names := map[string]bool{}
	files, err := filepath.Glob(root + "docs/api/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d lists in docs/api, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(file), ".txt")
		prefix := base[strings.LastIndexByte(base, '-')+1:] + "."
		if base == module {
			prefix = ""
		}
		for line := range strings.Lines(string(text)) {
			name, _, _ := strings.Cut(line, " ")
			names[prefix+name] = true
		}
	}
	return names
}

// Each sentence and line of a man page has an entry.
func TestMan(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	tool, err := audit.FindTool()
	if err != nil {
		t.Skip(err)
	}
	for _, module := range spec.Modules() {
		t.Run(module, func(t *testing.T) {
			sp, err := spec.Embedded(module)
			if err != nil {
				t.Fatal(err)
			}
			release := sp.Pages[0].Release
			man := filepath.Join(cache, "verbsgen", "libs", release, "usr", "share", "man")
			if _, err := os.Stat(man); err != nil {
				t.Skipf("no man pages of release %s: %v; make libs gets them", release, err)
			}
			open, absent, err := tool.Unaccounted(t.Context(), sp.Pages, man)
			if err != nil {
				t.Fatal(err)
			}
			if len(absent) == len(sp.Pages) {
				t.Skipf("no man page of module %s in %s, which is from before they were got; delete it, and make libs", module, man)
			}
			more, absent, err := fromSource(t, tool, sp, absent, filepath.Join(cache, "verbsgen", "rdma-core", release))
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, more...)
			absent = slices.DeleteFunc(absent, func(page string) bool { // one of a later release
				return slices.ContainsFunc(sp.Pages, func(p *spec.Page) bool { return p.Page == page && p.Release != release })
			})
			if len(absent) > 3 {
				t.Errorf("no man page of %q", absent)
			}
			for _, p := range open {
				t.Errorf("%s(3), %s, sentence or line %d (%s): nothing on the page cites it; verbsgen audit --module %s --man %s --passages %s",
					p.Page, p.Section, p.Number, p.Hash, module, man, p.Page)
			}
		})
	}
}

// A man page of a vendor's library has a page here, on which its statements are accounted for.
func TestPages(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	for _, module := range spec.Modules() {
		sp, err := spec.Embedded(module)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(sp.Module.Source, "providers/") {
			continue // man pages of librdmacm are of functions that its module skips, such as the inline ones of rdma_verbs.h
		}
		man := filepath.Join(cache, "verbsgen", "rdma-core", sp.Pages[0].Release, filepath.FromSlash(sp.Module.Source), "man")
		files, err := filepath.Glob(filepath.Join(man, "*.3*"))
		if err != nil || len(files) == 0 {
			t.Skipf("no man pages in %s, %v; .ci/evidence gets them", man, err)
		}
		for _, file := range files {
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			if !slices.ContainsFunc(sp.Pages, func(p *spec.Page) bool { return p.Page == name }) {
				t.Errorf("%s(3) has no page in spec/%s", name, module)
			}
		}
	}
}

// fromSource looks in the source of a release for pages that its packages lack: the build of libefa installs only some of its pages.
func fromSource(t *testing.T, tool audit.Tool, sp *spec.Spec, absent []string, tree string) ([]audit.Piece, []string, error) {
	man := filepath.Join(tree, filepath.FromSlash(sp.Module.Source), "man")
	pages := slices.DeleteFunc(slices.Clone(sp.Pages), func(p *spec.Page) bool { return !slices.Contains(absent, p.Page) })
	if sp.Module.Source == "" || len(pages) == 0 {
		return nil, absent, nil
	}
	_, noSource := os.Stat(man)
	_, noTool := exec.LookPath("pandoc")
	if why := cmp.Or(noSource, noTool); why != nil {
		t.Logf("not read: %q, which the packages lack: %v; .ci/evidence gets the source, which pandoc reads", absent, why)
		return nil, nil, nil
	}
	return tool.Unaccounted(t.Context(), pages, man)
}
