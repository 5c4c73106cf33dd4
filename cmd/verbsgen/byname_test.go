package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// helpExamples are texts beside the help of commands that name something of verbs.h as an example.
var helpExamples = []string{"name a page without its section, such as ibv_reg_mr"}

// general are fields that many structs have, or that rules of the header's own, not of a verb, are about.
var general = []string{
	".comp_mask",             // a struct that has it may grow
	"comp_mask", "attr_mask", // the masks of what is given
	"num_sge", "sg_list", // a count that is left out is that of its list
}

// requests are the files that know the methods by which programs fill in work requests: package dpath is written by hand, and no page
// describes it.
var requests = []string{"internal/vet/batch.go", "internal/vet/building.go", "internal/vet/post.go"}

// TestNoVerbByName holds the generator to what the pages say: none of its code names a function, a constant or a field of
// verbs.h. What is special about a verb stands on its page.
func TestNoVerbByName(t *testing.T) {
	n := names(t)
	used := map[string]bool{}
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && path == filepath.Join("internal", "maintain", "mutate") { // damage to headers, for tests alone
			return filepath.SkipDir
		}
		if d != nil && d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if slices.Contains(requests, filepath.ToSlash(path)) {
			return nil
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, p := range n.in(t, path, string(data)) {
			if slices.Contains(helpExamples, p.text) || slices.Contains(general, p.text) || form.Find(p.text) != nil {
				used[p.text] = true
				continue
			}
			t.Errorf("%s: %q names %s; let its page say what is special about it", p.at, p.text, p.name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 80 {
		t.Errorf("only %d files", files)
	}
	for _, text := range slices.Concat(helpExamples, general) {
		if !used[text] {
			t.Errorf("nothing is %q any more", text)
		}
	}
}

// TestNameProblems shows that each kind of name is found, and that what is none is not.
func TestNameProblems(t *testing.T) {
	n := names(t)
	for code, want := range map[string]string{
		`e.byVerb["ibv_reg_mr"]`:             "ibv_reg_mr",
		`f("see ibv_reg_mr(3)")`:             "ibv_reg_mr",
		`has("IBV_ACCESS_ON_DEMAND")`:        "IBV_ACCESS_ON_DEMAND",
		`e.byVerb["rdma_connect"]`:           "rdma_connect",
		`has("RDMA_PS_TCP")`:                 "RDMA_PS_TCP",
		`p.C == "dm_handle"`:                 "",
		`dot(mirror, "comp_mask")`:           "comp_mask",
		`id("a.c.log_align_req")`:            "log_align_req",
		`m.Find("addr")`:                     "addr",
		`x.C == "lkey"`:                      "lkey",
		`"struct ibv_qp *"`:                  "",
		`define("addr", "length")`:           "",
		`strings.TrimPrefix(f.Name, "ibv_")`: "",
	} {
		got := ""
		for _, p := range n.in(t, "x.go", "package p\nvar _ = "+code) {
			got += p.name
		}
		if got != want {
			t.Errorf("%s: found %q, want %q", code, got, want)
		}
	}
}

// cNames are the names of all known releases.
type cNames struct{ decls, fields map[string]bool }

func names(t *testing.T) cNames {
	t.Helper()
	n := cNames{map[string]bool{}, map[string]bool{}}
	for _, rel := range allReleases(t) {
		for _, f := range rel.Functions {
			n.decls[f.Name] = true
		}
		for _, e := range rel.Enums {
			for _, m := range e.Enumerators {
				n.decls[m.Name] = true
			}
		}
		for _, m := range rel.Macros {
			n.decls[m.Name] = true
		}
		for _, r := range rel.Records {
			for _, f := range r.Fields {
				for part := range strings.SplitSeq(f.Name, ".") {
					n.fields[part] = true
				}
			}
		}
	}
	return n
}

// allReleases are the facts of all known releases of the headers of all modules.
func allReleases(t *testing.T) (rels []*api.Release) {
	t.Helper()
	for _, name := range spec.Modules() {
		m, err := spec.ModuleOf(name)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := api.KnownOf(m.Facts)
		if err != nil {
			t.Fatal(err)
		}
		for _, release := range stored.Releases() {
			rel, err := stored.Load(release)
			if err != nil {
				t.Fatal(err)
			}
			rels = append(rels, rel)
		}
	}
	return rels
}

type namedLiteral struct {
	at         token.Position
	text, name string
}

var (
	word   = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	lookup = regexp.MustCompile(`(?:\.(?:Find|Field|Param|leaf)\(|\.C [!=]= )"\w+"`) // of a field, by its name
)

// in finds the literals of a file that name a declaration, or a field: of several words anywhere, of one word where a field is
// looked up or compared.
func (n cNames) in(t *testing.T, path, text string) (found []namedLiteral) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	asField := map[int]bool{} // where the literal ends
	for _, m := range lookup.FindAllStringIndex(text, -1) {
		asField[m[1]] = true
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if kv, ok := node.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && (key.Name == "Long" || key.Name == "Example") { // the help of a command
				return false
			}
		}
		if spec, ok := node.(*ast.ValueSpec); ok && strings.HasSuffix(spec.Names[0].Name, "Help") {
			return false
		}
		l, ok := node.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(l.Value)
		if err != nil {
			return true
		}
		for _, w := range word.FindAllString(text, -1) {
			lower := strings.ToLower(w)
			named := (strings.HasPrefix(lower, "ibv_") || strings.HasPrefix(lower, "rdma_")) && n.decls[w] && !strings.Contains(text, "struct "+w)
			path := !strings.ContainsAny(text, " \n:%/") && strings.Contains(w, "_") && n.fields[w]
			if named || path || asField[fset.Position(l.End()).Offset] && w == text && n.fields[w] {
				found = append(found, namedLiteral{fset.Position(l.Pos()), text, w})
				break
			}
		}
		return true
	})
	return found
}
