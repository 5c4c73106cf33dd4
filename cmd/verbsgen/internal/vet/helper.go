package vet

import (
	"go/ast"
	"go/types"
	"slices"
)

// Functions that are followed where they are called: small ones, and not many within each other.
const (
	mostNodes = 300
	mostDepth = 3
)

// declared are the small functions of a package, by what calls name.
func declared(files []*ast.File, info *types.Info) map[*types.Func]*ast.FuncDecl {
	out := map[*types.Func]*ast.FuncDecl{}
	for _, file := range files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			nodes := 0
			ast.Inspect(fn.Body, func(ast.Node) bool {
				nodes++
				return nodes <= mostNodes
			})
			if o, ok := info.Defs[fn.Name].(*types.Func); ok && nodes <= mostNodes {
				out[o] = fn
			}
		}
	}
	return out
}

// helper is what a call of a small function of the package returns. Its body is walked with copies of what is known of the arguments.
func (w *walker) helper(e *ast.CallExpr, recv value, args []value) []value {
	fn := w.callee(e)
	if fn == nil || w.decls[fn] == nil || len(w.within) >= mostDepth || slices.Contains(w.within, fn) {
		return nil
	}
	d, sig := w.decls[fn], fn.Signature()
	if sig.Variadic() || sig.TypeParams() != nil || sig.RecvTypeParams() != nil || len(args) != sig.Params().Len() {
		return nil
	}
	in := &walker{pass: w.pass, from: w.from, decls: w.decls, body: d.Body, within: append(slices.Clone(w.within), fn), outer: w.outer,
		vars: map[types.Object]value{}, loose: map[types.Object]bool{}, found: w.found, changing: w.changing}
	if in.outer == nil {
		in.outer = e
	}
	in.findLoose(d.Body, d.Body)
	seen := map[any]value{}
	in.bind(d.Recv, []value{copied(recv, seen)})
	for i := range args {
		args[i] = copied(args[i], seen)
	}
	in.bind(d.Type.Params, args)
	in.outs = in.declaredBy(d.Type.Results)
	for _, o := range in.outs {
		in.put(o, in.zero(o.Type()))
	}
	in.block(d.Body.List)
	return w.own(in.agreed(), seen, e)
}

// declaredBy are the variables of a list of parameters.
func (w *walker) declaredBy(list *ast.FieldList) (out []types.Object) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			out = append(out, w.pass.TypesInfo.Defs[id])
		}
	}
	return out
}

// bind gives parameters their values.
func (w *walker) bind(list *ast.FieldList, values []value) {
	for i, o := range w.declaredBy(list) {
		if i < len(values) && o != nil {
			w.put(o, values[i])
		}
	}
}

// put gives a variable a value, unless something else may change it.
func (w *walker) put(o types.Object, v value) {
	if v != nil && !w.loose[o] && o.Name() != "_" {
		w.vars[o] = v
	}
}

// leave notes the results of a return.
func (w *walker) leave(s *ast.ReturnStmt) {
	var values []value
	switch {
	case len(s.Results) == 1:
		if call, ok := ast.Unparen(s.Results[0]).(*ast.CallExpr); ok {
			values = w.call(call)
			break
		}
		values = w.exprs(s.Results)
	case len(s.Results) > 1:
		values = w.exprs(s.Results)
	default:
		for _, o := range w.outs {
			values = append(values, w.vars[o])
		}
	}
	w.returns = append(w.returns, values)
}

// agreed are the results that all returns of a function agree on. What it returns with an error does not count.
func (w *walker) agreed() []value {
	good := slices.DeleteFunc(slices.Clone(w.returns), func(values []value) bool {
		if len(values) < 2 {
			return false
		}
		_, fine := values[len(values)-1].(null)
		return !fine
	})
	if len(good) == 0 {
		good = w.returns
	}
	if len(good) == 0 {
		return nil
	}
	out := slices.Clone(good[0])
	for _, values := range good[1:] {
		for i := range out {
			if !same(out[i], valueAt(values, i)) {
				out[i] = nil
			}
		}
	}
	return out
}

// own drops results that are arguments which variables of the caller have: those go on to change.
func (w *walker) own(results []value, seen map[any]value, e *ast.CallExpr) []value {
	kept := false
	for _, a := range append([]ast.Expr{e.Fun}, e.Args...) {
		_, variable := w.root(a).(*types.Var)
		kept = kept || variable
	}
	for i, v := range results {
		for _, given := range seen {
			if kept && v == given {
				results[i] = nil
			}
		}
	}
	return results
}
