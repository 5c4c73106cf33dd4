package cheader

import (
	"strings"

	"modernc.org/cc/v4"
)

// convertBody makes our tree of the body of a function.
func convertBody(fd *cc.FunctionDefinition) *node { return convertBlock(fd.CompoundStatement, opBlock) }

func convertBlock(c *cc.CompoundStatement, o op) *node {
	b := &node{op: o}
	for l := c.BlockItemList; l != nil; l = l.BlockItemList {
		switch item := l.BlockItem; item.Case {
		case cc.BlockItemDecl:
			b.kids = append(b.kids, convertDeclaration(item.Declaration)...)
		case cc.BlockItemStmt:
			if s := convertStatement(item.Statement); s != nil {
				b.kids = append(b.kids, s)
			}
		default:
			b.kids = append(b.kids, other(item))
		}
	}
	return b
}

// other keeps what has no node of its own as text.
func other(n cc.Node) *node { return &node{op: opOther, text: tokenText(cc.NodeTokens(n))} }

// tokenText joins tokens with spaces only where words would run together, so that spacing does not count.
func tokenText(toks []cc.Token) string {
	var list []string
	for i := range toks {
		if s := strings.TrimSpace(toks[i].SrcStr()); s != "" {
			list = append(list, s)
		}
	}
	return cText(list)
}

// convertDeclaration leaves out __func__, which the parser puts into every body.
func convertDeclaration(d *cc.Declaration) []*node {
	if d.Case != cc.DeclarationDecl {
		return []*node{other(d)}
	}
	base := tokenText(cc.NodeTokens(d.DeclarationSpecifiers))
	var list []*node
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		dec := l.InitDeclarator.Declarator
		if dec.Name() == "__func__" {
			continue
		}
		n := &node{op: opDecl, text: dec.Name(), typ: declaredType(base, dec)}
		if init := l.InitDeclarator.Initializer; init != nil {
			if init.Case == cc.InitializerExpr {
				n.kids = []*node{convert(init.AssignmentExpression)}
			} else {
				n.kids = []*node{other(init)}
			}
		}
		list = append(list, n)
	}
	return list
}

// declaredType is the type of a local: its specifiers and what stands around its name.
func declaredType(base string, d *cc.Declarator) string {
	text := tokenText(cc.NodeTokens(d))
	text = strings.Replace(text, d.Name(), "", 1)
	return strings.TrimSpace(base + " " + text)
}

func convertStatement(s *cc.Statement) *node {
	switch s.Case {
	case cc.StatementCompound:
		return convertBlock(s.CompoundStatement, opBlock)
	case cc.StatementExpr:
		if s.ExpressionStatement.ExpressionList == nil {
			return nil
		}
		return &node{op: opExpr, kids: []*node{convert(s.ExpressionStatement.ExpressionList)}}
	case cc.StatementSelection:
		return convertSelection(s.SelectionStatement)
	case cc.StatementJump:
		return convertJump(s.JumpStatement)
	case cc.StatementLabeled:
		if l := s.LabeledStatement; l.Case == cc.LabeledStatementLabel {
			return &node{op: opLabel, text: l.Token.SrcStr(), kids: []*node{convertStatement(l.Statement)}}
		}
	}
	return other(s)
}

func convertSelection(s *cc.SelectionStatement) *node {
	n := &node{op: opIf, kids: []*node{convert(s.ExpressionList), asBlock(s.Statement)}}
	switch s.Case {
	case cc.SelectionStatementIf:
		return n
	case cc.SelectionStatementIfElse:
		n.kids = append(n.kids, asBlock(s.Statement2))
		return n
	}
	return other(s)
}

// asBlock makes a branch a block, whether it has braces or not.
func asBlock(s *cc.Statement) *node {
	n := convertStatement(s)
	switch {
	case n == nil:
		return &node{op: opBlock}
	case n.op == opBlock:
		return n
	}
	return &node{op: opBlock, kids: []*node{n}}
}

func convertJump(j *cc.JumpStatement) *node {
	switch j.Case {
	case cc.JumpStatementReturn:
		n := &node{op: opReturn}
		if j.ExpressionList != nil {
			n.kids = []*node{convert(j.ExpressionList)}
		}
		return n
	case cc.JumpStatementGoto:
		return &node{op: opGoto, text: j.Token2.SrcStr()}
	}
	return other(j)
}

// convert makes our tree of an expression.
func convert(e cc.ExpressionNode) *node {
	switch x := e.(type) {
	case *cc.PrimaryExpression:
		return convertPrimary(x)
	case *cc.PostfixExpression:
		return convertPostfix(x)
	case *cc.UnaryExpression:
		return convertUnary(x)
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionCast {
			return &node{op: opCast, text: typeName(x.TypeName), kids: []*node{convert(x.CastExpression)}}
		}
		return convert(x.UnaryExpression)
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond {
			return &node{op: opCond, kids: []*node{convert(x.LogicalOrExpression), convert(x.ExpressionList), convert(x.ConditionalExpression)}}
		}
		return convert(x.LogicalOrExpression)
	case *cc.AssignmentExpression:
		if x.Case != cc.AssignmentExpressionCond {
			return &node{op: opAssign, text: x.Token.SrcStr(), kids: []*node{convert(x.UnaryExpression), convert(x.AssignmentExpression)}}
		}
		return convert(x.ConditionalExpression)
	case *cc.ExpressionList:
		return convertList(x)
	case *cc.ConstantExpression:
		return convert(x.ConditionalExpression)
	}
	return convertBinary(e)
}

func convertList(l *cc.ExpressionList) *node {
	if l.ExpressionList == nil {
		return convert(l.AssignmentExpression)
	}
	n := &node{op: opComma}
	for ; l != nil; l = l.ExpressionList {
		n.kids = append(n.kids, convert(l.AssignmentExpression))
	}
	return n
}

func convertPrimary(x *cc.PrimaryExpression) *node {
	switch x.Case {
	case cc.PrimaryExpressionIdent:
		return &node{op: opID, text: x.Token.SrcStr()}
	case cc.PrimaryExpressionExpr:
		return convert(x.ExpressionList)
	case cc.PrimaryExpressionStmt:
		return convertBlock(x.CompoundStatement, opBlockX)
	case cc.PrimaryExpressionGeneric:
		return other(x)
	}
	return &node{op: opConst, text: x.Token.SrcStr()}
}

func convertPostfix(x *cc.PostfixExpression) *node {
	switch x.Case {
	case cc.PostfixExpressionPrimary:
		return convert(x.PrimaryExpression)
	case cc.PostfixExpressionIndex:
		return &node{op: opIndex, kids: []*node{convert(x.PostfixExpression), convert(x.ExpressionList)}}
	case cc.PostfixExpressionSelect:
		return &node{op: opDot, text: x.Token2.SrcStr(), kids: []*node{convert(x.PostfixExpression)}}
	case cc.PostfixExpressionPSelect:
		return &node{op: opArrow, text: x.Token2.SrcStr(), kids: []*node{convert(x.PostfixExpression)}}
	case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
		return &node{op: opUnary, text: "post" + x.Token.SrcStr(), kids: []*node{convert(x.PostfixExpression)}}
	case cc.PostfixExpressionCall:
		n := &node{op: opCall, kids: []*node{convert(x.PostfixExpression)}}
		for l := x.ArgumentExpressionList; l != nil; l = l.ArgumentExpressionList {
			n.kids = append(n.kids, convert(l.AssignmentExpression))
		}
		return n
	}
	return other(x)
}

func convertUnary(x *cc.UnaryExpression) *node {
	switch x.Case {
	case cc.UnaryExpressionPostfix:
		return convert(x.PostfixExpression)
	case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
		return &node{op: opUnary, text: x.Token.SrcStr(), kids: []*node{convert(x.UnaryExpression)}}
	case cc.UnaryExpressionAddrof, cc.UnaryExpressionDeref, cc.UnaryExpressionPlus, cc.UnaryExpressionMinus,
		cc.UnaryExpressionCpl, cc.UnaryExpressionNot:
		return &node{op: opUnary, text: x.Token.SrcStr(), kids: []*node{convert(x.CastExpression)}}
	case cc.UnaryExpressionSizeofExpr:
		return &node{op: opSizeof, kids: []*node{convert(x.UnaryExpression)}}
	case cc.UnaryExpressionSizeofType:
		return &node{op: opSizeof, text: typeName(x.TypeName)}
	}
	return other(x)
}

// convertBinary handles the levels of binary operators, whose nodes differ in name only.
func convertBinary(e cc.ExpressionNode) *node {
	var left, right cc.ExpressionNode
	var tok cc.Token
	switch x := e.(type) {
	case *cc.LogicalOrExpression:
		left, right, tok = x.LogicalOrExpression, x.LogicalAndExpression, x.Token
	case *cc.LogicalAndExpression:
		left, right, tok = x.LogicalAndExpression, x.InclusiveOrExpression, x.Token
	case *cc.InclusiveOrExpression:
		left, right, tok = x.InclusiveOrExpression, x.ExclusiveOrExpression, x.Token
	case *cc.ExclusiveOrExpression:
		left, right, tok = x.ExclusiveOrExpression, x.AndExpression, x.Token
	case *cc.AndExpression:
		left, right, tok = x.AndExpression, x.EqualityExpression, x.Token
	case *cc.EqualityExpression:
		left, right, tok = x.EqualityExpression, x.RelationalExpression, x.Token
	case *cc.RelationalExpression:
		left, right, tok = x.RelationalExpression, x.ShiftExpression, x.Token
	case *cc.ShiftExpression:
		left, right, tok = x.ShiftExpression, x.AdditiveExpression, x.Token
	case *cc.AdditiveExpression:
		left, right, tok = x.AdditiveExpression, x.MultiplicativeExpression, x.Token
	case *cc.MultiplicativeExpression:
		left, right, tok = x.MultiplicativeExpression, x.CastExpression, x.Token
	default:
		return other(e)
	}
	if left == nil {
		return convert(right)
	}
	return &node{op: opBinary, text: tok.SrcStr(), kids: []*node{convert(left), convert(right)}}
}

// typeName is a type as written in a cast or sizeof, in one spacing.
func typeName(t *cc.TypeName) string { return tokenText(cc.NodeTokens(t)) }
