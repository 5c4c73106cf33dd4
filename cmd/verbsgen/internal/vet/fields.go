package vet

import (
	"go/ast"
	"go/types"
)

// closing are the names of methods that release what a value has.
var closing = map[string]bool{"Close": true, "close": true, "Stop": true, "stop": true, "Shutdown": true, "shutdown": true}

// fields reports handles that the package puts into an unexported field and closes nowhere, although the type has a method to close it.
func fields(w *walker) {
	if w.closesAll() {
		return
	}
	made, used := map[*types.Var]bool{}, map[*types.Var]*usesOf{}
	for _, file := range w.pass.Files {
		ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
			w.field(n, above, made, used)
			return true
		})
	}
	for id, o := range w.pass.TypesInfo.Defs {
		f, ok := o.(*types.Var)
		if !ok || !made[f] || f.Exported() || f.Embedded() {
			continue
		}
		var u usesOf
		if used[f] != nil {
			u = *used[f]
		}
		if owner, closes := w.owner(f); closes && w.isLost(f.Type(), u) {
			w.report(id, "handle", "the handle %s is never closed: no method of %s reaches it", id.Name, owner)
		}
	}
}

// field notes a place that stores a handle in a field, or uses it.
func (w *walker) field(n ast.Node, above []ast.Node, made map[*types.Var]bool, used map[*types.Var]*usesOf) {
	note := func(f *types.Var) *usesOf {
		if used[f] == nil {
			used[f] = &usesOf{methods: map[string]bool{}}
		}
		return used[f]
	}
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		if !ok || len(above) < 2 {
			return
		}
		fn, in := above[1].(*ast.FuncDecl) // above[0] is the file
		if f, ok := w.pass.TypesInfo.Uses[key].(*types.Var); ok && in && f.IsField() && w.isHandle(f.Type()) && w.makes(fn, n.Value) {
			made[f] = true
		}
	case *ast.SelectorExpr:
		f, ok := w.pass.TypesInfo.Uses[n.Sel].(*types.Var)
		if !ok || !f.IsField() || !w.isHandle(f.Type()) || len(above) == 0 {
			return
		}
		switch p := above[len(above)-1].(type) {
		case *ast.SelectorExpr:
			note(f).methods[p.Sel.Name] = true
			return
		case *ast.AssignStmt:
			for i, l := range p.Lhs {
				if l != ast.Expr(n) {
					continue
				}
				if call, ok := ast.Unparen(p.Rhs[min(i, len(p.Rhs)-1)]).(*ast.CallExpr); ok {
					x, ok := w.face(call)
					made[f] = made[f] || ok && x.verb.Creates != nil
				}
				return
			}
		case *ast.BinaryExpr:
			return
		case *ast.CallExpr:
			if _, ok := w.face(p); ok {
				return
			}
		}
		note(f).escapes = true
	}
}

// makes reports whether a function has made the handle that is the value of a variable, and does not close it by that.
func (w *walker) makes(fn *ast.FuncDecl, value ast.Expr) bool {
	id, ok := ast.Unparen(value).(*ast.Ident)
	if !ok {
		return false
	}
	for _, x := range w.firstResults(fn, w.isHandle) {
		if f, face := w.face(x.call); face && f.verb.Creates != nil && x.o == w.pass.TypesInfo.Uses[id] {
			return w.isLost(x.o.Type(), usesOf{methods: w.uses(fn.Body).of(x.o).methods})
		}
	}
	return false
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
		s, ok := named.Underlying().(*types.Struct)
		for i := 0; ok && i < s.NumFields(); i++ {
			if s.Field(i) != f {
				continue
			}
			for m := range named.Methods() {
				closes = closes || closing[m.Name()]
			}
			return name, closes
		}
	}
	return "", false
}
