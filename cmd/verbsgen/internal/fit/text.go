package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/api"
)

// extendedContext is the record behind a context, which the C side walks through. It grows at its beginning.
const extendedContext = "struct verbs_context"

// text holds the declarations that hand-written text names to the newest known release, so that the text is never put
// beside declarations that it was not written for.
func (h *holder) text() {
	for _, v := range h.pkg.Verbs {
		f := writtenForm(v)
		if f != nil {
			h.each(h.record, f.Reads...)
		}
		if v.Special != nil {
			h.special(v.Special, h.facts.Func(v.C).Pos)
		}
		if f != nil || v.Special != nil {
			h.verb(v)
		}
		if v.Way == model.WayVerbs {
			h.each(h.record, extendedContext)
		}
	}
	for _, e := range h.pkg.Enums {
		if e.Runtime == "" {
			continue
		}
		for _, m := range e.Members {
			h.constant(m.C, api.Pos{})
		}
	}
}

// writtenForm is the form of a verb's methods that is written for its C function; nil for a verb whose methods are plain.
func writtenForm(v *model.Verb) *form.Form {
	for _, m := range v.Methods {
		if f := form.Of(v.C, m.Form); f.Sig != nil {
			return f
		}
	}
	return nil
}

// each looks at declarations that were not looked at before.
func (h *holder) each(look func(name string), names ...string) {
	for _, name := range names {
		if !h.seen[name] {
			h.seen[name] = true
			look(name)
		}
	}
}

// verb compares what the text of a verb stands on: its signature, its records, its bits.
func (h *holder) verb(v *model.Verb) {
	f := h.facts.Func(v.C)
	h.each(h.signature, v.C)
	for _, p := range f.Params {
		if tag := pointee(p.Type); strings.HasPrefix(tag, "struct ") {
			h.each(h.record, tag)
		}
	}
	for _, p := range v.Params {
		if p.Bit != nil {
			h.constant(p.Bit.C, f.Pos)
		}
	}
}

// special compares what the C of a verb that is written by hand names.
func (h *holder) special(s *model.Special, at api.Pos) {
	for _, symbol := range s.Symbols {
		h.each(h.signature, symbol.Name)
	}
	for _, t := range s.Types {
		if strings.HasPrefix(t, "struct ") {
			if rec := h.facts.Record(t); rec == nil || rec.Incomplete {
				h.fail(diag.SpecialChanged, at, t, "the hand-written C code reads it, and the header does not define it", wholeFix)
				continue
			}
			h.each(h.record, t)
		} else {
			h.constant(t, at)
		}
	}
}

// signature refuses a function that is declared otherwise than in a known release.
func (h *holder) signature(name string) {
	is, was := h.facts.Func(name), h.known.Func(name)
	if is != nil && was != nil && declaration(is) != declaration(was) {
		h.fail(diag.SpecialChanged, is.Pos, name,
			"it is declared as "+declaration(is)+"; the code that calls it was written for "+declaration(was), wholeFix)
	}
}

// declaration is the type of a function, and whether it is a symbol.
func declaration(f *api.Function) string {
	var params []string
	for _, p := range f.Params {
		params = append(params, p.Type)
	}
	if f.Variadic {
		params = append(params, "...")
	}
	s := f.Ret + " (" + strings.Join(params, ", ") + ")"
	if f.Kind == api.Inline {
		s = "static inline " + s
	}
	return s
}

// record refuses a record with a member that is another than in a known release. One that the header lacks is as in an older
// release, and one that it has more is as in a newer one. Members that only hold a place (_compat_...) are used by nothing.
func (h *holder) record(tag string) {
	is, was := h.facts.Record(tag), h.known.Record(tag)
	if is == nil || was == nil || was.Incomplete {
		return
	}
	if is.Incomplete {
		h.fail(diag.SpecialChanged, is.Pos, tag, "it is declared, but not defined; the code that uses it reads its members", wholeFix)
		return
	}
	find := func(r *api.Record, name string) *api.Field {
		if i := slices.IndexFunc(r.Fields, func(f api.Field) bool { return f.Name == name }); i >= 0 {
			return &r.Fields[i]
		}
		return nil
	}
	used := func(m *api.Field) bool { return m.Name != "" && !strings.HasPrefix(m.Name, "_compat") }
	for i := range is.Fields {
		m := &is.Fields[i]
		old := find(was, m.Name)
		if old == nil || !used(m) || tag == extendedContext && m.Type == old.Type {
			continue
		}
		if placement(m) != placement(old) {
			h.fail(diag.SpecialChanged, m.Pos, tag+"."+m.Name,
				"it is "+placement(m)+"; the code that uses it was written for "+placement(old), wholeFix)
		}
	}
	for i := range was.Fields {
		m := &was.Fields[i]
		if used(m) && find(is, m.Name) == nil && h.Since(tag+"."+m.Name) == h.First {
			h.fail(diag.SpecialChanged, is.Pos, tag, "it has no "+m.Name+", which the code that uses it needs", wholeFix)
		}
	}
}

func placement(f *api.Field) string {
	s := fmt.Sprintf("%s at offset %d", f.Type, f.Offset)
	if f.BitSize != nil {
		s += fmt.Sprintf(", %d bits", *f.BitSize)
	}
	return s
}

// constant refuses an enumerator that is missing or has another value than in a known release.
func (h *holder) constant(name string, at api.Pos) {
	is, was := h.facts.Const(name), h.known.Const(name)
	switch {
	case h.known.EnumOf(name) == nil:
	case is == nil:
		h.fail(diag.SpecialChanged, at, name, "the header does not have it, and the code that is written for the function uses it", wholeFix)
	case is.Cmp(was) != 0:
		h.fail(diag.SpecialChanged, h.constPos(name), name,
			fmt.Sprintf("its value is %d; the code that uses it was written for %d", is, was), wholeFix)
	}
}
