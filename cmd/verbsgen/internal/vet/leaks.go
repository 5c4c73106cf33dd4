package vet

import (
	"go/ast"
	"go/types"
)

const leaksDoc = `report handles that stay open when a function returns an error

A function makes a handle, closes it or hands it on at its end, and returns an error before that, without either: what the handle was made
from cannot be closed then. A package that calls CloseAll anywhere is not looked at: its functions may leave that to their callers.`

// leaks reports returns of an error that leave a handle open which the function has made.
func leaks(w *walker, fn *ast.FuncDecl) {
	if w.closesAll() {
		return
	}
	made := w.firstResults(fn, w.isHandle)
	for i, s := range fn.Body.List {
		d, ok := s.(*ast.AssignStmt)
		if !ok || i+1 == len(fn.Body.List) {
			continue
		}
		id, _ := d.Lhs[0].(*ast.Ident)
		o := w.pass.TypesInfo.Defs[id]
		if next, is := fn.Body.List[i+1].(*ast.IfStmt); made[o] != nil && is && next.Init == nil { // it looks whether the call failed
			w.leak(fn.Body.List[i+2:], o)
		}
	}
}

// isHandle reports whether a type is that of a handle of a generated package.
func (w *walker) isHandle(t types.Type) bool {
	b, name := w.named(t)
	_, pointer := t.(*types.Pointer)
	return b != nil && pointer && b.objects[name] != nil
}

// closesAll reports whether a package closes all that is made from something.
func (w *walker) closesAll() bool {
	for id := range w.pass.TypesInfo.Uses {
		if id.Name == "CloseAll" {
			return true
		}
	}
	return false
}

// leak reports the first return of an error before anything is done about a handle, by the statements behind its definition, which are of
// the function itself: then each return has the handle.
func (w *walker) leak(behind []ast.Stmt, o types.Object) {
	var left, kept ast.Node
	look := func(n ast.Node) bool {
		if _, inner := n.(*ast.FuncLit); inner && !w.mentions(n, o) {
			return false
		}
		if r, ok := n.(*ast.ReturnStmt); ok && left == nil && kept == nil && w.fails(r) && !w.mentions(r, o) {
			left = r
		}
		if s, ok := n.(ast.Stmt); ok && kept == nil && w.keeps(s, o) {
			kept = s
		}
		return kept == nil
	}
	for _, s := range behind {
		if ast.Inspect(s, look); kept != nil {
			break
		}
	}
	if left != nil && kept != nil && left.Pos() < kept.Pos() {
		w.report(left, "leak", "the handle %s stays open when this error is returned; close it first", o.Name())
	}
}

// keeps reports whether a simple statement, or the head of another one, closes a handle or hands it to other code.
func (w *walker) keeps(s ast.Stmt, o types.Object) bool {
	switch s.(type) {
	case *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.CaseClause, *ast.CommClause,
		*ast.TypeSwitchStmt, *ast.LabeledStmt:
		return false
	}
	u := usesIn(w, s).of(o)
	for m := range u.methods {
		if m == "Close" || m == "CPtr" || w.ends(o.Type(), m) {
			return true
		}
	}
	return u.escapes
}

// fails reports whether a return gives an error that is not nil.
func (w *walker) fails(r *ast.ReturnStmt) bool {
	if len(r.Results) == 0 {
		return false
	}
	last := ast.Unparen(r.Results[len(r.Results)-1])
	id, ok := last.(*ast.Ident)
	return ok && id.Name != "nil" && types.Identical(w.pass.TypesInfo.TypeOf(id), types.Universe.Lookup("error").Type())
}

// mentions reports whether a node names a variable.
func (w *walker) mentions(n ast.Node, o types.Object) bool {
	for id := range all[*ast.Ident](n) {
		if w.pass.TypesInfo.Uses[id] == o {
			return true
		}
	}
	return false
}
