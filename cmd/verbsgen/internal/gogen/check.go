package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
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
		if len(v.Inputs()) == 0 {
			continue
		}
		home := strings.ToLower(e.home(v))
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

// loose reports whether an operand may be unknown at run time.
func loose(o model.Operand) bool {
	return o.Kind == model.OpProp || o.Kind == model.OpCap || o.Kind == model.OpMade
}

// ruleTable makes what the errors say of each rule, and lists those that need capabilities:
//
//	var (
//		rule0001 = verr.Rule{ID: "VR-ibv_reg_mr-access-0001", ...}
//	)
//
//	var capable = []*verr.Rule{&rule0014}
func (e *emitter) ruleTable(g *goFile) {
	var rows, capable []jen.Code
	for _, v := range e.pkg.Verbs {
		for _, r := range allChecked(v) {
			rows = append(rows, id(ruleVar(r)).Op("=").Add(rt("verr", "Rule")).Add(e.ruleRow(v, r)))
			if needsCaps(r) {
				capable = append(capable, ref(id(ruleVar(r))))
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	g.decl("// The rules that the validators check, with what the errors say of them.", jen.Var().Defs(rows...))
	if len(capable) == 0 {
		return
	}
	g.decl("// capable are the rules that need capabilities of the device.",
		jen.Var().Id("capable").Op("=").Index().Op("*").Add(rt("verr", "Rule")).Add(values(capable...)))
}

// needsCaps reports whether a rule needs capabilities of the device.
func needsCaps(r *model.Rule) bool {
	return slices.ContainsFunc(r.Operands(), func(o *model.Operand) bool { return o.Kind == model.OpCap })
}

// ruleRow is one entry of the table, with a line for each text:
//
//	{ID: "VR-ibv_reg_mr-access-0001", Verb: "ibv_reg_mr", Subject: "access",
//		Statement: "...",
//		Fix:       "...",
//		Page:      "ibv_reg_mr", Section: "DESCRIPTION", Text: fail.Text[MRAccess]}
func (e *emitter) ruleRow(v *model.Verb, r *model.Rule) *jen.Statement {
	below := func(name, text string) jen.Code { return jen.Line().Add(key(name, jen.Lit(text))) }
	fields := []jen.Code{key("ID", jen.Lit(r.ID)), key("Verb", jen.Lit(r.Verb)), key("Subject", jen.Lit(subjectText(r))),
		below("Statement", r.Statement), below("Fix", r.Fix), below("Page", r.Page)}
	if r.Section != "" {
		fields = append(fields, key("Section", jen.Lit(r.Section)))
	}
	if r.Unsupported {
		fields = append(fields, key("Unsupported", jen.True()))
	}
	if needsCaps(r) {
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
	if text := e.textOf(r); text != nil {
		fields = append(fields, key("Text", text))
	}
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ","}, fields...)
}

// texts is a list of texts: []string{"a", "b"}.
func texts(list []string) *jen.Statement {
	var all []jen.Code
	for _, s := range list {
		all = append(all, jen.Lit(s))
	}
	return jen.Index().String().Values(all...)
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
	for n := range r.Violated.Subject().Nodes() {
		if n.Op == cond.Operand && n.Of.Kind == model.OpArg {
			names = append(names, n.Of.Text)
		}
	}
	return strings.Join(names, ", ")
}

// totalOf is the sum of a list that a rule asks something of, nil when it asks nothing of one.
func totalOf(r *model.Rule) *model.Operand {
	for n := range r.Violated.Nodes() {
		if n.Op == cond.Operand && n.Of.List == model.ListTotal {
			return n.Of
		}
	}
	return nil
}

// ruleVar names the variable of a rule: by its number, which is unique in the project, or by the words of its ID.
func ruleVar(r *model.Rule) string {
	parts := strings.Split(r.ID, "-")
	if last := parts[len(parts)-1]; last != "" && strings.Trim(last, "0123456789") == "" {
		return "rule" + last
	}
	return "rule" + model.Exported(strings.NewReplacer("-", "_", ".", "_", "[", "", "]", "").Replace(strings.TrimPrefix(r.ID, "VR-")))
}

// validator makes the inputs of a verb and its two functions: what refuses a call, and what may explain a failure.
func (e *emitter) validator(g *goFile, v *model.Verb) {
	var fields []jen.Code
	for _, o := range v.Inputs() {
		t := jen.Uint64()
		switch {
		case loose(o):
			t = rt("fail", "Known")
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
		e.rulesFunc(g, v, "broken", "bad", "returns the rules that a request of "+v.C+" breaks and that are enough to have it refused",
			v.Explains(true))
		e.rulesFunc(g, v, "hint", "may", "returns the other rules that a request of "+v.C+" breaks, which may be the cause when it is refused",
			v.Explains(false))
		return
	}
	e.rulesFunc(g, v, "check", "bad", "refuses a call of "+v.C+" that breaks a rule", v.Checked(false))
	e.rulesFunc(g, v, "hint", "may", "returns the lints that a call of "+v.C+" breaks, which may be the cause when it fails", v.Checked(true))
}

// rulesFunc makes what refuses a call, or what lists the rules that are broken, as some devices do not have them:
//
//	func checkX(in *inX) error {
//		var bad fail.Violations
//		access := MRAccess(in.access)
//		if access&MRAccessRemoteWrite != 0 {
//			bad.Add(&rule0001, in.access)
//		}
//		return bad.Err("ibv_x")
//	}
//
//	func hintX(in *inX) []verr.Violation {
//		var may fail.Violations
//		may.If(in.length == 0, &rule0012, in.length)
//		return may
//	}
func (e *emitter) rulesFunc(g *goFile, v *model.Verb, kind, list, does string, rules []*model.Rule) {
	if len(rules) == 0 {
		return
	}
	refuses := kind == "check"
	result, typ := id(list), "[]verr.Violation"
	if refuses {
		result, typ = id(list, "Err").Call(jen.Lit(v.C)), "error"
	}
	body := append([]jen.Code{declare(list, "fail.Violations")}, e.collect(list, rules, refuses)...)
	g.fn(fn{doc: "// " + kind + v.Go + " " + does + ".", name: kind + v.Go, params: []jen.Code{param("in", "*in"+v.Go)}, results: types(typ),
		body: append(body, jen.Return(result))})
}

// collect adds each rule that is broken to a list, with the value that breaks it and the limit of that. Where the rules run in each
// call they are if statements, which are quicker than arguments:
//
//	if access&MRAccessRemoteWrite != 0 {
//		bad.Add(&rule0001, in.access)
//	}
//	may.If(in.capMax.OK && in.length > in.capMax.V, &rule0002, in.length, in.capMax.V)
func (e *emitter) collect(list string, rules []*model.Rule, always bool) (body []jen.Code) {
	t := newTerms(e)
	for _, r := range rules {
		broken, n := t.broken(r), transition(r)
		add, values := "Add", []jen.Code{ref(id(ruleVar(r))), jen.Lit(0)}
		if n != nil {
			add, values[1] = "AddText", t.transitionText(r, n)
		} else if o := shown(r); o != nil {
			values[1] = bitsOf(*o)
		}
		if o := limit(r); o != nil {
			values = append(values, id("in", o.Name, "V"))
		}
		if always || n != nil {
			body = append(body, jen.If(broken.code()).Block(id(list, add).Call(values...)))
			continue
		}
		if broken.leaves() > 3 { // below the condition
			values[0] = jen.Line().Add(values[0])
		}
		body = append(body, id(list, "If").Call(append([]jen.Code{broken.code()}, values...)...))
	}
	return append(t.locals, body...)
}

// limit is the number that a rule holds its subject against and that is known at run time alone: a capability, or a property of
// an object. It is nil when there is none.
func limit(r *model.Rule) *model.Operand {
	for n := range r.Violated.Nodes() {
		if !n.Op.Compares() {
			continue
		}
		for _, s := range n.Sub {
			if s.Op == cond.Operand && loose(*s.Of) && (r.Subject == nil || s.Of.Name != r.Subject.Name) {
				return s.Of
			}
		}
	}
	return nil
}

// shown returns the value that a violation shows, or nil.
func shown(r *model.Rule) *model.Operand {
	o := r.Subject
	if total := totalOf(r); total != nil {
		o = total
	}
	if o == nil || o.Name == "" {
		return nil
	}
	return o
}

// textOf is the function that writes the value of a rule, nil for a number in decimal:
//
//	fail.Text[MRAccess]
func (e *emitter) textOf(r *model.Rule) *jen.Statement {
	o := shown(r)
	switch {
	case transition(r) != nil:
		return nil
	case o == nil:
		return rt("fail", "NoText")
	}
	of := enumOf(*o)
	switch {
	case of != nil && (of.C != "" || len(of.Members) > 0):
		return enumText(of)
	case o.Kind == model.OpField && of == nil && (o.Layout == "uint64" || asFlags(r, o)):
		return rt("fail", "Hex")
	case o.Param != nil && o.Param.Role == role.Mask:
		return jen.Func().Params(param("v", "uint64")).String().Add(short(jen.Return(maskText(o.Param.Record))))
	case o.Signed:
		return rt("fail", "Signed")
	case isPointer(o):
		return rt("fail", "AddrText")
	case loose(*o):
		return nil
	case hexLike(o):
		return rt("fail", "Hex")
	}
	return nil
}

func enumText(of *model.Enum) *jen.Statement { return rt("fail", "Text").Index(goType(of.Go)) }

func maskText(rec *model.Record) jen.Code {
	return rt("fail", "FlagText").Call(id("v"), id(maskNamesVar(rec)))
}

// asFlags reports whether a rule tests bits of a value.
func asFlags(r *model.Rule, o *model.Operand) bool {
	for n := range r.Broken.Nodes() {
		if n.Op.OfFlags() && n.Sub[0].Of == o {
			return true
		}
	}
	return false
}

// isPointer reports whether a value is an address of C or of the host.
func isPointer(o *model.Operand) bool {
	if o.Kind == model.OpField {
		return o.Layout == "uintptr"
	}
	if o.Leaf != nil {
		return o.Leaf.GoType == "uintptr"
	}
	if o.Kind == model.OpProp && o.Param != nil && o.Param.Object != nil {
		switch of := o.Param.Object; of.State[o.Prop] {
		case spec.StateMarks:
			return false
		case spec.StateObject:
			return of.Pointer[o.Prop]
		}
	}
	return o.Param != nil && (o.Param.GoType == "uintptr" || o.Param.Object != nil || o.Param.Record != nil)
}

// hexLike reports whether a number is written in hex: a mask of bits, and what the page has so.
func hexLike(o *model.Operand) bool {
	switch {
	case o.Field != nil:
		return o.Field.Hex
	case o.Leaf != nil && o.Param != nil && o.Param.Record != nil:
		return o.Leaf.Go == o.Param.Record.Mask
	}
	return o.Param != nil && o.Param.Hex
}
