package cheader

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// op is the kind of a node.
type op string

const (
	opID     op = "id"     // text: a name
	opConst  op = "const"  // text: a number, character or string as written
	opCall   op = "call"   // function, arguments
	opArrow  op = "->"     // object; text: member
	opDot    op = "."      // object; text: member
	opIndex  op = "[]"     // array, index
	opCast   op = "cast"   // operand; text: type
	opUnary  op = "unary"  // operand; text: the operator, "post++" for a postfix one
	opBinary op = "binary" // left, right; text: the operator
	opCond   op = "?:"     // condition, then, else
	opAssign op = "assign" // left, right; text: the operator
	opComma  op = ","      // expressions
	opSizeof op = "sizeof" // an operand, or none; text: type
	opBlockX op = "stmt()" // a statement expression: statements

	opBlock  op = "block"  // statements
	opDecl   op = "decl"   // initialiser, or none; text: name; typ: type
	opIf     op = "if"     // condition, then, else or none
	opReturn op = "return" // value or none
	opExpr   op = "expr"   // an expression as a statement
	opGoto   op = "goto"   // text: label
	opLabel  op = "label"  // statement; text: label
	opOther  op = "other"  // any other statement; text: its tokens

	// Made by folding.
	opOffset op = "offsetof" // text: member; typ: type
	opCtxOp  op = "ctxop"    // context; text: member of verbs_context, absent when the library lacks it
)

// node is one node of a function body, free of the C grammar: parentheses, empty statements and the many levels of
// expressions are gone, and types have one spelling.
type node struct {
	op   op
	text string
	typ  string
	kids []*node
}

func (n *node) is(o op, text string) bool { return n != nil && n.op == o && n.text == text }

// kid is the i-th child, nil when there is none.
func (n *node) kid(i int) *node {
	if n == nil || i >= len(n.kids) {
		return nil
	}
	return n.kids[i]
}

// same reports whether two trees are equal.
func (n *node) same(m *node) bool {
	if n == nil || m == nil {
		return n == m
	}
	return n.op == m.op && n.text == m.text && n.typ == m.typ && slices.EqualFunc(n.kids, m.kids, (*node).same)
}

// walk calls fn for n and all below, parents first.
func (n *node) walk(fn func(*node)) {
	if n == nil {
		return
	}
	fn(n)
	for _, k := range n.kids {
		k.walk(fn)
	}
}

// String writes the tree as nested lists, one spelling for one meaning.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	if n == nil {
		b.WriteString("()")
		return
	}
	if (n.op == opID || n.op == opConst) && len(n.kids) == 0 {
		b.WriteString(n.text)
		return
	}
	b.WriteByte('(')
	b.WriteString(string(n.op))
	for _, s := range []string{n.typ, n.text} {
		if s != "" {
			b.WriteString(" " + s)
		}
	}
	for _, k := range n.kids {
		b.WriteByte(' ')
		k.write(b)
	}
	b.WriteByte(')')
}

// hash pins the tree: the first 16 hexadecimal digits of the SHA-256 of its text.
func (n *node) hash() string {
	sum := sha256.Sum256([]byte(n.String()))
	return hex.EncodeToString(sum[:8])
}

// cText writes an expression as C; ok is false for one that is more than names, members, constants, sizeof and operators before these.
func (n *node) cText() (text string, ok bool) {
	inner := ""
	if len(n.kids) > 0 && n.kids[0] != nil {
		if inner, ok = n.kids[0].cText(); !ok {
			return "", false
		}
	}
	switch {
	case n.op == opID, n.op == opConst:
		return n.text, true
	case n.op == opArrow, n.op == opDot:
		return inner + string(n.op) + n.text, true
	case n.op == opUnary:
		return n.text + inner, !strings.HasPrefix(n.text, "post")
	case n.op == opSizeof:
		return "sizeof(" + inner + n.text + ")", true // of one of them
	}
	return "", false
}
