package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// condition is Go that can be negated: a comparison, several conditions joined by && or ||, or a call.
type condition struct {
	left, right *jen.Statement
	op          string // of a comparison, or what joins parts; empty for a call, which is left
	parts       []condition
	negated     bool // of a call
}

func comparison(left *jen.Statement, op string, right *jen.Statement) condition {
	return condition{left: left, op: op, right: right}
}

// joined joins conditions; what one of them joins by the same operator stands beside the others.
func joined(op string, parts []condition) condition {
	if len(parts) == 1 {
		return parts[0]
	}
	out := condition{op: op}
	for _, p := range parts {
		if p.op == op {
			out.parts = append(out.parts, p.parts...)
		} else {
			out.parts = append(out.parts, p)
		}
	}
	return out
}

// code is the Go of the condition. One that is joined stands without parentheses.
func (c condition) code() *jen.Statement {
	switch {
	case len(c.parts) == 0 && c.op == "" && c.negated:
		return jen.Op("!").Add(c.left)
	case len(c.parts) == 0 && c.op == "":
		return c.left
	case len(c.parts) == 0:
		return op(c.left, c.op, c.right)
	}
	var operands []jen.Code
	for _, p := range c.parts {
		if c.op == "&&" && p.op == "||" {
			operands = append(operands, jen.Parens(p.code()))
		} else {
			operands = append(operands, p.code())
		}
	}
	return join(c.op, c.leaves() > 3, operands...)
}

// leaves is the number of conditions that others join.
func (c condition) leaves() (n int) {
	for _, p := range c.parts {
		n += p.leaves()
	}
	return max(n, 1)
}

// opposites are the operators whose conditions hold when others do not.
var opposites = map[string]string{"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "&&": "||", "||": "&&"}

// not is the opposite of a condition.
func (c condition) not() condition {
	switch {
	case len(c.parts) > 0:
		var parts []condition
		for _, p := range c.parts {
			parts = append(parts, p.not())
		}
		return joined(opposites[c.op], parts)
	case c.op != "":
		return comparison(c.left, opposites[c.op], c.right)
	}
	return condition{left: c.left, negated: !c.negated}
}

// broken is the condition under which a rule is broken; what may be unknown at run time is known.
func (t *terms) broken(r *model.Rule) condition {
	var parts []condition
	for _, o := range (&model.Verb{Rules: []*model.Rule{r}}).Inputs() {
		if loose(o) {
			parts = append(parts, condition{left: id("in", o.Name, "OK")})
		}
	}
	return joined("&&", append(parts, t.cond(r, r.Broken)))
}

// cond is a condition of a rule in Go.
func (t *terms) cond(r *model.Rule, n *model.Cond) condition {
	var parts []condition
	for _, s := range n.Sub {
		if n.Joins() {
			parts = append(parts, t.cond(r, s))
		}
	}
	switch n.Op {
	case cond.All:
		return joined("&&", parts)
	case cond.Any:
		return joined("||", parts)
	case cond.Not:
		return parts[0].not()
	case cond.BadTransition:
		return condition{left: rt("validate", "BadTransition").Add(argLines(t.transitionArgs(r, n)...))}
	}
	return t.test(n)
}

// operators are the comparisons of two numbers.
var operators = map[cond.Op]string{cond.Eq: "==", cond.Ne: "!=", cond.Lt: "<", cond.Le: "<=", cond.Gt: ">", cond.Ge: ">="}

// test is a test of a value in Go.
func (t *terms) test(n *model.Cond) condition {
	of, zero := n.Sub[0], jen.Lit(0)
	switch n.Op {
	case cond.Null, cond.Unset:
		return comparison(t.valueOf(of), "==", zero)
	case cond.NotNull, cond.Set:
		return comparison(t.valueOf(of), "!=", zero)
	case cond.Has:
		return comparison(t.masked(of, "&", n.Sub[1]), "!=", zero)
	case cond.Lacks:
		return comparison(t.masked(of, "&", n.Sub[1]), "==", zero)
	case cond.HasAll:
		return comparison(t.masked(of, "&", n.Sub[1]), "==", t.e.flags(*of.Of, n.Sub[1].Of.Const, false))
	case cond.Only:
		return comparison(t.masked(of, "&^", n.Sub[1]), "==", zero)
	case cond.In:
		var parts []condition
		for _, x := range n.Sub[1:] {
			parts = append(parts, t.compare(*of.Of, "==", *x.Of))
		}
		return joined("||", parts)
	}
	with := n.Sub[1]
	switch {
	case of.Op == cond.Sum:
		above := condition{left: rt("validate", "SumAbove").Call(bitsOf(*of.Sub[0].Of), bitsOf(*of.Sub[1].Of), bitsOf(*with.Of))}
		if n.Op == cond.Le {
			return above.not()
		}
		return above
	case of.Op == cond.Operand && with.Op == cond.Operand:
		return t.compare(*of.Of, operators[n.Op], *with.Of)
	}
	return comparison(t.valueOf(of), operators[n.Op], t.valueOf(with))
}

// masked are some bits of an operand: access&MRAccessOnDemand, or all but them: access&^(MRAccessOnDemand|MRAccessHugetlb).
func (t *terms) masked(of *model.Cond, operator string, flags *model.Cond) *jen.Statement {
	x := t.typed(*of.Of)
	if x == nil {
		x = bitsOf(*of.Of)
	}
	return op(x, operator, t.e.flags(*of.Of, flags.Of.Const, true))
}

// valueOf is a value of a condition in Go.
func (t *terms) valueOf(n *model.Cond) *jen.Statement {
	switch n.Op {
	case cond.Rest:
		return op(bitsOf(*n.Sub[0].Of), "%", bitsOf(*n.Sub[1].Of))
	case cond.Power:
		return rt("validate", "Power").Call(bitsOf(*n.Sub[0].Of))
	case cond.Given:
		var given []jen.Code
		for _, f := range n.Sub {
			is := comparison(t.valueOf(f), "!=", jen.Lit(0))
			if n.Mask != nil && f.Of.Bit != 0 {
				is = comparison(t.bitOf(n.Mask, f), "!=", jen.Lit(0))
			}
			given = append(given, is.code())
		}
		return rt("validate", "Count").Call(given...)
	case cond.IfGiven:
		return rt("validate", "Either").Call(op(t.bitOf(n.Mask, n.Sub[1]), "!=", jen.Lit(0)), t.valueOf(n.Sub[1]), t.valueOf(n.Sub[0]))
	}
	return expr(*n.Of)
}

// bitOf is the bit of a mask that says that a field is given: mask&0x1.
func (t *terms) bitOf(mask, field *model.Cond) *jen.Statement {
	return op(bitsOf(*mask.Of), "&", t.e.flags(*mask.Of, field.Of.Bit, true))
}

// expr is the Go expression of an operand.
func expr(o model.Operand) *jen.Statement {
	switch {
	case o.Kind == model.OpPage:
		return rt("validate", "PageSize").Call()
	case o.Kind == model.OpConst && o.Signed:
		return jen.Lit(int(int64(o.Const)))
	case o.Kind == model.OpConst && o.Const > 1<<16:
		return inHex(o.Const)
	case o.Kind == model.OpConst:
		return dec(o.Const)
	case loose(o):
		return id("in", o.Name, "V")
	}
	return id("in", o.Name)
}

// bitsOf is an operand as a set of bits.
func bitsOf(o model.Operand) *jen.Statement {
	if o.Signed {
		return jen.Uint64().Call(expr(o))
	}
	return expr(o)
}

// compare is a comparison; a constant beside a signed value is signed too, and one beside a value of an enum has its name.
func (t *terms) compare(a model.Operand, op string, b model.Operand) condition {
	if name := t.e.constant(a, b); name != "" {
		return comparison(t.typed(a), op, id(name))
	}
	switch {
	case a.Signed && b.Kind == model.OpConst && !b.Signed:
		b.Signed = true
	case a.Signed != b.Signed && b.Kind != model.OpConst:
		return comparison(bitsOf(a), op, bitsOf(b))
	}
	return comparison(expr(a), op, expr(b))
}
