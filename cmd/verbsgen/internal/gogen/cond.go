package gogen

import (
	"math"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/cond"
	"github.com/verbsgen/verbsgen/spec/role"
)

// condition is Go that is a test, or several tests joined by && or ||.
type condition struct {
	test  *jen.Statement
	op    string // that joins parts
	parts []condition
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
	if len(c.parts) == 0 {
		return c.test
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
var opposites = map[string]string{"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// compared is a comparison that holds, or one that does not.
func compared(left *jen.Statement, operator string, right *jen.Statement, holds bool) condition {
	if !holds {
		operator = opposites[operator]
	}
	return condition{test: op(left, operator, right)}
}

// holding is a call that reports whether something holds, or its opposite.
func holding(call *jen.Statement, holds bool) condition {
	if !holds {
		call = jen.Op("!").Add(call)
	}
	return condition{test: call}
}

// broken is the condition under which a rule is broken; what may be unknown at run time is known.
func (t *terms) broken(r *model.Rule) condition {
	var parts []condition
	for _, o := range model.Inputs(r) {
		if loose(o) {
			parts = append(parts, condition{test: id("in", o.Name, "OK")})
		}
	}
	return joined("&&", append(parts, t.cond(r, r.Broken, true)))
}

// cond is Go that is true if a condition of a rule holds, or if it does not.
func (t *terms) cond(r *model.Rule, n *model.Cond, holds bool) condition {
	switch n.Op {
	case cond.All, cond.Any:
		var parts []condition
		for _, s := range n.Sub {
			parts = append(parts, t.cond(r, s, holds))
		}
		return joined(either(n.Op == cond.Any == holds), parts)
	case cond.Not:
		return t.cond(r, n.Sub[0], !holds)
	case cond.BadTransition:
		return holding(rt("fail", "BadTransition").Call(t.transitionArgs(r, n)...), holds)
	}
	return t.test(n, holds)
}

// either joins conditions of which one is enough, or of which all are needed.
func either(one bool) string {
	if one {
		return "||"
	}
	return "&&"
}

// operators are the comparisons of two numbers.
var operators = map[cond.Op]string{cond.Eq: "==", cond.Ne: "!=", cond.Lt: "<", cond.Le: "<=", cond.Gt: ">", cond.Ge: ">="}

// test is a test of a value in Go.
func (t *terms) test(n *model.Cond, holds bool) condition {
	of, zero := n.Sub[0], jen.Lit(0)
	switch n.Op {
	case cond.Null, cond.Unset:
		return compared(t.valueOf(of), "==", zero, holds)
	case cond.NotNull, cond.Set:
		return compared(t.valueOf(of), "!=", zero, holds)
	case cond.Has:
		return compared(t.masked(of, "&", n.Sub[1]), "!=", zero, holds)
	case cond.Lacks:
		return compared(t.masked(of, "&", n.Sub[1]), "==", zero, holds)
	case cond.HasAll:
		return compared(t.masked(of, "&", n.Sub[1]), "==", t.e.flags(*of.Of, n.Sub[1].Of.Const, false), holds)
	case cond.Only:
		return compared(t.masked(of, "&^", n.Sub[1]), "==", zero, holds)
	case cond.In:
		var parts []condition
		for _, x := range n.Sub[1:] {
			parts = append(parts, t.compare(*of.Of, "==", *x.Of, holds))
		}
		return joined(either(holds), parts)
	}
	with := n.Sub[1]
	switch {
	case of.Op == cond.Sum:
		above := rt("fail", "SumAbove").Call(bitsOf(*of.Sub[0].Of), bitsOf(*of.Sub[1].Of), bitsOf(*with.Of))
		return holding(above, (n.Op == cond.Gt) == holds)
	case of.Op == cond.Operand && with.Op == cond.Operand:
		return t.compare(*of.Of, operators[n.Op], *with.Of, holds)
	}
	return compared(t.valueOf(of), operators[n.Op], t.valueOf(with), holds)
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
		return rt("fail", "Power").Call(bitsOf(*n.Sub[0].Of))
	case cond.Given:
		var given []jen.Code
		for _, f := range n.Sub {
			is := t.valueOf(f)
			if n.Mask != nil && f.Of.Bit != 0 {
				is = t.bitOf(n.Mask, f)
			}
			given = append(given, op(is, "!=", jen.Lit(0)))
		}
		return rt("fail", "Count").Call(given...)
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
		return rt("fail", "PageSize").Call()
	case o.Kind == model.OpConst && o.Signed:
		return jen.Lit(int(int64(o.Const)))
	case o.Kind == model.OpConst && greatestOf[o.Const] != "":
		return rt("math", greatestOf[o.Const])
	case o.Kind == model.OpConst && o.Const > 1<<16:
		return inHex(o.Const)
	case o.Kind == model.OpConst:
		return dec(o.Const)
	case loose(o):
		return id("in", o.Name, "V")
	}
	return id("in", o.Name)
}

// greatestOf are numbers that package math has a name for.
var greatestOf = map[uint64]string{math.MaxUint64: "MaxUint64", math.MaxInt64: "MaxInt64", math.MaxUint32: "MaxUint32",
	math.MaxInt32: "MaxInt32"}

// bitsOf is an operand as a set of bits.
func bitsOf(o model.Operand) *jen.Statement {
	if o.Signed {
		return jen.Uint64().Call(expr(o))
	}
	return expr(o)
}

// compare is a comparison; a constant beside a signed value is signed too, and one beside a value of an enum has its name.
func (t *terms) compare(a model.Operand, op string, b model.Operand, holds bool) condition {
	if name := t.e.constant(a, b); name != "" {
		return compared(t.typed(a), op, id(name), holds)
	}
	switch {
	case a.Signed && b.Kind == model.OpConst && !b.Signed:
		b.Signed = true
	case a.Signed != b.Signed && b.Kind != model.OpConst:
		return compared(bitsOf(a), op, bitsOf(b), holds)
	}
	return compared(expr(a), op, expr(b), holds)
}

// terms are the variables of one validator.
type terms struct {
	e      *emitter
	locals []jen.Code
	local  map[string]string // by the name of the input
	taken  map[string]bool
}

func newTerms(e *emitter) *terms {
	return &terms{e: e, local: map[string]string{}, taken: map[string]bool{}}
}

// typed is a variable with an input that is of an enum or flags, nil for others. It is declared at its first use:
//
//	access := MRAccess(in.access)
func (t *terms) typed(o model.Operand) *jen.Statement {
	of := t.e.namedEnum(o)
	if of == nil {
		return nil
	}
	if name := t.local[o.Name]; name != "" {
		return id(name)
	}
	name := o.Name
	if o.Field != nil {
		if short := model.Unexported(o.Field.Go); !t.taken[short] && !model.Reserved(short) {
			name = short
		}
	}
	t.local[o.Name], t.taken[name] = name, true
	x := id("in", o.Name)
	if loose(o) {
		x = dot(x, "V")
	}
	t.locals = append(t.locals, define(name).Add(id(of.Go).Call(x)))
	return id(name)
}

// enumOf is the enum or flags that a value is of, or nil.
func enumOf(o model.Operand) *model.Enum {
	switch {
	case o.Enum != nil:
		return o.Enum
	case o.Field != nil:
		return o.Field.Enum
	case o.Param != nil && o.Leaf == nil:
		return o.Param.Enum
	}
	return nil
}

// namedEnum is the enum or flags of a value where the package has its type, and the type has all bits of the value.
func (e *emitter) namedEnum(o model.Operand) *model.Enum {
	of := enumOf(o)
	if o.Kind == model.OpCap {
		of = e.capEnum(o)
	}
	if of == nil || o.Signed || len(of.Members) == 0 || !slices.Contains(e.pkg.Enums, of) || o.Kind == model.OpField && o.List != "" {
		return nil
	}
	bits := 32
	switch {
	case o.Kind == model.OpField:
		bits = sizes[o.Layout] * 8
	case o.Leaf != nil:
		bits = int(o.Leaf.Size * 8)
	case o.Param != nil && o.Kind == model.OpArg:
		bits = of.Bits
	}
	if of.Bits < bits || bits == 0 {
		return nil
	}
	return of
}

// capEnum is the enum or flags of a capability, or nil.
func (e *emitter) capEnum(o model.Operand) *model.Enum {
	for _, r := range e.pkg.Records {
		for _, f := range r.Fields {
			if f.Leaf != nil && f.Leaf == o.Leaf {
				return f.Enum
			}
		}
	}
	return nil
}

// sizes are those of the Go types that fields of requests have.
var sizes = map[string]int{"uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8}

// member is the name of a constant of an enum, empty when none has the value.
func (e *emitter) member(of *model.Enum, value uint64) string {
	if m := model.First(of.Members, func(m *model.Member) bool { return uint64(m.Value) == value && !m.Alias }); m != nil {
		return m.Go
	}
	return ""
}

// constant is the name of a constant that a value is compared with; empty when it has none.
func (e *emitter) constant(a, b model.Operand) string {
	of := e.namedEnum(a)
	if of == nil || b.Kind != model.OpConst || b.Signed {
		return ""
	}
	return e.member(of, b.Const)
}

// bit is a named bit of flags or of a mask.
type bit struct {
	name, c string
	value   uint64
	fields  string // of a mask: the Go names of the fields that it says are given
}

// flags are bits by their names: MRAccessLocalWrite|MRAccessRemoteWrite. Bits without a name are a number.
func (e *emitter) flags(o model.Operand, value uint64, operand bool) *jen.Statement {
	var bits []bit
	if of := e.namedEnum(o); of != nil {
		for _, m := range of.Members {
			if !m.Alias && m.Value&(m.Value-1) == 0 {
				bits = append(bits, bit{name: m.Go, value: uint64(m.Value)})
			}
		}
	} else if rec := maskOf(o); rec != nil {
		bits = bitsOfMask(rec)
	}
	var parts []jen.Code
	for _, b := range bits {
		if b.value != 0 && value&b.value == b.value {
			parts, value = append(parts, id(b.name)), value&^b.value
		}
	}
	if value != 0 || len(parts) == 0 {
		parts = append(parts, inHex(value))
	}
	all := join("|", len(parts) > few, parts...)
	if operand && len(parts) > 1 {
		return jen.Parens(all)
	}
	return all
}

// maskOf is the record whose mask an operand is, or nil.
func maskOf(o model.Operand) *model.Record {
	if o.Param == nil || o.Param.Record == nil || o.Param.Record.Runtime != "" || o.Param.Record.From != nil {
		return nil
	}
	rec := o.Param.Record
	if o.Param.Role == role.Mask || o.Kind == model.OpArg && o.Leaf != nil && o.Leaf.Go == rec.Mask {
		return rec
	}
	return nil
}

// bitsOfMask are the bits of the mask of a record, each named after the first field that it says is given.
func bitsOfMask(rec *model.Record) (bits []bit) {
	add := func(c, field, fields string, value int64) {
		if !slices.ContainsFunc(bits, func(b bit) bool { return b.c == c }) {
			bits = append(bits, bit{name: model.Unexported(rec.Go) + "Has" + field, c: c, value: uint64(value), fields: fields})
		}
	}
	for _, f := range rec.Fields {
		if f.Bit != nil {
			add(f.Bit.C, f.Go, strings.Join(fieldsOf(rec, f.Bit.C), "/"), f.BitValue)
		}
	}
	for _, b := range rec.Bits {
		add(b.C, b.Go, "", b.Value)
	}
	return bits
}

// maskConsts makes the bits of the masks that a rule looks at:
//
//	const (
//		qpAttrHasState = 0x1 // IBV_QP_STATE
//	)
func (e *emitter) maskConsts(g *goFile, r *model.Rule) {
	for n := range r.Broken.Nodes() {
		if n.Of == nil {
			continue
		}
		rec := maskOf(*n.Of)
		if rec == nil || !e.first(rec.Go+"Has") {
			continue
		}
		var consts []jen.Code
		for _, b := range bitsOfMask(rec) {
			consts = append(consts, remark(id(b.name).Op("=").Add(inHex(b.value)), b.c))
		}
		if len(consts) > 0 {
			g.decl("// The bits of the mask of "+rec.Go+": which fields are given.", jen.Const().Defs(consts...))
		}
	}
}
