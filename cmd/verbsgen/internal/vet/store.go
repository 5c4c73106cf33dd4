package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"math/big"
)

// assign walks an assignment or a short declaration.
func (w *walker) assign(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		v := w.binary(s.Tok-token.ADD_ASSIGN+token.ADD, w.expr(s.Lhs[0]), w.expr(s.Rhs[0]), w.pass.TypesInfo.TypeOf(s.Lhs[0]))
		w.store(s.Lhs[0], v)
		return
	}
	var values []value
	if len(s.Rhs) == 1 && len(s.Lhs) > 1 {
		values = w.results(s.Rhs[0])
	} else {
		values = w.exprs(s.Rhs)
	}
	for i, l := range s.Lhs {
		var v value
		if i < len(values) {
			v = values[i]
		}
		w.store(l, v)
	}
}

// declare walks var declarations.
func (w *walker) declare(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return
	}
	for _, x := range d.Specs {
		x := x.(*ast.ValueSpec)
		var values []value
		switch {
		case len(x.Values) == 1 && len(x.Names) > 1:
			values = w.results(x.Values[0])
		case len(x.Values) > 0:
			values = w.exprs(x.Values)
		default:
			for _, n := range x.Names {
				values = append(values, w.zero(w.pass.TypesInfo.TypeOf(n)))
			}
		}
		for i, n := range x.Names {
			if i < len(values) {
				w.store(n, values[i])
			}
		}
	}
}

// zero is the zero value of a type.
func (w *walker) zero(t types.Type) value {
	if b, r := w.recordOf(t); r != nil && r.Plain {
		if _, pointer := t.Underlying().(*types.Pointer); !pointer {
			return newRecord(b, r)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsInteger|types.IsBoolean) != 0 {
			return new(big.Int)
		}
	case *types.Pointer:
		return null{}
	}
	return nil
}

// store puts a value into what is on the left of an assignment.
func (w *walker) store(to ast.Expr, v value) {
	switch to := ast.Unparen(to).(type) {
	case *ast.Ident:
		o := w.pass.TypesInfo.ObjectOf(to)
		if o == nil || to.Name == "_" {
			return
		}
		if w.loose[o] || v == nil {
			w.escape(v)
			delete(w.vars, o)
			return
		}
		if r, ok := v.(*record); ok && !r.shared { // by value
			v = copied(v, map[any]value{})
		}
		if o.Parent() == o.Pkg().Scope() { // any function may change it
			w.escape(v)
			return
		}
		w.vars[o] = v
	case *ast.SelectorExpr:
		w.changed(to.X)
		if r, ok := w.expr(to.X).(*record); ok && r.of.Plain {
			if f := r.field(to.Sel.Name); f != nil {
				r.set(f, v, to)
				return
			}
			r.lost = true
			return
		}
		w.escape(v)
	default:
		w.escape(v)
		if o := w.root(to); o != nil {
			w.escape(w.vars[o])
			delete(w.vars, o)
		}
	}
}

// changed forgets a mem.DMABuf of which a field is set, or whose address other code has.
func (w *walker) changed(e ast.Expr) {
	if o := w.root(e); o != nil {
		if _, ok := w.vars[o].(dmaBuf); ok {
			delete(w.vars, o)
		}
	}
}

// escape gives up on a builder or struct whose address other code has from now on.
func (w *walker) escape(v value) {
	switch v := v.(type) {
	case *handle:
		delete(v.props, v.moving)
	case *record:
		v.lost = v.lost || v.shared
	case *batch:
		v.forget()
		v.lost = true
	case *request:
		v.lost = true
	case span:
		w.escape(v.batch)
	case *stream:
		w.escape(v.of)
	case list:
		for _, x := range v.items {
			w.escape(x)
		}
	}
}
