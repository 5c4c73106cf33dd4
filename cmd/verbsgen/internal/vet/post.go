package vet

import (
	"go/ast"
	"go/types"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// posted walks a call of a generated method that takes a batch, a part of one, or a request; false for another method.
func (w *walker) posted(e *ast.CallExpr, b *bindings, f face, recv value, args []value, sig *types.Signature) bool {
	if f.method.Form != form.Special || sig.Params().Len() == 0 || len(args) == 0 {
		return false
	}
	switch name := ofDataPath(sig.Params().At(0).Type()); {
	case name == "SendWR":
		w.onRequest(recv, args, e)
		return true
	case !strings.HasSuffix(name, "Batch") && name != "Range":
		return false
	}
	for i, r := range requestsOf(args) {
		w.judgeRequest(e, &caseOf{b: b, face: f}, recv, i, r)
	}
	return true
}

// streamed walks a post of a stream of commands, in which each request is a call of the function for its operation.
func (w *walker) streamed(e *ast.CallExpr, b *bindings) {
	s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	st, ok := w.expr(s.X).(*stream)
	args := w.exprs(e.Args)
	if !ok {
		return
	}
	of := st.face.verb.Stream
	for _, r := range requestsOf(args) {
		op, _ := r.fields["opcode"].(opcodeOf)
		for _, x := range of.Builders {
			if x.Opcode.C == string(op) {
				w.judgeCommand(e, b, st, x.Call, r)
			}
		}
		h, _ := st.of.(*handle)
		for _, x := range of.Setters {
			if h == nil {
				break
			}
			if kind, ok := h.props["qp_type"].(*big.Int); ok && kind.IsInt64() && kind.Int64() == x.Kind.Value {
				w.judgeCommand(e, b, st, x.Call, r)
			}
		}
	}
}

// judgeCommand has the function judged that a stream calls for a request.
func (w *walker) judgeCommand(e *ast.CallExpr, b *bindings, st *stream, call model.Call, r *request) {
	verb := b.verbs["ibv_"+call.Op]
	if verb == nil || len(verb.Params) != len(call.Args)+1 {
		return
	}
	fields, _ := r.asCase().(map[string]any)
	if fields == nil {
		return
	}
	c := &caseOf{b: b, face: face{verb, st.face.method}, args: map[string]any{}, given: map[string]ast.Expr{}, values: map[string]value{}}
	c.request, c.recv = r, verb.Params[0].C
	for n, a := range call.Args {
		p := verb.Params[n+1]
		path, address := strings.CutPrefix(a.From, "&")
		v, ok := at(fields, path)
		if _, struct_ := v.(map[string]any); address && !struct_ {
			v = asCase(some{})
		} else if !ok {
			v = explain.Unsaid{}
		}
		c.args[p.C] = v
		c.paths = append(c.paths, [2]string{p.C, path})
	}
	c.values[c.recv] = st.of
	object := map[string]any{"wr_flags": fields[cNames[r.kind].flags]}
	if props, ok := asCase(st.of).(map[string]any); ok {
		maps.Copy(object, props)
	}
	c.args[c.recv] = object
	c.paths = append(c.paths, [2]string{c.recv + ".wr_flags", cNames[r.kind].flags})
	w.found(e, c)
}

// at is the value below a path with dots.
func at(m map[string]any, path string) (any, bool) {
	head, rest, more := strings.Cut(path, ".")
	v, ok := m[head]
	if inner, is := v.(map[string]any); more && is {
		return at(inner, rest)
	}
	return v, ok && !more
}

// mostJudged is the largest number of requests of a post that are judged.
const mostJudged = 64

// requestsOf are the requests that are posted, by number, as far as they are known; of a number that is not known, the first. When nothing
// is known of any, it is one of which nothing is.
func requestsOf(args []value) map[int64]*request {
	s, ok := args[0].(span)
	if b, is := args[0].(*batch); is {
		s, ok = span{b, new(big.Int), valueAt(args, 1)}, true
	}
	n, counted := s.n.(*big.Int)
	first, known := s.first.(*big.Int)
	if counted && n.Sign() <= 0 || !ok {
		return nil
	}
	out, count := map[int64]*request{}, int64(1)
	if known && first.IsInt64() && !s.batch.lost {
		if counted && n.IsInt64() {
			count = min(n.Int64(), mostJudged)
		}
		for i := first.Int64(); i < first.Int64()+count; i++ {
			if r := s.batch.wrs[i]; s.batch.made || r != nil && !r.lost {
				out[i] = s.batch.request(big.NewInt(i))
			}
		}
	}
	if len(out) == 0 {
		out[0] = newRequest(s.batch.kind, false)
	}
	return out
}

// judgeRequest has a request judged as the only one that a call posts.
func (w *walker) judgeRequest(e *ast.CallExpr, c *caseOf, recv value, i int64, r *request) {
	verb := c.face.verb
	list := requestParam(verb, r.kind)
	if list == nil {
		return
	}
	if recv == nil {
		recv = some{}
	}
	c.args, c.given, c.values = map[string]any{}, map[string]ast.Expr{}, map[string]value{}
	c.request, c.number, c.recv = r, i, verb.Params[0].C
	c.paths = [][2]string{{list.C + "[0]", ""}}
	c.args[c.recv], c.values[c.recv] = asCase(recv), recv
	c.args[list.C] = []any{r.asCase()}
	w.found(e, c)
}

// requestParam is the parameter of a verb with a chain of requests of a type; nil without one.
func requestParam(v *model.Verb, kind string) *model.Param {
	c := map[string]string{"SendWR": "struct ibv_send_wr *", "RecvWR": "struct ibv_recv_wr *", "OpsWR": "struct ibv_ops_wr *"}[kind]
	return model.First(v.Params, func(p *model.Param) bool { return p.CType == c })
}

// sweep has the requests judged that a statement wrote to, for what is wrong with them whatever queue they are posted to. In a package
// that changes requests which are complete, or posts them in streams, they are judged only where they are posted.
func (w *walker) sweep() {
	touched := w.touched
	w.touched = nil
	if len(touched) == 0 || w.changes() {
		return
	}
	for _, r := range touched {
		at, _ := r.at["opcode"].(*ast.CallExpr)
		for _, path := range slices.Sorted(maps.Keys(w.from)) {
			b := w.from[path]
			for _, verb := range b.posts {
				if at != nil && !r.lost && requestParam(verb, r.kind) != nil {
					w.judgeRequest(at, &caseOf{b: b, face: face{verb: verb}}, some{}, 0, r)
				}
			}
		}
	}
}

// changes reports whether the package changes requests that are complete, or posts them in streams.
func (w *walker) changes() bool {
	if w.changing == nil {
		found := false
		for id, o := range w.pass.TypesInfo.Uses {
			switch fn, ok := o.(*types.Func); {
			case !ok || fn.Pkg() == nil || fn.Pkg().Name() != "dpath" && w.from[fn.Pkg().Path()] == nil:
			case id.Name == "SetFlags", id.Name == "SetRemote", id.Name == "SetAddr", id.Name == "Advance", id.Name == "SGEs", id.Name == "Stream":
				found = true
			}
		}
		w.changing = &found
	}
	return *w.changing
}
