package fit

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// also holds an extended struct against the one that it begins with: a pointer to it is passed where a pointer to that is expected.
func (c *checker) also(o *spec.Object) {
	base := c.facts.Record("struct " + o.C)
	for _, tag := range o.Also {
		x := c.facts.Record("struct " + tag)
		if base == nil || x == nil || len(x.Fields) > 0 && x.Fields[0].Type == base.Tag {
			continue
		}
		for i, f := range base.Fields {
			if i >= len(x.Fields) || x.Fields[i].Name != f.Name || x.Fields[i].Type != f.Type || x.Fields[i].Offset != f.Offset ||
				offset(x, i) != offset(base, i) {
				c.fail(o.At("also", tag), o.Go, "struct "+tag+" does not begin with the fields of struct "+o.C+": "+f.Name+" differs",
					"remove it from also:")
				break
			}
		}
	}
}

// offset is where a field stands on arm64.
func offset(r *api.Record, i int) int64 {
	if r.ARM64 != nil {
		return r.ARM64.Offsets[i]
	}
	return r.Fields[i].Offset
}

// lazy holds what a reader reads against the members of its struct.
func (c *checker) lazy(r *spec.Record) {
	if f := c.FlagByGo(r.Asks); f == nil {
		c.fail(r.At("asks", r.Asks), r.Go, "no flag type "+r.Asks+" in any page, of the fields that a reader asks for", "name one under asks:")
	} else {
		c.asked(r, f)
	}
	oks := 0
	rec := c.facts.Record("struct " + r.C)
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.OK != "" {
			oks++
		}
		j := -1
		if rec != nil {
			name, _, _ := strings.Cut(f.C, ".")
			j = slices.IndexFunc(rec.Fields, func(m api.Field) bool { return m.Name == name })
		}
		if j >= 0 {
			c.lazyField(r, f, rec.Fields[j])
		}
	}
	if oks > 1 {
		c.fail(r.Pos, r.Go, "several fields have ok:", "keep one of them")
	}
}

// asked finds bits that are no flags of what can be asked for.
func (c *checker) asked(r *spec.Record, flags *spec.FlagType) {
	for i := range r.Fields {
		f := &r.Fields[i]
		if e := c.facts.EnumOf(f.Bit); e != nil && e.Tag != "enum "+flags.Enum {
			c.fail(f.At("bit", f.Bit), r.Go+"."+f.Go, otherEnum(f.Bit, e.Tag, "enum "+flags.Enum, "of "+flags.Go),
				"write a member of enum "+flags.Enum)
		}
	}
}

// lazyField holds one field against the member that it is read from.
func (c *checker) lazyField(r *spec.Record, f *spec.RecordField, m api.Field) {
	ctype := m.Type
	if _, of, filled := strings.Cut(f.C, "."); filled {
		t, ok := c.filled(r, m, of)
		if !ok {
			c.fail(f.Pos, r.Go+"."+f.Go,
				"struct "+r.C+"."+m.Name+" is no function that takes the object and fills a struct with a member "+of, "correct the name")
			return
		}
		ctype = t
	} else if m.Func != nil {
		ctype = m.Func.Ret
		if len(m.Func.Params) != 1 || c.facts.TypeOf(m.Func.Params[0].Type).Tag != r.C {
			c.fail(f.Pos, r.Go+"."+f.Go, "struct "+r.C+"."+f.C+" is a function that does not take the object alone", "hide it")
		}
	}
	t := c.facts.TypeOf(ctype)
	mismatch := func(key, text, want string) {
		c.add(diag.TypeMismatch, f.At(key, text), r.Go+"."+f.Go,
			"struct "+r.C+"."+f.C+" has a value of type "+ctype+", and "+key+": "+text+" is for "+want, "correct "+key+":")
	}
	if t.Kind != spec.CInt || t.Pointer || t.Array {
		c.fail(f.Pos, r.Go+"."+f.Go, "struct "+r.C+"."+f.C+" has a value of type "+ctype+", and only integers and enums are read", "hide it")
		return
	}
	if f.SwapIf != "" && !t.BigEndian() {
		mismatch("swap_if", f.SwapIf, "one in network byte order")
	}
	if f.Time != "" && (t.Bits != 64 || t.Signed) {
		mismatch("time", f.Time, "an integer of 64 bits without a sign")
	}
	if enum, bits := c.enumType(f.Type); bits > 0 && (t.Bits > bits || t.Tag != "" && c.facts.Enum(t.Tag) != c.facts.Enum(enum)) {
		mismatch("type", f.Type, "an enum "+enum)
	}
}

// filled gives the C type of a member of the struct that a function fills, which takes the object and a pointer to it.
func (c *checker) filled(r *spec.Record, m api.Field, member string) (string, bool) {
	if m.Func == nil || m.Func.Ret != "void" || len(m.Func.Params) != 2 || c.facts.TypeOf(m.Func.Params[0].Type).Tag != r.C {
		return "", false
	}
	rec := c.facts.Record("struct " + c.facts.TypeOf(m.Func.Params[1].Type).Tag)
	if rec == nil {
		return "", false
	}
	i := slices.IndexFunc(rec.Fields, func(f api.Field) bool { return f.Name == member })
	if i < 0 {
		return "", false
	}
	return rec.Fields[i].Type, true
}

// reader holds a verb whose method makes a reader against what it reads.
func (c *checker) reader(v *spec.Verb, r *spec.Record, fail func(problem, fix string)) {
	if r == nil || r.Role != spec.RecordLazy {
		fail("a reader needs lists:, a record of role lazy", "name the record under lists:")
		return
	}
	fn := c.facts.Func(v.C)
	if fn == nil || fn.Dispatch == nil || fn.Dispatch.Way != api.WayObject || len(fn.Params) == 0 ||
		c.facts.TypeOf(fn.Params[0].Type).Tag != r.C {
		fail(v.C+" is no function of struct "+r.C+", which "+r.Go+" is read from", "correct lists:")
	}
	if v.Returns != spec.RetErrno {
		fail("a reader is begun by a verb that returns errno", "correct returns:")
	}
}
