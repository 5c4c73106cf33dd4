package main

import (
	"bytes"
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/printer"
	"go/token"
	"html/template"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// goPackages are the packages whose names can be searched for. The first ones are those of modules of pages.
var goPackages = []string{"gen/verbs", "gen/rdmacm", "gen/mlx5dv", "gen/efadv", "gen/hnsdv", "gen/verbs/connect", "gen/verbs/endpoint",
	"gen/verbs/verbstest", "gen/rdmacm/conn", "gen/rdmacm/rdmanet", "gen/mlx5dv/direct", "runtime/mem", "runtime/softverbs",
	"runtime/softcm", "runtime/verr"}

// golang is what a Go package exports.
type golang struct {
	Dir, Name string
	Funcs     map[string]*goFunc // by names such as PD.RegMR
	Types     map[string]*goType
	examples  []*doc.Example
	fset      *token.FileSet
}

// goFunc is a function or method.
type goFunc struct {
	Name, File string
	Line       int
	Signature  string // with the names of parameters
	Summary    string
	Doc        template.HTML // without the rules and what follows them
	params     []string      // the types that the signature names
}

// goType is a type and its constants.
type goType struct {
	Name, File, Summary string
	Line                int
	Consts              []goConst
	fields              []string // the types that its fields name
}

type goConst struct{ Name, C, Doc string }

// example is code of a test, with what it prints.
type example struct {
	Doc, Output string
	File        string // in the repository
	Code        template.HTML
}

// loadGo reads a package as it is built for Linux on amd64, with its examples.
func loadGo(root, dir string) (*golang, error) {
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		return nil, err
	}
	g := &golang{Dir: dir, Funcs: map[string]*goFunc{}, Types: map[string]*goType{}, fset: token.NewFileSet()}
	ctx := gobuild.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = "linux", "amd64", true
	var parsed []*ast.File
	for _, file := range files {
		if ok, err := ctx.MatchFile(filepath.Dir(file), filepath.Base(file)); err != nil || !ok {
			continue
		}
		f, err := parser.ParseFile(g.fset, file, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	pkg, err := doc.NewFromFiles(g.fset, parsed, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	g.Name = pkg.Name
	g.examples = doc.Examples(parsed...)
	for _, f := range pkg.Funcs {
		g.add(pkg, f.Name, f)
	}
	for _, t := range pkg.Types {
		at := g.fset.Position(t.Decl.Pos())
		x := &goType{Name: t.Name, Summary: pkg.Synopsis(t.Doc), File: filepath.Base(at.Filename), Line: at.Line}
		x.fields = exportedIn(t.Decl)
		for _, v := range t.Consts {
			x.Consts = append(x.Consts, constants(v)...)
		}
		g.Types[t.Name] = x
		for _, f := range t.Funcs {
			g.add(pkg, f.Name, f)
		}
		for _, f := range t.Methods {
			g.add(pkg, t.Name+"."+f.Name, f)
		}
	}
	return g, nil
}

// usesIn are the folders whose functions show a call that no example makes: other packages, the suite, programs and tests.
var usesIn = []string{"gen/*/*", "conformance/suite/cases", "examples/*", "gen/*", "conformance/device", "conformance/device/*"}

// loadUses reads functions that are short enough to be shown in the place of an example.
func loadUses(root string) ([]*golang, error) {
	var uses []*golang
	for _, glob := range usesIn {
		files, err := filepath.Glob(filepath.Join(root, glob, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			dir, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				return nil, err
			}
			if n := len(uses); n == 0 || uses[n-1].Dir != dir {
				uses = append(uses, &golang{Dir: dir, fset: token.NewFileSet()})
			}
			g := uses[len(uses)-1]
			f, err := parser.ParseFile(g.fset, file, nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if ok && fn.Body != nil && !ast.IsGenerated(f) && fn.Type.Params.NumFields() <= 2 && g.lines(fn) <= 30 {
					g.examples = append(g.examples, &doc.Example{Code: fn, Comments: f.Comments})
				}
			}
		}
	}
	return uses, nil
}

// lines is how many lines a node has.
func (g *golang) lines(n ast.Node) int {
	return g.fset.Position(n.End()).Line - g.fset.Position(n.Pos()).Line
}

// endOfDoc is where the doc comment of a generated method goes on with its rules.
var endOfDoc = regexp.MustCompile(`(?m)^(Errors \(|Hints \(|The command verbsgen rules|C: )`)

func (g *golang) add(pkg *doc.Package, name string, f *doc.Func) {
	decl := *f.Decl
	decl.Doc, decl.Body = nil, nil
	var sig bytes.Buffer
	if printer.Fprint(&sig, g.fset, &decl) != nil {
		return
	}
	text := f.Doc
	if at := endOfDoc.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	p := comment.Printer{DocLinkURL: func(*comment.DocLink) string { return "" }}
	at := g.fset.Position(f.Decl.Pos())
	x := &goFunc{Name: name, Signature: sig.String(), Summary: pkg.Synopsis(f.Doc), File: filepath.Base(at.Filename), Line: at.Line,
		Doc: template.HTML(p.HTML(pkg.Parser().Parse(text)))}
	x.params = exportedIn(f.Decl.Type.Params)
	g.Funcs[name] = x
}

// exportedIn are the exported names in a piece of code.
func exportedIn(code ast.Node) (names []string) {
	ast.Inspect(code, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.IsExported() {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}

// constants are those of a declaration, with the C names that stand behind them.
func constants(v *doc.Value) []goConst {
	var out []goConst
	for _, s := range v.Decl.Specs {
		spec, ok := s.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || !spec.Names[0].IsExported() {
			continue
		}
		out = append(out, goConst{spec.Names[0].Name, strings.TrimSpace(spec.Comment.Text()), strings.TrimSpace(spec.Doc.Text())})
	}
	return out
}

// exampleOf returns the example of a method or, if it has none, the shortest example of any package that calls it, or else the shortest
// function of uses that does; nil for none. If several types have a method of this name, a call counts only on a variable or field that
// is named like the type.
func (g *golang) exampleOf(method string, all, uses []*golang) *example {
	recv, short, _ := strings.Cut(method, ".")
	only := 0
	for name := range g.Funcs {
		if strings.HasSuffix(name, "."+short) {
			only++
		}
	}
	var best *doc.Example
	in, least := g, 0
	for i, p := range slices.Concat(all, uses) {
		for _, x := range p.examples {
			// an example of a method is named Type_Method or, with a word for its kind, Type_Method_kind
			own := p == g && strings.HasPrefix(x.Name+"_", strings.ReplaceAll(method, ".", "_")+"_")
			if !own && !calls(x.Code, recv, short, only == 1) {
				continue
			}
			r := int(x.Code.End() - x.Code.Pos())
			switch {
			case i >= len(all): // the first folder of uses that has one
				r = i<<32 + p.lines(x.Code)
			case p != g:
				r += 2 << 20
			case !own:
				r += 1 << 20
			}
			if best == nil || r < least {
				best, in, least = x, p, r
			}
		}
	}
	if best == nil {
		return nil
	}
	return in.print(best)
}

// calls reports whether code calls a method of this name, on something that is called as the receiver's type is unless any will do.
func calls(code ast.Node, recv, name string, any bool) (found bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := c.Fun.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != name {
			return true
		}
		switch on := s.X.(type) {
		case *ast.Ident:
			found = found || any || strings.EqualFold(on.Name, recv)
		case *ast.SelectorExpr:
			found = found || any || strings.EqualFold(on.Sel.Name, recv)
		default:
			found = found || any
		}
		return true
	})
	return found
}

// ignored matches the comments by which tests keep `verbsgen vet` silent.
var ignored = regexp.MustCompile(` *//verbsgen:ignore.*`)

// print writes the statements of an example.
func (g *golang) print(x *doc.Example) *example {
	var b bytes.Buffer
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	if config.Fprint(&b, g.fset, &printer.CommentedNode{Node: x.Code, Comments: x.Comments}) != nil {
		return nil
	}
	code := b.String()
	if body, ok := strings.CutPrefix(code, "{\n"); ok {
		body, _, cut := strings.Cut(body, "\n\t// Output:")
		if !cut {
			body = strings.TrimSuffix(strings.TrimSpace(body), "}")
		}
		code = strings.TrimSpace(strings.ReplaceAll("\n"+body, "\n\t", "\n"))
	}
	code = ignored.ReplaceAllString(code, "")
	file := g.Dir + "/" + filepath.Base(g.fset.Position(x.Code.Pos()).Filename)
	return &example{File: file, Doc: x.Doc, Output: x.Output, Code: highlight("go", code)}
}

// sorted are the values of a map by their names.
func sorted[T any](m map[string]T) []T {
	var out []T
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[k])
	}
	return out
}
