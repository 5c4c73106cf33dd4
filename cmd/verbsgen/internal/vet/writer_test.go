package vet

import (
	"fmt"
	"go/types"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// writer writes a case as a Go program.
type writer struct {
	m    *module
	left string // what becomes of what a case leaves out: zero, or a variable of which nothing is known
	vars []string
	made []string // statements that make handles
	why  string
}

// source is a program with one call of a method; why says why there is none.
func (m *module) source(v *model.Verb, method *model.Method, args map[string]any, left string) (src, why string) {
	w := &writer{m: m, left: left}
	named, _ := m.types.Scope().Lookup(method.Recv).(*types.TypeName)
	if named == nil {
		return "", "no receiver"
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named.Type()), true, m.types, method.Name)
	fn, _ := obj.(*types.Func)
	if fn == nil {
		return "", "no method"
	}
	sig := fn.Signature()
	var in []string
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		in = append(in, w.param(v, method, p.Name(), p.Type(), args, sig.Variadic() && i == sig.Params().Len()-1))
	}
	for name := range args {
		p := v.Param(name)
		if p != nil && p.Object != nil && p.Object.Go == method.Recv && args[name] == nil {
			w.why = "the receiver is NULL"
		}
	}
	if w.why != "" {
		return "", w.why
	}
	short := m.types.Name()
	before, recv := "", "recv"
	for _, p := range v.Params {
		if p.Object != nil && p.Object.Go == method.Recv {
			before, recv = w.state(p.Object, args[p.C])
		}
	}
	if w.why != "" {
		return "", w.why
	}
	vars := append([]string{"recv *" + short + "." + method.Recv}, w.vars...)
	imports := strconv.Quote(m.path)
	if strings.Contains(strings.Join(in, " "), "mem.") {
		imports += "; import " + strconv.Quote("github.com/verbsgen/verbsgen/runtime/mem")
	}
	return fmt.Sprintf("package x\n\nimport %s\n\nvar (\n\t%s\n)\n\nfunc f() { %s%s.%s(%s) }\n", imports,
		strings.Join(vars, "\n\t"), strings.Join(w.made, "")+before, recv, method.Name, strings.Join(in, ", ")), w.why
}

// unknown is a variable of which nothing is known.
func (w *writer) unknown(t types.Type) string {
	name := fmt.Sprintf("v%d", len(w.vars))
	w.vars = append(w.vars, name+" "+w.typeName(t))
	return name
}

// typeName is how the program writes a type; one of a package that it does not import cannot be written.
func (w *writer) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p != w.m.types {
			w.why = "a type of " + p.Path()
		}
		return p.Name()
	})
}

// param writes one argument.
func (w *writer) param(v *model.Verb, method *model.Method, name string, t types.Type, args map[string]any, rest bool) string {
	i := slices.IndexFunc(v.Params, func(p *model.Param) bool { return p.Go == name })
	if i < 0 && method.Form == form.DMABuf {
		return w.dmaBuf(v, args)
	}
	if i < 0 {
		return w.memory(v, method, t, args)
	}
	p := v.Params[i]
	value, given := args[p.C]
	if rest {
		if s, ok := t.(*types.Slice); ok {
			t = s.Elem()
		}
	}
	if !given {
		value, given = w.dotted(args, p.C)
	}
	if p.Taken() != nil && p.Record.From == nil && p.Record.Runtime == "" {
		fields, ok := value.(map[string]any)
		if given && !ok {
			return w.scalar(t, value)
		}
		var mask any
		for _, q := range v.Params {
			if q.Role == role.Mask && q.Record == p.Record {
				mask = args[q.C]
			}
		}
		return w.record(p.Record, nestedFields(fields), mask)
	}
	if s, ok := t.(*types.Slice); ok && p.Len != nil && args[p.Len.C] != nil {
		if n, ok := w.number(args[p.Len.C]); ok && n.IsInt64() {
			return fmt.Sprintf("make([]%s, %d)", w.typeName(s.Elem()), n.Int64())
		}
	}
	if !given && w.left == "memory" && v.HostMemory(p) {
		return "4096"
	}
	if !given {
		return w.neutral(t)
	}
	return w.scalar(t, value)
}

// dotted gathers the arguments "attr.x" of a parameter attr.
func (w *writer) dotted(args map[string]any, c string) (any, bool) {
	out := map[string]any{}
	for name, v := range args {
		if rest, ok := strings.CutPrefix(name, c+"."); ok {
			out[rest] = v
		}
	}
	if len(out) == 0 {
		return nil, false
	}
	return out, true
}

// nestedFields writes all names of fields with dots: {a: {b: 1}} is {a.b: 1} too.
func nestedFields(m map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range m {
		out[name] = v
		if inner, ok := v.(map[string]any); ok {
			for k, x := range nestedFields(inner) {
				out[name+"."+k] = x
			}
		}
	}
	return out
}

// memory writes the argument that stands for an address with its length.
func (w *writer) memory(v *model.Verb, method *model.Method, t types.Type, args map[string]any) string {
	for _, p := range v.Params {
		if p.Len == nil || !v.HostMemory(p) {
			continue
		}
		if method.Form == form.Memory {
			return w.source(args, p.C, p.Len.C)
		}
		if method.Form != form.Bytes {
			return w.neutral(t)
		}
		if n, ok := w.number(args[p.Len.C]); ok && n.IsInt64() && n.Int64() < 1<<40 {
			return fmt.Sprintf("make([]byte, %d)", n.Int64())
		}
	}
	return w.unknown(t)
}

// dmaBuf writes the mem.DMABuf of a verb.
func (w *writer) dmaBuf(v *model.Verb, args map[string]any) string {
	var fields []string
	for _, p := range v.Params {
		if name := form.DMABufField(form.DMABuf, p.C); name != "" {
			value := w.neutral(types.Typ[types.Uint64])
			if x, given := args[p.C]; given {
				value = w.scalar(types.Typ[types.Uint64], x)
			}
			fields = append(fields, name+": "+value)
		}
	}
	return "mem.DMABuf{" + strings.Join(fields, ", ") + "}"
}

// source writes the mem.Source of an address with its length, by their names in a case.
func (w *writer) source(values map[string]any, addr, length string) string {
	word := func(name string, t types.Type) string {
		if v, given := values[name]; given {
			return w.scalar(t, v)
		}
		if w.left == "memory" {
			return "4096"
		}
		return w.neutral(t)
	}
	return "mem.Addr(" + word(addr, types.Typ[types.Uintptr]) + ", " + word(length, types.Typ[types.Uint64]) + ")"
}

// neutral writes what a case leaves out.
func (w *writer) neutral(t types.Type) string {
	if w.left != "unknown" {
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			return "0"
		}
	}
	return w.unknown(t)
}

// scalar writes a number, a handle or NULL.
func (w *writer) scalar(t types.Type, v any) string {
	if s, ok := v.(string); ok && strings.HasPrefix(s, "@") {
		return w.handle(t)
	}
	n, ok := w.number(v)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case v == nil && u.Info()&types.IsInteger != 0:
			return "0"
		case !ok:
		case u.Info()&types.IsBoolean != 0:
			return fmt.Sprint(n.Sign() != 0)
		case u.Info()&types.IsInteger != 0:
			if n.Sign() < 0 && u.Info()&types.IsUnsigned != 0 {
				n = wrapped(n, t).(*big.Int)
			}
			return n.String()
		}
	case *types.Pointer, *types.Slice:
		if v == nil || ok && n.Sign() == 0 {
			return "nil"
		}
		if _, object := v.(map[string]any); object || ok {
			return w.unknown(t)
		}
	}
	w.why = fmt.Sprintf("a %T for a %s", v, t)
	return ""
}

// number is the value of a case: an integer, constants, or a list of flags.
func (w *writer) number(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case int:
		return big.NewInt(int64(v)), true
	case int64:
		return big.NewInt(v), true
	case uint64:
		return new(big.Int).SetUint64(v), true
	case *big.Int:
		return v, true
	case bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case string:
		sum := new(big.Int)
		for _, part := range strings.Split(v, "|") {
			i, ok := spec.ParseInt(strings.TrimSpace(part))
			if !ok {
				i = w.m.facts.Const(strings.TrimSpace(part))
			}
			if i == nil {
				return nil, false
			}
			if sum.Sign() == 0 {
				sum = i
			} else {
				sum = new(big.Int).Or(sum, i)
			}
		}
		return sum, true
	case []any:
		sum := new(big.Int)
		for _, x := range v {
			i, ok := w.number(x)
			if !ok {
				return nil, false
			}
			sum = new(big.Int).Or(sum, i)
		}
		return sum, true
	}
	return nil, false
}

// record writes a struct, or a builder with the fields that are given.
func (w *writer) record(r *model.Record, fields map[string]any, mask any) string {
	named := w.m.types.Scope().Lookup(r.Go)
	if named == nil {
		w.why = "no type " + r.Go
		return ""
	}
	pkg := w.m.types.Name() + "."
	if !r.Plain {
		return w.builder(r, fields, mask)
	}
	var parts []string
	s, _ := named.Type().Underlying().(*types.Struct)
	for _, f := range r.Fields {
		text := w.field(f, fields, fieldType(s, f.Go))
		if text != "" {
			parts = append(parts, f.Go+": "+text)
		}
	}
	return pkg + r.Go + "{" + strings.Join(parts, ", ") + "}"
}

func fieldType(s *types.Struct, name string) types.Type {
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return s.Field(i).Type()
		}
	}
	return nil
}

// field writes the value of a field; nothing for one that keeps its zero value.
func (w *writer) field(f *model.Field, fields map[string]any, t types.Type) string {
	v, given := fields[f.C]
	switch {
	case t == nil:
		return ""
	case f.Nested != nil:
		inner := map[string]any{}
		for name, x := range fields {
			if rest, ok := strings.CutPrefix(name, f.C+"."); ok {
				inner[rest] = x
			}
		}
		if m, ok := v.(map[string]any); len(inner) > 0 || ok {
			maps.Copy(inner, nestedFields(m))
			return w.record(f.Nested, inner, nil)
		}
		return ""
	case given:
		return w.scalar(t, v)
	case f.Object != nil || w.left == "unknown":
		return w.unknown(t)
	}
	return ""
}

// builder writes NewX(...).Field(...): a method for each field that is given, or has a bit in the mask.
func (w *writer) builder(r *model.Record, fields map[string]any, mask any) string {
	if l := newRecord(nil, r).maskLeaf(); l != nil && fields[l.C] != nil {
		mask = fields[l.C]
	}
	bits, masked := w.number(mask)
	pkg, named := w.m.types.Name()+".", w.m.types.Scope().Lookup(r.Go)
	ctor, _ := w.m.types.Scope().Lookup("New" + r.Go).(*types.Func)
	if ctor == nil {
		w.why = "no constructor"
		return ""
	}
	var in, chain []string
	for i, f := range r.New {
		text := w.field(f, fields, ctor.Signature().Params().At(i).Type())
		if text == "" {
			text = w.neutral(ctor.Signature().Params().At(i).Type())
		}
		in = append(in, text)
	}
	var have uint64
	for _, f := range r.Fields {
		if slices.Contains(r.New, f) {
			if f.Bit != nil {
				have |= uint64(f.BitValue)
			}
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named.Type()), true, w.m.types, f.Go)
		fn, _ := obj.(*types.Func)
		if fn == nil || fn.Signature().Params().Len() != 1 {
			continue
		}
		t := fn.Signature().Params().At(0).Type()
		_, given := fields[f.C]
		asked := masked && f.Bit != nil && new(big.Int).And(bits, big.NewInt(f.BitValue)).Sign() != 0
		if masked && f.Bit != nil && !asked {
			continue // its value does not count
		}
		text := ""
		if f.Callback == spec.CallbackMemory && (given || asked) {
			text = w.source(fields, f.C, f.Len.C)
		} else {
			text = w.field(f, fields, t)
		}
		switch {
		case text != "" && (given || asked || f.Nested != nil):
		case asked:
			text = w.neutral(t)
		default:
			continue
		}
		if f.Bit != nil {
			have |= uint64(f.BitValue)
		}
		chain = append(chain, fmt.Sprintf(".%s(%s)", f.Go, text))
	}
	for _, x := range r.Bits {
		if masked && new(big.Int).And(bits, big.NewInt(x.Value)).Sign() != 0 {
			have |= uint64(x.Value)
			chain = append(chain, "."+x.Go+"()")
		}
	}
	if masked && bits.Uint64()&^have != 0 {
		w.why = fmt.Sprintf("the mask 0x%x, and a builder makes 0x%x", bits, have)
	}
	return pkg + "New" + r.Go + "(" + strings.Join(in, ", ") + ")" + strings.Join(chain, "")
}
