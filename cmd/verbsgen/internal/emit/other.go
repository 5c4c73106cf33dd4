package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// other prints a step with a handle or builder of another package.
func (p printer) other(s plan.Step) []jen.Code {
	switch s := s.(type) {
	case plan.EnterOther:
		return p.enterOther(s)
	case plan.LendOther:
		return p.lendOther(s)
	case plan.MakeOther:
		return p.makeOther(s)
	}
	return nil
}

// enterOther begins the use of a handle:
//
//	pdHeld, err := bridge.Enter(verb, "pd", id.lib.verbs, pd)
//	if err != nil {
//		return nil, err
//	}
//	defer pdHeld.Exit()
func (p printer) enterOther(s plan.EnterOther) []jen.Code {
	enter := "Enter"
	if s.Optional {
		enter = "EnterOptional"
	}
	call := rt("bridge", enter).Call(id("verb"), jen.Lit(s.What), id(s.Lib), id(s.Handle))
	return append(p.get(s.Into, call), jen.Defer().Add(id(s.Into, "Exit").Call()))
}

// lendOther begins the use of what a builder has:
//
//	attrHeld, err := bridge.Lend(verb, attr, id.lib.verbs, pdHeld.Root)
//	defer attrHeld.Exit()
//	if err != nil {
//		return nil, err
//	}
func (p printer) lendOther(s plan.LendOther) []jen.Code {
	root := jen.Nil()
	if s.Root != "" {
		root = id(s.Root)
	}
	call := rt("bridge", "Lend").Call(id("verb"), id(s.Attr), id(s.Lib), root)
	return []jen.Code{define(s.Into, "err").Add(call), jen.Defer().Add(id(s.Into, "Exit").Call()), p.zero.ifErr()}
}

// makeOther makes a handle:
//
//	o, err := bridge.Make[verbs.QP](bridge.Made{
//		Verb:    verb,
//		C:       ptr,
//		Lib:     id.lib.verbs,
//		Handles: []any{pd},
//		Parents: []*object.Node{&id.node},
//		End:     func() error { ... },
//	})
//	if err != nil {
//		return nil, err
//	}
func (p printer) makeOther(s plan.MakeOther) []jen.Code {
	var handles []jen.Code
	for _, h := range s.Handles {
		handles = append(handles, id(h))
	}
	nodes, many := parents(s.Parents)
	entries := []jen.Code{key("Verb", id("verb")), key("C", p.value(s.C)), key("Lib", id(s.Lib)), key("Handles", jen.Index().Any().Values(handles...)),
		key("Parents", nodeList(nodes, many))}
	if s.End != nil {
		inner := p
		inner.zero = nil
		f := fn{body: inner.steps(s.End.Then)}
		f.takes(s.End.Params, s.End.Results)
		entries = append(entries, key("End", f.code()))
	}
	return p.get(s.Into, rt("bridge", "Make").Types(goType(s.Object)).Call(rt("bridge", "Made").Add(lines(entries...))))
}
