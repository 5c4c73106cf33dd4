package gogen

import (
	"math/big"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// checkTestFile writes a test of the validators: for each rule a call that keeps it and a call that breaks it.
//
//	func TestRules(t *testing.T) {
//		judge(t, "VR-ibv_x-a-0001", checkX, &inX{a: 1}, &inX{a: 2})
//	}
func (e *emitter) checkTestFile() *goFile {
	var rows []jen.Code
	for _, v := range e.pkg.Verbs {
		for _, r := range allChecked(v) {
			in := func(args, caps map[string]any) jen.Code {
				return jen.Line().Op("&").Id("in" + v.Go).Values(e.literal(v, args, caps)...)
			}
			rows = append(rows, id("judge").Call(id("t"), jen.Lit(r.ID), id(validatorOf(v, r)+v.Go), in(r.Accept, r.AcceptCaps),
				in(r.Reject, r.RejectCaps)))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	g := e.newFile("check.gen_test.go")
	g.fn(fn{doc: "// TestRules calls each validator with arguments that keep a rule, and with arguments that break it.",
		name: "TestRules", params: []jen.Code{testingT()}, body: rows})
	e.judge(g)
	return g
}

// validatorOf is the first word of the name of the validator that has a rule.
func validatorOf(v *model.Verb, r *model.Rule) string {
	switch {
	case v.Explained && slices.Contains(v.Explains(true), r):
		return "broken"
	case v.Explained || r.Lint:
		return "hint"
	}
	return "check"
}

// judge makes the function that calls a validator:
//
//	func judge[In, Out any](t *testing.T, id string, validator func(*In) Out, accept, reject *In) {
//		t.Helper()
//		for name, in := range map[string]*In{"accept": accept, "reject": reject} {
//			if got := fmt.Sprint(validator(in)); strings.Contains(got, "["+id+"]") != (name == "reject") {
//				t.Errorf("%s: of the case %s, %+v, the validator says %q", id, name, *in, got)
//			}
//		}
//	}
func (e *emitter) judge(g *goFile) {
	named := rt("strings", "Contains").Call(id("got"), jen.Lit("[").Op("+").Id("id").Op("+").Lit("]"))
	in := jen.Op("*").Id("In")
	cases := jen.Map(jen.String()).Add(in).Values(jen.Lit("accept").Op(":").Id("accept"), jen.Lit("reject").Op(":").Id("reject"))
	g.decl("// judge calls a validator with the two cases of a rule on its page: accept keeps the rule, and reject breaks it.",
		jen.Func().Id("judge").Types(jen.List(jen.Id("In"), jen.Id("Out")).Any()).Params(testingT(), param("id", "string"),
			jen.Id("validator").Func().Params(in).Id("Out"), jen.List(id("accept"), id("reject")).Add(in)).Block(
			id("t.Helper").Call(),
			jen.For(define("name", "in").Range().Add(cases)).Block(
				jen.If(define("got").Add(rt("fmt", "Sprint").Call(id("validator").Call(id("in")))),
					op(named, "!=", jen.Parens(op(id("name"), "==", jen.Lit("reject"))))).Block(
					id("t.Errorf").Call(jen.Lit("%s: of the case %s, %+v, the validator says %q"), id("id"), id("name"),
						jen.Op("*").Id("in"), id("got"))))))
}

// testingT is the parameter of a test: t *testing.T.
func testingT() *jen.Statement { return jen.Id("t").Op("*").Add(rt("testing", "T")) }

// literal are the inputs of a case; what it leaves out is valid and neutral.
func (e *emitter) literal(v *model.Verb, args, caps map[string]any) []jen.Code {
	var out []jen.Code
	for _, o := range v.Inputs() {
		from := args
		if o.Kind == model.OpCap {
			from = caps
		}
		value, given := lookup(from, o.Text)
		if !given && o.Kind == model.OpMade {
			value, given = lookup(caps, o.Text)
		}
		if o.List != "" || o.Kind == model.OpField {
			value, given = lookupField(args, o)
		}
		n := neutral(v, o)
		if given {
			n = number(value)
		}
		switch {
		case loose(o) && given:
			out = append(out, key(o.Name, rt("fail", "Sure").Call(digits(n.String()))))
		case loose(o), n.Sign() == 0: // as it is when nobody sets it
		case n.Sign() < 0 || o.Signed || n.BitLen() < 16:
			out = append(out, key(o.Name, digits(n.String())))
		default:
			out = append(out, key(o.Name, inHex(n.Uint64())))
		}
	}
	return out
}

// someValue is an address, a length or a handle of a case that does not say which; and the size of a page in all of them.
const someValue = 4096

// neutral is a valid value of an argument that a case leaves out: 0, but for handles, records, and memory and its length.
func neutral(v *model.Verb, o model.Operand) *big.Int {
	given := false
	switch p := o.Param; {
	case p == nil || o.Kind == model.OpMade:
	case o.Leaf == nil:
		given = p.Object != nil || p.Record != nil || v.HostMemory(p)
	default:
		given = o.Leaf.GoType == "uintptr" && o.Bit == 0 || slices.ContainsFunc(p.Record.Fields, func(f *model.Field) bool {
			return f.Len != nil && (f.Leaf == o.Leaf || f.Len == o.Leaf)
		})
	}
	if given {
		return big.NewInt(someValue)
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

// lookupField finds a field of the last request of a chain, or what a validator is given of its list.
func lookupField(args map[string]any, o model.Operand) (any, bool) {
	chain, path, _ := strings.Cut(o.Text, "[].")
	requests, _ := args[chain].([]any)
	if len(requests) == 0 {
		return nil, false
	}
	last, _ := requests[len(requests)-1].(map[string]any)
	list, of, listed := strings.Cut(path, "[].")
	if !listed {
		return lookup(last, path)
	}
	elements, _ := last[list].([]any)
	out := new(big.Int)
	for i, x := range elements {
		element, _ := x.(map[string]any)
		value, _ := lookup(element, of)
		switch n := number(value); {
		case o.List == model.ListTotal:
			out.Add(out, n)
		case i == 0 || n.Cmp(out) < 0:
			out = n
		}
	}
	return out, len(elements) > 0
}

// number is the value of an argument in a case: a number, a list of flags, NULL, or an object.
func number(v any) *big.Int {
	n := new(big.Int)
	switch x := v.(type) {
	case *big.Int:
		return x
	case bool:
		if x {
			n.SetInt64(1)
		}
	case []any:
		for _, p := range x {
			n.Or(n, number(p))
		}
	case map[string]any, string: // an object
		n.SetInt64(someValue)
	}
	return n
}
