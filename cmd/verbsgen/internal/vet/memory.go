package vet

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

const memoryDoc = `report elements of requests that are memory which nobody registered

An element of a work request has the address of a local variable or slice that the function registers nowhere and hands to nobody: the
device does not know that memory, and Go may move it or free it.`

// memory reports elements whose address is that of a local variable which no call sees.
func memory(w *walker, fn *ast.FuncDecl) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || !isElement(w.pass.TypesInfo.TypeOf(lit)) {
			return true
		}
		for i, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "Addr" {
					continue
				}
				e = kv.Value
			} else if i > 0 {
				continue
			}
			if o := w.addressOf(e); o != nil && o.Pos() > fn.Body.Pos() && w.unseen(fn.Body, o) {
				reportIn(w.pass, analysis.Diagnostic{Pos: e.Pos(), End: e.End(), Category: "memory",
					Message: fmt.Sprintf("%s is not registered, and Go may move it; register it and take the element from its region", o.Name())})
			}
		}
		return true
	})
}

// isElement reports whether a type is that of an element of a request.
func isElement(t types.Type) bool { return ofDataPath(t) == "SGE" }

// addressOf is the variable whose address an expression converts to a number: unsafe.Pointer(&x[0]), unsafe.SliceData(x); nil otherwise.
func (w *walker) addressOf(e ast.Expr) (out types.Object) {
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !types.Identical(w.pass.TypesInfo.TypeOf(call), types.Typ[types.UnsafePointer]) {
			return true
		}
		switch x := ast.Unparen(call.Args[0]).(type) {
		case *ast.UnaryExpr:
			out = w.root(x.X)
		case *ast.CallExpr:
			if len(x.Args) == 1 && w.pass.TypesInfo.Types[x.Fun].IsBuiltin() {
				out = w.root(x.Args[0])
			}
		}
		return out == nil
	})
	if v, ok := out.(*types.Var); ok && !v.IsField() {
		return v
	}
	return nil
}

// unseen reports whether a variable of a function is an argument of no call but of builtin functions and conversions, is not assigned to
// another one, and is made in the function itself.
func (w *walker) unseen(body ast.Node, o types.Object) bool {
	switch o.Type().Underlying().(type) {
	case *types.Slice:
		if !w.isMade(body, o) {
			return false
		}
	case *types.Array, *types.Basic, *types.Struct:
	default:
		return false
	}
	seen := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if tv := w.pass.TypesInfo.Types[n.Fun]; tv.IsBuiltin() || tv.IsType() {
				return true
			}
			for _, a := range n.Args {
				if _, call := ast.Unparen(a).(*ast.CallExpr); !call && w.names(a, o) && !isElement(w.pass.TypesInfo.TypeOf(a)) {
					seen = true
				}
			}
		case *ast.AssignStmt:
			for _, r := range n.Rhs {
				seen = seen || w.root(stripped(r)) == o
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				seen = seen || w.root(stripped(r)) == o
			}
		}
		return !seen
	})
	return !seen
}

// stripped is what an address is taken of, or a slice is a part of.
func stripped(e ast.Expr) ast.Expr {
	switch x := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	}
	return e
}

// names reports whether an expression names a variable, outside a literal of an element.
func (w *walker) names(e ast.Expr, o types.Object) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && isElement(w.pass.TypesInfo.TypeOf(lit)) {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && w.pass.TypesInfo.Uses[id] == o {
			found = true
		}
		return !found
	})
	return found
}

// isMade reports whether a slice is made where it is defined: by make or a literal.
func (w *walker) isMade(body ast.Node, o types.Object) (made bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok || len(s.Lhs) != len(s.Rhs) {
			return true
		}
		for i, l := range s.Lhs {
			id, ok := l.(*ast.Ident)
			if !ok || w.pass.TypesInfo.Defs[id] != o {
				continue
			}
			switch r := ast.Unparen(s.Rhs[i]).(type) {
			case *ast.CompositeLit:
				made = true
			case *ast.CallExpr:
				made = w.pass.TypesInfo.Types[r.Fun].IsBuiltin()
			}
		}
		return true
	})
	return made
}
