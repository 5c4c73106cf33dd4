package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// cond is a condition of a rule that can be negated: a comparison, several joined by && or ||, or a call.
type cond struct {
	left, right *jen.Statement
	op          string // of a comparison, or what joins parts; empty for a call, which is left
	parts       []cond
}

func comparison(left *jen.Statement, op string, right *jen.Statement) cond {
	return cond{left: left, op: op, right: right}
}

// allOf holds when every part does, anyOf when one does.
func allOf(parts ...cond) cond { return joined("&&", parts) }
func anyOf(parts ...cond) cond { return joined("||", parts) }

func joined(op string, parts []cond) cond {
	if len(parts) == 1 {
		return parts[0]
	}
	return cond{op: op, parts: parts}
}

// code is the Go of the condition. One that is joined stands without parentheses.
func (c cond) code() *jen.Statement {
	switch {
	case len(c.parts) == 0 && c.op == "":
		return c.left
	case len(c.parts) == 0:
		return op(c.left, c.op, c.right)
	}
	s := jen.Null()
	for i, p := range c.parts {
		if i > 0 {
			s.Op(c.op)
		}
		if c.op == "&&" && p.op == "||" {
			s.Parens(p.code())
		} else {
			s.Add(p.code())
		}
	}
	return s
}

// opposites are the comparisons that hold when others do not.
var opposites = map[string]string{"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// not is the opposite of a condition.
func (c cond) not() cond {
	if len(c.parts) == 0 && c.op != "" {
		return comparison(c.left, opposites[c.op], c.right)
	}
	return cond{left: jen.Op("!").Parens(c.code())}
}

// broken is the condition under which a rule is broken: all of When, and not what the kind asks for.
func (e *emitter) broken(r *model.Rule) *jen.Statement {
	var parts []cond
	for _, o := range ruleOperands(r) {
		if loose(o) {
			parts = append(parts, cond{left: id("in", o.Name, "OK")})
		}
	}
	for _, t := range r.When {
		parts = append(parts, test(t))
	}
	return allOf(append(parts, violated(r))...).code()
}

// ruleOperands are the operands of a rule that may be unknown, each once.
func ruleOperands(r *model.Rule) []model.Operand {
	return inputs(&model.Verb{Rules: []*model.Rule{r}})
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

// masked are some bits of an operand: x&0x1.
func masked(o model.Operand, bits uint64) *jen.Statement { return op(bitsOf(o), "&", inHex(bits)) }

// has holds when any of the bits is set, lacks when none is, and lacksSome when not all are.
func has(o model.Operand, bits uint64) cond { return comparison(masked(o, bits), "!=", jen.Lit(0)) }
func lacks(o model.Operand, bits uint64) cond {
	return comparison(masked(o, bits), "==", jen.Lit(0))
}
func lacksSome(o model.Operand, bits uint64) cond {
	return comparison(masked(o, bits), "!=", inHex(bits))
}

// compare is a comparison; a constant beside a signed value is signed too.
func compare(a model.Operand, op string, b model.Operand) cond {
	switch {
	case a.Signed && b.Kind == model.OpConst && !b.Signed:
		b.Signed = true
	case a.Signed != b.Signed && b.Kind != model.OpConst:
		return comparison(bitsOf(a), op, bitsOf(b))
	}
	return comparison(expr(a), op, expr(b))
}

// test is the condition of one atom.
func test(t model.Test) cond {
	switch t.Test {
	case model.TestHas:
		return has(t.Of, t.Flags)
	case model.TestAll:
		return lacksSome(t.Of, t.Flags).not()
	case model.TestLacks:
		return lacks(t.Of, t.Flags)
	case model.TestIn:
		var one []cond
		for _, x := range t.In {
			one = append(one, compare(t.Of, "==", x))
		}
		return anyOf(one...)
	case model.TestNull:
		return zero(t.Of, t.Yes)
	case model.TestSet:
		return zero(t.Of, !t.Yes)
	}
	op := map[string]string{model.TestEq: "==", model.TestNe: "!=", model.TestLt: "<", model.TestLe: "<=", model.TestGt: ">", model.TestGe: ">="}[t.Test]
	return compare(t.Of, op, t.Value)
}

func zero(o model.Operand, is bool) cond {
	c := comparison(expr(o), "==", jen.Lit(0))
	if is {
		return c
	}
	return c.not()
}

// violated is the condition under which the kind's own demand is not met.
func violated(r *model.Rule) cond {
	switch r.Kind {
	case spec.KindRequires:
		if r.If != 0 {
			return allOf(has(*r.Subject, r.If), lacksSome(*r.Subject, r.Need))
		}
		return lacksSome(*r.Subject, r.Need)
	case spec.KindExcludes:
		return notExcluded(r)
	case spec.KindAllowedSet:
		return notAllowed(r)
	case spec.KindMandatory:
		return lacksSome(*r.Subject, r.Need)
	case spec.KindGatedBy:
		return allOf(zero(*r.Subject, false), lacks(*r.Mask, r.Bits))
	case spec.KindRequired:
		if len(r.Fields) > 0 {
			return comparison(givenCount(r), "==", jen.Lit(0))
		}
		return lacksSome(*r.Mask, r.Bits)
	case spec.KindNotNull:
		return zero(*r.Subject, true)
	case spec.KindRange:
		return outside(r)
	case spec.KindAligned:
		return unaligned(r)
	case spec.KindCapBound:
		return beyondCap(r)
	case spec.KindMaskForTransition:
		return cond{left: rt("validate", "BadTransition").Call(transitionArgs(r)...)}
	}
	var must []cond // depends_on
	for _, t := range r.Must {
		must = append(must, test(t))
	}
	return allOf(must...).not()
}

// notExcluded: flags, or fields, that exclude each other are given together.
func notExcluded(r *model.Rule) cond {
	switch {
	case len(r.Fields) > 0:
		return comparison(givenCount(r), ">", jen.Lit(1))
	case r.If != 0:
		return allOf(has(*r.Subject, r.If), has(*r.Subject, r.Not))
	}
	return has(*r.Subject, r.Not)
}

// notAllowed: the subject is none of the values, or has bits that are not allowed.
func notAllowed(r *model.Rule) cond {
	if len(r.Values) == 0 {
		return comparison(op(bitsOf(*r.Subject), "&^", inHex(r.Allow)), "!=", jen.Lit(0))
	}
	var none []cond
	for _, x := range r.Values {
		none = append(none, compare(*r.Subject, "!=", x))
	}
	return allOf(none...)
}

// beyondCap: the subject or sum is above a capability, or needs one that the device does not have: some of its flags in If do;
// without If any value does.
func beyondCap(r *model.Rule) cond {
	switch {
	case r.CapHas == 0 && len(r.Sum) > 0:
		return outside(r)
	case r.CapHas == 0:
		return compare(*r.Subject, ">", *r.Cap)
	}
	absent := lacksSome(*r.Cap, r.CapHas)
	switch {
	case r.Subject == nil:
		return absent
	case r.If != 0:
		return allOf(has(*r.Subject, r.If), absent)
	}
	return allOf(zero(*r.Subject, false), absent)
}

// outside is the opposite of Min <= subject (or sum) <= Max.
func outside(r *model.Rule) cond {
	if len(r.Sum) == 2 {
		max := model.Operand{Kind: model.OpConst, Const: 1<<64 - 1}
		for _, o := range []*model.Operand{r.Max, r.Cap} {
			if o != nil {
				max = *o
			}
		}
		return cond{left: rt("validate", "SumAbove").Call(bitsOf(r.Sum[0]), bitsOf(r.Sum[1]), bitsOf(max))}
	}
	var out []cond
	if r.Min != nil {
		out = append(out, compare(*r.Subject, "<", *r.Min))
	}
	if r.Max != nil {
		out = append(out, compare(*r.Subject, ">", *r.Max))
	}
	return anyOf(out...)
}

func unaligned(r *model.Rule) cond {
	rest := func(o model.Operand) *jen.Statement { return op(bitsOf(o), "%", bitsOf(*r.To)) }
	if r.SameAs != nil {
		return comparison(rest(*r.Subject), "!=", rest(*r.SameAs))
	}
	return comparison(rest(*r.Subject), "!=", jen.Lit(0))
}

// givenCount is how many of the fields are given: by their mask bit, or without one by a value.
func givenCount(r *model.Rule) *jen.Statement {
	var given []jen.Code
	for _, f := range r.Fields {
		c := zero(f, false)
		if f.Bit != 0 && r.Mask != nil {
			c = has(*r.Mask, f.Bit)
		}
		given = append(given, c.code())
	}
	return rt("validate", "Count").Call(given...)
}
