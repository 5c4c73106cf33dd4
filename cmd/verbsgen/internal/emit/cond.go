package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// broken is the Go condition under which a rule is broken: all of When, and not what the kind asks for.
func (e *emitter) broken(r *model.Rule) string {
	var parts []string
	for _, o := range ruleOperands(r) {
		if loose(o) {
			parts = append(parts, "in."+o.Name+".OK")
		}
	}
	for _, t := range r.When {
		parts = append(parts, test(t))
	}
	parts = append(parts, violated(r))
	return strings.Join(parts, " && ")
}

// ruleOperands are the operands of a rule that may be unknown, each once.
func ruleOperands(r *model.Rule) []model.Operand {
	return inputs(&model.Verb{Rules: []*model.Rule{r}})
}

// expr is the Go expression of an operand.
func expr(o model.Operand) string {
	switch {
	case o.Kind == model.OpPage:
		return "validate.PageSize()"
	case o.Kind == model.OpConst && o.Signed:
		return fmt.Sprint(int64(o.Const))
	case o.Kind == model.OpConst && o.Const > 1<<16:
		return fmt.Sprintf("0x%x", o.Const)
	case o.Kind == model.OpConst:
		return fmt.Sprint(o.Const)
	case loose(o):
		return "in." + o.Name + ".V"
	}
	return "in." + o.Name
}

// bitsOf is an operand as a set of bits.
func bitsOf(o model.Operand) string {
	if o.Signed {
		return "uint64(" + expr(o) + ")"
	}
	return expr(o)
}

// compare writes a comparison; a constant beside a signed value is signed too.
func compare(a model.Operand, op string, b model.Operand) string {
	switch {
	case a.Signed && b.Kind == model.OpConst && !b.Signed:
		b.Signed = true
	case a.Signed != b.Signed && b.Kind != model.OpConst:
		return fmt.Sprintf("%s %s %s", bitsOf(a), op, bitsOf(b))
	}
	return fmt.Sprintf("%s %s %s", expr(a), op, expr(b))
}

// test is the Go condition of one atom.
func test(t model.Test) string {
	switch t.Test {
	case model.TestHas:
		return fmt.Sprintf("%s&0x%x != 0", bitsOf(t.Of), t.Flags)
	case model.TestAll:
		return fmt.Sprintf("%s&0x%x == 0x%x", bitsOf(t.Of), t.Flags, t.Flags)
	case model.TestLacks:
		return fmt.Sprintf("%s&0x%x == 0", bitsOf(t.Of), t.Flags)
	case model.TestIn:
		var any []string
		for _, x := range t.In {
			any = append(any, compare(t.Of, "==", x))
		}
		return "(" + strings.Join(any, " || ") + ")"
	case model.TestNull:
		return zero(t.Of, t.Yes)
	case model.TestSet:
		return zero(t.Of, !t.Yes)
	}
	op := map[string]string{model.TestEq: "==", model.TestNe: "!=", model.TestLt: "<", model.TestLe: "<=", model.TestGt: ">", model.TestGe: ">="}[t.Test]
	return compare(t.Of, op, t.Value)
}

func zero(o model.Operand, is bool) string {
	if is {
		return expr(o) + " == 0"
	}
	return expr(o) + " != 0"
}

// not is the opposite of a condition.
func not(cond string) string {
	for _, p := range [][2]string{{" == ", " != "}, {" != ", " == "}, {" < ", " >= "}, {" <= ", " > "}, {" > ", " <= "}, {" >= ", " < "}} {
		if strings.Count(cond, p[0]) == 1 && !strings.ContainsAny(cond, "()|") && strings.Count(cond, " ") == 2 {
			return strings.Replace(cond, p[0], p[1], 1)
		}
	}
	return "!(" + cond + ")"
}

// violated is the Go condition under which the kind's own demand is not met.
func violated(r *model.Rule) string {
	switch r.Kind {
	case spec.KindRequires:
		need := fmt.Sprintf("%s&0x%x != 0x%x", bitsOf(*r.Subject), r.Need, r.Need)
		if r.If != 0 {
			return fmt.Sprintf("%s&0x%x != 0 && %s", bitsOf(*r.Subject), r.If, need)
		}
		return need
	case spec.KindExcludes:
		if len(r.Fields) > 0 {
			return givenCount(r, "> 1")
		}
		if r.If != 0 {
			return fmt.Sprintf("%s&0x%x != 0 && %s&0x%x != 0", bitsOf(*r.Subject), r.If, bitsOf(*r.Subject), r.Not)
		}
		return fmt.Sprintf("%s&0x%x != 0", bitsOf(*r.Subject), r.Not)
	case spec.KindAllowedSet:
		if len(r.Values) > 0 {
			var none []string
			for _, x := range r.Values {
				none = append(none, compare(*r.Subject, "!=", x))
			}
			return strings.Join(none, " && ")
		}
		return fmt.Sprintf("%s&^0x%x != 0", bitsOf(*r.Subject), r.Allow)
	case spec.KindMandatory:
		return fmt.Sprintf("%s&0x%x != 0x%x", bitsOf(*r.Subject), r.Need, r.Need)
	case spec.KindGatedBy:
		return fmt.Sprintf("%s && %s&0x%x == 0", zero(*r.Subject, false), bitsOf(*r.Mask), r.Bits)
	case spec.KindRequired:
		if len(r.Fields) > 0 {
			return givenCount(r, "== 0")
		}
		return fmt.Sprintf("%s&0x%x != 0x%x", bitsOf(*r.Mask), r.Bits, r.Bits)
	case spec.KindNotNull:
		return zero(*r.Subject, true)
	case spec.KindRange:
		return outside(r)
	case spec.KindAligned:
		return unaligned(r)
	case spec.KindCapBound:
		if r.CapHas != 0 {
			return capLacks(r)
		}
		if len(r.Sum) > 0 {
			return outside(r)
		}
		return compare(*r.Subject, ">", *r.Cap)
	case spec.KindMaskForTransition:
		return "validate.BadTransition(" + wayArgs(r) + ")"
	}
	var all []string // depends_on
	for _, t := range r.Must {
		all = append(all, test(t))
	}
	if len(all) == 1 {
		return not(all[0])
	}
	return "!(" + strings.Join(all, " && ") + ")"
}

// capLacks: some of the subject's flags in If need a capability that the device does not have; without If any value does.
func capLacks(r *model.Rule) string {
	cond := fmt.Sprintf("%s&0x%x != 0x%x", bitsOf(*r.Cap), r.CapHas, r.CapHas)
	switch {
	case r.Subject == nil:
		return cond
	case r.If != 0:
		return fmt.Sprintf("%s&0x%x != 0 && %s", bitsOf(*r.Subject), r.If, cond)
	}
	return zero(*r.Subject, false) + " && " + cond
}

// outside is the opposite of Min <= subject (or sum) <= Max.
func outside(r *model.Rule) string {
	if len(r.Sum) == 2 {
		max := model.Operand{Kind: model.OpConst, Const: 1<<64 - 1}
		for _, o := range []*model.Operand{r.Max, r.Cap} {
			if o != nil {
				max = *o
			}
		}
		return fmt.Sprintf("validate.SumAbove(%s, %s, %s)", bitsOf(r.Sum[0]), bitsOf(r.Sum[1]), bitsOf(max))
	}
	var any []string
	if r.Min != nil {
		any = append(any, compare(*r.Subject, "<", *r.Min))
	}
	if r.Max != nil {
		any = append(any, compare(*r.Subject, ">", *r.Max))
	}
	if len(any) == 1 {
		return any[0]
	}
	return "(" + strings.Join(any, " || ") + ")"
}

func unaligned(r *model.Rule) string {
	to := bitsOf(*r.To)
	if r.SameAs != nil {
		return fmt.Sprintf("%s%%%s != %s%%%s", bitsOf(*r.Subject), to, bitsOf(*r.SameAs), to)
	}
	return fmt.Sprintf("%s%%%s != 0", bitsOf(*r.Subject), to)
}

// givenCount compares how many of the fields are given: by their mask bit, or without one by a value.
func givenCount(r *model.Rule, how string) string {
	var given []string
	for _, f := range r.Fields {
		cond := zero(f, false)
		if f.Bit != 0 && r.Mask != nil {
			cond = fmt.Sprintf("%s&0x%x != 0", bitsOf(*r.Mask), f.Bit)
		}
		given = append(given, cond)
	}
	return fmt.Sprintf("validate.Count(%s) %s", strings.Join(given, ", "), how)
}
