package check

import (
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// TestRemovedStatements removes each statement of each method that calls C in turn: either the compiler misses it, or some rule does. What
// only sets a field, or tells the handle more, is not missed.
func TestRemovedStatements(t *testing.T) {
	removed := 0
	for _, module := range spec.Modules() {
		p := packageOf(t, module)
		for _, f := range p.order {
			if !f.exported() || len(f.raws()) == 0 || p.written(f) {
				continue
			}
			for _, list := range lists(f.decl.Body) {
				all := *list
				for i, s := range all {
					if p.compilerMisses(f, s) || unmissed(s) {
						continue
					}
					removed++
					*list = slices.Delete(slices.Clone(all), i, i+1)
					f.scan(f.decl.Body)
					p.problems = nil
					p.check(f)
					if len(p.problems) == 0 {
						var src strings.Builder
						printer.Fprint(&src, p.fset, s)
						t.Errorf("%s: %s: nobody misses\n%s", module, f.name, src.String())
					}
				}
				*list = all
				f.scan(f.decl.Body)
			}
		}
	}
	if removed < 1000 {
		t.Errorf("only %d statements were removed", removed)
	}
}

// lists are the blocks of a function that are not within a literal.
func lists(body *ast.BlockStmt) (out []*[]ast.Stmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BlockStmt); ok {
			out = append(out, &b.List)
		}
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
	return out
}

// compilerMisses reports whether a function does not compile without a statement: it declares what is used elsewhere, alone uses what is
// declared elsewhere, or ends the function.
func (p *Package) compilerMisses(f *function, s ast.Stmt) bool {
	inside, outside := map[types.Object]bool{}, map[types.Object]bool{}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
			for _, e := range a.Rhs {
				p.usesIn(e, s, inside, outside)
			}
			for _, e := range a.Lhs {
				if _, plain := e.(*ast.Ident); !plain {
					p.usesIn(e, s, inside, outside)
				}
			}
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			p.usesIn(id, s, inside, outside)
		}
		return true
	})
	for id, obj := range p.info.Defs {
		v, ok := obj.(*types.Var)
		if !ok || id.Pos() < f.decl.Body.Pos() || id.Pos() > f.decl.Body.End() {
			continue
		}
		within := s.Pos() <= id.Pos() && id.Pos() < s.End()
		if within && outside[v] || !within && inside[v] && !outside[v] {
			return true
		}
	}
	_, last := s.(*ast.ReturnStmt)
	return last
}

func (p *Package) usesIn(e ast.Node, s ast.Stmt, inside, outside map[types.Object]bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.info.Uses[id] != nil {
			if s.Pos() <= id.Pos() && id.Pos() < s.End() {
				inside[p.info.Uses[id]] = true
			} else {
				outside[p.info.Uses[id]] = true
			}
		}
		return true
	})
}

// unmissed reports whether no rule is about a statement: it declares a constant, sets a field or a variable, names an object for messages,
// or is for what has no answer yet. TestArguments and TestResults of conformance/recording miss the call of a verb, and what reads its
// result.
func unmissed(s ast.Stmt) (calls bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		calls = calls || ok && isRaw(c)
		return !calls
	})
	if calls {
		return true
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	case *ast.DeclStmt:
		return s.Decl.(*ast.GenDecl).Tok == token.CONST
	case *ast.ExprStmt:
		by := callee(s.X.(*ast.CallExpr))
		return matches("*.Rename", by) || matches("*.Lack", by) || strings.Contains(by, ".after") || matches("*.from", by) ||
			by == "cmem.FillList"
	case *ast.IfStmt:
		if lacks(s) { // TestLacking of conformance/device/oncard misses it
			return true
		}
		_, sets := s.Body.List[0].(*ast.AssignStmt)
		return text(s.Cond) == "at == nil" || sets && len(s.Body.List) == 1 && !strings.HasSuffix(text(s.Cond), "!= nil")
	}
	return false
}

// lacks reports whether a statement says what an object lacks, or asks for it.
func lacks(s *ast.IfStmt) bool {
	if init, ok := s.Init.(*ast.AssignStmt); ok {
		call, ok := init.Rhs[0].(*ast.CallExpr)
		return ok && (matches("bridge.OwnsQueues", callee(call)) || strings.Contains(callee(call), ".before"))
	}
	x, ok := s.Body.List[0].(*ast.ExprStmt)
	return ok && matches("*.Lack", callee(x.X.(*ast.CallExpr)))
}

// written reports whether a method is written by hand, or is one of the data path. Their own tests run them.
func (p *Package) written(f *function) bool {
	special := slices.ContainsFunc(p.model.Verbs, func(v *model.Verb) bool {
		return slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Recv+"."+m.Name == f.name && m.Form == form.Special })
	})
	return special || f.recv != "" && !p.isHandle(f.handleType()) && f.handleType() != "Lib"
}
