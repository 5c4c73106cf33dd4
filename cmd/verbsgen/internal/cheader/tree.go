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

// cText writes an expression as C; ok is false for one that is more than names, members, constants, casts, sizeof,
// operators and calls.
func (n *node) cText() (text string, ok bool) {
	if n == nil {
		return "", false
	}
	parts := make([]string, len(n.kids))
	for i, k := range n.kids {
		if parts[i], ok = k.cText(); !ok {
			return "", false
		}
	}
	switch n.op {
	case opID, opConst:
		return n.text, true
	case opArrow, opDot:
		return parts[0] + string(n.op) + n.text, true
	case opIndex:
		return parts[0] + "[" + parts[1] + "]", true
	case opCast:
		return "(" + n.text + ")" + parts[0], true
	case opUnary:
		return n.text + parts[0], !strings.HasPrefix(n.text, "post")
	case opBinary:
		return "(" + parts[0] + " " + n.text + " " + parts[1] + ")", true
	case opSizeof:
		if len(parts) == 1 {
			return "sizeof(" + parts[0] + ")", true
		}
		return "sizeof(" + n.text + ")", true
	case opCall:
		return parts[0] + "(" + strings.Join(parts[1:], ", ") + ")", true
	}
	return "", false
}
