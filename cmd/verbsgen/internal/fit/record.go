package fit

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
)

// record holds a record against its struct. What has no place in a Go struct at all is reported when the mirror is made.
func (c *checker) record(r *spec.Record) {
	if r.Role == spec.RecordLazy {
		c.lazy(r)
		return
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		c.callback(r, f)
		if t, ok := c.fieldType(r.C, f.C); ok {
			c.field(r, f, t)
		}
	}
	c.inRuntime(r.Runtime, r.Go, r.Pos)
	c.keysOf(r)
	c.plain(r)
	c.arm(r)
	c.lists(r)
	c.bits(r)
}

// keysOf finds keys of a record that its role has no use for, or that exclude each other.
func (c *checker) keysOf(r *spec.Record) {
	if r.Runtime != "" && len(r.New)+len(r.Switches) > 0 {
		c.fail(r.At("runtime", r.Runtime), r.Go, "a type of runtime/"+r.Runtime+" has no constructor here", "remove new: and switches:")
	}
	if (r.Arm != nil || r.Tail != nil) && (r.Role != spec.RecordIn || r.Runtime != "" || r.Arm != nil && r.Tail != nil) {
		c.fail(r.Pos, r.Go, "arm: and tail: are for records of role in, and exclude each other", "keep one of them, or correct role:")
	}
	if r.Tail != nil && len(c.armsOf(r.Tail.Of)) == 0 {
		c.fail(r.Pos, r.Go, "tail: no record has arm: of "+r.Tail.Of, "correct of:")
	}
	switch {
	case r.Mask != "" && r.MaskParam != "":
		c.fail(r.At("mask_param", r.MaskParam), r.Go, "mask: and mask_param: exclude each other", "keep one of them")
	case len(r.CapsFrom) > 0 && r.Mask == "":
		c.fail(r.Pos, r.Go, "a record with caps_from: needs mask:, which shows whether the device returned its capabilities",
			"name the mask under mask:")
	case r.Role == spec.RecordIn:
	case len(r.New) > 0:
		c.fail(r.At("new", r.New[0]), r.Go, "a record of role "+r.Role+" cannot have new:", "remove it, or correct role:")
	case len(r.Switches) > 0:
		c.fail(r.Switches[0].Pos, r.Go, "a record of role "+r.Role+" cannot have switches:", "remove them, or correct role:")
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		subject := r.Go + "." + f.Go
		if f.C == r.Mask {
			c.fail(f.Pos, subject, "the mask of the record is set by its builder, and is shown too", "remove one of them")
		}
		if f.Bit != "" && r.Mask+r.MaskParam == "" {
			c.fail(f.At("bit", f.Bit), subject, "the record has neither mask: nor mask_param:, where the bit would be set",
				"name one, or remove bit:")
		}
		if f.Hex && (f.Bool || f.Text || f.Handle != "" || f.Nested != "" || f.Handles != "" || f.Points != "") {
			c.fail(f.Pos, subject, "hex: is for numbers", "remove it")
		}
		t, _ := c.fieldType(r.C, f.C)
		if n := c.RecordByGo(f.Nested); n != nil && t.Tag == n.C && (n.Role != spec.RecordIn || r.Role != spec.RecordIn) {
			c.fail(f.At("nested", f.Nested), subject, "nested: is for a record of role in, inside of another of that role", "correct nested:")
		} else if n != nil && t.Tag == n.C && !n.Plain() {
			c.fail(f.At("nested", f.Nested), subject, "nested: is for a record without a mask, and "+n.Go+" has one", "show its fields with dots")
		}
		if n := c.RecordByGo(f.Type); n != nil && t.Tag == n.C &&
			(n.Role != spec.RecordOut || r.Role != spec.RecordOut && r.Role != spec.RecordEvent) {
			c.fail(f.At("type", f.Type), subject, "type: names a record, which is for one of role out, inside of another of that role",
				"write nested:, or correct role:")
		}
	}
}

// masks are the names that fields with a mask have in C.
var masks = []string{"comp_mask", "attr_mask"}

// plain holds the rule that a record has a builder where C has a mask, and only there.
func (c *checker) plain(r *spec.Record) {
	if !r.Plain() {
		return
	}
	for _, name := range masks {
		if _, has := c.fieldType(r.C, name); has {
			c.fail(r.Pos, r.Go, "struct "+r.C+" has the mask "+name+", and the record has none", "write mask: "+name)
		}
	}
	if len(r.New) > 0 {
		c.fail(r.At("new", r.New[0]), r.Go,
			"new: is for a record with a mask, which has a builder; the Go type of this one is a struct",
			"remove it, or name the mask under mask:")
	}
	if len(r.Switches) > 0 && (r.Arm == nil || r.Arm.Tag == "") {
		c.fail(r.Switches[0].Pos, r.Go, "there is neither a mask nor the tag of an arm, where the bit would be set", "name the mask under mask:")
	}
	for i := range r.Fields {
		if f := &r.Fields[i]; f.Callback != "" {
			c.fail(f.At("callback", f.Callback), r.Go+"."+f.Go, "callback: is for a record with a mask, which has a builder",
				"name the mask under mask:")
		}
	}
}

// fieldType gives the type of a field, which may lie inside of another; ok is false when the struct has none of that name.
func (c *checker) fieldType(tag, path string) (t spec.CType, ok bool) {
	t = c.facts.TypeOf("struct " + tag)
	for step := range strings.SplitSeq(path, ".") {
		if t, ok = c.facts.Member(t, step); !ok {
			return t, false
		}
	}
	return t, true
}

// callback holds what a field is for against its keys.
func (c *checker) callback(r *spec.Record, f *spec.RecordField) {
	fail := func(problem, fix string) { c.fail(f.At("callback", f.Callback), r.Go+"."+f.Go, problem, fix) }
	switch f.Callback {
	case "", form.CallbackMemory, form.CallbackAllocator, form.CallbackContext:
	default:
		fail("struct "+r.C+" has no callback "+f.Callback, "remove callback:")
		return
	}
	lists := f.Bytes || f.Handles != "" || f.Points != ""
	if !lists && (f.Callback == form.CallbackMemory) != (f.Len != "") {
		fail("callback: memory and len: go together", "name the field with the length of the memory under len:")
	}
	if t, ok := c.fieldType(r.C, f.Len); f.Bytes && (f.Len == "" || ok && (!isInt(t) || t.Signed)) {
		c.fail(f.At("len", f.Len), r.Go+"."+f.Go, "bytes: needs the field with their number, an integer without a sign", "name it under len:")
	}
	if t, ok := c.fieldType(r.C, f.Len); ok && f.Len != "" && !lists && (!isInt(t) || t.Bits != 64 || t.Signed) {
		c.fail(f.At("len", f.Len), r.Go+"."+f.Go,
			"struct "+r.C+"."+f.Len+" is of type "+t.C+", and a length of memory has 64 bits without a sign", "correct len:")
	}
	if t, ok := c.fieldType(r.C, f.Pair); ok && f.Pair != "" && t.Kind != spec.CFunc {
		c.fail(f.At("pair", f.Pair), r.Go+"."+f.Go, "struct "+r.C+"."+f.Pair+" is of type "+t.C+", and pair: names a function", "correct pair:")
	}
	if e := c.facts.EnumOf(f.Default); e != nil {
		c.fail(f.At("default", f.Default), r.Go+"."+f.Go, f.Default+" is of "+e.Tag+", and default: names an address", "correct default:")
	}
	if (f.Callback == form.CallbackAllocator) != (f.Pair != "" && f.Default != "") {
		fail("callback: allocator goes with pair: and default:",
			"name the function that frees, and the constant that leaves a request to the library")
	}
}

// field holds what a page makes of a field against its C type.
func (c *checker) field(r *spec.Record, f *spec.RecordField, t spec.CType) {
	key, text, want := c.fieldMismatch(f, t)
	if want == "" {
		return
	}
	given := key + ": " + cmp.Or(text, "true")
	c.add(diag.TypeMismatch, f.At(key, text), r.Go+"."+f.Go, "struct "+r.C+"."+f.C+" is of type "+t.C+", and "+given+" is for "+want,
		"correct "+key+":")
}

// fieldMismatch names the key of a field that does not fit its C type, and what the key is for; want is empty when all fit.
func (c *checker) fieldMismatch(f *spec.RecordField, t spec.CType) (key, text, want string) {
	needs := func(ok bool, k, value, what string) {
		if !ok && want == "" {
			key, text, want = k, value, what
		}
	}
	if o := c.ObjectByGo(f.Handle); o != nil {
		needs(t.Depth() == 1 && t.Tag == o.C, "handle", f.Handle, "a struct "+o.C+" *")
	}
	if o := c.ObjectByGo(f.Handles); o != nil {
		needs(t.Depth() == 2 && !t.Array && t.Tag == o.C || t.C == "struct "+o.C+" **", "handles", f.Handles, "a struct "+o.C+" **")
	}
	if f.Points != "" {
		needs(t.Pointer && t.Depth() == 1, "points", f.Points, "a pointer to one struct")
	}
	if n := c.RecordByGo(f.Nested); n != nil {
		needs(isStruct(t, n.C), "nested", f.Nested, "a struct "+n.C)
	}
	enum, bits := c.enumType(f.Type)
	switch n, u := c.RecordByGo(f.Type), c.UnionByGo(f.Type); {
	case u != nil:
		needs(isStruct(t, u.C), "type", f.Type, "a union "+u.C)
	case f.Type == "uintptr":
		needs(t.Pointer || isInt(t) && t.Bits == 64, "type", f.Type, "a pointer or an integer of 64 bits")
	case n != nil:
		needs(isStruct(t, n.C), "type", f.Type, "a struct "+n.C)
	case bits > 0:
		needs(isInt(t), "type", f.Type, "an integer")
		needs(t.Bits <= bits, "type", f.Type, fmt.Sprintf("an integer of at most %d bits", bits))
		needs(t.Tag == "" || enum == "" || c.facts.Enum(t.Tag) == c.facts.Enum(enum), "type", f.Type, "an enum "+enum)
	}
	if f.Text {
		needs(t.Array && (t.Kind == spec.CText || t.Kind == spec.CInt && t.Bits == 8 && !t.Signed), "text", "", "an array of char")
	}
	if f.Order != "" {
		needs(isInt(t) && t.Bits > 8 && !t.Signed && t.Tag == "", "order", f.Order, "an unsigned integer of more than 8 bits")
	}
	if f.Bool {
		needs(isInt(t) && t.Bits <= 32 && t.Tag == "", "bool", "", "an integer of at most 32 bits")
	}
	if f.Bytes {
		numbers := t.Array && t.Depth() == 0 && (t.Kind == spec.CInt || strings.Contains(t.C, "[")) && !strings.Contains(t.C, "struct ")
		needs(t.Depth() == 1 && t.Tag == "" || numbers, "bytes", "", "a pointer to bytes, or an array of numbers")
	}
	if f.Callback != "" {
		needs(t.Pointer, "callback", f.Callback, "a pointer")
	}
	return key, text, want
}

// bits holds the mask of a record, and the bits that stand for its fields, against the header.
func (c *checker) bits(r *spec.Record) {
	high := new(big.Int).SetUint64(1<<32 - 1) // of a mask beside the struct
	where := "its mask"
	if t, ok := c.fieldType(r.C, r.Mask); ok && r.Mask != "" {
		if !isInt(t) {
			c.add(diag.TypeMismatch, r.At("mask", r.Mask), r.Go, "struct "+r.C+"."+r.Mask+" is of type "+t.C+", and a mask is an integer",
				"correct mask:")
			return
		}
		_, high = t.Range()
		where = "the mask " + r.Mask + " of type " + t.C
	}
	enum := c.commonEnum(bitsOf(r))
	one := func(bit, subject string, at spec.Pos) {
		if v := c.facts.Const(bit); v != nil && v.Cmp(high) > 0 {
			c.add(diag.ValueRange, at, subject, fmt.Sprintf("its bit %s is %d, which %s cannot hold", bit, v, where), "correct bit:")
		}
		if e := c.facts.EnumOf(bit); e != nil && e.Tag != enum {
			c.fail(at, subject, otherEnum(bit, e.Tag, enum, "of the record"), "write a member of "+enum)
		}
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		one(f.Bit, r.Go+"."+f.Go, f.At("bit", f.Bit))
	}
	for _, s := range r.Switches {
		one(s.C, r.Go+"."+s.Go, s.Pos)
	}
}

// bitsOf lists the bits that stand for fields of a record, and its switches.
func bitsOf(r *spec.Record) []string {
	var out []string
	for _, f := range r.Fields {
		out = append(out, f.Bit)
	}
	for _, s := range r.Switches {
		out = append(out, s.C)
	}
	return out
}

// commonEnum is the enum that most of some bits are of; of two equals the first.
func (c *checker) commonEnum(bits []string) string {
	most, count := "", map[string]int{}
	for _, bit := range bits {
		if e := c.facts.EnumOf(bit); e != nil {
			count[e.Tag]++
		}
	}
	for _, bit := range bits {
		if e := c.facts.EnumOf(bit); e != nil && count[e.Tag] > count[most] {
			most = e.Tag
		}
	}
	return most
}

func otherEnum(bit, is, common, of string) string {
	return "its bit " + bit + " is of " + is + ", and the other bits " + of + " are of " + common
}
