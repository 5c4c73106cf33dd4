package vet

import (
	"go/ast"
	"go/types"
	"slices"
)

const memoryDoc = `report elements of requests that are memory which nobody registered

An element of a work request has the address of a local variable or slice that the function registers nowhere and hands to nobody: the
device does not know that memory, and Go may move it or free it.`

// memory reports elements whose address is that of a local variable which no call sees.
func memory(w *walker, fn *ast.FuncDecl) {
	for lit := range all[*ast.CompositeLit](fn.Body) {
		if !isElement(w.pass.TypesInfo.TypeOf(lit)) {
			continue
		}
		e := elements(lit, "Addr")["Addr"]
		if e == nil {
			continue
		}
		if o := w.addressOf(e); o != nil && o.Pos() > fn.Body.Pos() && w.unseen(fn.Body, o) {
			w.report(e, "memory", "%s is not registered, and Go may move it; register it and take the element from its region", o.Name())
		}
	}
}

// elements are the values that the literal of a struct gives its fields, by name; names are those of the first fields.
func elements(lit *ast.CompositeLit, names ...string) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			out[kv.Key.(*ast.Ident).Name] = kv.Value
		} else if i < len(names) {
			out[names[i]] = e
		}
	}
	return out
}

// isElement reports whether a type is that of an element of a request.
func isElement(t types.Type) bool { return ofDataPath(t) == "SGE" }

// addressOf is the variable whose address an expression converts to a number: unsafe.Pointer(&x[0]), unsafe.SliceData(x); nil otherwise.
func (w *walker) addressOf(e ast.Expr) types.Object {
	for call := range all[*ast.CallExpr](e) {
		if len(call.Args) != 1 || !types.Identical(w.pass.TypesInfo.TypeOf(call), types.Typ[types.UnsafePointer]) {
			continue
		}
		var of types.Object
		switch x := ast.Unparen(call.Args[0]).(type) {
		case *ast.UnaryExpr:
			of = w.root(x.X)
		case *ast.CallExpr:
			if len(x.Args) == 1 && w.pass.TypesInfo.Types[x.Fun].IsBuiltin() {
				of = w.root(x.Args[0])
			}
		}
		if v, ok := of.(*types.Var); ok && !v.IsField() {
			return v
		} else if of != nil {
			return nil
		}
	}
	return nil
}

// unseen reports whether a variable of a function is an argument of no call but of builtin functions and conversions, is not assigned to
// another one, and is made in the function itself.
func (w *walker) unseen(body ast.Node, o types.Object) bool {
	switch o.Type().Underlying().(type) {
	case *types.Slice:
		d := w.defined(body)[o]
		if d == nil {
			return false
		}
		call, ok := d.value.(*ast.CallExpr)
		if _, literal := d.value.(*ast.CompositeLit); !literal && (!ok || !w.pass.TypesInfo.Types[call.Fun].IsBuiltin()) {
			return false
		}
	case *types.Array, *types.Basic, *types.Struct:
	default:
		return false
	}
	handedOn := func(e ast.Expr) bool { return w.root(stripped(e)) == o }
	for n := range ast.Preorder(body) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if tv := w.pass.TypesInfo.Types[n.Fun]; tv.IsBuiltin() || tv.IsType() {
				continue
			}
			for _, a := range n.Args {
				if _, call := ast.Unparen(a).(*ast.CallExpr); !call && w.names(a, o) && !isElement(w.pass.TypesInfo.TypeOf(a)) {
					return false
				}
			}
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Rhs, handedOn) {
				return false
			}
		case *ast.ReturnStmt:
			if slices.ContainsFunc(n.Results, handedOn) {
				return false
			}
		}
	}
	return true
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
