package bind

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// goSizes are the sizes of the Go types of scalars, which on amd64 and arm64 are their alignments too.
var goSizes = map[string]int64{"byte": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8, "uintptr": 8}

// fitLeaf tells why a field of C cannot have a Go type; nil when it can.
func (b *binder) fitLeaf(f api.Field, goType string) error {
	elem, n := goType, int64(1)
	if rest, ok := strings.CutPrefix(goType, "["); ok {
		count, e, _ := strings.Cut(rest, "]")
		elem = e
		n, _ = strconv.ParseInt(count, 10, 64)
	}
	size, align := goSizes[elem], goSizes[elem]
	switch {
	case elem == gidType:
		size, align = 16, 1
	case strings.HasPrefix(elem, "c"):
		held, _ := array(f.Type)
		rec := b.recs[held]
		if rec == nil || rec.Incomplete {
			return errors.New(held + " is not defined in this header")
		}
		size, align = rec.Size, min(rec.Align, b.goAlign(rec))
	}
	switch {
	case f.Size == 0:
		return errors.New("it has no size")
	case size*n != f.Size:
		return fmt.Errorf("its C type %q has %d bytes, and the Go type %s has %d", f.Type, f.Size, goType, size*n)
	case align > 0 && f.Offset%align != 0:
		return fmt.Errorf("its offset %d is not one that Go gives a %s", f.Offset, goType)
	}
	return nil
}

// goAlign is the alignment of the mirror of a record: that of its most aligned scalar.
func (b *binder) goAlign(rec *api.Record) int64 {
	align := int64(1)
	for _, f := range rec.Fields {
		if f.Name == "" || rec.Container(f) {
			continue
		}
		elem, _ := array(f.Type)
		switch {
		case f.Func != nil || isPointer(elem):
			align = 8
		case b.recs[elem] != nil && b.recs[elem] != rec && strings.HasPrefix(elem, "struct "):
			align = max(align, b.goAlign(b.recs[elem]))
		case strings.HasPrefix(elem, "enum "):
			align = max(align, 4)
		default:
			align = max(align, goSizes[goTypes[elem]])
		}
	}
	return align
}

// fitRecord tells why a record cannot have a mirror at all; empty when it can.
func (b *binder) fitRecord(rec *api.Record) string {
	switch {
	case rec == nil:
		return "is not defined in this header"
	case rec.Incomplete:
		return "is declared in this header, but not defined"
	case rec.Size == 0:
		return "has no members"
	case rec.Size%b.goAlign(rec) != 0:
		return fmt.Sprintf("its size of %d bytes is no multiple of the alignment %d that Go gives it", rec.Size, b.goAlign(rec))
	}
	return ""
}

// fitField holds the C type of a field against what its page makes of it.
func (b *binder) fitField(r *model.Record, sf spec.RecordField, f *model.Field) {
	if f.Leaf.CType == "" { // it has no leaf, which is told already
		return
	}
	want := ""
	leaf := f.Leaf.GoType
	number := goSizes[leaf] > 0
	switch {
	case f.Object != nil:
		want = needs(leaf == "uintptr", "a pointer")
	case f.Nested != nil:
		want = needs(leaf == f.Nested.Mirror.Name, "struct "+f.Nested.C)
	case f.Record != nil:
		want = needs(leaf == f.Record.Mirror.Name, "struct "+f.Record.C)
	case f.GoType == gidType:
		want = needs(leaf == gidType, "union ibv_gid")
	case f.Text:
		want = needs(strings.HasSuffix(leaf, "]byte") || strings.HasSuffix(leaf, "]uint8"), "an array of char")
	case f.Enum != nil, f.Bool, sf.Type == "uintptr":
		want = needs(number && !f.Leaf.Big, "an integer")
	case sf.Callback == "memory", sf.Callback == "context", sf.Callback == "allocator":
		want = needs(leaf == "uintptr", "a pointer")
	}
	subject := "struct " + r.C + "." + f.C
	at := b.fieldPos(r.C, f.C)
	if want != "" {
		b.headerf(diag.TypeMismatch, at, subject, "its C type "+f.Leaf.CType+" is not "+want+", as its page has it", pageFix)
	}
	if f.Bit != nil {
		b.fitBit(r, f.Bit, at, subject)
	}
}

func needs(ok bool, want string) string {
	if ok {
		return ""
	}
	return want
}

// fitBit looks whether the bit of a field or a switch fits into the mask of its record.
func (b *binder) fitBit(r *model.Record, bit *model.Member, at api.Pos, subject string) {
	top := uint64(math.MaxUint32)
	if !r.Beside && r.Mask != "" {
		for _, l := range r.Mirror.Leaf {
			if l.Go == r.Mask {
				top = b.maxOf(l.CType)
			}
		}
	}
	if uint64(bit.Value) > top {
		b.headerf(diag.ValueRange, at, subject, fmt.Sprintf("its bit %s is %d, which the mask of %s does not hold", bit.C, bit.Value, r.C), pageFix)
	}
}

// fieldPos is the place of a field in the header, or that of its record.
func (b *binder) fieldPos(tag, name string) api.Pos {
	rec := b.recs["struct "+tag]
	if rec == nil {
		return api.Pos{}
	}
	for _, f := range rec.Fields {
		if f.Name == name {
			return f.Pos
		}
	}
	return rec.Pos
}

// fitMember looks whether the value of an enumerator fits into a Go type of 64 bits; checkFits does for those of 32.
func (b *binder) fitMember(e *model.Enum, c string, value int64, at spec.Pos) {
	if e.Bits != 64 || value >= 0 || e.Signed || e.Flags && !b.signed(c) { // bits of a uint64 may look negative
		return
	}
	problem := fmt.Sprintf("its value %d does not fit into the Go type %s, which has no sign", value, e.Go)
	if pos := b.enumr[c].pos; pos.File != "" {
		b.headerf(diag.ValueRange, pos, c, problem, pageFix)
		return
	}
	b.errorf(diag.ValueRange, at, c, problem, pageFix)
}

// signed tells whether the C enum of an enumerator has negative values.
func (b *binder) signed(c string) bool {
	e := b.enums[b.enumr[c].enum]
	return e != nil && e.Signed
}
