package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file names what the conditions of rules compare: values of enums and flags are typed variables, constants have their names.

// terms are the variables of one validator.
type terms struct {
	e      *emitter
	locals []jen.Code
	local  map[string]string // by the name of the input
	taken  map[string]bool
}

// typed is a variable with an input that is of an enum or flags, nil for others. It is declared at its first use:
//
//	access := MRAccess(in.access)
func (t *terms) typed(o model.Operand) *jen.Statement {
	of := t.e.namedEnum(o)
	if of == nil {
		return nil
	}
	if name := t.local[o.Name]; name != "" {
		return id(name)
	}
	name := o.Name
	if o.Field != nil {
		if short := naming.Unexported(o.Field.Go); !t.taken[short] && !naming.Reserved(short) {
			name = short
		}
	}
	t.local[o.Name], t.taken[name] = name, true
	x := id("in", o.Name)
	if loose(o) {
		x = dot(x, "V")
	}
	t.locals = append(t.locals, define(name).Add(id(of.Go).Call(x)))
	return id(name)
}

// enumOf is the enum or flags that a value is of, or nil.
func enumOf(o model.Operand) *model.Enum {
	switch {
	case o.Enum != nil:
		return o.Enum
	case o.Field != nil:
		return o.Field.Enum
	case o.Param != nil && o.Leaf == nil:
		return o.Param.Enum
	}
	return nil
}

// namedEnum is the enum or flags of a value where the package has its type, and the type has all bits of the value.
func (e *emitter) namedEnum(o model.Operand) *model.Enum {
	of := enumOf(o)
	if o.Kind == model.OpCap {
		of = e.capEnum(o)
	}
	if of == nil || o.Signed || len(of.Members) == 0 || !slices.Contains(e.pkg.Enums, of) || o.Kind == model.OpField && o.List != "" {
		return nil
	}
	bits := 32
	switch {
	case o.Kind == model.OpField:
		bits = sizes[o.Layout] * 8
	case o.Leaf != nil:
		bits = int(o.Leaf.Size * 8)
	case o.Param != nil && o.Kind == model.OpArg:
		bits = of.Bits
	}
	if of.Bits < bits || bits == 0 {
		return nil
	}
	return of
}

// capEnum is the enum or flags of a capability, or nil.
func (e *emitter) capEnum(o model.Operand) *model.Enum {
	for _, r := range e.pkg.Records {
		for _, f := range r.Fields {
			if f.Leaf != nil && f.Leaf == o.Leaf {
				return f.Enum
			}
		}
	}
	return nil
}

// sizes are those of the Go types that fields of requests have.
var sizes = map[string]int{"uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8}

// member is the name of a constant of an enum, empty when none has the value.
func (e *emitter) member(of *model.Enum, value uint64) string {
	for _, m := range of.Members {
		if uint64(m.Value) == value && !m.Alias {
			return m.Go
		}
	}
	return ""
}

// constant is the name of a constant that a value is compared with; empty when it has none.
func (e *emitter) constant(a, b model.Operand) string {
	of := e.namedEnum(a)
	if of == nil || b.Kind != model.OpConst || b.Signed {
		return ""
	}
	return e.member(of, b.Const)
}

// bit is a named bit of flags or of a mask.
type bit struct {
	name, c string
	value   uint64
	fields  string // of a mask: the Go names of the fields that it says are given
}

// flags are bits by their names: MRAccessLocalWrite|MRAccessRemoteWrite. Bits without a name are a number.
func (e *emitter) flags(o model.Operand, value uint64, operand bool) *jen.Statement {
	var bits []bit
	if of := e.namedEnum(o); of != nil {
		for _, m := range of.Members {
			if !m.Alias && m.Value&(m.Value-1) == 0 {
				bits = append(bits, bit{name: m.Go, value: uint64(m.Value)})
			}
		}
	} else if rec := maskOf(o); rec != nil {
		bits = bitsOfMask(rec)
	}
	var parts []jen.Code
	for _, b := range bits {
		if b.value != 0 && value&b.value == b.value {
			parts, value = append(parts, id(b.name)), value&^b.value
		}
	}
	if value != 0 || len(parts) == 0 {
		parts = append(parts, inHex(value))
	}
	all := join("|", len(parts) > few, parts...)
	if operand && len(parts) > 1 {
		return jen.Parens(all)
	}
	return all
}

// maskOf is the record whose mask an operand is, or nil.
func maskOf(o model.Operand) *model.Record {
	if o.Param == nil || o.Param.Record == nil || o.Param.Record.Runtime != "" || o.Param.Record.From != nil {
		return nil
	}
	rec := o.Param.Record
	if o.Param.Role == role.Mask || o.Kind == model.OpArg && o.Leaf != nil && o.Leaf.Go == rec.Mask {
		return rec
	}
	return nil
}

// bitsOfMask are the bits of the mask of a record, each named after the first field that it says is given.
func bitsOfMask(rec *model.Record) (bits []bit) {
	add := func(c, field, fields string, value int64) {
		if !slices.ContainsFunc(bits, func(b bit) bool { return b.c == c }) {
			bits = append(bits, bit{name: naming.Unexported(rec.Go) + "Has" + field, c: c, value: uint64(value), fields: fields})
		}
	}
	for _, f := range rec.Fields {
		if f.Bit != nil {
			add(f.Bit.C, f.Go, strings.Join(fieldsOf(rec, f.Bit.C), "/"), f.BitValue)
		}
	}
	for _, b := range rec.Bits {
		add(b.C, b.Go, "", b.Value)
	}
	return bits
}

// maskConsts makes the bits of the masks that a rule looks at:
//
//	const (
//		qpAttrHasState = 0x1 // IBV_QP_STATE
//	)
func (e *emitter) maskConsts(g *goFile, r *model.Rule) {
	r.Broken.Each(func(n *model.Cond) {
		if n.Of == nil {
			return
		}
		rec := maskOf(*n.Of)
		if rec == nil || e.bits[rec] {
			return
		}
		e.bits[rec] = true
		var consts []jen.Code
		for _, b := range bitsOfMask(rec) {
			consts = append(consts, remark(id(b.name).Op("=").Add(inHex(b.value)), b.c))
		}
		if len(consts) > 0 {
			g.decl("// The bits of the mask of "+rec.Go+": which fields are given.", jen.Const().Defs(consts...))
		}
	})
}
