package vet

import (
	"go/ast"
	"go/types"
)

const completionsDoc = `report completions whose status nobody looks at, and waits that find none

A function takes completions from a queue and reads what only a request that succeeded has, such as ByteLen, and neither Status nor Err of
any. Or it waits for a queue that it made without a completion channel.`

// completions reports both.
func completions(w *walker, fn *ast.FuncDecl) {
	w.unread(fn.Body)
	w.channelless(fn)
}

// ofSuccess are the fields of a completion that one with an error does not have.
var ofSuccess = map[string]bool{"ByteLen": true, "ImmData": true, "Opcode": true, "SrcQP": true, "Flags": true, "SLID": true, "SL": true,
	"PKeyIndex": true, "DLIDPathBits": true}

// unread reports the first call that takes completions in a function that reads such a field, and no status. A function that hands
// completions to other code is left alone.
func (w *walker) unread(body ast.Node) {
	var polls *ast.CallExpr
	reads, looks := "", false
	ast.PreorderStack(body, nil, func(n ast.Node, above []ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || len(above) == 0 || !w.pass.TypesInfo.Types[e].IsValue() || !isCompletion(w.pass.TypesInfo.TypeOf(e)) {
			return true
		}
		switch p := above[len(above)-1].(type) {
		case *ast.SelectorExpr:
			looks = looks || p.Sel.Name == "Status" || p.Sel.Name == "Err"
			if ofSuccess[p.Sel.Name] && reads == "" {
				reads = p.Sel.Name
			}
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.ParenExpr, *ast.UnaryExpr, *ast.RangeStmt, *ast.BlockStmt, *ast.ValueSpec,
			*ast.CompositeLit:
		case *ast.AssignStmt:
			for i, l := range p.Lhs {
				if _, local := l.(*ast.Ident); !local && len(p.Lhs) == len(p.Rhs) && p.Rhs[i] == e {
					looks = true
				}
			}
		case *ast.CallExpr:
			if _, ok := w.face(p); ok {
				if _, several := w.pass.TypesInfo.TypeOf(e).(*types.Slice); several && polls == nil {
					polls = p
				}
			} else if !w.pass.TypesInfo.Types[p.Fun].IsBuiltin() {
				looks = true
			}
		default:
			looks = true
		}
		return true
	})
	if polls != nil && reads != "" && !looks {
		w.report(polls, "completion",
			"nobody looks at the status of these completions, and %s has no meaning unless the request succeeded; check Err()", reads)
	}
}

// isCompletion reports whether a type is that of a completion, of a pointer to one, or of several.
func isCompletion(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.(type) {
	case *types.Slice:
		t = u.Elem()
	case *types.Array:
		t = u.Elem()
	case *types.Pointer:
		return isCompletion(u.Elem())
	}
	return ofDataPath(t) == "WC"
}

// channelless reports waits for a queue that the function has made with nil for its channel.
func (w *walker) channelless(fn *ast.FuncDecl) {
	without, defined := map[types.Object]bool{}, w.defined(fn.Body)
	for o, call := range w.firstResults(fn, w.isHandle) {
		params := w.callee(call).Signature().Params()
		for i := range params.Len() {
			b, name := w.named(params.At(i).Type())
			if b != nil && name == "CompChannel" && i < len(call.Args) && w.isNil(call.Args[i]) {
				without[o] = !defined[o].again
			}
		}
	}
	for call := range all[*ast.CallExpr](fn.Body) {
		s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "Wait" {
			continue
		}
		if o := w.root(s.X); o != nil && without[o] {
			w.report(call, "completion", "the queue %s has no completion channel, which Wait needs; create it with one, or poll", o.Name())
		}
	}
}
