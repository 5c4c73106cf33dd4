package vet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/big"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

func (w *walker) exprs(list []ast.Expr) []value {
	out := make([]value, len(list))
	for i, e := range list {
		out[i] = w.expr(e)
	}
	return out
}

// results are the values of an expression with several.
func (w *walker) results(e ast.Expr) []value {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return w.call(call)
	}
	w.expr(e)
	return nil
}

// expr walks an expression, and is what is known of its value.
func (w *walker) expr(e ast.Expr) value {
	tv := w.pass.TypesInfo.Types[e]
	if tv.Value != nil {
		return fromConstant(tv.Value)
	}
	if tv.IsNil() {
		return null{}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.expr(e.X)
	case *ast.Ident:
		return w.variable(e)
	case *ast.CompositeLit:
		return w.literal(e)
	case *ast.UnaryExpr:
		return w.unary(e, tv.Type)
	case *ast.BinaryExpr:
		return w.binary(e.Op, w.expr(e.X), w.expr(e.Y), tv.Type)
	case *ast.CallExpr:
		if values := w.call(e); len(values) > 0 {
			return values[0]
		}
	case *ast.SelectorExpr:
		return w.selector(e)
	case *ast.FuncLit:
		w.closure(e)
	case *ast.StarExpr:
		if r, ok := w.expr(e.X).(*record); ok {
			r = copied(r, map[any]value{}).(*record)
			r.shared = false
			return r
		}
	case *ast.IndexExpr:
		w.exprs([]ast.Expr{e.X, e.Index})
	case *ast.SliceExpr:
		for _, x := range []ast.Expr{e.X, e.Low, e.High, e.Max} {
			if x != nil {
				w.expr(x)
			}
		}
	case *ast.TypeAssertExpr:
		w.expr(e.X)
	case *ast.KeyValueExpr:
		w.exprs([]ast.Expr{e.Key, e.Value})
	}
	return nil
}

func (w *walker) unary(e *ast.UnaryExpr, t types.Type) value {
	v := w.expr(e.X)
	switch i, ok := v.(*big.Int); {
	case e.Op == token.AND:
		w.changed(e.X)
		if r, is := v.(*record); is {
			if _, fresh := ast.Unparen(e.X).(*ast.CompositeLit); fresh {
				r.shared = true
				return r
			}
			r.lost = true
			return r
		}
		return some{}
	case ok && e.Op == token.SUB:
		return wrapped(new(big.Int).Neg(i), t)
	case ok && e.Op == token.XOR:
		return wrapped(new(big.Int).Not(i), t)
	}
	return nil
}

// selector is the field of a struct that is known.
func (w *walker) selector(e *ast.SelectorExpr) value {
	if _, pkg := w.pass.TypesInfo.Uses[rootIdent(e.X)].(*types.PkgName); pkg {
		return nil
	}
	r, ok := w.expr(e.X).(*record)
	if !ok || r.lost || !r.of.Plain {
		return nil
	}
	f := r.field(e.Sel.Name)
	if f == nil {
		return nil
	}
	v, set := r.fields[f]
	switch {
	case set:
		return v
	case f.Nested != nil:
		inner := newRecord(r.b, f.Nested)
		r.fields[f] = inner
		return inner
	}
	return w.zero(w.pass.TypesInfo.TypeOf(e))
}

func rootIdent(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}

// operations are the binary operations on integers that are followed, as package constant has them.
var operations = map[token.Token]bool{token.ADD: true, token.SUB: true, token.MUL: true, token.OR: true, token.AND: true, token.XOR: true,
	token.AND_NOT: true, token.SHL: true, token.SHR: true}

func (w *walker) binary(op token.Token, a, b value, t types.Type) value {
	x, okX := a.(*big.Int)
	y, okY := b.(*big.Int)
	if !okX || !okY || !operations[op] || t == nil {
		return nil
	}
	cx, cy := constant.Make(x), constant.Make(y)
	if op == token.SHL || op == token.SHR {
		if !y.IsUint64() || y.Uint64() > 64 {
			return nil
		}
		cx = constant.Shift(cx, op, uint(y.Uint64()))
	} else {
		cx = constant.BinaryOp(constant.ToInt(cx), op, constant.ToInt(cy))
	}
	i, ok := fromConstant(cx).(*big.Int)
	if !ok {
		return nil
	}
	return wrapped(i, t)
}

// recordOf is the record that a type, or what a pointer points to, is the Go type of; nil for another type.
func (w *walker) recordOf(t types.Type) (*bindings, *model.Record) {
	b, name := w.named(t)
	if b == nil {
		return nil, nil
	}
	return b, b.records[name]
}

// named is the generated package and the name of a type of it, or of what a pointer points to; nil for another type.
func (w *walker) named(t types.Type) (*bindings, string) {
	n := typeName(t)
	if n == nil {
		return nil, ""
	}
	return w.from[n.Pkg().Path()], n.Name()
}

// literal is a struct of attributes, or a slice.
func (w *walker) literal(e *ast.CompositeLit) value {
	t := w.pass.TypesInfo.TypeOf(e)
	if b, of := w.recordOf(t); of != nil && of.Plain {
		r := newRecord(b, of)
		for i, x := range e.Elts {
			name, v := "", x
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				name, v = kv.Key.(*ast.Ident).Name, kv.Value
			} else if s, ok := t.Underlying().(*types.Struct); ok {
				name = s.Field(i).Name()
			}
			x := w.expr(v)
			w.escape(x)
			if f := r.field(name); f != nil {
				r.set(f, copied(x, map[any]value{}), v)
			}
		}
		return r
	}
	if isElement(t) {
		return element{w.fields(e, "Addr", "Length", "LKey")["Length"]}
	}
	if types.TypeString(t, (*types.Package).Name) == "mem.DMABuf" {
		return dmaBuf(w.fields(e, "FD", "Offset", "Length"))
	}
	_, slice := t.Underlying().(*types.Slice)
	out := list{items: []value{}}
	for _, x := range e.Elts {
		if _, keyed := x.(*ast.KeyValueExpr); keyed {
			slice = false
		}
		v := w.expr(x)
		w.escape(v)
		out.items = append(out.items, v)
		out.n++
	}
	if !slice {
		return nil
	}
	return out
}

// fields are the values of the fields of a struct of numbers, by a literal. Those that it does not name are 0.
func (w *walker) fields(e *ast.CompositeLit, names ...string) map[string]value {
	given, out := elements(e, names...), map[string]value{}
	for _, name := range names {
		out[name] = new(big.Int)
		if x := given[name]; x != nil {
			out[name] = w.expr(x)
		}
	}
	return out
}

// closure walks the body of a function within a function. It may run at any time: only what never changes is known there.
func (w *walker) closure(e *ast.FuncLit) {
	for id := range all[*ast.Ident](e.Body) {
		w.escape(w.vars[w.pass.TypesInfo.ObjectOf(id)])
	}
	before := w.vars
	w.vars = map[types.Object]value{}
	w.block(e.Body.List)
	w.vars = before
}
