package plan

import "github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"

// Value is what a step uses: a variable or a field of one, and what is done with it. Path is dotted names ("pd.dev.lib").
type Value struct {
	As   As
	Path string
	Type string  // of a conversion, a composite or a field of C
	Text string  // a literal text; of a Symbol, its C name
	N    uint64  // a number, a base, an offset
	Args []Value // of a Result; what a conversion is of, in place of Path
	With []Entry // of a Composite
	Func *Func
	Of   string // type argument of a Result: bridge.Among[Of](x)
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

// As is what is done with a Value.
type As string

// All that is done with values, with the Go that each makes.
const (
	Itself    As = ""
	Number    As = "number"    // 3
	Hex       As = "hex"       // 0x3
	Text      As = "text"      // "text"
	Address   As = "address"   // &x
	Memory    As = "memory"    // unsafe.Pointer(&x)
	Array     As = "array"     // unsafe.Pointer(unsafe.SliceData(x))
	Length    As = "length"    // T(len(x))
	MakeList  As = "list"      // make([]T, len(x))
	Converted As = "converted" // T(x)
	Reversed  As = "reversed"  // bits.ReverseBytes32(x)
	CString   As = "C string"  // cmem.String(x)
	CField    As = "C field"   // cmem.At[T](x, N)
	AddrOf    As = "handle"    // validate.Addr(x)
	Known     As = "known"     // validate.Of(uint64(x))
	Property  As = "property"  // validate.Maybe(x())
	Composite As = "composite" // &T{a: x}, T{}
	Named     As = "named"     // T(x).String()
	Symbol    As = "symbol"    // x.fn[symIbv_x]
	Constant  As = "constant"  // x of package Type
	Result    As = "result"    // x(args); in package Type, where that is given
	Function  As = "function"  // func(c unsafe.Pointer) bool { ... }
)

// Conditions.
const (
	IsNil     As = "nil"       // x == nil
	IsGiven   As = "given"     // x != nil
	IsNotZero As = "not zero"  // x != 0
	HasBits   As = "bits"      // x&N != 0
	IsWide    As = "wide"      // int(int32(x)) != x
	IsShort   As = "short"     // len(x) < N
	IsEmpty   As = "empty"     // len(x) == 0
	Differ    As = "different" // x != y
	IsLonger  As = "longer"    // len(x) > N
)

// Values that are names alone.
var (
	null = Value{Path: "nil"}
	yes  = Value{Path: "true"}
	no   = Value{Path: "false"}
	verb = Value{Path: "verb"}
	zero = Value{As: Number}
)

// pointer is the type of an address of C.
const pointer = "unsafe.Pointer"

func val(path string) Value                   { return Value{Path: path} }
func as(how As, path string) Value            { return Value{As: how, Path: path} }
func number(n uint64) Value                   { return Value{As: Number, N: n} }
func hex(n uint64) Value                      { return Value{As: Hex, N: n} }
func text(s string) Value                     { return Value{As: Text, Text: s} }
func result(path string, args ...Value) Value { return Value{As: Result, Path: path, Args: args} }
func of(pkg, fn string, args ...Value) Value {
	return Value{As: Result, Type: pkg, Path: fn, Args: args}
}
func converted(typ string, x Value) Value       { return Value{As: Converted, Type: typ, Args: []Value{x}} }
func wide(path string) Value                    { return converted("uint64", val(path)) }
func composite(typ string, with ...Entry) Value { return Value{As: Composite, Type: typ, With: with} }

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
