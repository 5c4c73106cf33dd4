package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/generate"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/rdmacore"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// coreVar names the variable of the environment with a git repository of rdma-core: the headers of all releases are then
// read from it, too. Those of releases that have no tag are in folders, named by their release, below that of treesVar.
const (
	coreVar  = "VERBSGEN_RDMA_CORE"
	treesVar = "VERBSGEN_RDMA_CORE_TREES"
)

// TestEveryHeader builds and tests the packages of all headers, whose facts must be those that are stored, and of the newest commit of
// rdma-core. Packages that differ in nothing but the name of the release and the hash of the facts are built once.
func TestEveryHeader(t *testing.T) {
	core := os.Getenv(coreVar)
	if core == "" {
		t.Skip(coreVar + " is not set: a git repository of rdma-core is needed, see .ci/facts")
	}
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	m := newWorkspace(t)
	for _, release := range api.Releases() {
		tree := rdmacore.Tree{Dir: filepath.Join(os.Getenv(treesVar), release)}
		if tag, ok := strings.CutPrefix(api.Source(release), "git:"); ok {
			tree = rdmacore.Tree{Dir: core, Commit: tag}
		}
		rel, file := m.header(t, tree)
		stored, err := api.Load(release)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := factsText(t, rel), factsText(t, stored); got != want {
			t.Errorf("%s: the header of %s has other facts than those stored", release, tree.Place("verbs.h"))
		}
		t.Logf("%s: by header %s", release, m.generate(t, rel, sp, generate.Options{Package: "verbs", Header: file}))
	}
	rel, file := m.header(t, rdmacore.Tree{Dir: core, Commit: "HEAD"})
	t.Logf("newest commit: by header %s", m.generate(t, rel, sp, generate.Options{Package: "verbs", Header: file, AllowUndecided: true}))
	m.test(t)
}

// workspace is a module of generated packages.
type workspace struct {
	dir  string
	seen map[string]string // hash of the content -> folder
}

func newWorkspace(t *testing.T) *workspace {
	m := &workspace{dir: t.TempDir(), seen: map[string]string{}}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(m.dir, "go.sum"), sum)
	writeFile(t, filepath.Join(m.dir, "go.mod"), []byte("module example.com/releases\n\ngo 1.26\n\n"+
		"require github.com/verbsgen/verbsgen v0.0.0\n\nreplace github.com/verbsgen/verbsgen => "+root+"\n"))
	return m
}

// header reads the facts of the header that a release publishes.
func (m *workspace) header(t *testing.T, tree rdmacore.Tree) (*api.Release, string) {
	t.Helper()
	headers, err := tree.Export(t.TempDir(),
		rdmacore.Library{Folder: "libibverbs", Header: "infiniband/verbs.h"})
	if err != nil {
		t.Fatal(err)
	}
	rel, err := cheader.Parse(cheader.Options{Header: headers.File, As: "infiniband/verbs.h"})
	if err != nil {
		t.Fatal(err)
	}
	return rel, headers.File
}

// provenance is what differs between packages of equal releases: where the facts are from, and the prefix of C names.
var provenance = regexp.MustCompile(`(?m)^// From .*, facts .*$|\b(?i:vg[0-9a-f]{10})_`)

// generate puts a package into the module unless an equal one is there, and gives its folder.
func (m *workspace) generate(t *testing.T, rel *api.Release, sp *spec.Spec, opt generate.Options) string {
	t.Helper()
	files, pkg, err := generate.Run(rel, sp, opt)
	if err != nil {
		t.Errorf("%s %s: %v", rel.Release, opt.Header, err)
		return "failed"
	}
	if len(pkg.Verbs) < 40 {
		t.Errorf("%s %s: only %d functions are bound", rel.Release, opt.Header, len(pkg.Verbs))
	}
	hash := sha256.New()
	for _, f := range files {
		fmt.Fprintf(hash, "%s\n%s\n", f.Name, provenance.ReplaceAll(f.Data, nil))
	}
	key := string(hash.Sum(nil))
	if dir, ok := m.seen[key]; ok {
		return dir
	}
	dir := fmt.Sprintf("p%d", len(m.seen))
	m.seen[key] = dir
	for _, f := range files {
		writeFile(t, filepath.Join(m.dir, dir, f.Name), f.Data)
	}
	return dir
}

// test builds, vets and tests the packages.
func (m *workspace) test(t *testing.T) {
	t.Helper()
	t.Logf("%d different packages", len(m.seen))
	for _, args := range [][]string{{"vet", "-cgocall=false", "./..."}, {"test", "-vet=off", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = m.dir, append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// factsText writes facts but for the symbol versions, which no header tells.
func factsText(t *testing.T, rel *api.Release) string {
	t.Helper()
	r := *rel
	r.Release, r.Functions = "1.0", slices.Clone(rel.Functions)
	for i := range r.Functions {
		r.Functions[i].Version, r.Functions[i].Private = "", false
	}
	data, err := api.Store("", &r, "")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
