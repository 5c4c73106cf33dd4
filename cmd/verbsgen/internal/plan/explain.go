package plan

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file plans what follows a refused request: the rules that it breaks, by its fields and by what is known of the object then.
// A call that succeeds does not come here.

// explain plans the error of a refused request:
//
//	func (qp *QP) refusedX(r dpath.SendRange, posted int, errno syscall.Errno) error
func (b *builder) explain(v *model.Verb, m *model.Method) []Decl {
	recv, errs := v.Params[0], "err"+v.Go
	out := &Method{Recv: Var{Name: recv.Go, Type: "*" + m.Recv}, Name: "refused" + v.Go, Results: errOnly,
		Doc: Doc{Text: Says("refused", Words{"Name": "refused" + v.Go})},
		Params: []Var{{Name: "r", Type: "dpath." + form.Of(v.C, m.Form).Range}, {Name: "posted", Type: "int"},
			{Name: "errno", Type: "syscall.Errno"}},
		Steps: []Step{Try{Into: "wr", Call: result("r.Refusal", addr(errs), val("posted"), val("errno"))}}}
	sees := slices.ContainsFunc(v.Inputs(), func(o model.Operand) bool { return o.Kind != model.OpField })
	broken, may := null, null
	var facts []Value
	if len(v.Inputs()) > 0 {
		out.Steps = append(out.Steps, define("in", composite("in"+v.Go, b.fields(v)...)))
		facts = factsOf(v)
	}
	if sees {
		out.Steps = append(out.Steps, do(result(recv.Go+".see"+v.Go, addr("in"), no)))
	}
	if len(v.Explains(true)) > 0 {
		broken = result("broken"+v.Go, addr("in"))
	}
	if len(v.Explains(false)) > 0 {
		may = result("hint"+v.Go, addr("in"))
	}
	full := If{result("wr.Full", broken), []Step{ret(result(errs+".Full", val("errno")))}}
	out.Steps = append(out.Steps, full)
	decls := []Decl{out}
	if !b.full {
		b.full = true
		decls = append(decls, Variable{Name: "ErrQueueFull", Package: "verr", Text: Says("ErrQueueFull", nil)})
	}
	if sees {
		decls = append(decls, b.seeing(v, m))
		out.Steps = append(out.Steps, do(result(recv.Go+".see"+v.Go, addr("in"), yes)), full)
	}
	out.Steps = append(out.Steps, ret(result("wr.Error", append([]Value{broken, may}, facts...)...)))
	return decls
}

// fields are the inputs that the request itself has.
func (b *builder) fields(v *model.Verb) (out []Entry) {
	for _, o := range v.Inputs() {
		if o.Kind != model.OpField {
			continue
		}
		x := cField(o.Layout, "wr.Request", o.At)
		switch {
		case o.List == model.ListTotal:
			x = result("wr.Total", number(uint64(o.At)))
		case o.List == model.ListLeast:
			x = result("wr.Least", number(uint64(o.At)))
		case o.Signed:
			x = converted("int64", x)
		default:
			x = converted("uint64", x)
		}
		out = append(out, Entry{o.Name, x})
	}
	return out
}

// seeing plans what fills in the inputs that are about the object, as the library knows it; or, when it asks, as the device does:
//
//	func (qp *QP) seeX(in *inX, ask bool) error
//
// What cannot be seen stays unknown, and its error is for nobody.
func (b *builder) seeing(v *model.Verb, m *model.Method) *Method {
	recv, object := v.Params[0].Go, v.Params[0].Object
	name := "see" + v.Go
	out := &Method{Recv: Var{Name: recv, Type: "*" + m.Recv}, Name: name, Results: errOnly,
		Doc:    Doc{Text: Says("see", Words{"Name": name, "Verb": v.C, "Object": m.Recv})},
		Params: []Var{{Name: "in", Type: "*in" + v.Go}, {Name: "ask", Type: "bool"}}}
	var made, forget, read, caps []Step
	for _, o := range v.Inputs() {
		in := "in." + o.Name
		switch {
		case o.Kind == model.OpMade:
			made = append(made, set(in, known(val(recv+".made."+o.Leaf.Go))))
		case o.Kind == model.OpProp && o.CField != "":
			forget = append(forget, set(in, composite("validate.Known")))
			field := cField("uint32", recv+".h.C", object.StateAt[o.CField])
			read = append(read, set(in, known(field)))
		case o.Kind == model.OpCap:
			caps = append(caps, set(in, known(val(capPath(o)))))
		case o.Kind != model.OpField:
			b.errorf(v.C+"."+o.Text, "a rule looks at it, and nothing knows it after a refusal")
		}
	}
	called := v.C
	asked := forget
	query := v.Part(form.PartQuery)
	if query != nil {
		called = query.C
		asked = append(asked, b.query(query, v)...)
	}
	if len(caps) > 0 {
		asked = append(asked, define("caps", result(recv+".dev."+capsFunc)), If{isGiven("caps"), caps})
	}
	if query == nil {
		asked = append(asked, ret(null))
	}
	asked = []Step{If{val("ask"), asked}}
	out.Steps = []Step{Name{called}, Enter{Handle: recv}}
	if len(made) > 0 {
		out.Steps = append(out.Steps, If{isGiven(recv + ".made"), made})
	}
	out.Steps = append(append(append(out.Steps, asked...), read...), ret(null))
	return out
}

// capPath is where a capability stands in those of the device.
func capPath(o model.Operand) string {
	if o.Prop != "" {
		return "caps." + o.Prop + "." + o.Leaf.Go
	}
	return "caps." + o.Leaf.Go
}

// query plans the call that brings the C object up to date.
func (b *builder) query(query, v *model.Verb) []Step {
	lib := query.Params[0].Go + ".lib"
	out := b.missing(query, lib)
	var args []Value
	for _, p := range query.Params {
		switch {
		case p.Filled() != nil:
			out = append(out, Declare{Var{Name: p.Go + "C", Type: p.Record.Mirror.Name}})
			args = append(args, memory(p.Go+"C"))
		case p.Role == role.Flags:
			args = append(args, converted(b.integer(query.C+"."+p.C, p.CType), hex(b.asked(query, v, p))))
		default:
			args = append(args, val(p.Go+".h.C"))
		}
	}
	return append(out, Call{Verb: query.C, By: raw(query, lib, args...), Answer: answer(query)})
}

// asked are the flags by which a query asks for what rules look at in the C object: those of the fields that have the type of such a
// property. Where the package has no such field, all is asked for.
func (b *builder) asked(query, v *model.Verb, flags *model.Param) (mask uint64) {
	types := map[*model.Enum]bool{}
	for _, o := range v.Inputs() {
		if o.Kind == model.OpProp {
			types[o.Enum] = true
		}
	}
	for _, p := range query.Params {
		if p.Filled() == nil {
			continue
		}
		for _, f := range p.Record.Fields {
			if f.Enum != nil && types[f.Enum] {
				mask |= b.bitOf(p.Record, f)
			}
		}
	}
	if mask == 0 && flags.Enum != nil {
		return flags.Enum.Known
	}
	return mask
}

// bitOf is the bit of a field, by a record of the same struct that has a mask.
func (b *builder) bitOf(r *model.Record, f *model.Field) uint64 {
	for _, s := range b.pkg.Records {
		if x := s.Field(f.C); s.C == r.C && x != nil && x.Bit != nil {
			return uint64(x.BitValue)
		}
	}
	return 0
}

// factsOf are what an error says of the object beside the rules: the properties whose values have names, and then the limits.
func factsOf(v *model.Verb) []Value {
	var named, limits []Value
	for _, o := range v.Inputs() {
		name, in := o.Text[strings.LastIndexByte(o.Text, '.')+1:], "in."+o.Name
		switch {
		case o.Kind == model.OpProp && o.Enum != nil:
			named = append(named, generic("validate", "Named", o.Enum.Go, text(name), val(in)))
		case o.Kind == model.OpMade && o.Leaf.GoType != "uintptr":
			limits = append(limits, of("validate", "Fact", text(name), val(in)))
		}
	}
	return append(named, limits...)
}
