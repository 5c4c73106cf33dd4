package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// walker follows what is known of the variables of one function, in the order of its statements.
type walker struct {
	pass  *analysis.Pass
	from  map[string]*bindings
	vars  map[types.Object]value
	loose map[types.Object]bool // variables that something else may change: their address is taken, or a closure assigns them
	found func(call *ast.CallExpr, c *caseOf)

	touched  []*request // by the statement that is walked
	changing *bool
}

// function walks the body of a function.
func (w *walker) function(body *ast.BlockStmt) {
	w.vars, w.loose = map[types.Object]value{}, map[types.Object]bool{}
	w.findLoose(body)
	w.block(body.List)
}

// findLoose notes variables whose address is taken, and those that closures assign.
func (w *walker) findLoose(body *ast.BlockStmt) {
	for n := range ast.Preorder(body) {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				w.loose[w.root(n.X)] = true
			}
		case *ast.FuncLit:
			for x := range ast.Preorder(n.Body) {
				for _, o := range w.changedBy(x) {
					if o != nil && (o.Pos() < n.Pos() || o.Pos() > n.End()) {
						w.loose[o] = true
					}
				}
			}
		case *ast.BranchStmt:
			if n.Tok == token.GOTO { // the order of statements says nothing
				for _, x := range w.pass.TypesInfo.Defs {
					if x != nil && x.Pos() >= body.Pos() && x.Pos() <= body.End() {
						w.loose[x] = true
					}
				}
			}
		}
	}
}

// root is the variable that an expression is a part of; nil for another one.
func (w *walker) root(e ast.Expr) types.Object {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.CallExpr:
			e = x.Fun
		case *ast.Ident:
			return w.pass.TypesInfo.ObjectOf(x)
		default:
			return nil
		}
	}
}

// changedBy are the variables that a statement or call changes itself: those on the left, and those with a method that is called.
func (w *walker) changedBy(n ast.Node) (out []types.Object) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			out = append(out, w.root(l))
		}
	case *ast.IncDecStmt:
		out = append(out, w.root(n.X))
	case *ast.RangeStmt:
		out = append(out, w.root(n.Key), w.root(n.Value))
	case *ast.CallExpr:
		if _, ok := n.Fun.(*ast.SelectorExpr); ok {
			out = append(out, w.root(n.Fun))
		}
	}
	return out
}

// clone copies the state.
func (w *walker) clone() map[types.Object]value {
	out, seen := make(map[types.Object]value, len(w.vars)), map[any]value{}
	for o, v := range w.vars {
		out[o] = copied(v, seen)
	}
	return out
}

// branch walks statements with a copy of the state, which it returns; nil when they do not go on to what follows.
func (w *walker) branch(before map[types.Object]value, stmts []ast.Stmt) map[types.Object]value {
	w.vars = before
	if !w.block(stmts) {
		return nil
	}
	return w.vars
}

// join keeps what all states agree on. A nil state does not arrive here.
func (w *walker) join(states ...map[types.Object]value) {
	var out map[types.Object]value
	for _, s := range states {
		switch {
		case s == nil:
		case out == nil:
			out = s
		default:
			for o, v := range out {
				if !same(v, s[o]) {
					delete(out, o)
				}
			}
		}
	}
	if out == nil {
		out = map[types.Object]value{}
	}
	w.vars = out
}

// block walks statements; false when the end is not reached.
func (w *walker) block(stmts []ast.Stmt) bool {
	for _, s := range stmts {
		next := w.stmt(s)
		w.sweep()
		if !next {
			return false
		}
	}
	return true
}

// forget drops what is known of the variables that a loop changes.
func (w *walker) forget(n ast.Node) {
	for x := range ast.Preorder(n) {
		for _, o := range w.changedBy(x) {
			switch v := w.vars[o].(type) { // other variables may have it
			case *request, *batch:
				w.escape(v)
			}
			delete(w.vars, o)
		}
	}
}

// stmt walks a statement; false when what follows is not reached.
func (w *walker) stmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case nil:
	case *ast.ExprStmt:
		w.expr(s.X)
		return !w.panics(s.X)
	case *ast.AssignStmt:
		w.assign(s)
	case *ast.IncDecStmt:
		w.store(s.X, nil)
	case *ast.DeclStmt:
		w.declare(s)
	case *ast.BlockStmt:
		return w.block(s.List)
	case *ast.LabeledStmt:
		w.forget(s.Stmt)
		w.stmt(s.Stmt)
		w.forget(s.Stmt)
	case *ast.ReturnStmt:
		w.exprs(s.Results)
		return false
	case *ast.BranchStmt:
		return false
	case *ast.GoStmt:
		w.expr(s.Call)
	case *ast.DeferStmt:
		w.expr(s.Call)
	case *ast.SendStmt:
		w.escape(w.expr(s.Chan))
		w.escape(w.expr(s.Value))
	case *ast.IfStmt:
		return w.ifStmt(s)
	default:
		return w.control(s)
	}
	return true
}

func (w *walker) ifStmt(s *ast.IfStmt) bool {
	w.stmt(s.Init)
	w.expr(s.Cond)
	if s.Else == nil && w.idle(s.Body) { // as most, which only return an error: functions have thousands
		w.block(s.Body.List)
		return true
	}
	other := w.vars
	then := w.branch(w.clone(), s.Body.List)
	if s.Else != nil {
		other = w.branch(other, []ast.Stmt{s.Else})
	}
	w.join(then, other)
	return then != nil || other != nil
}

// idle reports whether statements neither change nor hand on what is known of variables: all that they name are errors, texts and numbers
// of which nothing is known.
func (w *walker) idle(body *ast.BlockStmt) bool {
	for n := range ast.Preorder(body) {
		switch n := n.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeclStmt, *ast.RangeStmt, *ast.FuncLit, *ast.UnaryExpr, *ast.CompositeLit:
			return false
		case *ast.Ident:
			if o, ok := w.pass.TypesInfo.ObjectOf(n).(*types.Var); ok {
				_, basic := o.Type().Underlying().(*types.Basic)
				if w.vars[o] != nil || !basic && !types.Identical(o.Type(), types.Universe.Lookup("error").Type()) {
					return false
				}
			}
		}
	}
	return true
}

// control walks loops and choices.
func (w *walker) control(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ForStmt:
		w.stmt(s.Init)
		w.loop(s, func() {
			if s.Cond != nil {
				w.expr(s.Cond)
			}
			w.block(s.Body.List)
			w.stmt(s.Post)
		})
	case *ast.RangeStmt:
		w.escape(w.expr(s.X))
		w.loop(s, func() { w.block(s.Body.List) })
	case *ast.SwitchStmt:
		w.stmt(s.Init)
		if s.Tag != nil {
			w.expr(s.Tag)
		}
		w.clauses(s, s.Body)
	case *ast.TypeSwitchStmt:
		w.stmt(s.Init)
		w.clauses(s, s.Body)
	case *ast.SelectStmt:
		w.clauses(s, s.Body)
	}
	return true
}

// loop walks a body that runs any number of times.
func (w *walker) loop(s ast.Stmt, body func()) {
	w.forget(s)
	before := w.clone()
	body()
	w.vars = before
	w.forget(s)
}

// clauses walks each choice by itself; afterwards nothing is known of what one of them changes.
func (w *walker) clauses(s ast.Stmt, body *ast.BlockStmt) {
	before := w.clone()
	for _, c := range body.List {
		w.vars = before
		w.vars = w.clone()
		switch c := c.(type) {
		case *ast.CaseClause:
			w.exprs(c.List)
			w.block(c.Body)
		case *ast.CommClause:
			w.stmt(c.Comm)
			w.block(c.Body)
		}
	}
	w.vars = before
	w.forget(s)
}

// panics reports whether an expression is a call that does not return.
func (w *walker) panics(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch of := typeutil.Callee(w.pass.TypesInfo, call).(type) {
	case *types.Builtin:
		return of.Name() == "panic"
	case *types.Func:
		return of.Pkg() != nil && slices.Contains(ending[of.Pkg().Path()], of.Name())
	}
	return false
}

// ending are the functions that do not return, by package.
var ending = map[string][]string{"os": {"Exit"}, "log": {"Fatal", "Fatalf", "Fatalln"}, "runtime": {"Goexit"},
	"testing": {"Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow"}}
