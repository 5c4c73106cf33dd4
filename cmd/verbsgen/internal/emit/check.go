package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec/cond"
	"github.com/verbsgen/verbsgen/spec/role"
)

// checkFiles writes the table of rules, and for each object a file with the validators of its verbs.
func (e *emitter) checkFiles() {
	table := e.newFile("check.gen.go")
	e.ruleTable(table)
	e.render(table)
	var homes []string
	verbs := map[string][]*model.Verb{}
	for _, v := range e.pkg.Verbs {
		if len(e.inputs[v]) == 0 {
			continue
		}
		home := strings.ToLower(e.plan.Home[v])
		if verbs[home] == nil {
			homes = append(homes, home)
		}
		verbs[home] = append(verbs[home], v)
	}
	for _, home := range homes {
		g := e.newFile(home + "_check.gen.go")
		for _, v := range verbs[home] {
			e.validator(g, v)
		}
		e.render(g)
	}
}

// allChecked are the rules of a verb that its validators check.
func allChecked(v *model.Verb) []*model.Rule { return append(v.Checked(false), v.Checked(true)...) }

// inputs are the values that the validators of a verb look at.
func inputs(v *model.Verb) []model.Operand { return v.Inputs() }

// loose tells whether an operand may be unknown at run time.
func loose(o model.Operand) bool {
	return o.Kind == model.OpProp || o.Kind == model.OpCap || o.Kind == model.OpMade
}

// ruleTable makes what the errors say of each rule:
//
//	const (
//		rule0001 = iota
//	)
//
//	var rules = []verr.Rule{
//		rule0001: {ID: "VR-ibv_reg_mr-access-0001", ...},
//	}
func (e *emitter) ruleTable(g *goFile) {
	var places, rows []jen.Code
	for _, v := range e.pkg.Verbs {
		for _, r := range allChecked(v) {
			place := id(ruleConst(r))
			if len(places) == 0 {
				place.Op("=").Iota()
			}
			places = append(places, place)
			rows = append(rows, id(ruleConst(r)).Op(":").Add(e.ruleRow(v, r)))
		}
	}
	if len(rows) == 0 {
		return
	}
	g.decl("// Places in the table of rules.", jen.Const().Defs(places...))
	g.decl("// rules are the rules that the validators check, with what the errors say of them.",
		jen.Var().Id("rules").Op("=").Index().Add(rt("verr", "Rule")).Add(lines(rows...)))
}

// ruleRow is one entry of the table.
func (e *emitter) ruleRow(v *model.Verb, r *model.Rule) *jen.Statement {
	fields := []jen.Code{key("ID", jen.Lit(r.ID)), key("Verb", jen.Lit(r.Verb)), key("Subject", jen.Lit(subjectText(r))),
		key("Statement", jen.Lit(r.Statement)), key("Fix", jen.Lit(r.Fix)), key("Page", jen.Lit(r.Page))}
	if r.Section != "" {
		fields = append(fields, key("Section", jen.Lit(r.Section)))
	}
	if r.Unsupported {
		fields = append(fields, key("Unsupported", jen.True()))
	}
	if slices.ContainsFunc(r.Operands(), func(o *model.Operand) bool { return o.Kind == model.OpCap }) {
		fields = append(fields, key("Capable", jen.True()))
	}
	if o := limit(r); o != nil {
		fields = append(fields, key("Limit", jen.Lit(o.Text[strings.LastIndexByte(o.Text, '.')+1:])))
	}
	if len(r.AcceptedBy) > 0 {
		fields = append(fields, key("AcceptedBy", texts(r.AcceptedBy)))
	}
	if len(r.RefusedBy) > 0 {
		fields = append(fields, key("RefusedBy", texts(r.RefusedBy)))
	}
	return jen.Values(fields...)
}

// texts is a list of texts: []string{"a", "b"}.
func texts(list []string) *jen.Statement {
	return jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, s := range list {
			g.Lit(s)
		}
	})
}

// subjectText names what a rule is about: its subject, or without one the places that the first of its tests looks at. It is the sum
// of a list where that is what counts.
func subjectText(r *model.Rule) string {
	if o := totalOf(r); o != nil {
		return "sum of " + o.Text
	}
	if r.Subject != nil {
		return r.Subject.Text
	}
	var names []string
	r.Violated.Subject().Each(func(n *model.Cond) {
		if n.Op == cond.Operand && n.Of.Kind == model.OpArg {
			names = append(names, n.Of.Text)
		}
	})
	return strings.Join(names, ", ")
}

// totalOf is the sum of a list that a rule asks something of, nil when it asks nothing of one.
func totalOf(r *model.Rule) (of *model.Operand) {
	r.Violated.Each(func(n *model.Cond) {
		if n.Op == cond.Operand && n.Of.List == model.ListTotal {
			of = n.Of
		}
	})
	return of
}

// ruleConst names the place of a rule: by its number, which is unique in the project, or by the words of its ID.
func ruleConst(r *model.Rule) string {
	parts := strings.Split(r.ID, "-")
	if last := parts[len(parts)-1]; last != "" && strings.Trim(last, "0123456789") == "" {
		return "rule" + last
	}
	return "rule" + naming.Exported(strings.NewReplacer("-", "_", ".", "_", "[", "", "]", "").Replace(strings.TrimPrefix(r.ID, "VR-")))
}

// validator makes the inputs of a verb and its two functions: what refuses a call, and what may explain a failure.
func (e *emitter) validator(g *goFile, v *model.Verb) {
	var fields []jen.Code
	for _, o := range e.inputs[v] {
		t := jen.Uint64()
		switch {
		case loose(o):
			t = rt("validate", "Known")
		case o.Signed:
			t = jen.Int64()
		}
		fields = append(fields, remark(jen.Id(o.Name).Add(t), o.Text))
	}
	g.structType("// in"+v.Go+" has the values that the rules of "+v.C+" use.", "in"+v.Go, fields...)
	for _, r := range allChecked(v) {
		e.maskConsts(g, r)
		e.transitions(g, r)
		e.maskNames(g, r)
	}
	if v.Explained {
		doc := "broken%s returns the rules that a request of %s breaks and that are enough to have it refused."
		e.violationsFunc(g, v, "broken", "bad", doc, v.Explains(true))
		doc = "hint%s returns the other rules that a request of %s breaks, which may be the cause when it is refused."
		e.violationsFunc(g, v, "hint", "may", doc, v.Explains(false))
		return
	}
	e.checkFunc(g, v)
	doc := "hint%s returns the lints that a call of %s breaks, which may be the cause when it fails."
	e.violationsFunc(g, v, "hint", "may", doc, v.Checked(true))
}

// checkFunc makes what refuses a call:
//
//	func checkX(in *inX) error {
//		var bad verr.Violations
//		access := MRAccess(in.access)
//		if access&MRAccessRemoteWrite != 0 {
//			bad.Add(&rules[rule0001], access.String())
//		}
//		return verr.RefuseErr("ibv_x", bad...)
//	}
func (e *emitter) checkFunc(g *goFile, v *model.Verb) {
	rules := v.Checked(false)
	if len(rules) == 0 {
		return
	}
	body := append([]jen.Code{jen.Var().Id("bad").Add(rt("verr", "Violations"))}, e.collect("bad", rules)...)
	body = append(body, jen.Return(rt("verr", "RefuseErr").Call(jen.Lit(v.C), id("bad").Op("..."))))
	g.fn(fn{
		doc:  "// check" + v.Go + " refuses a call of " + v.C + " that breaks a rule.",
		name: "check" + v.Go, params: []jen.Code{param("in", "*in"+v.Go)}, results: errResult(), body: body,
	})
}

// violationsFunc makes what lists the rules that are broken, such as those that may explain a failure, as some devices do not have
// them:
//
//	func hintX(in *inX) []verr.Violation {
//		var may verr.Violations
//		if in.length == 0 {
//			may.Add(&rules[rule0012], "")
//		}
//		return may
//	}
func (e *emitter) violationsFunc(g *goFile, v *model.Verb, prefix, list, doc string, rules []*model.Rule) {
	if len(rules) == 0 {
		return
	}
	body := append([]jen.Code{jen.Var().Id(list).Add(rt("verr", "Violations"))}, e.collect(list, rules)...)
	g.fn(fn{
		doc:  fmt.Sprintf("// "+doc, v.Go, v.C),
		name: prefix + v.Go, params: []jen.Code{param("in", "*in"+v.Go)}, results: []jen.Code{jen.Index().Add(rt("verr", "Violation"))},
		body: append(body, jen.Return(id(list))),
	})
}

// collect adds each rule that is broken to a list, with the value that breaks it:
//
//	if in.length > in.capMax.V {
//		bad.Beyond(&rules[rule0001], validate.Dec(in.length), in.capMax.V)
//	}
func (e *emitter) collect(list string, rules []*model.Rule) (body []jen.Code) {
	t := terms{e: e, local: map[string]string{}, taken: map[string]bool{}}
	for _, r := range rules {
		how, args := "Add", []jen.Code{ref(id("rules").Index(id(ruleConst(r)))), jen.Lit("")}
		broken := t.broken(r)
		if value := t.shown(r); value != nil {
			args[1] = value
		}
		if o := limit(r); o != nil {
			how, args = "Beyond", append(args, id("in", o.Name, "V"))
		}
		body = append(body, jen.If(broken).Block(id(list, how).Call(args...)))
	}
	return append(t.locals, body...)
}

// limit is the number that a rule holds its subject against and that is known at run time alone: a capability, or a property of
// an object. It is nil when there is none.
func limit(r *model.Rule) (of *model.Operand) {
	r.Violated.Each(func(n *model.Cond) {
		if n.Op < cond.Eq || n.Op > cond.Ge {
			return
		}
		for _, s := range n.Sub {
			if of == nil && s.Op == cond.Operand && loose(*s.Of) && (r.Subject == nil || s.Of.Name != r.Subject.Name) {
				of = s.Of
			}
		}
	})
	return of
}

// shown is the value of the subject as a violation shows it, nil when there is none to show.
func (t *terms) shown(r *model.Rule) *jen.Statement {
	o := r.Subject
	if total := totalOf(r); total != nil {
		o = total
	}
	if o == nil || o.Name == "" {
		return nil
	}
	if n := transition(r); n != nil {
		return t.transitionText(r, n)
	}
	x, of := id("in", o.Name), enumOf(*o)
	switch {
	case of != nil && t.e.namedEnum(*o) == of:
		return t.typed(*o).Dot("String").Call()
	case of != nil && loose(*o):
		return id(of.Go).Call(dot(x, "V")).Dot("String").Call()
	case loose(*o) && pointer(o):
		return rt("validate", "AddrText").Call(dot(x, "V"))
	case o.Kind == model.OpField && of == nil && (o.Layout == "uint64" || asFlags(r, o)):
		if o.Signed {
			x = jen.Uint64().Call(x)
		}
		return rt("validate", "Hex").Call(x)
	case o.Param != nil && o.Param.Role == role.Mask:
		return rt("validate", "FlagText").Call(x, id(maskNamesVar(o.Param.Record)))
	case of != nil && (of.C != "" || len(of.Members) > 0):
		return id(of.Go).Call(x).Dot("String").Call()
	case loose(*o):
		return rt("validate", "Dec").Call(dot(x, "V"))
	case o.Signed:
		return inBase("FormatInt", x, 10)
	case pointer(o):
		return rt("validate", "AddrText").Call(x)
	case hexLike(o):
		return rt("validate", "Hex").Call(x)
	}
	return rt("validate", "Dec").Call(x)
}

// asFlags tells whether a rule tests bits of a value.
func asFlags(r *model.Rule, o *model.Operand) (yes bool) {
	r.Broken.Each(func(n *model.Cond) {
		yes = yes || n.Op >= cond.Has && n.Op <= cond.Only && n.Sub[0].Of == o
	})
	return yes
}

// inBase writes a number: strconv.FormatUint(x, 10).
func inBase(format string, x jen.Code, base int) *jen.Statement {
	return rt("strconv", format).Call(x, jen.Lit(base))
}

// pointer tells whether a value is an address of C or of the host.
func pointer(o *model.Operand) bool {
	if o.Kind == model.OpField {
		return o.Layout == "uintptr"
	}
	if o.Leaf != nil {
		return o.Leaf.GoType == "uintptr"
	}
	return o.Param != nil && (o.Param.GoType == "uintptr" || o.Param.Object != nil || o.Param.Record != nil)
}

// hexLike tells whether a number is written in hex: a mask of bits, and what the page has so.
func hexLike(o *model.Operand) bool {
	switch {
	case o.Field != nil:
		return o.Field.Hex
	case o.Leaf != nil && o.Param != nil && o.Param.Record != nil:
		return o.Leaf.Go == o.Param.Record.Mask
	}
	return o.Param != nil && o.Param.Hex
}
