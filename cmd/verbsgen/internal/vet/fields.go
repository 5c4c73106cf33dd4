package vet

import (
	"go/ast"
	"go/types"
	"slices"
)

// closing are the names of methods that release what a value has.
var closing = map[string]bool{"Close": true, "close": true, "Stop": true, "stop": true, "Shutdown": true, "shutdown": true}

// fields reports handles that the package puts into an unexported field and closes nowhere, although the type has a method to close it.
func fields(w *walker) {
	if w.closesAll() {
		return
	}
	made, used := map[types.Object]bool{}, usesIn(w, w.pass.Files...)
	for fn := range functions(w.pass.Files...) {
		for n := range ast.Preorder(fn.Body) {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && w.isHandle(w.pass.TypesInfo.TypeOf(n.Value)) && w.makes(fn, n.Value) {
					made[w.pass.TypesInfo.Uses[key]] = true
				}
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					s, field := l.(*ast.SelectorExpr)
					call, ok := ast.Unparen(n.Rhs[min(i, len(n.Rhs)-1)]).(*ast.CallExpr)
					if field && ok && w.creates(call) {
						made[w.pass.TypesInfo.Uses[s.Sel]] = true
					}
				}
			}
		}
	}
	for id, o := range w.pass.TypesInfo.Defs {
		f, ok := o.(*types.Var)
		if !ok || !made[f] || !f.IsField() || f.Exported() || f.Embedded() || !w.isHandle(f.Type()) {
			continue
		}
		if owner, closes := w.owner(f); closes && w.isLost(f.Type(), used.of(f)) {
			w.report(id, "handle", "the handle %s is never closed: no method of %s reaches it", id.Name, owner)
		}
	}
}

// creates reports whether a call is one of a generated method that makes a handle.
func (w *walker) creates(call *ast.CallExpr) bool {
	f, ok := w.face(call)
	return ok && f.verb.Creates != nil
}

// makes reports whether a function has made the handle that is the value of a variable, and does not close it by that.
func (w *walker) makes(fn *ast.FuncDecl, value ast.Expr) bool {
	id, ok := ast.Unparen(value).(*ast.Ident)
	if !ok {
		return false
	}
	o := w.pass.TypesInfo.Uses[id]
	call := w.firstResults(fn, w.isHandle)[o]
	return call != nil && w.creates(call) && w.isLost(o.Type(), usesOf{methods: usesIn(w, fn.Body).of(o).methods})
}

// owner is the type of the package that has a field, and whether it has a method that closes.
func (w *walker) owner(f *types.Var) (name string, closes bool) {
	scope := w.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		named, ok := t.Type().(*types.Named)
		if !ok {
			continue
		}
		if s, ok := named.Underlying().(*types.Struct); ok && slices.Contains(slices.Collect(s.Fields()), f) {
			for m := range named.Methods() {
				closes = closes || closing[m.Name()]
			}
			return name, closes
		}
	}
	return "", false
}
