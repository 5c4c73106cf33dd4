package vet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
)

// onFunctions is an analyzer that looks at each function of a package that uses generated ones, closures with the function around them.
func onFunctions(name, doc string, origins *analysis.Analyzer, look func(w *walker, fn *ast.FuncDecl)) *analysis.Analyzer {
	return onPackages(name, doc, origins, func(w *walker) {
		for fn := range functions(w.pass.Files...) {
			look(w, fn)
		}
	})
}

// functions are those of some files that have a body.
func functions(files ...*ast.File) iter.Seq[*ast.FuncDecl] {
	return func(yield func(*ast.FuncDecl) bool) {
		for _, file := range files {
			for _, d := range file.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !yield(fn) {
					return
				}
			}
		}
	}
}

// all are the nodes of one type below another node.
func all[N ast.Node](below ast.Node) iter.Seq[N] {
	return func(yield func(N) bool) {
		for n := range ast.Preorder(below) {
			if n, ok := n.(N); ok && !yield(n) {
				return
			}
		}
	}
}

// onPackages is an analyzer that looks once at a package that uses generated ones.
func onPackages(name, doc string, origins *analysis.Analyzer, look func(w *walker)) *analysis.Analyzer {
	return &analysis.Analyzer{Name: name, Doc: doc, Requires: []*analysis.Analyzer{origins}, Run: func(pass *analysis.Pass) (any, error) {
		from := pass.ResultOf[origins].(*sources)
		if len(from.bindings) > 0 {
			look(&walker{pass: pass, from: from.bindings})
		}
		from.tell(pass)
		return nil, nil
	}}
}

// face is the generated method that a call names, by verb; false for any other function.
func (w *walker) face(e *ast.CallExpr) (face, bool) {
	fn := w.callee(e)
	if !w.generated(fn) || fn.Signature().Recv() == nil {
		return face{}, false
	}
	b, name := w.named(fn.Signature().Recv().Type())
	if b == nil {
		return face{}, false
	}
	f, ok := b.methods[name+"."+fn.Name()]
	return f, ok
}

// generated reports whether a function is one of a generated package.
func (w *walker) generated(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && w.from[fn.Pkg().Path()] != nil
}

const resultsDoc = `report calls whose error is dropped

The call of a generated method is a statement of its own, so that nobody learns that it failed. Write _ = before a call that may fail.`

// unchecked reports calls of generated methods whose error is dropped.
func unchecked(w *walker, fn *ast.FuncDecl) {
	for s := range all[*ast.ExprStmt](fn.Body) {
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			continue
		}
		if f, ok := w.face(call); ok && f.method.Form != form.End && returnsError(w.callee(call).Signature()) {
			w.report(call, "result", "%s: the error of %s.%s is dropped; check it", f.verb.C, f.method.Recv, f.method.Name)
		}
	}
}

const eventsDoc = `report events that are never acknowledged

An event keeps what it concerns open until its method Done is called: Close of that waits for it. A variable with an event that is only
looked at, and neither acknowledged nor handed on, is reported, and so is an event that _ gets where the function goes on with it: where an
error of the call ends the function or the turn of the loop.`

const handlesDoc = `report handles that are never closed

A handle made from a device that the same function opens is neither closed, nor handed on, nor closed with its device by CloseAll. In a
package that does not call CloseAll, so is one that an unexported function makes from a parameter; and one in an unexported field of a type
with a method Close which, like the rest of the package, does nothing to close it.`

// handles reports handles that a function makes and can only lose.
func handles(w *walker, fn *ast.FuncDecl) {
	made, used := w.firstResults(fn, w.isHandle), usesIn(w, fn.Body)
	for o, call := range made {
		if w.isLost(o.Type(), used.of(o)) && (w.rooted(call, made, used) || w.ofParameter(fn, call, used)) {
			w.report(nameOf(o), "handle", "the handle %s is never closed; defer %s.Close()", o.Name(), o.Name())
		}
	}
}

// ofParameter reports whether a handle is made from a parameter of a function that only this package calls, which closes each handle by
// itself.
func (w *walker) ofParameter(fn *ast.FuncDecl, call *ast.CallExpr, used uses) bool {
	recv, ok := w.root(call.Fun).(*types.Var)
	if _, face := w.face(call); !ok || !face || w.closesAll() || fn.Name.IsExported() && w.pass.Pkg.Name() != "main" {
		return false
	}
	params := slices.Collect(w.pass.TypesInfo.Defs[fn.Name].(*types.Func).Signature().Params().Variables())
	return slices.Contains(params, recv) && w.isHandle(recv.Type()) && !used.of(recv).escapes
}

// isLost reports whether a handle is neither closed nor handed to anybody who can close it.
func (w *walker) isLost(t types.Type, u usesOf) bool {
	for m := range u.methods {
		if strings.HasPrefix(m, "Close") || m == "CPtr" || w.ends(t, m) {
			return false
		}
	}
	return !u.escapes
}

// ends reports whether a method ends a handle.
func (w *walker) ends(t types.Type, method string) bool {
	b, name := w.named(t)
	f, ok := b.methods[name+"."+method]
	return ok && f.method.Form == form.End
}

// rooted reports whether all that a handle is made from is made in the same function, and is not closed with all that is made from it.
func (w *walker) rooted(call *ast.CallExpr, made map[types.Object]*ast.CallExpr, used uses) bool {
	for range 16 { // as deep as handles can lie below each other, and an end to one that is made from itself
		if _, ok := w.face(call); !ok {
			return false
		}
		b, name := w.named(w.callee(call).Signature().Recv().Type())
		if b.objects[name] == nil { // a library: it is not closed
			return true
		}
		recv := w.root(call.Fun)
		call = made[recv]
		if u := used.of(recv); call == nil || u.escapes || u.methods["CloseAll"] {
			return false
		}
	}
	return false
}

// firstResults are the variables that a function defines as the first result of a generated method, of some types, with the calls.
func (w *walker) firstResults(fn *ast.FuncDecl, is func(types.Type) bool) map[types.Object]*ast.CallExpr {
	out := map[types.Object]*ast.CallExpr{}
	for o, d := range w.defined(fn.Body) { // nobody has what is put into _: programs do that with a call that fails
		if call, ok := d.value.(*ast.CallExpr); ok && o.Name() != "_" && w.generated(w.callee(call)) && is(o.Type()) {
			out[o] = call
		}
	}
	return out
}

// definition is the value that a variable is defined with; nil for a later one of several results.
type definition struct {
	value ast.Expr
	again bool // it is assigned later
}

// defined are the variables that := defines in a body.
func (w *walker) defined(body ast.Node) map[types.Object]*definition {
	out := map[types.Object]*definition{}
	for s := range all[*ast.AssignStmt](body) {
		for i, l := range s.Lhs {
			id, _ := l.(*ast.Ident)
			if o := w.pass.TypesInfo.Defs[id]; o != nil {
				out[o] = &definition{}
				if i < len(s.Rhs) {
					out[o].value = ast.Unparen(s.Rhs[i])
				}
			} else if d := out[w.pass.TypesInfo.Uses[id]]; d != nil {
				d.again = true
			}
		}
	}
	return out
}

// nameOf is the name of a variable where it is defined.
func nameOf(o types.Object) ast.Node { return &ast.Ident{NamePos: o.Pos(), Name: o.Name()} }

// usesOf is what a function, or a package, does with a variable or field.
type usesOf struct {
	methods map[string]bool // called on it, or named
	escapes bool            // it is handed to other code, or kept
}

// uses are those of the variables in a body.
type uses map[types.Object]*usesOf

// of returns what is done with a variable.
func (u uses) of(o types.Object) usesOf {
	if of := u[o]; of != nil {
		return *of
	}
	return usesOf{}
}

// usesIn looks once at all places that name variables: functions may have many of both. A call of a generated method takes a handle as an
// argument without keeping it.
func usesIn[N ast.Node](w *walker, in ...N) uses {
	out := uses{}
	for _, n := range in {
		ast.PreorderStack(n, nil, func(n ast.Node, above []ast.Node) bool {
			id, _ := n.(*ast.Ident)
			s, field := n.(*ast.SelectorExpr)
			if field {
				id = s.Sel
			}
			if o, ok := w.pass.TypesInfo.Uses[id].(*types.Var); ok && o.IsField() == field && len(above) > 0 {
				if out[o] == nil {
					out[o] = &usesOf{methods: map[string]bool{}}
				}
				w.use(out[o], n.(ast.Expr), above[len(above)-1])
			}
			return true
		})
	}
	return out
}

// use notes one place that names a variable or field, by the node around it.
func (w *walker) use(u *usesOf, e ast.Expr, around ast.Node) {
	switch p := around.(type) {
	case *ast.SelectorExpr:
		if p.X == e {
			u.methods[p.Sel.Name] = true
			return
		}
	case *ast.BinaryExpr:
		if p.Op == token.EQL || p.Op == token.NEQ {
			return
		}
	case *ast.AssignStmt: // x.f = y, _ = x
		if _, field := e.(*ast.SelectorExpr); field && slices.Contains(p.Lhs, e) {
			return
		}
		if i := slices.Index(p.Rhs, e); i >= 0 && len(p.Lhs) == len(p.Rhs) {
			if to, ok := p.Lhs[i].(*ast.Ident); ok && to.Name == "_" {
				return
			}
		}
	case *ast.CallExpr:
		if _, ok := w.face(p); ok {
			return
		}
	}
	u.escapes = true
}

const batchesDoc = `report batches that goroutines share

A batch belongs to one goroutine at a time. A batch that go statements in a loop use, or two go statements, is reported, unless they lock.
So is a request that the batch does not have: WR panics.`

// batches reports batches that several go statements use, and requests that they do not have.
func batches(w *walker, fn *ast.FuncDecl) {
	w.beyond(fn.Body)
	users := map[types.Object]int{}
	ast.PreorderStack(fn.Body, nil, func(n ast.Node, above []ast.Node) bool {
		if g, ok := n.(*ast.GoStmt); ok {
			w.countBatches(g, above, users)
		}
		return true
	})
}

// countBatches notes the batches of outside that a go statement uses, and reports those that another one uses too.
func (w *walker) countBatches(g *ast.GoStmt, above []ast.Node, users map[types.Object]int) {
	here := map[types.Object]*ast.Ident{}
	for id := range all[*ast.Ident](g) {
		if id.Name == "Lock" {
			return
		}
		o, ok := w.pass.TypesInfo.Uses[id].(*types.Var)
		if ok && isBatch(o.Type()) && (o.Pos() < g.Pos() || o.Pos() > g.End()) && here[o] == nil {
			here[o] = id
		}
	}
	for o, id := range here {
		users[o]++
		for _, l := range above {
			switch l.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				if o.Pos() < l.Pos() { // each turn of the loop starts a goroutine with the same batch
					users[o] += 2
				}
			}
		}
		if users[o] > 1 {
			w.report(id, "batch", "goroutines share the batch %s; give each its own", id.Name)
		}
	}
}

// beyond reports requests behind the end of a batch whose size is a constant.
func (w *walker) beyond(body *ast.BlockStmt) {
	sizes := map[types.Object]int64{}
	for o, d := range w.defined(body) {
		call, made := d.value.(*ast.CallExpr)
		if !made || d.again || !isBatch(o.Type()) || len(call.Args) == 0 {
			continue
		}
		if fn := w.callee(call); fn != nil && strings.HasPrefix(fn.Name(), "New") && fn.Signature().Recv() == nil {
			if n, ok := w.constant(call.Args[0]); ok {
				sizes[o] = n
			}
		}
	}
	for call := range all[*ast.CallExpr](body) {
		s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "WR" || len(call.Args) != 1 {
			continue
		}
		o := w.root(s.X)
		size, known := sizes[o]
		if i, ok := w.constant(call.Args[0]); ok && known && isBatch(w.pass.TypesInfo.TypeOf(s.X)) && (i < 0 || i >= size) {
			w.report(call, "batch", "the batch %s has %d requests, numbered from 0: there is no request %d", o.Name(), size, i)
		}
	}
}

// constant is the value of a constant expression.
func (w *walker) constant(e ast.Expr) (int64, bool) {
	if v := w.pass.TypesInfo.Types[e].Value; v != nil {
		return constant.Int64Val(constant.ToInt(v))
	}
	return 0, false
}

// isBatch reports whether a type is that of a batch of requests.
func isBatch(t types.Type) bool {
	_, pointer := t.(*types.Pointer)
	return pointer && strings.HasSuffix(ofDataPath(t), "Batch")
}
