package bind

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// leaf finds a field of a mirror by its C path, which may lead through nested structs.
func (b *binder) leaf(m *model.Mirror, c string) *model.Leaf {
	if l := m.Find(c); l != nil {
		return l
	}
	outer, inner, dotted := strings.Cut(c, ".")
	l := m.Find(outer)
	if !dotted || l == nil {
		return nil
	}
	held := b.mirrors[strings.TrimPrefix(l.CType, "struct ")]
	if held == nil {
		return nil
	}
	sub := b.leaf(held, inner)
	if sub == nil {
		return nil
	}
	path := *sub
	path.Go, path.C, path.Offset = l.Go+"."+sub.Go, c, l.Offset+sub.Offset
	return &path
}

// mirrorBase is the Go name of a mirror without its leading c.
func mirrorBase(tag string) string {
	return naming.Exported(strings.TrimPrefix(tag, "ibv_"))
}

// mirror makes the Go mirror of a C struct once.
func (b *binder) mirror(tag string, at spec.Pos) *model.Mirror {
	if m := b.mirrors[tag]; m != nil {
		return m
	}
	rec := b.facts.Record("struct " + tag)
	m := &model.Mirror{Name: "c" + mirrorBase(tag), C: tag}
	b.mirrors[tag] = m
	if problem := b.fitRecord(rec); problem != "" {
		pos := api.Pos{File: at.File, Line: at.Line, Col: at.Col}
		if rec != nil && rec.Pos.File != "" {
			pos = rec.Pos
		}
		b.headerf(diag.MirrorImpossible, pos, "struct "+tag, problem, "do not describe this struct under records:")
		return m
	}
	m.Size = rec.Size
	if rec.ARM64 != nil {
		b.errorf(diag.MirrorImpossible, at, "struct "+tag, "its layout differs between amd64 and arm64", "do not describe this struct under records:")
		return m
	}
	b.mirrorFields(m, rec, at)
	return m
}

// mirrorFields makes the fields of a mirror, and padding between them.
func (b *binder) mirrorFields(m *model.Mirror, rec *api.Record, at spec.Pos) {
	end := int64(0)
	pad := func(to int64) {
		if to > end {
			m.Leaf = append(m.Leaf, &model.Leaf{Go: "_", GoType: fmt.Sprintf("[%d]byte", to-end), Offset: end, Size: to - end})
			end = to
		}
	}
	shown := b.shownFields(m.C)
	for _, f := range rec.Fields {
		if f.Name == "" || rec.Container(f) {
			continue
		}
		opaque := shown != nil && !shown[f.Name]
		goType, nested, err := b.mirrorType(f)
		switch {
		case opaque && (f.BitSize != nil || f.Offset < end || overlaps(rec, f, shown)):
			continue // its bytes are padding, or another field's
		case opaque && (err != nil || nested != "" && b.mirrors[nested] == nil && b.shownFields(nested) == nil):
			pad(f.Offset)
			m.Leaf = append(m.Leaf, &model.Leaf{Go: "_", GoType: opaqueType(f), Offset: f.Offset, Size: f.Size})
			end = f.Offset + f.Size
			continue
		case f.BitSize != nil:
			err = errors.New("it is a bit-field")
		case err == nil && f.Offset < end:
			err = errors.New("members overlap (a union)")
		}
		if err == nil {
			err = b.fitLeaf(f, goType)
		}
		if err != nil {
			b.headerf(diag.MirrorImpossible, f.Pos, rec.Tag+"."+f.Name, err.Error(), "do not describe this struct under records:")
			m.Leaf = append(m.Leaf, &model.Leaf{C: f.Name, GoType: "uint64"}) // found by its name, so that one mistake is reported once
			continue
		}
		if nested != "" {
			b.mirror(nested, at)
		}
		pad(f.Offset)
		m.Leaf = append(m.Leaf, &model.Leaf{Go: naming.Field(f.Name), C: f.Name, CType: f.Type, GoType: goType, Offset: f.Offset, Size: f.Size,
			Big: bigEndian(f.Type)})
		end = f.Offset + f.Size
	}
	pad(rec.Size)
}

// shownFields are the fields of a C struct that some Go type of it shows or uses as its mask; nil when it has no Go type.
func (b *binder) shownFields(tag string) map[string]bool {
	var shown map[string]bool
	for _, p := range b.in.Spec.Pages {
		for i := range p.Records {
			if p.Records[i].C != tag || p.Records[i].Role == spec.RecordEntry { // which is read in place
				continue
			}
			if shown == nil {
				shown = map[string]bool{}
			}
			maps.Copy(shown, p.Records[i].Shown())
		}
	}
	return shown
}

// overlaps tells whether a field shares bytes with one that is shown.
func overlaps(rec *api.Record, f api.Field, shown map[string]bool) bool {
	return slices.ContainsFunc(rec.Fields, func(g api.Field) bool {
		return shown[g.Name] && !rec.Container(g) && f.Offset < g.Offset+g.Size && g.Offset < f.Offset+f.Size
	})
}

// opaqueType is a Go type for the bytes of a field, aligned as far as its place and size allow.
func opaqueType(f api.Field) string {
	for _, bytes := range []int64{8, 4, 2} {
		if f.Offset%bytes == 0 && f.Size%bytes == 0 {
			return fmt.Sprintf("[%d]uint%d", f.Size/bytes, 8*bytes)
		}
	}
	return fmt.Sprintf("[%d]byte", f.Size)
}

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
	case elem == model.GID:
		size, align = 16, 1
	case strings.HasPrefix(elem, "c"):
		held, _ := array(f.Type)
		rec := b.facts.Record(held)
		if rec == nil || rec.Incomplete {
			return errors.New(held + " is not defined in this header")
		}
		size, align = rec.Size, min(rec.Align, b.goAlign(rec))
	}
	switch {
	case f.Size == 0:
		return errors.New("its type has no size")
	case size*n != f.Size:
		return fmt.Errorf("its C type %q has %d bytes, and the Go type %s has %d", f.Type, f.Size, goType, size*n)
	case align > 0 && f.Offset%align != 0:
		return fmt.Errorf("Go does not place a %[2]s at its offset %[1]d", f.Offset, goType)
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
		case b.facts.Record(elem) != nil && b.facts.Record(elem) != rec && strings.HasPrefix(elem, "struct "):
			align = max(align, b.goAlign(b.facts.Record(elem)))
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
