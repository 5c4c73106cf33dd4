package spec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// namesKinds are the Go files that name kinds of rules, beside those of the kinds and tests, and why.
var namesKinds = map[string]string{
	"spec/notnull.go": "writes the rule that a parameter's key not_null stands for",
}

// TestKindsStandInTheirFiles holds that what a kind of rules means stands in its file alone: kind_NAME.go registers NAME, and no
// other Go file names the kind, be it by its constant or as text.
func TestKindsStandInTheirFiles(t *testing.T) {
	files := goFiles(t, "..")
	constants := map[string]bool{}
	for _, name := range Kinds() {
		path := "spec/kind_" + name + ".go"
		if files[path] == nil {
			t.Errorf("kind %s does not stand in %s", name, path)
			continue
		}
		for _, d := range files[path].Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				constants[g.Specs[0].(*ast.ValueSpec).Names[0].Name] = true
			}
		}
	}
	if len(constants) != len(Kinds()) {
		t.Errorf("%d kinds, but their files declare %d names: %v", len(Kinds()), len(constants), constants)
	}
	for path, file := range files {
		if strings.HasPrefix(path, "spec/kind_") || namesKinds[path] != "" {
			continue
		}
		for _, name := range kindsNamed(file, constants) {
			t.Errorf("%s names the kind %s; give what it needs to know to Kind, or to the tree of a rule", path, name)
		}
	}
}

// kindsNamed returns the kinds that a file names: by a constant of package spec, or by a comparison with a text.
func kindsNamed(file *ast.File, constants map[string]bool) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if constants[n.Name] {
				names = append(names, n.Name)
			}
		case *ast.BinaryExpr:
			names = append(names, kindTexts(n.X, n.Y)...)
		case *ast.SwitchStmt:
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					names = append(names, kindTexts(n.Tag, e)...)
				}
			}
		}
		return true
	})
	return names
}

// kindTexts returns the text that a field called Kind is compared with, when it is the name of a kind.
func kindTexts(a, b ast.Expr) []string {
	field, ok := a.(*ast.SelectorExpr)
	text, is := b.(*ast.BasicLit)
	if !ok || !is || field.Sel.Name != "Kind" {
		return nil
	}
	if name, err := strconv.Unquote(text.Value); err == nil && byName[name] != nil {
		return []string{name}
	}
	return nil
}

// TestKindsNamed shows that each way to name a kind is found.
func TestKindsNamed(t *testing.T) {
	for code, want := range map[string]string{
		"switch r.Kind { case spec.KindRange: }":  "KindRange",
		"_ = r.Kind == KindRange":                 "KindRange",
		`_ = r.Kind != "aligned"`:                 "aligned",
		`switch r.Kind { case "x", "aligned": }`:  "aligned",
		`_ = r.Name == "aligned" || r.Kind == ""`: "",
	} {
		file := must(parser.ParseFile(token.NewFileSet(), "x.go", "package p\nfunc f() { "+code+" }", 0))(t)
		if got := strings.Join(kindsNamed(file, map[string]bool{"KindRange": true}), " "); got != want {
			t.Errorf("%s: found %q, want %q", code, got, want)
		}
	}
}

// goFiles parses the Go files below a folder, but for tests and testdata, by their paths in it.
func goFiles(t *testing.T, root string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		files[filepath.ToSlash(rel)] = file
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
