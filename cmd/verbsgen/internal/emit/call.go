package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// check fills the inputs of the rules and calls the validators:
//
//	in := inX{
//		access: uint64(access),
//	}
//	if caps := pd.dev.capabilities(); caps != nil {
//		in.capMaxMRSize = validate.Of(uint64(caps.max_mr_size))
//	}
//	if err := checkX(&in); err != nil {
//		return nil, err
//	}
func (p printer) check(s plan.Check) []jen.Code {
	in := ref(id("in"))
	out := []jen.Code{define("in").Id("in" + s.Verb).Add(lines(p.entries(s.Inputs)...))}
	if len(s.Caps) > 0 {
		var caps []jen.Code
		for _, x := range s.Caps {
			caps = append(caps, assign(id("in", x.Name), p.value(x.Value)))
		}
		out = append(out, jen.If(define("caps").Add(id(s.From).Call()), notNil(id("caps"))).Block(caps...))
	}
	if s.Refuses {
		refuse := []jen.Code{p.zero.with(id("err"))}
		if s.Release != "" {
			refuse = append([]jen.Code{id(s.Release).Call()}, refuse...)
		}
		out = append(out, jen.If(define("err").Add(id("check"+s.Verb).Call(in)), notNil(id("err"))).Block(refuse...))
	}
	return out
}

// hint reports lints:
//
//	if pd.lib.lints.Wanted() {
//		pd.lib.lints.Report(hintX(&in))
//	}
func (p printer) hint(s plan.Hint) *jen.Statement {
	return jen.If(id(s.Lib, "lints.Wanted").Call()).Block(id(s.Lib, "lints.Report").Call(id("hint" + s.Verb).Call(ref(id("in")))))
}

// call calls a verb and returns its error:
//
//	if errno := rawX(l.fn[symIbv_x], qp.c); errno != 0 {
//		return verr.Failed(verb, errno, nil)
//	}
func (p printer) call(s plan.Call) []jen.Code {
	raw, zero := p.value(s.By), jen.Lit(0)
	failed := func(name, operator string, than jen.Code) *jen.Statement {
		spared := jen.Null()
		if s.Failure.Spare != "" {
			spared = jen.Op("&&").Op("!").Add(id(s.Failure.Spare).Call(id("errno")))
		}
		return op(id(name), operator, than).Add(spared)
	}
	refuse := func(conditions ...jen.Code) *jen.Statement {
		return jen.If(conditions...).Block(p.zero.with(p.failure(s.Failure)))
	}
	switch s.Answer {
	case plan.Pointer:
		return []jen.Code{define(s.Into, "errno").Add(raw), refuse(isNil(id(s.Into)))}
	case plan.Errno, plan.Either:
		return []jen.Code{refuse(define("errno").Add(raw), failed("errno", "!=", zero))}
	case plan.Negative, plan.Negated:
		if s.Into != "" {
			return []jen.Code{define(s.Into, "errno").Add(raw), refuse(failed(s.Into, "<", zero))}
		}
		return []jen.Code{define("n", "errno").Add(raw), refuse(failed("n", "<", zero))}
	case plan.NotZero:
		return []jen.Code{refuse(define("n", "errno").Add(raw), failed("n", "!=", zero))}
	case plan.Code:
		return []jen.Code{define("code", "errno").Add(raw)}
	case plan.Nothing:
		if s.Into != "" {
			return []jen.Code{define(s.Into).Add(raw)}
		}
	}
	return []jen.Code{raw}
}

// failure is the error of a call: verr.Failed(verb, errno, hints), or that of an allocator's calls.
func (p printer) failure(f plan.Failure) *jen.Statement {
	by, verb := rt("verr", "Failed"), id("verb")
	if f.By != "" {
		by = id(f.By, "Failed")
	}
	if f.Verb != "" {
		verb = jen.Lit(f.Verb)
	}
	if f.Node != "" {
		return rt("diagnose", "NoNode").Call(verb, id(f.Lib, "src"), jen.Lit(f.Node), id("errno"))
	}
	return by.Call(verb, id("errno"), p.hints(f))
}

// hints is the function that explains a failure, or nil:
//
//	func() []string { return append(verr.Texts(hintX(&in)), diagnose.Memory(pd.lib.src, pd.dev.h.Label(), errno, in.addr, in.length,
//		in.access)...) }
//	func() []string { return verr.Causes(errno, verr.Cause{Errno: syscall.ENOENT, Text: "..."}) }
func (p printer) hints(f plan.Failure) *jen.Statement {
	var all []*jen.Statement
	errno := id("errno")
	if len(f.Memory) > 0 {
		device := jen.Lit("") // a method of Lib does not know it
		if f.Device != "" {
			device = id(f.Device, "h.Label").Call()
		}
		args := append([]jen.Code{id(f.Lib, "src"), device, errno}, p.values(f.Memory)...)
		all = append(all, rt("diagnose", "Memory").Call(args...))
	}
	if f.Route != "" {
		all = append(all, id(f.Device, "explainRoute").Call(errno, ref(id(f.Route))))
	}
	if f.Lints != "" {
		all = append(all, rt("verr", "Texts").Call(id("hint"+f.Lints).Call(ref(id("in")))))
	}
	if f.Gone {
		all = append(all, rt("devmem", "GoneHints").Call(errno))
	}
	if len(f.Causes) > 0 {
		args := []jen.Code{errno}
		for _, c := range f.Causes {
			args = append(args, rt("verr", "Cause").Values(key("Errno", rt("syscall", c.Errno)), key("Text", jen.Lit(c.Text))))
		}
		all = append(all, rt("verr", "Causes").Call(args...))
	}
	if len(all) == 0 {
		return jen.Nil()
	}
	out := all[0]
	for _, more := range all[1:] {
		out = jen.Append(out, more.Op("..."))
	}
	return jen.Func().Params().Index().String().Add(short(jen.Return(out)))
}
