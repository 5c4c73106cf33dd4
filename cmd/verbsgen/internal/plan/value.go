package plan

import (
	"strconv"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// Value is what a step uses: an expression of names, literals and calls. Path is dotted names ("pd.dev.lib").
type Value struct {
	As   As
	Path string
	Type string  // of a conversion or a composite; of a name and of a function the package, or the type of a method
	Of   string  // type argument of a Result: bridge.Among[Of](x)
	Text string  // of a Literal; the operator of an Operation; the C name of a Symbol
	Args []Value // of a Result, an Operation, a conversion and an address
	With []Entry // of a Composite
	Func *Func
}

// Func is a function in the place of a value.
type Func struct {
	Params, Results []Var
	Then            []Step
}

// Entry is a named value: an input of rules, a field of a composite.
type Entry struct {
	Name  string
	Value Value
}

// As is the kind of a Value.
type As string

// All kinds, with the Go that each makes.
const (
	Itself    As = ""          // x, pkg.x, (*T).x
	Literal   As = "literal"   // 3, 0x3, "text"
	Address   As = "address"   // &x
	Converted As = "converted" // T(x); without x the type T
	Operation As = "operation" // x != y
	Composite As = "composite" // &T{a: x}, T{}
	Symbol    As = "symbol"    // x.fn[symIbv_x]
	Result    As = "result"    // x(args), pkg.x[Of](args); if x begins with a dot, arg.x(args)
	Function  As = "function"  // func(c unsafe.Pointer) bool { ... }
)

// Values that are names alone.
var (
	null   = val("nil")
	yes    = val("true")
	no     = val("false")
	verb   = val("verb")
	zero   = number(0)
	minus1 = Value{As: Literal, Text: "-1"}
)

// pointer is the type of an address of C.
const pointer = "unsafe.Pointer"

func val(path string) Value      { return Value{Path: path} }
func nameOf(pkg, x string) Value { return Value{Type: pkg, Path: x} }
func number(n uint64) Value      { return Value{As: Literal, Text: strconv.FormatUint(n, 10)} }
func hex(n uint64) Value         { return Value{As: Literal, Text: "0x" + strconv.FormatUint(n, 16)} }
func text(s string) Value        { return Value{As: Literal, Text: strconv.Quote(s)} }
func addr(path string) Value     { return Value{As: Address, Path: path} }

func result(path string, args ...Value) Value { return Value{As: Result, Path: path, Args: args} }
func of(pkg, fn string, args ...Value) Value {
	return Value{As: Result, Type: pkg, Path: fn, Args: args}
}
func generic(pkg, fn, typ string, args ...Value) Value {
	return Value{As: Result, Type: pkg, Path: fn, Of: typ, Args: args}
}
func methodOf(x Value, method string, args ...Value) Value {
	return result("."+method, append([]Value{x}, args...)...)
}
func converted(typ string, x ...Value) Value    { return Value{As: Converted, Type: typ, Args: x} }
func composite(typ string, with ...Entry) Value { return Value{As: Composite, Type: typ, With: with} }
func operation(x Value, op string, y Value) Value {
	return Value{As: Operation, Text: op, Args: []Value{x, y}}
}

// What methods often do with a variable.
func wide(path string) Value        { return converted("uint64", val(path)) }
func memory(path string) Value      { return converted(pointer, addr(path)) }
func array(path string) Value       { return converted(pointer, of("unsafe", "SliceData", val(path))) }
func length(typ, path string) Value { return converted(typ, result("len", val(path))) }
func isNil(path string) Value       { return operation(val(path), "==", null) }
func isGiven(path string) Value     { return operation(val(path), "!=", null) }
func addrOf(path string) Value      { return of("validate", "Addr", val(path)) }
func known(x Value) Value           { return of("validate", "Of", converted("uint64", x)) }

// cField is the field of a C object at an offset.
func cField(typ, path string, at int64) Value {
	return generic("cmem", "At", typ, val(path), number(uint64(at)))
}

// function is a function that takes steps.
func function(params, results []Var, then ...Step) Value {
	return Value{As: Function, Func: &Func{params, results, then}}
}

// convert converts unless the type is that already.
func convert(to, from string, x Value) Value {
	if to == from {
		return x
	}
	return converted(to, x)
}

// symbol is the address of an exported function.
func symbol(lib string, s *model.Symbol) Value { return Value{As: Symbol, Path: lib, Text: s.Name} }

// raw calls the C side of a verb, with the addresses of its exported functions first.
func raw(v *model.Verb, lib string, args ...Value) Value {
	var all []Value
	for _, s := range v.Symbols() {
		all = append(all, symbol(lib, s))
	}
	return result("raw"+v.Go, append(all, args...)...)
}
