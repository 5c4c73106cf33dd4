// Package check holds generated Go to what every method must do: use a handle only while it cannot be closed, give back what it takes, and
// end what it makes. Package conformance/recording shows that methods call their verbs and return what C fills.
//
// The checks read the Go that ships, so they know nothing of how it was written. They work without the packages that the Go imports: a
// method of the generated code is recognised by its name. Nested blocks are the only control flow that they follow, as generated methods
// have no other: what a statement has done holds for all that follows it in its block.
package check

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
)

// Problem is a place where generated Go breaks a rule.
type Problem struct {
	Pos    token.Position
	Method string
	Text   string // what is wrong; why
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", p.Pos.Filename, p.Pos.Line, p.Method, p.Text)
}

// A rule looks at one function.
type rule func(p *Package, f *function)

// rules are all of them, by name.
var rules = map[string]rule{
	"entered": entered, "exited": exited, "device": oneDevice, "refused": refused, "missing": missing, "judged": judged,
	"hinted": hinted, "taken": taken, "released": released, "placed": placed, "began": began, "adopted": adopted,
	"zeros": zeros, "lazy": asked, "updated": updated, "handle": handle,
	"lent": lent, "failed": failed,
}

// Package is a generated package.
type Package struct {
	fset     *token.FileSet
	info     *types.Info
	types    *types.Package
	model    *model.Package
	funcs    map[types.Object]*function
	order    []*function
	uses     map[types.Object]bool // of functions, once they are looked for
	structs  map[string]*ast.StructType
	problems []Problem
}

// nothing is an importer that knows package unsafe alone. The types of imported packages do not matter to the checks.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, errors.New("not looked at")
}

// Parse reads the Go files of a package, except the one that needs cgo and tests.
func Parse(files []output.File, m *model.Package) (*Package, error) {
	p := &Package{fset: token.NewFileSet(), model: m, funcs: map[types.Object]*function{}, structs: map[string]*ast.StructType{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	var parsed []*ast.File
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") || strings.HasSuffix(f.Name, "_test.go") || strings.HasSuffix(f.Name, "raw.gen.go") {
			continue
		}
		file, err := parser.ParseFile(p.fset, f.Name, f.Data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	conf := types.Config{Importer: nothing{}, Sizes: types.SizesFor("gc", "amd64"), Error: func(error) {}}
	p.types, _ = conf.Check(m.Name, p.fset, parsed, p.info) // without imports there are always errors
	for _, file := range parsed {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				f := newFunction(p, d)
				p.funcs[p.info.Defs[d.Name]] = f
				p.order = append(p.order, f)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if t, ok := s.(*ast.TypeSpec); ok {
						if s, ok := t.Type.(*ast.StructType); ok {
							p.structs[t.Name.Name] = s
						}
					}
				}
			}
		}
	}
	return p, nil
}

// Problems checks all functions of the package.
func (p *Package) Problems() []Problem {
	p.problems = nil
	for _, f := range p.order {
		p.check(f)
	}
	slices.SortFunc(p.problems, func(a, b Problem) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(p.problems)
}

func (p *Package) check(f *function) {
	for _, r := range rules {
		r(p, f)
	}
}

func (p *Package) report(f *function, at ast.Node, format string, args ...any) {
	p.problems = append(p.problems, Problem{p.fset.Position(at.Pos()), f.name, fmt.Sprintf(format, args...)})
}

// function is a function or method of the package.
type function struct {
	p     *Package
	decl  *ast.FuncDecl
	name  string // PD.RegMR
	recv  string // name of the receiver, "" without one
	nodes []site
	needs []need // of callers, once they are looked for
	asked bool
}

// site is a piece of a function.
type site struct {
	ast.Node
	call   *ast.CallExpr   // itself, nil for others
	assign *ast.AssignStmt // itself, nil for others
	name   string          // of what is called
	under  []ast.Node      // blocks and function literals around it, without the function's own
	stack  []ast.Node      // all nodes around it
}

func newFunction(p *Package, d *ast.FuncDecl) *function {
	f := &function{p: p, decl: d, name: d.Name.Name}
	if d.Recv != nil {
		f.name = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "." + f.name
		if names := d.Recv.List[0].Names; len(names) == 1 {
			f.recv = names[0].Name
		}
	}
	if d.Body != nil {
		f.scan(d.Body)
	}
	return f
}

// scan lists the pieces of a body in the order of the source.
func (f *function) scan(body *ast.BlockStmt) {
	f.nodes, f.asked = nil, false
	ast.PreorderStack(body, nil, func(n ast.Node, stack []ast.Node) bool {
		s := site{Node: n, stack: slices.Clone(stack)}
		switch n := n.(type) {
		case *ast.CallExpr:
			s.call, s.name = n, callee(n)
		case *ast.AssignStmt:
			s.assign = n
		}
		for _, b := range stack {
			switch b.(type) {
			case *ast.BlockStmt, *ast.CaseClause, *ast.FuncLit:
				if b != body {
					s.under = append(s.under, b)
				}
			}
		}
		f.nodes = append(f.nodes, s)
		return true
	})
}

// before reports whether a piece has always run when the other one is reached.
func (s site) before(x site) bool {
	return s.Pos() < x.Pos() && len(s.under) <= len(x.under) && slices.Equal(s.under, x.under[:len(s.under)])
}

// inLit reports whether a piece is in a function literal, which may run at any time.
func (s site) inLit() bool {
	return slices.ContainsFunc(s.under, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
}

// sets is the first variable that a call is assigned to, "" without one.
func (s site) sets() string {
	if a, ok := s.stack[len(s.stack)-1].(*ast.AssignStmt); ok {
		return text(a.Lhs[0])
	}
	return ""
}

// next returns the statement that follows the one a piece is in, in the same block.
func (s site) next() ast.Stmt {
	for i := len(s.stack) - 1; i >= 0; i-- {
		b, ok := s.stack[i].(*ast.BlockStmt)
		if !ok {
			continue
		}
		for j, x := range b.List[:len(b.List)-1] {
			if x.Pos() <= s.Pos() && s.End() <= x.End() {
				return b.List[j+1]
			}
		}
		return nil
	}
	return nil
}

// each lists the pieces of a type that have a property.
func each[N ast.Node](f *function, is func(n N) bool) (out []site) {
	for _, s := range f.nodes {
		if n, ok := s.Node.(N); ok && is(n) {
			out = append(out, s)
		}
	}
	return out
}

func every[N ast.Node](N) bool { return true }

// calls lists the calls of functions with a name that a pattern matches: "*" stands for anything.
func (f *function) calls(patterns ...string) (out []site) {
	for _, s := range f.nodes {
		if s.name != "" && slices.ContainsFunc(patterns, func(p string) bool { return matches(p, s.name) }) {
			out = append(out, s)
		}
	}
	return out
}

func matches(pattern, name string) bool {
	head, tail, any := strings.Cut(pattern, "*")
	return pattern == name || any && len(name) >= len(head)+len(tail) && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail)
}

// callee is the function of a call as text, without type arguments.
func callee(c *ast.CallExpr) string {
	fun := ast.Unparen(c.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	return text(fun)
}

func text(e ast.Expr) string { return types.ExprString(e) }

// arg is an argument of a call as text, without an & before it; "" where there are fewer.
func arg(s site, i int) string {
	if i >= len(s.call.Args) {
		return ""
	}
	return strings.TrimPrefix(text(s.call.Args[i]), "&")
}

// raws lists the calls of C.
func (f *function) raws() []site { return each(f, isRaw) }

func inspect(n ast.Node, look func(ast.Node) bool) {
	if s, ok := n.(site); ok {
		n = s.Node
	}
	ast.Inspect(n, look)
}

// enter is where a handle is entered.
type enter struct {
	site
	x      ast.Expr // the handle
	handle string
	beside string // the handle that it must be of one device with, "" for none
}

func (f *function) enters() (out []enter) {
	for _, s := range f.calls("*.base().Enter", "*.base().EnterBeside") {
		x := s.call.Fun.(*ast.SelectorExpr).X.(*ast.CallExpr).Fun.(*ast.SelectorExpr).X
		e := enter{site: s, x: x, handle: text(x)}
		if strings.HasSuffix(s.name, "Beside") {
			e.beside = strings.TrimSuffix(arg(s, 0), ".h")
		}
		out = append(out, e)
	}
	return out
}

// mentions reports whether a piece of source has an identifier.
func mentions(n ast.Node, name string) (found bool) {
	inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// contains reports whether a piece of source has an expression, given as text.
func contains(n ast.Node, expr string) (found bool) {
	inspect(n, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		found = found || ok && text(e) == expr
		return !found
	})
	return found
}

// assigned lists the assignments to an expression.
func (f *function) assigned(to string) []site {
	return each(f, func(a *ast.AssignStmt) bool {
		return slices.ContainsFunc(a.Lhs, func(e ast.Expr) bool { return matches(to, text(e)) })
	})
}

// results are the types of what a function returns, one for each value.
func (f *function) results() (out []string) {
	if f.decl.Type.Results != nil {
		for _, r := range f.decl.Type.Results.List {
			for range max(1, len(r.Names)) {
				out = append(out, text(r.Type))
			}
		}
	}
	return out
}

// params are the parameters of a function by name, the receiver first.
func (f *function) params() (names []string, of []ast.Expr) {
	fields := f.decl.Type.Params.List
	if f.decl.Recv != nil {
		fields = append(slices.Clone(f.decl.Recv.List), fields...)
	}
	for _, field := range fields {
		for _, n := range field.Names {
			names, of = append(names, n.Name), append(of, field.Type)
		}
	}
	return names, of
}

// isHandle reports whether a type of the package is a handle.
func (p *Package) isHandle(name string) bool { return p.field(name, "h") == "object.Handle" }

// field returns the type of a field of a struct of the package, "" without one.
func (p *Package) field(name, field string) string {
	if s := p.structs[strings.TrimPrefix(name, "*")]; s != nil {
		for _, f := range s.Fields.List {
			for _, n := range f.Names {
				if n.Name == field {
					return text(f.Type)
				}
			}
		}
	}
	return ""
}

// typeOf is the name of an expression's type of this package: "*PD".
func (p *Package) typeOf(e ast.Expr) string {
	t := p.info.TypeOf(e)
	if t == nil {
		return ""
	}
	return types.TypeString(t, types.RelativeTo(p.types))
}

// exported reports whether a program can call a function, or whether it does the work of several that a program can call: regMR.
func (f *function) exported() bool {
	name := f.decl.Name.Name
	return ast.IsExported(name) || len(f.results()) > 1 && f.p.verb("raw"+strings.ToUpper(name[:1])+name[1:]) != nil
}
