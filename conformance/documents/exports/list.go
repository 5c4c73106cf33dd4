package exports

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// List describes the exported symbols of a package: their names ("QP", "QP.Modify", "WC.WRID") and what each is.
type List map[string]string

// Of lists a package.
func Of(pkg *types.Package) List {
	l := List{}
	p := printer{pkg}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.Const:
			l[name] = "const " + p.text(o.Type()) + " = " + o.Val().ExactString()
		case *types.Var:
			l[name] = "var " + p.text(o.Type())
		case *types.Func:
			l[name] = p.text(o.Type())
		case *types.TypeName:
			p.typeOf(l, o)
		}
	}
	return l
}

// printer writes types as the package sees them.
type printer struct{ pkg *types.Package }

func (p printer) text(t types.Type) string {
	params := ""
	if s, ok := t.(*types.Signature); ok {
		t, params = unnamed(s), p.params(s.TypeParams())
	}
	return params + types.TypeString(t, func(other *types.Package) string {
		if other == p.pkg {
			return ""
		}
		return other.Name()
	})
}

// params are type parameters with their constraints.
func (p printer) params(list *types.TypeParamList) string {
	var all []string
	for q := range list.TypeParams() {
		all = append(all, q.Obj().Name()+" "+p.text(q.Constraint()))
	}
	if len(all) == 0 {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "] "
}

// unnamed is a signature without the names of parameters, which no caller depends on, and without type parameters.
func unnamed(s *types.Signature) *types.Signature {
	strip := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewVar(0, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, strip(s.Params()), strip(s.Results()), s.Variadic())
}

// typeOf lists a type, its exported fields and methods; those of embedded fields are among them.
func (p printer) typeOf(l List, o *types.TypeName) {
	if o.IsAlias() {
		l[o.Name()] = "type = " + p.text(types.Unalias(o.Type()))
		of, ok := types.Unalias(o.Type()).(*types.Named)
		if !ok || !strings.Contains(of.Obj().Pkg().Path()+"/", "/"+unpromised) {
			return // it has a list of its own
		}
	} else {
		l[o.Name()] = "type " + p.kind(o.Type())
	}
	if s, ok := o.Type().Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Exported() {
				l[o.Name()+"."+f.Name()] = "field " + p.text(f.Type())
			}
		}
	}
	receiver := o.Type()
	if !types.IsInterface(receiver) {
		receiver = types.NewPointer(receiver)
	}
	values := types.NewMethodSet(o.Type())
	for m := range types.NewMethodSet(receiver).Methods() {
		if !m.Obj().Exported() {
			continue
		}
		of := "method of *" + o.Name()
		if values.Lookup(m.Obj().Pkg(), m.Obj().Name()) != nil {
			of = "method of " + o.Name()
		}
		l[o.Name()+"."+m.Obj().Name()] = of + ": " + p.text(m.Type())
	}
}

// kind describes a type without its fields and methods, which have lines of their own.
func (p printer) kind(t types.Type) string {
	params := ""
	if n, ok := t.(*types.Named); ok {
		params = p.params(n.TypeParams())
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if !types.Comparable(t) {
			return params + "struct, not comparable"
		}
		return params + "struct"
	case *types.Interface:
		for m := range u.Methods() {
			if !m.Exported() {
				return params + "interface, closed"
			}
		}
		return params + "interface"
	default:
		return params + p.text(u)
	}
}

// Text writes a list, one line for each symbol.
func (l List) Text() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l)) {
		fmt.Fprintf(&b, "%s %s\n", name, l[name])
	}
	return b.String()
}

// Read reads what Text wrote.
func Read(text string) List {
	l := List{}
	for line := range strings.Lines(text) {
		name, is, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		l[name] = is
	}
	return l
}
