package vet

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file writes how the objects of a case are made.

// state writes how an object is made that has the properties of a case: by a verb that takes them, and a change of its state.
func (w *writer) state(o *model.Object, v any) (before, name string) {
	props, _ := v.(map[string]any)
	if len(props) == 0 {
		return "", "recv"
	}
	for _, by := range w.m.model.Verbs {
		if by.Creates != o || len(by.Methods) == 0 || by.Methods[0].Form != form.Plain {
			continue
		}
		args := map[string]any{}
		for prop, x := range props {
			for _, p := range by.Params {
				r := p.Taken()
				switch {
				case p.C == prop:
					args[prop] = x
				case r != nil && slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.C == prop }):
					args[p.C] = map[string]any{prop: x}
				}
			}
		}
		moves := slices.ContainsFunc(slices.Collect(maps.Values(w.m.bind.moves)), func(m *move) bool {
			return m.object == o && m.start != nil && props[m.prop] != nil
		})
		if len(args) == 0 && !moves {
			continue
		}
		inner := &writer{m: w.m, left: "unknown", vars: w.vars}
		named, _ := w.m.types.Scope().Lookup(by.Methods[0].Recv).(*types.TypeName)
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named.Type()), true, w.m.types, by.Methods[0].Name)
		var in []string
		sig := obj.(*types.Func).Signature()
		for i := range sig.Params().Len() {
			in = append(in, inner.param(by, by.Methods[0], sig.Params().At(i).Name(), sig.Params().At(i).Type(), args, false))
		}
		maker := inner.unknown(types.NewPointer(named.Type()))
		if inner.why != "" {
			continue
		}
		w.vars = inner.vars
		before = fmt.Sprintf("o, _ := %s.%s(%s); ", maker, by.Methods[0].Name, strings.Join(in, ", "))
		for _, m := range w.m.bind.moves {
			if n, ok := w.number(props[m.prop]); ok && m.object == o && (m.start == nil || n.Cmp(m.start) != 0) {
				before += fmt.Sprintf("o.Modify(%s.NewQPAttr(%s)); ", w.m.types.Name(), n)
			}
		}
		return before, "o"
	}
	return "", "recv"
}

// handle is a variable with an object that the function makes, by a verb that makes such; of another type, one of which nothing is known.
func (w *writer) handle(t types.Type) string {
	p, _ := t.(*types.Pointer)
	for _, v := range w.m.model.Verbs {
		if p == nil || v.Creates == nil || len(v.Methods) == 0 || !strings.HasSuffix(p.String(), "/"+w.m.types.Name()+"."+v.Creates.Go) {
			continue
		}
		named, _ := w.m.types.Scope().Lookup(v.Methods[0].Recv).(*types.TypeName)
		if named == nil {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named.Type()), true, w.m.types, v.Methods[0].Name)
		fn, ok := obj.(*types.Func)
		if !ok || fn.Signature().Results().Len() != 2 || fn.Signature().Variadic() {
			continue
		}
		var in []string
		for i := range fn.Signature().Params().Len() {
			in = append(in, w.unknown(fn.Signature().Params().At(i).Type()))
		}
		name := fmt.Sprintf("h%d", len(w.made))
		w.made = append(w.made, fmt.Sprintf("%s, _ := %s.%s(%s); ", name, w.unknown(types.NewPointer(named.Type())), v.Methods[0].Name,
			strings.Join(in, ", ")))
		return name
	}
	return w.unknown(t)
}
