package bind

import (
	"cmp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// bindRecords makes the Go types of plain structs, in two passes: fields may hold other records.
func (b *binder) bindRecords() {
	for r := range b.Records() {
		b.arms[orZero(r.Arm).Of] = true
		b.tailed[orZero(r.Tail).Of] = true
		for _, f := range r.Fields {
			b.pointed[f.Points] = true
		}
	}
	var order []*model.Record
	for _, p := range b.Pages {
		each(p.Records, func(s *spec.Record) {
			if b.facts.Record("struct "+s.C) == nil {
				return // of a later release
			}
			if s.Role == spec.RecordLazy {
				b.bindLazy(p, s)
				return
			}
			b.inRuntime(s.Runtime, s.Go, s.Pos)
			b.recordKeys(s)
			r := &model.Record{Go: s.Go, C: s.C, Page: b.page(p.Page), In: s.Role == spec.RecordIn, Entry: s.Role == spec.RecordEntry,
				Event: s.Role == spec.RecordEvent, Caps: len(s.CapsFrom) > 0, Runtime: s.Runtime, Plain: s.Plain(), Beside: s.MaskParam != "",
				Doc: s.Doc, Pos: api.Pos(s.Pos)}
			r.Mirror = b.mirror(s.C, s.Pos)
			b.records[s.Go] = r
			order = append(order, r)
		})
	}
	for _, r := range order {
		b.bindArm(r, b.RecordByGo(r.Go))
	}
	for _, r := range order {
		s := b.RecordByGo(r.Go)
		b.bindTail(r, s, order)
		b.bindFields(r, s, order)
		b.bindSetups(r, s)
	}
	b.pkg.Records = order
}

// bindArm resolves what tells one of several structs from the others.
func (b *binder) bindArm(r *model.Record, s *spec.Record) {
	if s.Arm == nil {
		return
	}
	a := &model.Arm{Of: s.Arm.Of}
	if s.Arm.Tag != "" && s.Arm.Size != "" {
		a.Tag, a.Size = b.own(r, s, s.Arm.Tag), b.own(r, s, s.Arm.Size)
	}
	if a.Is = b.member(s.Arm.Is); a.Is != nil {
		r.Arm = a
	}
}

// bindTail finds the records that can stand behind another.
func (b *binder) bindTail(r *model.Record, s *spec.Record, all []*model.Record) {
	if s.Tail == nil {
		return
	}
	r.Tail = &model.Tail{Of: s.Tail.Of, Go: s.Tail.Go, Doc: s.Tail.Doc, Count: b.own(r, s, s.Tail.Count), Size: b.own(r, s, s.Tail.Size)}
	for _, x := range all {
		if x.Arm != nil && x.Arm.Of == s.Tail.Of {
			r.Tail.Arms = append(r.Tail.Arms, x)
		}
	}
}

// own finds a field that the builder sets by itself.
func (b *binder) own(r *model.Record, s *spec.Record, c string) *model.Leaf {
	l := b.leaf(r.Mirror, c)
	if l == nil || !isInt(b.facts.TypeOf(l.CType)) {
		b.errorf(diag.NameUnknown, s.Pos, s.Go, "no number "+c+" in struct "+s.C, "correct arm: or tail:")
		return &model.Leaf{Go: "_", GoType: "uint64"}
	}
	return l
}

// bindFields resolves the fields that the release has.
func (b *binder) bindFields(r *model.Record, s *spec.Record, all []*model.Record) {
	_, most := (spec.CType{Kind: spec.CInt, Bits: 32}).Range() // of a mask beside the struct
	if leaf := r.Mirror.Find(s.Mask); leaf != nil {
		t := b.facts.TypeOf(leaf.CType)
		if r.Mask = leaf.Go; isInt(t) {
			_, most = t.Range()
		}
		b.shaped(entry{s.Go, s.At}, "mask", s.Mask, "struct "+s.C+"."+s.Mask, t, integer)
	} else if s.Mask != "" {
		b.errorf(diag.NameUnknown, s.Pos, s.Go, "no field "+s.Mask+" in struct "+s.C, "correct mask:")
	}
	b.maskBits(s, most)
	for i := range s.Fields {
		sf := &s.Fields[i]
		b.fieldKeys(s, sf)
		b.fieldTypes(s, sf)
		leaf := b.leaf(r.Mirror, sf.C)
		if leaf == nil {
			continue // of a later release
		}
		f := b.bindField(r, s, sf, leaf)
		if leaf.Over != "" && (!r.In || r.Plain) {
			b.errorf(diag.TypeUnknown, sf.Pos, s.Go+"."+f.Go,
				"the member of a union that shares its bytes with another one is for a record with a builder",
				"leave one of them out, with a reason under hide:")
		}
		b.bindPoints(r, f, sf, all)
		r.Fields = append(r.Fields, f)
	}
	for _, f := range r.Fields {
		b.bindOn(r, f, s)
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
		if x := b.member(sw.C); x != nil {
			r.Bits = append(r.Bits, &model.Switch{Go: sw.Go, C: sw.C, Value: x.Value, Doc: sw.Doc})
		}
	}
}

// bindOn resolves with which values of another field a field has a value, or a new object.
func (b *binder) bindOn(r *model.Record, f *model.Field, s *spec.Record) {
	i := slices.IndexFunc(s.Fields, func(sf spec.RecordField) bool { return sf.C == f.C })
	sf := s.Fields[i]
	find := func(c string) *model.Member {
		if c == "" || !b.has(c) {
			return nil
		}
		for _, of := range r.Fields {
			if of.Enum == nil {
				continue
			}
			if m := memberOf(of.Enum, c); m != nil {
				f.Of = of
				return m
			}
		}
		b.errorf(diag.TypeUnknown, sf.Pos, s.Go+"."+f.Go, "no field of the record has an enum type with "+c, "correct on: or new_on:")
		return nil
	}
	f.NewOn, f.Marks = find(sf.NewOn), marks(sf.Marks)
	for _, c := range sf.On {
		if m := find(c); m != nil {
			f.On = append(f.On, m)
		}
	}
}

// has reports whether the release has a constant.
func (b *binder) has(c string) bool { return b.facts.Const(c) != nil }

func (b *binder) bindField(r *model.Record, s *spec.Record, sf *spec.RecordField, leaf *model.Leaf) *model.Field {
	f := &model.Field{Go: cmp.Or(sf.Go, model.Exported(sf.C)), C: sf.C, Leaf: leaf, GoType: intOf(leaf.GoType), Bool: sf.Bool, Text: sf.Text,
		Bytes: sf.Bytes, Hex: sf.Hex, Divides: sf.Divides, Callback: sf.Callback, Default: sf.Default,
		Doc: sf.Doc, Since: b.fieldSince(s.C, sf.C)}
	b.bindFieldType(s, sf, f)
	if f.Queueless = b.member(sf.Queueless); sf.Queueless == spec.QueuelessGiven {
		f.Queueless = &model.Member{}
	}
	if sf.Order == spec.OrderNetwork {
		big := *leaf
		big.Big = true
		f.Leaf = &big
	}
	beside := func(key, name string) *model.Leaf {
		l := b.leaf(r.Mirror, name)
		if l == nil && name != "" {
			b.errorf(diag.NameUnknown, sf.At(key, name), s.Go+"."+f.Go, "no field "+name+" in struct "+s.C, "correct "+key+":")
		}
		return l
	}
	f.Len, f.Pair, f.Tag = beside("len", sf.Len), beside("pair", sf.Pair), beside("tag", sf.Tag)
	b.bindBit(s, sf, f)
	return f
}

// bindFieldType finds the Go type of a field, and what it names on a page.
func (b *binder) bindFieldType(s *spec.Record, sf *spec.RecordField, f *model.Field) {
	unknown := func(what, fix string) { b.errorf(diag.TypeUnknown, sf.Pos, s.Go+"."+f.Go, what, fix) }
	switch {
	case sf.Handle != "":
		if f.Object = b.object(sf.Handle); f.Object == nil {
			unknown("no object "+sf.Handle+" in any page", "correct handle:")
			return
		}
		f.GoType = f.Object.Type()
	case sf.Handles != "":
		if f.Handles = b.object(sf.Handles); f.Handles == nil {
			unknown("no object "+sf.Handles+" in any page", "correct handles:")
		}
		f.GoType, f.Log2 = "[]*"+sf.Handles, sf.Log2
	case sf.Nested != "":
		if f.Nested = b.records[sf.Nested]; f.Nested == nil {
			unknown("no record "+sf.Nested+" in any page", "correct nested:")
		}
		f.GoType = sf.Nested
	case b.unions[sf.Type] != nil:
		f.GoType = sf.Type
	case sf.Type != "":
		f.GoType = sf.Type
		if e := b.enumType(sf.Type); e != nil {
			f.Enum, f.GoType = e, e.Go
		} else if rec := b.records[sf.Type]; rec != nil {
			f.Record, rec.Nested = rec, true
		} else if sf.Type != "uintptr" {
			unknown("no flag, enum or record type "+sf.Type+" in any page", "correct type:")
		}
	case strings.HasPrefix(f.Leaf.GoType, "c"):
		unknown("the field holds a struct and has no type:", "name the record type that it becomes")
	}
	switch {
	case sf.Bytes:
		f.GoType, f.Filled, f.Counted = "[]byte", strings.HasPrefix(f.Leaf.GoType, "["), counted(b.facts.TypeOf(f.Leaf.CType))
	case sf.Text:
		f.GoType = "string"
	case sf.Bool:
		f.GoType = "bool"
	}
}

// bindPoints finds the records that C can have behind a pointer: the one that the page names, or all arms of a type.
func (b *binder) bindPoints(r *model.Record, f *model.Field, sf *spec.RecordField, all []*model.Record) {
	if sf.Points == "" {
		return
	}
	if to := b.records[sf.Points]; to != nil {
		f.Points, f.GoType = []*model.Record{to}, "*"+sf.Points
	} else {
		f.GoType = sf.Points
		for _, x := range all {
			if x.Arm != nil && x.Arm.Of == sf.Points {
				f.Points = append(f.Points, x)
			}
		}
	}
	f.PointsTo = sf.Points
	for _, x := range f.Points {
		x.Pointed = true
	}
}

// bindBit resolves the bit of the mask that says that a field is there.
func (b *binder) bindBit(s *spec.Record, sf *spec.RecordField, f *model.Field) {
	if f.Bit = b.member(sf.Bit); f.Bit != nil {
		f.BitValue = f.Bit.Value
	} else if sf.Bit != "" { // it came with the field
		b.errorf(diag.NameUnknown, sf.At("bit", sf.Bit), s.Go+"."+f.Go,
			"its mask bit "+sf.Bit+" is not in this header, which has the field", "take the header as rdma-core has it")
	}
}

// fieldSince is the release that a field came with; empty when the record never was without it.
func (b *binder) fieldSince(tag, field string) string {
	since := b.since("struct " + tag + "." + field)
	if since == b.since("struct "+tag) {
		return ""
	}
	return since
}
