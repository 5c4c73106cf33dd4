package bind

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// bindLazy resolves what a reader reads, and lays it out: our own struct, with the fields in the order of the page.
func (b *binder) bindLazy(p *spec.Page, s *spec.Record) {
	l := &model.Lazy{Go: s.Go, C: s.C, Page: p.Page, Asks: b.types[s.Asks], Fails: s.Fails, Doc: s.Doc}
	rec, widest, oks := b.facts.Record("struct "+s.C), int64(1), 0
	for i := range s.Fields {
		sf := &s.Fields[i]
		if sf.OK != "" {
			oks++
		}
		name, of, _ := strings.Cut(sf.C, ".")
		m := rec.Field(name)
		if m == nil {
			continue // of a later release
		}
		f := b.lazyField(l, sf, m, of)
		if f.Size == 0 {
			continue // lazyField reports it
		}
		f.Offset = align(l.Size, f.Size)
		l.Size, widest = f.Offset+f.Size, max(widest, f.Size)
		l.Fields = append(l.Fields, f)
	}
	b.wrong(entry{s.Go, s.At},
		row{b.FlagByGo(s.Asks) == nil, "asks", "no flag type " + s.Asks + " in any page, of the fields that a reader asks for",
			"name one under asks:"},
		row{oks > 1, "", "several fields have ok:", "keep one of them"})
	l.Size = align(l.Size, widest)
	b.lazies[s.Go] = l
}

// align is the next multiple of a power of two.
func align(n, to int64) int64 { return (n + to - 1) &^ (to - 1) }

// lazyField resolves a field: a member of the C struct, what a function there returns, or a member of what it fills.
func (b *binder) lazyField(l *model.Lazy, sf *spec.RecordField, m *api.Field, of string) *model.LazyField {
	f := &model.LazyField{Go: sf.Go, C: m.Name, Of: of, CType: m.Type, Func: m.Func != nil, Failed: sf.Failed, Time: sf.Time, Doc: sf.Doc}
	if f.Func {
		f.CType = m.Func.Ret
	}
	if of != "" {
		f.Fills, f.CType = b.filled(l, m, of)
	}
	subject := l.Go + "." + f.Go
	e, member, t := entry{subject, sf.At}, "struct "+l.C+"."+sf.C, b.facts.TypeOf(f.CType)
	if !b.first(e,
		row{of != "" && f.CType == "", "",
			"struct " + l.C + "." + m.Name + " is no function that takes the object and fills a struct with a member " + of, "correct the name"},
		row{of == "" && f.Func && !b.takesObject(l, m.Func, 1), "", member + " is a function that does not take the object alone", "hide it"},
		row{t.Kind != spec.CInt || t.Pointer || t.Array, "",
			member + " has a value of type " + f.CType + ", and only integers and enums are read", "hide it"}) {
		for _, k := range []struct {
			key, value string
			want       shape
		}{{"swap_if", sf.SwapIf, swapped}, {"time", sf.Time, length}, {"type", sf.Type, b.enumShape(sf.Type, "most")}} {
			if k.value != "" {
				b.shaped(e, k.key, k.value, "the value of "+member, t, k.want)
			}
		}
	}
	f.Big = bigEndian(f.CType)
	f.GoType, f.Size = scalar(f.CType), int64(b.facts.TypeOf(f.CType).Bits/8)
	if sf.Type != "" {
		if f.Enum = b.types[sf.Type]; f.Enum == nil {
			b.errorf(diag.TypeUnknown, sf.Pos, subject, "no flag or enum type "+sf.Type+" in any page", "correct type:")
		} else {
			f.GoType, f.Size = sf.Type, int64(f.Enum.Bits/8)
		}
	}
	if f.GoType == "" {
		b.errorf(diag.TypeUnknown, sf.Pos, subject, "C type "+f.CType+" has no Go type", "name the enum type that it becomes under type:")
	}
	one := func(e *model.Enum, c, key string) *model.Member {
		if c == "" || e == nil {
			return nil
		}
		if x := memberOf(e, c); x != nil {
			return x
		}
		if b.has(c) {
			b.errorf(diag.TypeUnknown, sf.At(key, c), subject, c+" is no member of "+e.Go, "correct "+key+":")
		}
		return nil
	}
	f.Bit, f.OK = one(l.Asks, sf.Bit, "bit"), one(f.Enum, sf.OK, "ok")
	b.swap(l, f, sf, subject)
	return f
}

// filled is the struct that a function fills, which takes the object and a pointer to it, and the type of a member of it; empty if there is
// none.
func (b *binder) filled(l *model.Lazy, m *api.Field, member string) (tag, ctype string) {
	if m.Func == nil || m.Func.Ret != "void" || !b.takesObject(l, m.Func, 2) {
		return "", ""
	}
	tag = "struct " + b.facts.TypeOf(m.Func.Params[1].Type).Tag
	return tag, orZero(b.facts.Record(tag).Field(member)).Type
}

// takesObject reports whether a function in the object of a reader takes so many arguments, of which the object is the first.
func (b *binder) takesObject(l *model.Lazy, fn *api.FnType, params int) bool {
	return len(fn.Params) == params && b.facts.TypeOf(fn.Params[0].Type).Tag == l.C
}

// swap resolves the flag with which a value is in network byte order, and the field above that has it.
func (b *binder) swap(l *model.Lazy, f *model.LazyField, sf *spec.RecordField, subject string) {
	if sf.SwapIf == "" {
		return
	}
	for _, above := range l.Fields {
		if above.Enum == nil || !above.Enum.Flags || above.Bit != nil {
			continue
		}
		if x := memberOf(above.Enum, sf.SwapIf); x != nil {
			f.SwapIf, f.Flags = x, above
			return
		}
	}
	b.errorf(diag.TypeUnknown, sf.At("swap_if", sf.SwapIf), subject, "no field above that is always read has the flag "+sf.SwapIf,
		"put the field of the flags first")
}
