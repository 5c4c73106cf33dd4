package exports

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// List describes the exported symbols of a package: their names ("QP", "QP.Modify", "WC.WRID") and what each is.
type List map[string]string

// Of lists a package.
func Of(pkg *types.Package) List {
	l := List{}
	p := printer{pkg, aliases(pkg)}
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
type printer struct {
	pkg  *types.Package
	says map[string]string // what a program calls a type of a package that it does not import
}

// aliases returns what a program calls types of unpromised packages: "SendWR" for "dpath.SendWR", or "verbs.SendWR" in a package that
// imports verbs.
func aliases(pkg *types.Package) map[string]string {
	all := map[string]string{}
	for _, p := range append(pkg.Imports(), pkg) {
		for _, name := range p.Scope().Names() {
			o, ok := p.Scope().Lookup(name).(*types.TypeName)
			if !ok || !o.Exported() || !o.IsAlias() || !hidden(o.Type()) {
				continue
			}
			of := types.TypeString(types.Unalias(o.Type()), (*types.Package).Name)
			in, _, _ := strings.Cut(of, ".")
			says := p.Name() + "." + name
			if p == pkg {
				says = name
			}
			all[of], all[in+"."+name] = says, says // the second for an alias of the hidden package
		}
	}
	return all
}

// hidden reports whether a type is one of a package that programs do not import.
func hidden(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && strings.Contains(n.Obj().Pkg().Path()+"/", "/"+unpromised)
}

// qualified finds names with their packages.
var qualified = regexp.MustCompile(`\b\w+\.\w+(\[\w+\.\w+\])?`)

// text writes a type by the names that a program has for it.
func (p printer) text(t types.Type) string {
	return qualified.ReplaceAllStringFunc(p.exact(t), func(name string) string { return cmp.Or(p.says[name], name) })
}

func (p printer) exact(t types.Type) string {
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
		l[o.Name()] = "type = " + p.exact(types.Unalias(o.Type()))
		if !hidden(o.Type()) {
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
