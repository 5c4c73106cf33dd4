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
		return id(v.Path)
	case plan.Number:
		return dec(v.N)
	case plan.Hex:
		return inHex(v.N)
	case plan.Text:
		return jen.Lit(v.Text)
	case plan.Symbol:
		return fnAddr(id(v.Path), v.Text)
	case plan.Composite:
		return p.compositeOf(v)
	case plan.Constant:
		return function(v)
	case plan.Result:
		if v.Of != "" {
			return function(v).Types(goType(v.Of)).Call(p.values(v.Args)...)
		}
		return function(v).Call(p.values(v.Args)...)
	case plan.Function:
		f := fn{body: p.steps(v.Func.Then)}
		f.takes(v.Func.Params, v.Func.Results)
		return f.code()
	case plan.Differ:
		return op(p.value(v.Args[0]), "!=", p.value(v.Args[1]))
	}
	x := id(v.Path)
	if len(v.Args) > 0 {
		x = p.value(v.Args[0])
	}
	return p.use(v, x)
}

// function is that of a result.
func function(v plan.Value) *jen.Statement {
	if v.Type != "" {
		return rt(v.Type, v.Path)
	}
	return id(v.Path)
}

// use prints what is done with a variable.
func (p printer) use(v plan.Value, x *jen.Statement) *jen.Statement {
	switch v.As {
	case plan.Address:
		return ref(x)
	case plan.Memory:
		return unsafePointer().Call(ref(x))
	case plan.Array:
		return unsafePointer().Call(rt("unsafe", "SliceData").Call(x))
	case plan.Length:
		return goType(v.Type).Call(jen.Len(x))
	case plan.MakeList:
		return jen.Make(jen.Index().Add(goType(v.Type)), jen.Len(x))
	case plan.Converted:
		return conversion(v.Type, x)
	case plan.Reversed:
		return rt("bits", fmt.Sprintf("ReverseBytes%d", v.N)).Call(x)
	case plan.IsNil:
		return isNil(x)
	case plan.IsGiven:
		return notNil(x)
	case plan.IsNotZero:
		return op(x, "!=", jen.Lit(0))
	case plan.IsShort:
		return op(jen.Len(x), "<", dec(v.N))
	case plan.IsEmpty:
		return op(jen.Len(x), "==", jen.Lit(0))
	case plan.HasBits:
		return op(op(x, "&", inHex(v.N)), "!=", jen.Lit(0))
	case plan.IsLonger:
		return op(jen.Len(x), ">", dec(v.N))
	case plan.IsWide:
		return op(jen.Int().Call(jen.Int32().Call(x)), "!=", x)
	case plan.Named:
		return conversion(v.Type, x).Dot("String").Call()
	case plan.CString:
		return rt("cmem", "String").Call(x)
	case plan.CField:
		return rt("cmem", "At").Types(goType(v.Type)).Call(x, dec(v.N))
	case plan.AddrOf:
		return rt("validate", "Addr").Call(x)
	case plan.Property:
		return rt("validate", "Maybe").Call(x.Call())
	case plan.Known:
		return rt("validate", "Of").Call(jen.Uint64().Call(x))
	}
	p.e.errs = append(p.e.errs, fmt.Errorf("%s: nothing prints a value %q", p.name, v.As))
	return x
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
