package bind

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// bindRecords makes the Go types of plain structs, in two passes: fields may hold other records.
func (b *binder) bindRecords() {
	specs := map[*model.Record]spec.Record{}
	var order []*model.Record
	for _, p := range b.in.Spec.Pages {
		for _, s := range p.Records {
			if b.recs["struct "+s.C] == nil {
				if !b.newer("struct " + s.C) {
					b.errorf(diag.NameUnknown, s.Pos, s.Go, "no struct "+s.C+" in this header", "correct the name")
				}
				continue
			}
			r := &model.Record{Go: s.Go, C: s.C, Page: p.Page, In: s.Role == spec.RecordIn, Entry: s.Role == spec.RecordEntry, Caps: len(s.CapsFrom) > 0, Beside: s.MaskParam != "", Doc: s.Doc, Pos: pos(s.Pos)}
			r.Mirror = b.mirror(s.C, s.Pos)
			if old := b.records[s.Go]; old != nil {
				b.errorf(diag.GoNameTwice, s.Pos, s.Go, "a record of this name stands at "+old.Pos.File+" already", "rename one of them")
				continue
			}
			b.records[s.Go] = r
			specs[r] = s
			order = append(order, r)
		}
	}
	for _, r := range order {
		b.bindFields(r, specs[r])
		b.pkg.Records = append(b.pkg.Records, r)
	}
}

// bindFields resolves the fields that the release has.
func (b *binder) bindFields(r *model.Record, s spec.Record) {
	if s.Mask != "" {
		if leaf := r.Mirror.Find(s.Mask); leaf != nil {
			r.Mask = leaf.Go
			if leaf.CType != "" && goSizes[leaf.GoType] == 0 || leaf.GoType == "uintptr" || leaf.Big {
				b.headerf(diag.TypeMismatch, b.fieldPos(s.C, s.Mask), "struct "+s.C+"."+s.Mask, "its C type "+leaf.CType+" is not an integer, as its page has it", pageFix)
			}
		} else {
			b.errorf(diag.NameUnknown, s.Pos, s.Go, "no field "+s.Mask+" in struct "+s.C, "correct mask:")
		}
	}
	for _, sf := range s.Fields {
		leaf := b.leaf(r.Mirror, sf.C)
		if leaf == nil {
			if !b.newer("struct " + s.C + "." + sf.C) {
				b.errorf(diag.NameUnknown, sf.Pos, s.Go+"."+sf.Go, "no field "+sf.C+" in struct "+s.C, "correct the name")
			}
			continue
		}
		r.Fields = append(r.Fields, b.bindField(r, s, sf, leaf))
	}
	for _, c := range s.New {
		f := r.Field(c)
		if f == nil {
			b.errorf(diag.NameUnknown, s.Pos, s.Go, "new: names "+c+", which is not under fields:", "correct new:")
			continue
		}
		r.New = append(r.New, f)
	}
	for _, sw := range s.Switches {
		if v, ok := b.lookup(sw.C, sw.Pos, s.Go); ok {
			r.Bits = append(r.Bits, &model.Switch{Go: sw.Go, C: sw.C, Value: v, Doc: sw.Doc})
			b.fitBit(r, &model.Member{C: sw.C, Value: v}, b.recs["struct "+s.C].Pos, "struct "+s.C)
		}
	}
}

func (b *binder) bindField(r *model.Record, s spec.Record, sf spec.RecordField, leaf *model.Leaf) *model.Field {
	f := &model.Field{Go: sf.Go, C: sf.C, Leaf: leaf, GoType: leaf.GoType, Bool: sf.Bool, Text: sf.Text, Hex: sf.Hex, Callback: sf.Callback,
		Doc: sf.Doc, Since: b.fieldSince(s.C, sf.C)}
	if f.Go == "" {
		f.Go = naming.Exported(sf.C)
	}
	if f.GoType == "int32" {
		f.GoType = "int"
	}
	switch {
	case sf.Handle != "":
		if f.Object = b.objects[sf.Handle]; f.Object == nil {
			b.errorf(diag.TypeUnknown, sf.Pos, s.Go+"."+f.Go, "no object "+sf.Handle+" in any page", "correct handle:")
		}
		f.GoType = "*" + sf.Handle
	case sf.Nested != "":
		if f.Nested = b.records[sf.Nested]; f.Nested == nil || !f.Nested.In {
			b.errorf(diag.TypeUnknown, sf.Pos, s.Go+"."+f.Go, "no record "+sf.Nested+" of role in, in any page", "correct nested:")
		}
		f.GoType = "*" + sf.Nested
	case sf.Type == gidType:
		f.GoType = gidType
	case sf.Type != "":
		f.GoType = sf.Type
		if e := b.types[sf.Type]; e != nil {
			f.Enum = e
		} else if rec := b.records[sf.Type]; rec != nil {
			f.Record, rec.Nested = rec, true
		} else if sf.Type != "uintptr" {
			b.errorf(diag.TypeUnknown, sf.Pos, s.Go+"."+f.Go, "no flag, enum or record type "+sf.Type+" in any page", "correct type:")
		}
	case strings.HasPrefix(leaf.GoType, "c"):
		b.errorf(diag.TypeUnknown, sf.Pos, s.Go+"."+f.Go, "the field holds a struct and has no type:", "name the record type that it becomes")
	}
	f.Default = sf.Default
	beside := func(key, name string) *model.Leaf {
		l := b.leaf(r.Mirror, name)
		if l == nil && name != "" {
			b.errorf(diag.NameUnknown, sf.At(key, name), s.Go+"."+f.Go, "no field "+name+" in struct "+s.C, "correct "+key+":")
		}
		return l
	}
	f.Len, f.Pair = beside("len", sf.Len), beside("pair", sf.Pair)
	if sf.Bool {
		f.GoType = "bool"
	}
	if sf.Text {
		f.GoType = "string"
	}
	if sf.Bit != "" {
		if v, ok := b.lookup(sf.Bit, sf.Pos, s.Go+"."+f.Go); ok {
			f.Bit = &model.Member{C: sf.Bit, Value: v}
			f.BitValue = v
		} else if b.newer(sf.Bit) { // it came with the field
			b.headerf(diag.NameUnknown, b.fieldPos(s.C, sf.C), "struct "+s.C+"."+sf.C, "its mask bit "+sf.Bit+" is not in this header", "take the header as rdma-core has it")
		}
	}
	b.fitField(r, sf, f)
	return f
}

// fieldSince is the release that a field came with; empty when the record never was without it.
func (b *binder) fieldSince(tag, field string) string {
	since := b.since("struct " + tag + "." + field)
	if since == b.since("struct "+tag) {
		return ""
	}
	return since
}

// gidType is the Go type of union ibv_gid, which is bytes.
const gidType = "GID"

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
	rec := b.recs["struct "+tag]
	m := &model.Mirror{Name: "c" + mirrorBase(tag), C: tag}
	b.mirrors[tag] = m
	if problem := b.fitRecord(rec); problem != "" {
		pos := api.Pos{File: at.File, Line: at.Line, Col: at.Col}
		if rec != nil && rec.Pos.File != "" {
			pos = rec.Pos
		}
		b.headerf(diag.MirrorImpossible, pos, "struct "+tag, problem, "bind it through C, not as a record")
		return m
	}
	m.Size = rec.Size
	if rec.ARM64 != nil {
		b.errorf(diag.MirrorImpossible, at, "struct "+tag, "its layout differs between amd64 and arm64", "bind it through C, not as a record")
		return m
	}
	end := int64(0)
	pad := func(to int64) {
		if to > end {
			m.Leaf = append(m.Leaf, &model.Leaf{Go: "_", GoType: fmt.Sprintf("[%d]byte", to-end), Offset: end, Size: to - end})
			end = to
		}
	}
	shown := b.shownFields(tag)
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
			b.headerf(diag.MirrorImpossible, f.Pos, "struct "+tag+"."+f.Name, err.Error(), "bind it through C, not as a record")
			m.Leaf = append(m.Leaf, &model.Leaf{C: f.Name, GoType: "uint64"}) // found by its name: one mistake is told once
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
	return m
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
