package cheader

import "strings"

// The names that the macro for an op of the extended context is made of. A header without them has no such way.
const (
	extContext    = "struct verbs_context"
	contextHelper = "verbs_get_ctx" // finds the extended context behind a struct ibv_context
	sizeMember    = "sz"            // how much of it the library has, counted from its end
)

// fold replaces the expansions of offsetof, NULL and verbs_get_ctx_op by one node each, and tidies declarations.
func fold(n *node) *node {
	for i, k := range n.kids {
		if k != nil {
			n.kids[i] = fold(k)
		}
	}
	switch n.op {
	case opCast:
		return foldCast(n)
	case opBlockX:
		return foldCtxOp(n)
	case opBlock:
		n.kids = tidy(n.kids)
	}
	return n
}

// foldCast knows the two casts of our stub headers: NULL and offsetof.
func foldCast(n *node) *node {
	in := n.kid(0)
	if n.text == "void *" && in.is(opConst, "0") {
		return &node{op: opID, text: "NULL"}
	}
	if n.text != "size_t" && n.text != "unsigned long" || !in.is(opUnary, "&") {
		return n
	}
	member := in.kid(0)
	if member == nil || member.op != opArrow {
		return n
	}
	base := member.kid(0)
	if base == nil || base.op != opCast || !base.kid(0).is(opConst, "0") {
		return n
	}
	return &node{op: opOffset, text: member.text, typ: pointee(base.text)}
}

// pointee cuts the last star off the text of a pointer type.
func pointee(t string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(t, " "), "*"), " ")
}

// foldCtxOp folds
//
//	({ struct verbs_context *v = verbs_get_ctx(ctx);
//	   (!v || v->sz < sizeof(*v) - offsetof(struct verbs_context, op) || !v->op) ? NULL : v; })
//
// after a look at each of its parts: a test that is missing or names another op leaves the tree as it is, and the
// function special.
func foldCtxOp(n *node) *node {
	decl, val := n.kid(0), n.kid(1)
	if len(n.kids) != 2 || decl.op != opDecl || decl.typ != extContext+" *" || val.op != opExpr {
		return n
	}
	get := decl.kid(0)
	if get == nil || get.op != opCall || len(get.kids) != 2 || !get.kid(0).is(opID, contextHelper) {
		return n
	}
	v := &node{op: opID, text: decl.text}
	cond := val.kid(0)
	if cond.op != opCond || !cond.kid(1).is(opID, "NULL") || !cond.kid(2).same(v) {
		return n
	}
	both := cond.kid(0)
	if !both.is(opBinary, "||") || !both.kid(0).is(opBinary, "||") {
		return n
	}
	noContext, small, noOp := both.kid(0).kid(0), both.kid(0).kid(1), both.kid(1)
	if !noOp.is(opUnary, "!") || noOp.kid(0) == nil || noOp.kid(0).op != opArrow || !noOp.kid(0).kid(0).same(v) {
		return n
	}
	member := noOp.kid(0).text
	want := &node{op: opBinary, text: "<", kids: []*node{
		{op: opArrow, text: sizeMember, kids: []*node{v}},
		{op: opBinary, text: "-", kids: []*node{
			{op: opSizeof, kids: []*node{{op: opUnary, text: "*", kids: []*node{v}}}},
			{op: opOffset, text: member, typ: extContext},
		}},
	}}
	if !noContext.same(&node{op: opUnary, text: "!", kids: []*node{v}}) || !small.same(want) {
		return n
	}
	return &node{op: opCtxOp, text: member, kids: []*node{get.kid(1)}}
}

// tidy joins "T x; x = e" to "T x = e", and "x = e; return x" to "return e", where x is a local that nothing else uses.
func tidy(list []*node) []*node {
	for i := 0; i < len(list); i++ {
		d := list[i]
		if d.op != opDecl || len(d.kids) != 0 {
			continue
		}
		for j := i + 1; j < len(list); j++ {
			if set := assigned(list[j]); set != nil && set.kid(0).is(opID, d.text) {
				list[j] = &node{op: opDecl, text: d.text, typ: d.typ, kids: []*node{set.kid(1)}}
				list = append(list[:i], list[i+1:]...)
				i--
				break
			}
			if list[j].uses(d.text) {
				break
			}
		}
	}
	if n := len(list); n >= 2 {
		d, ret := list[n-2], list[n-1]
		if d.op == opDecl && len(d.kids) == 1 && ret.op == opReturn && ret.kid(0).is(opID, d.text) {
			list = append(list[:n-2], &node{op: opReturn, kids: []*node{d.kid(0)}})
		}
	}
	return list
}

// assigned is the plain assignment that a statement consists of, or nil.
func assigned(s *node) *node {
	if s.op == opExpr && s.kid(0).is(opAssign, "=") {
		return s.kid(0)
	}
	return nil
}

// uses reports whether a name occurs in a tree; unknown text counts.
func (n *node) uses(name string) bool {
	found := false
	n.walk(func(k *node) {
		found = found || k.is(opID, name) || k.op == opOther
	})
	return found
}
