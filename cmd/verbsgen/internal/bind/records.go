package bind

import (
	"fmt"
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
			rec, ok := b.recs["struct "+s.C]
			if !ok {
				if !b.newer("struct " + s.C) {
					b.errorf(diag.NameUnknown, s.Pos, s.Go, "no struct "+s.C+" in this header", "correct the name")
				}
				continue
			}
			r := &model.Record{Go: s.Go, C: s.C, Page: p.Page, In: s.Role == spec.RecordIn, Beside: s.MaskParam != "", Doc: s.Doc, Pos: pos(s.Pos)}
			r.Mirror = b.mirror(s.C, s.Pos)
			if old := b.records[s.Go]; old != nil {
				b.errorf(diag.GoNameTwice, s.Pos, s.Go, "a record of this name stands at "+old.Pos.File+" already", "rename one of them")
				continue
			}
			b.records[s.Go] = r
			b.everyField(rec, s)
			specs[r] = s
			order = append(order, r)
		}
	}
	for _, r := range order {
		b.bindFields(r, specs[r])
		b.pkg.Records = append(b.pkg.Records, r)
	}
}

// everyField reports fields of the C struct that the spec neither shows nor hides.
func (b *binder) everyField(rec *api.Record, s spec.Record) {
	told := map[string]bool{s.Mask: true}
	for _, f := range s.Fields {
		outer, _, _ := strings.Cut(f.C, ".")
		told[f.C], told[outer] = true, true
	}
	for c := range s.Hide {
		told[c] = true
	}
	for _, f := range rec.Fields {
		if !told[f.Name] && !container(rec, f) && f.Name != "" {
			b.errorf(diag.FieldUndecided, s.Pos, s.Go, fmt.Sprintf("field %s of %s (%s:%d) is neither under fields: nor under hide:", f.Name, rec.Tag, f.Pos.File, f.Pos.Line),
				"add it to one of them")
		}
	}
}

// container tells whether a field is a named anonymous record, whose members follow under dotted names.
func container(rec *api.Record, f api.Field) bool {
	for _, g := range rec.Fields {
		if strings.HasPrefix(g.Name, f.Name+".") {
			return true
		}
	}
	return false
}

// bindFields resolves the fields that the release has.
func (b *binder) bindFields(r *model.Record, s spec.Record) {
	if s.Mask != "" {
		if leaf := r.Mirror.Find(s.Mask); leaf != nil {
			r.Mask = leaf.Go
			if goSizes[leaf.GoType] == 0 || leaf.GoType == "uintptr" || leaf.Big {
				b.headerf(diag.TypeMismatch, b.fieldPos(s.C, s.Mask), "struct "+s.C+"."+s.Mask, "its C type "+leaf.CType+" is not an integer, as its page has it", pageFix)
			}
		} else {
			b.errorf(diag.NameUnknown, s.Pos, s.Go, "no field "+s.Mask+" in struct "+s.C, "correct mask:")
		}
	}
	for _, sf := range s.Fields {
		leaf := b.leaf(r.Mirror, sf.C)
		if leaf == nil {
			if b.fieldType("struct "+s.C, sf.C) == "" && !b.newer("struct "+s.C+"."+sf.C) { // what has a type and no leaf is told already
				b.errorf(diag.NameUnknown, sf.Pos, s.Go+"."+sf.Go, "no field "+sf.C+" in struct "+s.C, "correct the name")
			}
			continue
		}
		r.Fields = append(r.Fields, b.bindField(r, s, sf, leaf))
	}
	for _, c := range s.New {
		f := r.Field(c)
		if f == nil && b.fieldType("struct "+s.C, c) != "" && slices.ContainsFunc(s.Fields, func(sf spec.RecordField) bool { return sf.C == c }) {
			continue // told already
		}
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
	f := &model.Field{Go: sf.Go, C: sf.C, Leaf: leaf, GoType: leaf.GoType, Bool: sf.Bool, Text: sf.Text, Callback: sf.Callback,
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
		}
	}
	for _, f := range rec.Fields {
		if f.Name == "" || container(rec, f) {
			continue
		}
		goType, nested, err := b.mirrorType(f)
		if err != nil || f.Offset < end {
			problem := "members overlap (a union)"
			if err != nil {
				problem = err.Error()
			}
			b.errorf(diag.MirrorImpossible, at, "struct "+tag+"."+f.Name, problem, "bind it through C, not as a record")
			continue
		}
		if problem := b.fitLeaf(f, goType); problem != "" {
			b.headerf(diag.MirrorImpossible, f.Pos, "struct "+tag+"."+f.Name, problem, "bind it through C, not as a record")
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
