package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// events reports variables with an event whose Done nobody calls.
func events(w *walker, fn *ast.FuncDecl) {
	used := usesIn(w, fn.Body)
	for o := range w.firstResults(fn, w.isEvent) {
		if u := used.of(o); !u.escapes && !u.methods["Done"] {
			w.report(nameOf(o), "event", "the event %s is never acknowledged; call %s.Done()", o.Name(), o.Name())
		}
	}
	for n := range ast.Preorder(fn.Body) {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.IfStmt:
			w.droppedEvent(n.Init, n)
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for i, s := range list[:max(len(list)-1, 0)] {
			if next, ok := list[i+1].(*ast.IfStmt); ok && next.Init == nil {
				w.droppedEvent(s, next)
			}
		}
	}
}

// droppedEvent reports a call whose event nobody has, and which is expected to succeed: the function does not go on after an error. A test
// that wants the error has another condition.
func (w *walker) droppedEvent(s ast.Stmt, next *ast.IfStmt) {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 || len(a.Lhs) != 2 {
		return
	}
	call, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if id, blank := a.Lhs[0].(*ast.Ident); !ok || !blank || id.Name != "_" {
		return
	}
	callee := w.callee(call)
	if !w.generated(callee) || callee.Signature().Results().Len() != 2 || !w.isEvent(callee.Signature().Results().At(0).Type()) {
		return
	}
	cond, ok := next.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.NEQ || !w.isNil(cond.Y) || w.root(cond.X) == nil || w.root(cond.X) != w.root(a.Lhs[1]) {
		return
	}
	w.report(call, "event", "the event of this call is never acknowledged; take it and call its Done()")
}

// isNil reports whether an expression is nil.
func (w *walker) isNil(e ast.Expr) bool { return w.pass.TypesInfo.Types[e].IsNil() }

// isEvent reports whether a type is that of an event of a generated package: one with a method Done.
func (w *walker) isEvent(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	if !ok {
		return false
	}
	if b, name := w.named(p); b == nil || b.objects[name] != nil || b.records[name] != nil {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(p, true, nil, "Done")
	done, ok := obj.(*types.Func)
	return ok && done.Signature().Params().Len()+done.Signature().Results().Len() == 0
}
