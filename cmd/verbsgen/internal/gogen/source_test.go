package gogen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSource holds this package to jennifer's statements and to templates: Go comes about from the former alone, C from the
// latter, neither by changing text, and no function is too long to be read at once.
func TestSource(t *testing.T) {
	fset := token.NewFileSet()
	for _, file := range sources(t, fset, ".") {
		for _, p := range sourceProblems(file) {
			t.Errorf("%s: %s", fset.Position(p.pos), p.what)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if lines := fset.Position(d.End()).Line - fset.Position(d.Pos()).Line + 1; ok && lines > 60 {
				t.Errorf("%s: %s has %d lines; split it", fset.Position(d.Pos()), f.Name.Name, lines)
			}
		}
	}
}

// TestSourceProblems shows that each way around is found.
func TestSourceProblems(t *testing.T) {
	for code, want := range map[string]string{
		"g(\"x := y\")":                             "holds Go",
		"g(\"func (o *T) M() {}\")":                 "holds Go",
		"g(\"if x {\\n\\ty()\\n}\")":                "holds Go",
		"g(`// f is.\nx = nil\n}`)":                 "holds Go",
		"g(`release()`)":                            "holds Go",
		"g(\"prose; of\\ntwo lines, (each) fine\")": "",
		"jen.Id(\"x.y()\")":                         "is no name",
		"id(\"o\").Dot(\"a b\")":                    "is no name",
		"id(\"len(x)\")":                            "is no name",
		"id(fmt.Sprintf(\"%s()\", x))":              "is formatted text",
		"jen.Id(\"x\").Op(\"return\")":              "is no operator",
		"op(a, \"== nil\", b)":                      "is no operator",
		"s.Op(fmt.Sprint(x))":                       "is formatted text",
		"rt(\"ver\", \"Failed\")":                   "is of no package in imports",
		"param(\"b\", \"*men.Buffer\")":             "is of no package in imports",
		"strings.ReplaceAll(x, \"a\", \"b\")":       "changes text",
		"g(\"// a comment\\n//\\n// of 3 lines\")":  "",
		"id(\"o.lib\", \"fn\").Op(\"&&\")":          "",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package p\nvar _ = "+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range sourceProblems(file) {
			got = append(got, p.what)
		}
		if all := strings.Join(got, "; "); want == "" && all != "" || !strings.Contains(all, want) {
			t.Errorf("%s: found %q, want %q", code, all, want)
		}
	}
}

// sources parses the files of a folder that are no tests.
func sources(t *testing.T, fset *token.FileSet, dir string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	if len(out) < 15 {
		t.Fatalf("only %d files", len(out))
	}
	return out
}

type sourceProblem struct {
	pos  token.Pos
	what string
}

var (
	goText   = regexp.MustCompile(`:=|\bfunc\b.*\(|\)\s*\{|\breturn\b.*[;(,]|^\t|^\}|[{;]$|^\w+\(.*\)$`)
	nameText = regexp.MustCompile(`^[A-Za-z0-9_.]*$`)
	opText   = regexp.MustCompile(`^[^A-Za-z0-9_]*$`)
)

// sourceProblems finds Go in string literals, text in the place of names and operators, and changes of text.
func sourceProblems(file *ast.File) (found []sourceProblem) {
	add := func(n ast.Node, what string) { found = append(found, sourceProblem{n.Pos(), what}) }
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if text := literalText(n); holdsGo(text) {
				add(n, "the string "+n.Value+" holds Go; build it with jennifer's statements")
			}
		case *ast.CallExpr:
			checkCall(n, add)
		}
		return true
	})
	return found
}

// holdsGo reports whether a text has statements of Go outside of its comments. A lone operator or brace does not count.
func holdsGo(text string) bool {
	if opText.MatchString(text) || text == "func()" || text == "func() error" { // types
		return false
	}
	return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
		return !strings.HasPrefix(line, "//") && goText.MatchString(line)
	})
}

// checkCall looks at what is given as a name or an operator, and at changes of text.
func checkCall(call *ast.CallExpr, add func(ast.Node, string)) {
	name, of := called(call)
	switch {
	case name == "id" || name == "Id" || name == "Dot" || name == "dot" || name == "define" || name == "until":
		checkArgs(call.Args, nameText, "is no name", add)
	case name == "Op":
		checkArgs(call.Args, opText, "is no operator", add)
	case name == "op" && len(call.Args) == 3:
		checkArgs(call.Args[1:2], opText, "is no operator", add)
	case name == "rt" || name == "goType" || name == "ptr" || name == "param":
		checkImport(call, name, add)
	case (of == "strings" || of == "bytes") && (name == "ReplaceAll" || name == "Replace"):
		add(call, "changes text; make it right at first")
	}
}

// checkImport looks whether the package is known of a name that is written out: rt("verr", ...), param("b", "*mem.Buffer").
func checkImport(call *ast.CallExpr, name string, add func(ast.Node, string)) {
	if _, method := call.Fun.(*ast.SelectorExpr); method {
		return
	}
	arg := call.Args[0]
	if name == "param" {
		arg = call.Args[1]
	}
	l, ok := arg.(*ast.BasicLit)
	if !ok {
		return
	}
	pkg, _, dotted := strings.Cut(strings.TrimLeft(literalText(l), "[]*"), ".")
	if (dotted || name == "rt") && imports[pkg] == "" {
		add(l, l.Value+" is of no package in imports")
	}
}

// called returns the name of the function called, and the name before the dot.
func called(call *ast.CallExpr) (name, of string) {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name, ""
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			of = x.Name
		}
		return f.Sel.Name, of
	}
	return "", ""
}

// checkArgs looks at the literals in arguments: their whole text must match. A formatted text never does.
func checkArgs(args []ast.Expr, ok *regexp.Regexp, what string, add func(ast.Node, string)) {
	for _, a := range args {
		ast.Inspect(a, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if _, of := called(n); of == "fmt" {
					add(n, "is formatted text; build it with jennifer's statements")
				}
				return false
			case *ast.BasicLit:
				if n.Kind == token.STRING && !ok.MatchString(literalText(n)) {
					add(n, n.Value+" "+what)
				}
			}
			return true
		})
	}
}

func literalText(l *ast.BasicLit) string {
	if l.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(l.Value)
	if err != nil {
		return l.Value
	}
	return text
}
