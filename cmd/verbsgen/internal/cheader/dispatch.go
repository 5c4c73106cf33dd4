package cheader

import (
	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/spec/api"
)

// dispatch reads off the body how an inline function reaches the provider.
func (f *facts) dispatch(fn *api.Function, fd *cc.FunctionDefinition) *api.Dispatch {
	body := fold(convertBody(fd))
	d := &matcher{facts: f, fn: fn, params: map[string]string{}}
	for _, p := range fn.Params {
		d.params[p.Name] = p.Type
	}
	way := d.match(body)
	way.Hash = body.hash()
	if way.Way == api.WaySpecial {
		way.Tree = body.String()
	} else if way.Way != api.WayPure {
		way.Form = formOf(fn.Ret)
	}
	return &way
}

// formOf says what is done with the result: an int is a code, as by far most are; the spec knows the others.
func formOf(ret string) string {
	switch ret {
	case "void":
		return "void"
	case "int":
		return "code"
	}
	return "value"
}

type matcher struct {
	*facts
	fn     *api.Function
	params map[string]string // name -> type
}

func (d *matcher) match(body *node) api.Dispatch {
	special := api.Dispatch{Way: api.WaySpecial}
	if len(body.kids) == 0 {
		return special
	}
	last := result(body.kids[len(body.kids)-1])
	before := body.kids[:len(body.kids)-1]
	if len(before) == 0 {
		if way, ok := d.direct(last); ok {
			return way
		}
	}
	if way, ok := d.verbsOp(before, last); ok {
		return way
	}
	if way, ok := d.guardedOp(before, last); ok {
		return way
	}
	if d.pure(body) {
		return api.Dispatch{Way: api.WayPure}
	}
	return special
}

// result is the expression of a statement that ends a body: returned, or evaluated by a void function.
func result(s *node) *node {
	if s.op == opReturn || s.op == opExpr {
		return s.kid(0)
	}
	return nil
}

// direct matches a body that is one call: of a pointer in an object, of an op in context->ops, or of an exported function.
func (d *matcher) direct(call *node) (api.Dispatch, bool) {
	if way, ok := d.contextOp(call); ok {
		return way, true
	}
	args, ok := d.args(call)
	if !ok {
		return api.Dispatch{}, false
	}
	callee := call.kid(0)
	switch callee.op {
	case opArrow:
		object := callee.kid(0)
		if _, isParam := d.params[object.text]; object.op == opID && isParam {
			return api.Dispatch{Way: api.WayObject, Op: callee.text, Object: object.text, Args: args}, true
		}
	case opID:
		if i, known := d.functions[callee.text]; known && d.rel.Functions[i].Kind != api.Inline {
			return api.Dispatch{Way: api.WayExport, Op: callee.text, Args: args}, true
		}
	}
	return api.Dispatch{}, false
}

// contextOp matches X->context->ops.op(...).
func (d *matcher) contextOp(call *node) (api.Dispatch, bool) {
	args, ok := d.args(call)
	if !ok {
		return api.Dispatch{}, false
	}
	callee := call.kid(0)
	if callee.op != opDot || !callee.kid(0).is(opArrow, "ops") {
		return api.Dispatch{}, false
	}
	object, ok := d.path(callee.kid(0).kid(0))
	return api.Dispatch{Way: api.WayOps, Op: callee.text, Object: object, Args: args}, ok
}

// guardedOp matches a test of the op in context->ops before its call.
func (d *matcher) guardedOp(before []*node, last *node) (api.Dispatch, bool) {
	way, ok := d.contextOp(last)
	if !ok || len(before) != 1 {
		return way, false
	}
	test := before[0]
	if test.op != opIf || len(test.kids) != 2 || !test.kid(0).is(opUnary, "!") || !test.kid(0).kid(0).same(last.kid(0)) {
		return way, false
	}
	way.Missing, way.ErrVia, ok = missing(test.kid(1))
	return way, ok
}

// verbsOp matches the op of verbs_context: the context with that op or NULL, a test for NULL, the call.
func (d *matcher) verbsOp(before []*node, last *node) (api.Dispatch, bool) {
	var way api.Dispatch
	if len(before) != 2 {
		return way, false
	}
	decl, test := before[0], before[1]
	if decl.op != opDecl || len(decl.kids) != 1 || decl.kid(0).op != opCtxOp {
		return way, false
	}
	v := &node{op: opID, text: decl.text}
	if test.op != opIf || len(test.kids) != 2 || !test.kid(0).is(opUnary, "!") || !test.kid(0).kid(0).same(v) {
		return way, false
	}
	args, ok := d.args(last)
	if !ok || !last.kid(0).same(&node{op: opArrow, text: decl.kid(0).text, kids: []*node{v}}) {
		return way, false
	}
	object, ok := d.path(decl.kid(0).kid(0))
	if !ok {
		return way, false
	}
	way = api.Dispatch{Way: api.WayVerbs, Op: decl.kid(0).text, Object: object, Args: args}
	way.Missing, way.ErrVia, ok = missing(test.kid(1))
	return way, ok
}

// missing reads what a body does when there is no op: return E, or errno = E and return NULL.
func missing(block *node) (errno, via string, ok bool) {
	switch len(block.kids) {
	case 1:
		e := block.kid(0)
		if e.op == opReturn && e.kid(0) != nil && isErrno(e.kid(0)) {
			return e.kid(0).text, "return", true
		}
	case 2:
		set := assigned(block.kid(0))
		if set != nil && set.kid(0).is(opID, "errno") && isErrno(set.kid(1)) && block.kid(1).op == opReturn &&
			block.kid(1).kid(0).is(opID, "NULL") {
			return set.kid(1).text, "errno", true
		}
	}
	return "", "", false
}

// isErrno knows an error number by its name: in our errno.h they are enumerators, so that the name survives.
func isErrno(n *node) bool {
	return n.op == opID && len(n.text) > 1 && n.text[0] == 'E' && n.text[1] >= 'A' && n.text[1] <= 'Z'
}

// args are the arguments of a call when each is a parameter or a sizeof.
func (d *matcher) args(call *node) ([]string, bool) {
	if call == nil || call.op != opCall {
		return nil, false
	}
	list := []string{}
	for _, a := range call.kids[1:] {
		_, isParam := d.params[a.text]
		if !(a.op == opID && isParam) && a.op != opSizeof {
			return nil, false
		}
		text, ok := a.cText()
		if !ok {
			return nil, false
		}
		list = append(list, text)
	}
	return list, true
}

// path is the C text of a parameter, or of members reached from one by arrows.
func (d *matcher) path(n *node) (string, bool) {
	for k := n; ; k = k.kid(0) {
		switch {
		case k == nil:
			return "", false
		case k.op == opID:
			if _, ok := d.params[k.text]; !ok {
				return "", false
			}
			return n.cText()
		case k.op != opArrow:
			return "", false
		}
	}
}

// pure reports whether a body computes from its arguments alone: it calls nothing, follows no pointer, and writes only its
// own locals.
func (d *matcher) pure(body *node) bool {
	own := map[string]bool{}
	for name := range d.params {
		own[name] = true
	}
	ok := true
	body.walk(func(n *node) {
		switch n.op {
		case opDecl:
			own[n.text] = true
		case opCall, opArrow, opIndex, opOther, opGoto, opCtxOp, opBlockX:
			ok = false
		case opUnary:
			ok = ok && n.text != "*" && n.text != "&"
		case opAssign:
			ok = ok && n.kid(0).op == opID && own[n.kid(0).text]
		}
	})
	return ok
}
