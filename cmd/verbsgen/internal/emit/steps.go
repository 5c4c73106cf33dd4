package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// printer prints the steps of one method.
type printer struct {
	e    *emitter
	name string
	zero fail // what the method returns beside an error
}

// steps prints steps; those that are made of others by these.
func (p printer) steps(list []plan.Step) []jen.Code {
	var out []jen.Code
	for _, s := range list {
		if made, ok := s.(plan.Made); ok {
			out = append(out, p.steps(made.Steps())...)
		} else {
			out = append(out, p.step(s)...)
		}
	}
	return out
}

// step prints a step.
func (p printer) step(s plan.Step) []jen.Code {
	switch s := s.(type) {
	case plan.Name:
		return one(jen.Const().Id("verb").Op("=").Lit(s.Verb))
	case plan.Missing:
		return one(p.missing(s))
	case plan.Refuse:
		return one(jen.If(p.value(s.When)).Block(p.zero.with(p.value(s.Error))))
	case plan.Check:
		return p.check(s)
	case plan.Hint:
		return one(p.hint(s))
	case plan.Call:
		return p.call(s)
	case plan.Return:
		return one(jen.Return(p.values(s.Values)...))
	case plan.Declare:
		return one(jen.Var().Add(typed(s.Var)))
	case plan.Assign:
		return one(p.assign(s))
	case plan.If:
		return one(jen.If(p.value(s.When)).Block(p.steps(s.Then)...))
	case plan.Try:
		if s.Into == "" {
			return one(p.zero.onErr(p.value(s.Call)))
		}
		return []jen.Code{define(s.Into, "err").Add(p.value(s.Call)), p.zero.ifErr()}
	case plan.Read:
		return one(readInto("r", s.Field))
	}
	p.e.errs = append(p.e.errs, fmt.Errorf("%s: nothing prints a step of type %T", p.name, s))
	return nil
}

func one(s *jen.Statement) []jen.Code { return []jen.Code{s} }

// assign stores values, or only calls, at once or later: x = y // remark.
func (p printer) assign(s plan.Assign) *jen.Statement {
	var to []jen.Code
	for _, path := range s.To {
		to = append(to, id(path))
	}
	out := jen.List(p.values(s.Values)...)
	switch {
	case s.Op == "defer":
		out = jen.Defer().Add(out)
	case len(to) > 0:
		out = jen.List(to...).Op(s.Op).Add(out)
	}
	if s.Remark != "" {
		out = remark(out, s.Remark)
	}
	return out
}

// missing refuses a verb that the loaded library lacks:
//
//	if l.fn[symIbv_x] == 0 {
//		return nil, l.missing("ibv_x", symIbv_x)
//	}
func (p printer) missing(s plan.Missing) *jen.Statement {
	absent := jen.Null()
	for i, c := range s.Symbols {
		if i > 0 {
			absent.Op("&&")
		}
		absent.Add(op(fnAddr(id(s.Lib), c), "==", jen.Lit(0)))
	}
	return jen.If(absent).Block(p.zero.with(id(s.Lib, "missing").Call(jen.Lit(s.Verb), id(symConst(s.Symbols[0])))))
}
