package emit

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// checkFile writes the rules and the validators made from them.
func (e *emitter) checkFile() *goFile {
	g := e.newFile("check.gen.go")
	e.ruleTable(g)
	for _, v := range e.pkg.Verbs {
		e.validator(g, v)
	}
	return g
}

// checked are the rules of a verb that its validator checks.
func checked(v *model.Verb, lint bool) []*model.Rule {
	var out []*model.Rule
	for _, r := range v.Rules {
		if r.Checked && r.Lint == lint {
			out = append(out, r)
		}
	}
	return out
}

func allChecked(v *model.Verb) []*model.Rule { return append(checked(v, false), checked(v, true)...) }

// inputs are the values that the validator of a verb looks at, each once.
func inputs(v *model.Verb) []model.Operand {
	var out []model.Operand
	seen := map[string]bool{}
	add := func(o *model.Operand) {
		if o != nil && o.Name != "" && !seen[o.Name] {
			seen[o.Name] = true
			out = append(out, *o)
		}
	}
	for _, r := range allChecked(v) {
		for _, o := range r.Operands() {
			add(o)
		}
	}
	return out
}

// loose tells whether an operand may be unknown at run time.
func loose(o model.Operand) bool { return o.Kind == model.OpProp || o.Kind == model.OpCap }

// rules writes the filling of the inputs and the call of the validator into a method.
func (c *call) rules() []string {
	ins := inputs(c.v)
	if len(ins) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "in := in%s{\n", c.v.Go)
	var caps []string
	for _, o := range ins {
		switch o.Kind {
		case model.OpCap:
			path := o.Leaf.Go
			if o.Prop != "" {
				path = o.Prop + "." + path
			}
			caps = append(caps, fmt.Sprintf("in.%s = known{uint64(caps.%s), true}", o.Name, path))
		case model.OpProp:
			if o.CField != "" {
				fmt.Fprintf(&b, "%s: known{uint64(*(*uint32)(unsafe.Add(%s.c, %d))), true},\n", o.Name, o.Param.Go, c.e.offset(o.Param.Object.C, o.CField))
				continue
			}
			fmt.Fprintf(&b, "%s: knownOf(%s.%s()),\n", o.Name, o.Param.Go, naming.Exported(o.Prop))
		default:
			fmt.Fprintf(&b, "%s: %s,\n", o.Name, c.input(o))
		}
	}
	b.WriteString("}")
	if len(caps) > 0 {
		fmt.Fprintf(&b, "\nif caps := %s.caps.Load(); caps != nil {\n%s\n}", c.dev(), strings.Join(caps, "\n"))
	}
	out := []string{b.String()}
	if len(checked(c.v, false)) > 0 {
		out = append(out, fmt.Sprintf("if err := check%s(&in); err != nil {\nreturn %serr\n}", c.v.Go, c.fail))
	}
	return out
}

// input is the expression that fills an input from what the method has.
func (c *call) input(o model.Operand) string {
	if o.Leaf == nil {
		return c.in[o.Param.C]
	}
	if _, fixed := c.m.Fixed[o.Param.C]; fixed {
		return "0"
	}
	conv := "uint64"
	if o.Signed {
		conv = "int64"
	}
	return fmt.Sprintf("%s(%sC.%s)", conv, o.Param.Go, o.Leaf.Go)
}

// ruleTable writes what the errors say of each rule.
func (e *emitter) ruleTable(g *goFile) {
	var names, rows strings.Builder
	n := 0
	for _, v := range e.pkg.Verbs {
		for _, r := range allChecked(v) {
			fmt.Fprintf(&names, "%s\n", ruleConst(r))
			unsupported := ""
			if r.Kind == spec.KindCapBound && r.CapHas != 0 {
				unsupported = ", Unsupported: true"
			}
			fmt.Fprintf(&rows, "%s: {ID: %q, Verb: %q, Subject: %q, Statement: %q, Fix: %q, Page: %q, Section: %q%s},\n",
				ruleConst(r), r.ID, r.Verb, subjectText(r), r.Statement, e.goFix(v, r), r.Page, r.Section, unsupported)
			n++
		}
	}
	if n == 0 {
		return
	}
	g.add("// Places in the table of rules.\nconst (\n%s)", strings.Replace(names.String(), "\n", " = iota\n", 1))
	g.add("%s", "// rules are the rules that the validators check, with what the errors say of them.\nvar rules = [...]verr.Rule{\n"+rows.String()+"}")
}

// subjectText names what a rule is about: its subject, or without one the fields or the sum that it looks at, or the
// first thing that must hold.
func subjectText(r *model.Rule) string {
	list := r.Fields
	if len(list) == 0 {
		list = r.Sum
	}
	switch {
	case r.Subject != nil:
		return r.Subject.Text
	case len(list) == 0 && len(r.Must) > 0:
		return r.Must[0].Of.Text
	}
	var names []string
	for _, o := range list {
		names = append(names, o.Text)
	}
	return strings.Join(names, ", ")
}

// ruleConst names the place of a rule: by its number, which is unique in the project, or by the words of its ID.
func ruleConst(r *model.Rule) string {
	parts := strings.Split(r.ID, "-")
	if last := parts[len(parts)-1]; last != "" && strings.Trim(last, "0123456789") == "" {
		return "rule" + last
	}
	return "rule" + naming.Exported(strings.NewReplacer("-", "_", ".", "_", "[", "", "]", "").Replace(strings.TrimPrefix(r.ID, "VR-")))
}

var cConstant = regexp.MustCompile(`\bIBV_[A-Z0-9_]+\b`)

// goFix is the fix with the Go names of the flags of the verb in place of the C names.
func (e *emitter) goFix(v *model.Verb, r *model.Rule) string {
	return cConstant.ReplaceAllStringFunc(r.Fix, func(c string) string {
		for _, p := range v.Params {
			enums := []*model.Enum{p.Enum}
			if p.Record != nil {
				for _, f := range p.Record.Fields {
					enums = append(enums, f.Enum)
				}
			}
			for _, t := range enums {
				if t == nil {
					continue
				}
				for _, m := range t.Members {
					if m.C == c {
						return m.Go
					}
				}
			}
		}
		return c
	})
}

// validator writes the inputs of a verb and its two functions: what refuses a call, and what may explain a failure.
func (e *emitter) validator(g *goFile, v *model.Verb) {
	ins := inputs(v)
	if len(ins) == 0 {
		return
	}
	var fields strings.Builder
	for _, o := range ins {
		t := "uint64"
		switch {
		case loose(o):
			t = "known"
		case o.Signed:
			t = "int64"
		}
		fmt.Fprintf(&fields, "%s %s // %s\n", o.Name, t, o.Text)
	}
	g.add("%s", fmt.Sprintf("// in%s is what the rules of %s look at.\ntype in%s struct {\n%s}", v.Go, v.C, v.Go, fields.String()))
	for _, r := range allChecked(v) {
		e.ways(g, r)
	}
	if errs := checked(v, false); len(errs) > 0 {
		var b strings.Builder
		for _, r := range errs {
			fmt.Fprintf(&b, "if %s {\nbad = append(bad, verr.Violation{Rule: &rules[%s]%s})\n}\n", e.broken(r), ruleConst(r), shown(r))
		}
		g.add("%s", fmt.Sprintf("// check%s refuses a call of %s that breaks a rule.\nfunc check%s(in *in%s) error {\nvar bad []verr.Violation\n%sreturn verr.RefuseErr(%q, bad...)\n}", v.Go, v.C, v.Go, v.Go, b.String(), v.C))
	}
	if len(checked(v, true)) == 0 {
		return
	}
	var b strings.Builder
	for _, r := range checked(v, true) {
		fmt.Fprintf(&b, "if %s {\nmay = append(may, verr.Violation{Rule: &rules[%s]%s}.String())\n}\n", e.broken(r), ruleConst(r), shown(r))
	}
	body := "var may []string\n" + b.String() + "return may"
	g.add("%s", fmt.Sprintf("// hint%s tells what may be the cause when %s fails.\nfunc hint%s(in *in%s) []string {\n%s\n}", v.Go, v.C, v.Go, v.Go, body))
}

// shown is the value of the subject as a violation shows it.
func shown(r *model.Rule) string {
	o := r.Subject
	if o == nil || o.Name == "" {
		return ""
	}
	if r.Kind == spec.KindMaskForTransition {
		return astrayText(r)
	}
	x := "in." + o.Name
	var t *model.Enum
	switch {
	case o.Field != nil:
		t = o.Field.Enum
	case o.Param != nil && o.Leaf == nil:
		t = o.Param.Enum
	}
	switch {
	case o.Param != nil && o.Param.Role == spec.RoleMask:
		return fmt.Sprintf(", Value: flagText(%s, %s)", x, maskNames(o.Param.Record))
	case t != nil:
		return fmt.Sprintf(", Value: %s(%s).String()", t.Go, x)
	case loose(*o):
		return fmt.Sprintf(", Value: strconv.FormatUint(%s.v, 10)", x)
	case o.Signed:
		return fmt.Sprintf(", Value: strconv.FormatInt(%s, 10)", x)
	case pointer(o):
		return fmt.Sprintf(", Value: addrText(%s)", x)
	case hexLike(o):
		return fmt.Sprintf(", Value: \"0x\" + strconv.FormatUint(%s, 16)", x)
	}
	return fmt.Sprintf(", Value: strconv.FormatUint(%s, 10)", x)
}

// pointer tells whether a value is an address of C or of the host.
func pointer(o *model.Operand) bool {
	if o.Leaf != nil {
		return o.Leaf.GoType == "uintptr"
	}
	return o.Param != nil && (o.Param.GoType == "uintptr" || o.Param.Object != nil || o.Param.Record != nil)
}

// hexLike tells whether a number reads better in hex.
func hexLike(o *model.Operand) bool {
	name := o.Text[strings.LastIndexByte(o.Text, '.')+1:]
	return strings.Contains(name, "mask") || strings.Contains(name, "iova")
}
