package emit

import (
	"fmt"
	"strings"

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
		return p.callOf(v)
	case plan.Function:
		f := fn{body: p.steps(v.Func.Then)}
		f.takes(v.Func.Params, v.Func.Results)
		return f.code()
	}
	p.e.errs = append(p.e.errs, fmt.Errorf("%s: nothing prints a value %q", p.name, v.As))
	return id("nil")
}

// callOf calls a function, or a method of the first argument, which without a name is the function.
func (p printer) callOf(v plan.Value) *jen.Statement {
	fn, args := name(v), p.values(v.Args)
	if method, ok := strings.CutPrefix(v.Path, "."); ok {
		fn, args = jen.Add(args[0]), args[1:]
		if method != "" {
			fn.Dot(method)
		}
	}
	if v.Of != "" {
		fn.Types(goType(v.Of))
	}
	return fn.Call(args...)
}

// name is a variable or a function, with its package, or the method of a type.
func name(v plan.Value) *jen.Statement {
	switch {
	case v.Type == "" && v.Path[0] == '.':
		return nil
	case v.Type == "":
		return id(v.Path)
	case v.Type[0] == '*':
		return jen.Parens(goType(v.Type)).Dot(v.Path)
	}
	return rt(v.Type, v.Path)
}

// conversion makes T(x), and (*T)(x) of a pointer type.
func conversion(typ string, x *jen.Statement) *jen.Statement {
	if typ[0] == '*' {
		return jen.Parens(goType(typ)).Call(x)
	}
	return goType(typ).Call(x)
}

// compositeOf makes &T{a: x, b: y}, []T{x, y}, and T{} with an entry a line.
func (p printer) compositeOf(v plan.Value) *jen.Statement {
	switch {
	case v.Type[0] == '*':
		return ref(goType(v.Type[1:]).Values(p.entries(v.With)...))
	case len(v.With) == 0 || v.Type[0] == '[':
		return goType(v.Type).Values(p.entries(v.With)...)
	}
	return goType(v.Type).Add(lines(p.entries(v.With)...))
}

// entries are values with their names, if they have any: a: x.
func (p printer) entries(list []plan.Entry) []jen.Code {
	var out []jen.Code
	for _, x := range list {
		value := p.value(x.Value)
		if x.Name != "" {
			value = key(x.Name, value)
		}
		out = append(out, value)
	}
	return out
}
