package english

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
)

// pattern is a line of patterns.txt.
type pattern struct {
	find    *regexp.Regexp
	instead string
	example string
}

func patterns(t *testing.T) (all []pattern) {
	t.Helper()
	data, err := os.ReadFile("patterns.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			t.Fatalf("patterns.txt: %q has %d fields, not 3", line, len(f))
		}
		all = append(all, pattern{regexp.MustCompile(f[0]), f[1], f[2]})
	}
	return all
}

// TestPatterns shows that each pattern finds its example, so that none of them is dead.
func TestPatterns(t *testing.T) {
	all := patterns(t)
	if len(all) < 10 {
		t.Fatalf("%d patterns", len(all))
	}
	for _, p := range all {
		if !p.find.MatchString(p.example) {
			t.Errorf("%s does not find its example, %q", p.find, p.example)
		}
	}
}

// made are pages that programs write from texts of other places, or that quote them.
var made = []string{"docs/statements.md", "docs/conformance-matrix.md", "docs/errors.md", "docs/mutants.md", "docs/man-audit.md"}

// TestTexts looks at every text that users read.
func TestTexts(t *testing.T) {
	root := filepath.Join("..", "..")
	all := patterns(t)
	files := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		name := e.Name()
		if e.IsDir() {
			if rel != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "out" || name == "site") {
				return filepath.SkipDir
			}
			return nil
		}
		switch {
		case strings.HasSuffix(name, ".md") && !slices.Contains(made, rel), strings.HasSuffix(rel, "docs.tmpl"):
			files++
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			look(t, all, rel, 1, string(data))
		case strings.HasPrefix(rel, "spec/") && strings.HasSuffix(name, ".yaml"):
			files++
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			look(t, all, rel, 1, string(data))
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
		case strings.HasPrefix(rel, "gen/"), strings.HasPrefix(rel, "runtime/") && !strings.Contains(rel, "/internal/"):
			files++
			return exported(t, all, path, rel)
		case strings.HasPrefix(rel, "cmd/verbsgen/"):
			files++
			return texts(t, all, path, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Fatalf("only %d files", files)
	}
}

// exported looks at the package comment and the comments of exported declarations.
func exported(t *testing.T, all []pattern, path, rel string) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	doc := func(g *ast.CommentGroup) {
		if g != nil {
			look(t, all, rel, fset.Position(g.Pos()).Line, g.Text())
		}
	}
	doc(f.Doc)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.IsExported() {
				doc(n.Doc)
			}
			return false
		case *ast.GenDecl:
			doc(n.Doc)
		case *ast.TypeSpec:
			doc(n.Doc)
			return n.Name.IsExported()
		case *ast.ValueSpec:
			doc(n.Doc)
		case *ast.Field:
			doc(n.Doc)
		}
		return true
	})
	return nil
}

// texts looks at the literals of text, such as the help of a command.
func texts(t *testing.T, all []pattern, path, rel string) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil {
				look(t, all, rel, fset.Position(l.Pos()).Line, text)
			}
		}
		return true
	})
	return nil
}

// look reports what a text has of the patterns.
func look(t *testing.T, all []pattern, file string, line int, text string) {
	t.Helper()
	for _, p := range all {
		for _, at := range p.find.FindAllStringIndex(text, -1) {
			t.Errorf("%s:%d: %q; better: %s", file, line+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]], p.instead)
		}
	}
}
