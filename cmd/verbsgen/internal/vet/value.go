package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"math/big"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// value is what is known of an expression: a *big.Int, null, some, a *record or a list; nil when nothing is.
type value any

// null is nil or a zero address.
type null struct{}

// some is an object or address that is not nil.
type some struct{}

// handle is an object that the function made, with what is known of it by property. The property moving changes while it lives.
type handle struct {
	props  map[string]value
	moving string
}

// dmaBuf is a mem.DMABuf: its fields.
type dmaBuf map[string]value

// list is a slice with a known number of elements; items are nil for bytes.
type list struct {
	items []value
	n     int64
}

// record is a struct of attributes: a plain one, or a builder, which all variables that have it share.
type record struct {
	b      *bindings
	of     *model.Record
	fields map[*model.Field]value
	at     map[*model.Field]ast.Node // where a field got its value
	bits   uint64                    // of the mask
	shared bool                      // variables have its address
	lost   bool                      // something else may have changed it
}

func newRecord(b *bindings, of *model.Record) *record {
	return &record{b: b, of: of, shared: !of.Plain, fields: map[*model.Field]value{}, at: map[*model.Field]ast.Node{}}
}

// copied copies a value for another variable or state. What is the same stays the same within seen.
func copied(v value, seen map[any]value) value {
	switch v := v.(type) {
	case *handle:
		if seen[v] == nil {
			seen[v] = &handle{maps.Clone(v.props), v.moving}
		}
		return seen[v]
	case *record:
		if c := seen[v]; c != nil {
			return c
		}
		c := newRecord(v.b, v.of)
		seen[v] = c
		c.bits, c.lost, c.shared = v.bits, v.lost, v.shared
		for f, x := range v.fields {
			c.fields[f] = copied(x, seen)
		}
		c.at = maps.Clone(v.at)
		return c
	case *batch:
		if seen[v] == nil {
			seen[v] = v.copied(seen)
		}
		return seen[v]
	case *request:
		if seen[v] == nil {
			seen[v] = v.copied()
		}
		return seen[v]
	case span:
		return span{copied(v.batch, seen).(*batch), v.first, v.n}
	case *stream:
		return &stream{v.face, copied(v.of, seen)}
	case list:
		items := make([]value, len(v.items))
		for i, x := range v.items {
			items[i] = copied(x, seen)
		}
		return list{items, v.n}
	}
	return v
}

// same reports whether two values are known to be equal, and otherwise what is left of both: nothing.
func same(a, b value) bool {
	switch a := a.(type) {
	case *big.Int:
		b, ok := b.(*big.Int)
		return ok && a.Cmp(b) == 0
	case null, some, opcodeOf:
		return a == b
	case *handle:
		b, ok := b.(*handle)
		return ok && maps.EqualFunc(a.props, b.props, same)
	case *batch:
		b, ok := b.(*batch)
		return ok && a.same(b)
	case *request:
		b, ok := b.(*request)
		return ok && a.same(b)
	case element:
		b, ok := b.(element)
		return ok && same(a.length, b.length)
	case list:
		b, ok := b.(list)
		return ok && a.n == b.n && slices.EqualFunc(a.items, b.items, same)
	case *record:
		b, ok := b.(*record)
		return ok && a.of == b.of && a.bits == b.bits && !a.lost && !b.lost && maps.EqualFunc(a.fields, b.fields, same)
	}
	return false
}

// asCase is a value as a case of package explain has it.
func asCase(v value) any {
	switch v := v.(type) {
	case *big.Int:
		return v
	case null:
		return nil
	case some:
		return "@given"
	case *handle:
		if len(v.props) == 0 {
			return "@given"
		}
		props := map[string]any{}
		for name, x := range v.props {
			props[name] = asCase(x)
		}
		return props
	case *record:
		return v.asCase()
	case opcodeOf:
		return string(v)
	case element:
		return map[string]any{"addr": explain.Unsaid{}, "length": asCase(v.length), "lkey": explain.Unsaid{}}
	case list:
		if v.items == nil {
			return explain.Unsaid{}
		}
		out := make([]any, len(v.items))
		for i, x := range v.items {
			out[i] = asCase(x)
		}
		return out
	}
	return explain.Unsaid{}
}

// asCase is the C struct of a record: what nobody set is zero there.
func (r *record) asCase() any {
	if r.lost {
		return explain.Unsaid{}
	}
	out := map[string]any{}
	for _, f := range r.of.Fields {
		v, set := r.fields[f]
		switch {
		case f.Callback != "" && set && f.Bit == nil, f.Points != nil, f.Bytes, f.Handles != nil, f.Text:
			out[f.C] = explain.Unsaid{}
			if !set {
				delete(out, f.C)
			}
			if f.Len != nil && f.Len.C != "" && set {
				out[f.Len.C] = explain.Unsaid{}
			}
		case set:
			out[f.C] = asCase(v)
		case f.Object != nil:
			out[f.C] = nil
		case f.Nested != nil:
			out[f.C] = newRecord(r.b, f.Nested).asCase()
		case f.Leaf != nil && numbers[f.Leaf.GoType]:
			out[f.C] = new(big.Int)
		}
	}
	if l := r.maskLeaf(); l != nil {
		out[l.C] = new(big.Int).SetUint64(r.bits)
	}
	return out
}

// maskLeaf is the field of the C struct with the mask of a builder; nil where it has none, or is handed in beside it.
func (r *record) maskLeaf() *model.Leaf {
	if r.of.Mask == "" || r.of.Beside || r.of.Mirror == nil {
		return nil
	}
	return model.First(r.of.Mirror.Leaf, func(l *model.Leaf) bool { return l.Go == r.of.Mask })
}

// numbers are the integers of C.
var numbers = map[string]bool{"uint8": true, "uint16": true, "uint32": true, "uint64": true, "int8": true, "int16": true, "int32": true,
	"int64": true, "uintptr": true}

// set stores a value in a field, with its bit of the mask.
func (r *record) set(f *model.Field, v value, at ast.Node) {
	r.fields[f], r.at[f] = v, at
	if f.Bit == nil {
		return
	}
	if _, nothing := v.(null); !nothing || f.Object == nil {
		r.bits |= uint64(f.BitValue)
	}
}

// field returns the field of a Go name, or nil.
func (r *record) field(name string) *model.Field {
	return model.First(r.of.Fields, func(f *model.Field) bool { return f.Go == name })
}

// fromConstant is the integer of a constant; nil for text and fractions.
func fromConstant(c constant.Value) value {
	switch c.Kind() {
	case constant.Bool:
		if constant.BoolVal(c) {
			return big.NewInt(1)
		}
		return new(big.Int)
	case constant.Int:
		if i, ok := new(big.Int).SetString(c.ExactString(), 10); ok {
			return i
		}
	}
	return nil
}

// wrapped is an integer as a Go type holds it; nil for a type that is not an integer.
func wrapped(i *big.Int, t types.Type) value {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsBoolean) == 0 {
		return nil
	}
	size, signed := uint(types.SizesFor("gc", "amd64").Sizeof(b)*8), b.Info()&types.IsUnsigned == 0
	if b.Info()&(types.IsUntyped|types.IsBoolean) != 0 {
		return i
	}
	out := new(big.Int).Mod(i, new(big.Int).Lsh(big.NewInt(1), size))
	if signed && out.Bit(int(size-1)) == 1 {
		out.Sub(out, new(big.Int).Lsh(big.NewInt(1), size))
	}
	return out
}

// taken reports whether a verb reads a parameter that programs give a value for.
func taken(p *model.Param) bool {
	switch p.Role {
	case role.Out, role.OutRecord, role.Made, role.Filled, role.Given, role.OutMask:
		return false
	}
	return true
}
