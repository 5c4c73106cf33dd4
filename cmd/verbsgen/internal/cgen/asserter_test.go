package cgen

import (
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Asserts writes a C file that compiles when the compiler sees the declarations of a header that Header wrote as the facts have
// them: size and alignment of each record; offset, size and type of each field; width and sign of each enum; the value of each
// enumerator, macro and second name; and the type of each exported function. The header is as #include takes it.
// The message of a failing assertion names what differs, the likely cause and the fix.
func Asserts(rel *api.Release, header string) ([]byte, error) {
	sel, err := pick(rel, Options{})
	if err != nil {
		return nil, err
	}
	a := &asserter{writer{sel: sel}}
	a.provenance(rel)
	a.line("")
	a.line("#include %s", header)
	a.line("#include <stddef.h>")
	a.line("")
	a.prelude(rel)
	for i := range rel.Records {
		if r := &rel.Records[i]; !r.Incomplete && !isAnonymous(r.Tag) {
			a.record(r)
		}
	}
	for i := range rel.Enums {
		a.enum(&rel.Enums[i])
	}
	a.constants(rel)
	if err := a.functions(rel); err != nil {
		return nil, err
	}
	return a.buf.Bytes(), nil
}

type asserter struct{ writer }

func (a *asserter) cause(rel *api.Release) string {
	facts := "the facts of rdma-core " + rel.Release
	if rel.Release == "" {
		facts = "the facts"
	}
	return "the emitted header and " + facts + " differ: a stale header, or a fault of the emitter; run make generate"
}

// prelude defines the assertions. The last argument is a type, which may have commas.
func (a *asserter) prelude(rel *api.Release) {
	a.line("#define DIFFERS \": %s\"", a.cause(rel))
	a.define("SAME(what, a, ...)", `_Static_assert(__builtin_types_compatible_p(a, __VA_ARGS__), what ": type is not " #__VA_ARGS__ DIFFERS)`)
	a.define("RECORD(tag, size, align)",
		`_Static_assert(sizeof(tag) == size, #tag ": size is not " #size DIFFERS);`,
		`_Static_assert(_Alignof(tag) == align, #tag ": alignment is not " #align DIFFERS)`)
	a.define("START(tag, name, offset)", `_Static_assert(offsetof(tag, name) == offset, #tag "." #name ": offset is not " #offset DIFFERS)`)
	a.define("PLACE(tag, name, offset, size)",
		`START(tag, name, offset);`,
		`_Static_assert(sizeof(((tag *)0)->name) == size, #tag "." #name ": size is not " #size DIFFERS)`)
	a.define("TYPE(tag, name, ...)", `SAME(#tag "." #name, __typeof__(((tag *)0)->name), __VA_ARGS__)`)
	a.define("FIELD(tag, name, offset, size, ...)", `PLACE(tag, name, offset, size);`, `TYPE(tag, name, __VA_ARGS__)`)
	a.define("UNSIGNED(tag, size)",
		`_Static_assert(sizeof(tag) == size, #tag ": size is not " #size DIFFERS);`,
		`_Static_assert((tag)-1 > 0, #tag ": not unsigned" DIFFERS)`)
	a.define("SIGNED(tag, size)",
		`_Static_assert(sizeof(tag) == size, #tag ": size is not " #size DIFFERS);`,
		`_Static_assert((tag)-1 < 0, #tag ": not signed" DIFFERS)`)
	a.define("VALUE(name, value)", `_Static_assert(name == value, #name ": value is not " #value DIFFERS)`)
	a.define("FUNCTION(name, ...)", `SAME(#name, __typeof__(*(`+FnType("")+`##name)0), __VA_ARGS__)`)
}

func (a *asserter) define(head string, lines ...string) {
	a.line("#define %s \\", head)
	a.line("\t%s", strings.Join(lines, " \\\n\t"))
}

func (a *asserter) record(r *api.Record) {
	a.line("")
	amd64 := api.Layout{Size: r.Size, Align: r.Align}
	for _, f := range r.Fields {
		amd64.Offsets = append(amd64.Offsets, f.Offset)
		amd64.Sizes = append(amd64.Sizes, f.Size)
	}
	l := r.ARM64
	if l == nil || len(l.Offsets) != len(r.Fields) || len(l.Sizes) != len(r.Fields) {
		a.layout(r, amd64)
		return
	}
	a.line("#if defined(__aarch64__) && defined(__GLIBC__)")
	a.layout(r, *l)
	a.line("#else")
	a.layout(r, amd64)
	a.line("#endif")
}

// layout asserts one layout of r. A bit field has neither offset nor size, a flexible array has no size, and a tagless
// member has no type that could be written.
func (a *asserter) layout(r *api.Record, l api.Layout) {
	a.line("RECORD(%s, %d, %d);", r.Tag, l.Size, l.Align)
	for i, f := range r.Fields {
		if f.Name == "" || f.BitSize != nil {
			continue
		}
		t, err := a.sel.written(r.Fields[i].Type)
		switch {
		case err != nil || strings.Contains(t.innermost().name, "<"):
			a.line("PLACE(%s, %s, %d, %d);", r.Tag, f.Name, l.Offsets[i], l.Sizes[i])
		case t.form == formArray && t.count == "":
			a.line("START(%s, %s, %d);", r.Tag, f.Name, l.Offsets[i])
			a.line("TYPE(%s, %s, %s);", r.Tag, f.Name, t.declare(""))
		default:
			a.line("FIELD(%s, %s, %d, %d, %s);", r.Tag, f.Name, l.Offsets[i], l.Sizes[i], t.declare(""))
		}
	}
}

func (a *asserter) enum(e *api.Enum) {
	a.line("")
	sign := "UNSIGNED"
	if e.Signed {
		sign = "SIGNED"
	}
	if !strings.Contains(e.Tag, "<") {
		a.line("%s(%s, %d);", sign, e.Tag, enumSize(e))
	}
	for _, v := range e.Enumerators {
		a.line("VALUE(%s, %s);", v.Name, cInt(v.Value))
	}
}

func (a *asserter) constants(rel *api.Release) {
	a.line("")
	for i := range rel.Macros {
		m := &rel.Macros[i]
		if text, isInt := macroText(m); isInt {
			a.line("VALUE(%s, %s);", m.Name, text)
		}
	}
	for _, l := range rel.Aliases {
		switch l.Kind {
		case "enumerator", "macro":
			a.line("VALUE(%s, %s);", l.Name, l.Of)
		case "enum", "struct", "union":
			a.line("SAME(%q, %s %s *, %s %s *);", l.Kind+" "+l.Name, l.Kind, l.Name, l.Kind, l.Of)
		}
	}
}

func (a *asserter) functions(rel *api.Release) error {
	a.line("")
	for i := range rel.Functions {
		f := &rel.Functions[i]
		fn, err := a.sel.functionType(f)
		if err != nil {
			return errorAt(f.Pos, "%s: %v", f.Name, err)
		}
		if f.Kind != api.Inline {
			a.line("FUNCTION(%s, %s);", f.Name, fn.declare(""))
		}
	}
	return nil
}
