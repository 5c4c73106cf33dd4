package emit

import (
	"math/big"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// checkTestFile writes a test of the validators: for each rule a call that keeps it and a call that breaks it.
func (e *emitter) checkTestFile() *goFile {
	var rows []jen.Code
	for _, v := range e.pkg.Verbs {
		for _, r := range allChecked(v) {
			validator := "check" + v.Go
			if r.Lint {
				validator = "hint" + v.Go
			}
			for _, c := range []struct {
				args, caps map[string]any
				broken     bool
			}{{r.Accept, r.AcceptCaps, false}, {r.Reject, r.RejectCaps, true}} {
				in := ref(id("in" + v.Go).Values(e.literal(v, c.args, c.caps)...))
				says := jen.Func().Params().String().Add(short(jen.Return(id("textOf").Call(id(validator).Call(in)))))
				rows = append(rows, jen.Values(jen.Lit(r.ID), jen.Lit(c.broken), says))
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	g := e.newFile("check.gen_test.go")
	g.fn(fn{
		doc:  "// textOf is what a validator says, as one text.",
		name: "textOf", params: []jen.Code{param("v", "any")}, results: []jen.Code{jen.String()},
		body: []jen.Code{jen.Return(rt("fmt", "Sprint").Call(id("v")))}, short: true,
	})
	e.testRules(g, rows)
	return g
}

// testRules makes the test:
//
//	func TestRules(t *testing.T) {
//		for _, c := range []struct {
//			id     string
//			broken bool
//			says   func() string
//		}{
//			{"VR-ibv_x-a-0001", false, func() string { return textOf(checkX(&inX{a: 1})) }},
//		} {
//			if got := c.says(); strings.Contains(got, "["+c.id+"]") != c.broken {
//				t.Errorf("%s: broken %t, but the validator says %q", c.id, c.broken, got)
//			}
//		}
//	}
func (e *emitter) testRules(g *goFile, rows []jen.Code) {
	cases := jen.Index().Struct(param("id", "string"), param("broken", "bool"), jen.Id("says").Func().Params().String()).Add(lines(rows...))
	named := rt("strings", "Contains").Call(id("got"), jen.Lit("[").Op("+").Add(id("c.id")).Op("+").Lit("]"))
	g.fn(fn{
		doc:  "// TestRules calls each validator with arguments that keep a rule, and with arguments that break it.",
		name: "TestRules", params: []jen.Code{testingT()},
		body: []jen.Code{jen.For(define("_", "c").Range().Add(cases)).Block(
			jen.If(define("got").Add(id("c.says").Call()), op(named, "!=", id("c.broken"))).Block(
				id("t.Errorf").Call(jen.Lit("%s: broken %t, but the validator says %q"), id("c.id"), id("c.broken"), id("got"))))},
	})
}

// testingT is the parameter of a test: t *testing.T.
func testingT() *jen.Statement { return jen.Id("t").Op("*").Add(rt("testing", "T")) }

// literal are the inputs of a case; what it leaves out is valid and neutral.
func (e *emitter) literal(v *model.Verb, args, caps map[string]any) []jen.Code {
	var out []jen.Code
	for _, o := range e.inputs[v] {
		from := args
		if o.Kind == model.OpCap {
			from = caps
		}
		value, given := lookup(from, o.Text)
		n := neutral(o)
		if given {
			n = number(value)
		}
		switch {
		case loose(o) && given:
			out = append(out, key(o.Name, rt("validate", "Of").Call(digits(n.String()))))
		case loose(o), n.Sign() == 0: // as it is when nobody sets it
		case n.Sign() < 0 || o.Signed || n.BitLen() < 16:
			out = append(out, key(o.Name, digits(n.String())))
		default:
			out = append(out, key(o.Name, inHex(n.Uint64())))
		}
	}
	return out
}

// neutral is a valid value of an argument that a case leaves out.
func neutral(o model.Operand) *big.Int {
	name := o.Text[strings.LastIndexByte(o.Text, '.')+1:]
	switch {
	case strings.Contains(name, "length"), name == "addr", name == "host_addr":
		return big.NewInt(4096)
	case o.Leaf == nil && o.Param != nil && (o.Param.Object != nil || o.Param.Record != nil):
		return big.NewInt(4096)
	case o.Leaf != nil && o.Leaf.GoType == "uintptr" && o.Bit == 0:
		return big.NewInt(4096)
	}
	return new(big.Int)
}

// lookup finds a dotted path in nested maps; a key may itself be dotted.
func lookup(m map[string]any, path string) (any, bool) {
	if v, ok := m[path]; ok {
		return v, true
	}
	for i := range path {
		if path[i] != '.' {
			continue
		}
		if sub, ok := m[path[:i]].(map[string]any); ok {
			if v, ok := lookup(sub, path[i+1:]); ok {
				return v, true
			}
		}
	}
	return nil, false
}

// number is the value of an argument in a case: a number, a list of flags, NULL, or an object.
func number(v any) *big.Int {
	switch x := v.(type) {
	case nil:
		return new(big.Int)
	case bool:
		if x {
			return big.NewInt(1)
		}
		return new(big.Int)
	case int:
		return big.NewInt(int64(x))
	case int64:
		return big.NewInt(x)
	case uint64:
		return new(big.Int).SetUint64(x)
	case *big.Int:
		return x
	case []any:
		n := new(big.Int)
		for _, p := range x {
			n.Or(n, number(p))
		}
		return n
	case map[string]any, string: // an object
		return big.NewInt(4096)
	}
	return new(big.Int)
}
