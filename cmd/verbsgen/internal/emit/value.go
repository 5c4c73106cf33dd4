package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// values prints several.
func (p printer) values(list []plan.Value) []jen.Code {
	var out []jen.Code
	for _, v := range list {
		out = append(out, p.value(v))
	}
	return out
}

// value prints a value; package plan has the Go of each kind.
func (p printer) value(v plan.Value) *jen.Statement {
	switch v.As {
	case plan.Itself:
		return name(v)
	case plan.Literal:
		return digits(v.Text)
	case plan.Address:
		return ref(id(v.Path))
	case plan.Converted:
		if len(v.Args) == 0 {
			return goType(v.Type)
		}
		return conversion(v.Type, p.value(v.Args[0]))
	case plan.Operation:
		return op(p.value(v.Args[0]), v.Text, p.value(v.Args[1]))
	case plan.Symbol:
		return fnAddr(id(v.Path), v.Text)
	case plan.Composite:
		return p.compositeOf(v)
	case plan.Result:
		if v.Of != "" {
			return name(v).Types(goType(v.Of)).Call(p.values(v.Args)...)
		}
		return name(v).Call(p.values(v.Args)...)
	case plan.Function:
		f := fn{body: p.steps(v.Func.Then)}
		f.takes(v.Func.Params, v.Func.Results)
		return f.code()
	}
	p.e.errs = append(p.e.errs, fmt.Errorf("%s: nothing prints a value %q", p.name, v.As))
	return id("nil")
}

// name is a variable or a function, with its package.
func name(v plan.Value) *jen.Statement {
	if v.Type != "" {
		return rt(v.Type, v.Path)
	}
	return id(v.Path)
}

// conversion makes T(x), and (*T)(x) of a pointer type.
func conversion(typ string, x *jen.Statement) *jen.Statement {
	if typ[0] == '*' {
		return jen.Parens(goType(typ)).Call(x)
	}
	return goType(typ).Call(x)
}

// compositeOf makes &T{a: x, b: y}, and T{} with an entry a line.
func (p printer) compositeOf(v plan.Value) *jen.Statement {
	switch {
	case v.Type[0] == '*':
		return ref(goType(v.Type[1:]).Values(p.entries(v.With)...))
	case len(v.With) == 0:
		return goType(v.Type).Values()
	}
	return goType(v.Type).Add(lines(p.entries(v.With)...))
}

// entries are named values: a: x.
func (p printer) entries(list []plan.Entry) []jen.Code {
	var out []jen.Code
	for _, x := range list {
		out = append(out, key(x.Name, p.value(x.Value)))
	}
	return out
}
