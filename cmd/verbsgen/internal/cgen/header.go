package cgen

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Options choose what a header declares.
type Options struct {
	// Only names the functions to serve; nil stands for all of the release. Then the header defines the enums that
	// these functions name, and the records that their dispatch walks through or that they take by value, each with
	// all that it holds by value. A record that is only pointed at stays declared.
	Only map[string]bool
	// Need names more to define when Only is set: tags ("struct ibv_mr", "enum ibv_mtu") and macros.
	Need []string
	// Guard is the macro of the include guard; empty: VERBSGEN_VERBS_ABI_H.
	Guard string
	// Of is the module, and Library the library, in the comment at the top; empty: verbs and libibverbs.
	Of, Library string
	// Part says that the header is a part of a generated package, which says elsewhere what it was made from.
	Part bool
}

// FnType is the C name of the type of pointers to the exported function name.
func FnType(name string) string { return "vg_fn_" + name }

// Header writes declarations of rel for C code that includes no RDMA header and links no libibverbs. All errors of
// the facts come together, one a line.
func Header(rel *api.Release, opt Options) ([]byte, error) {
	sel, err := pick(rel, opt)
	if err != nil {
		return nil, err
	}
	w, guard := &writer{sel: sel}, cmp.Or(opt.Guard, "VERBSGEN_VERBS_ABI_H")
	if opt.Part {
		w.line(output.Banner)
	} else {
		w.provenance(rel)
	}
	w.line("//")
	w.line("// Own declarations of the %s ABI for C code that includes no RDMA header and links no %s.", cmp.Or(opt.Of, "verbs"),
		cmp.Or(opt.Library, "libibverbs"))
	w.line("")
	w.line("#ifndef %s", guard)
	w.line("#define %s", guard)
	w.line("")
	for _, name := range []string{"errno", "pthread", "stddef", "stdint", "sys/types", "time"} {
		w.line("#include <%s.h>", name)
	}
	w.kernelTypes()
	for _, e := range sel.enums {
		w.enum(e)
	}
	w.forward()
	for _, r := range sel.records {
		w.line("")
		if err := w.record(r); err != nil {
			return nil, err
		}
	}
	w.macros()
	w.aliases()
	if err := w.functions(); err != nil {
		return nil, err
	}
	w.line("")
	w.line("#endif")
	return w.buf.Bytes(), nil
}

// writer collects the text of one file.
type writer struct {
	buf bytes.Buffer
	sel *selection
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.buf, format+"\n", args...)
}

// provenance writes the two lines that open each generated file.
func (w *writer) provenance(rel *api.Release) {
	from := "rdma-core " + rel.Release
	if rel.Release == "" {
		from = "a header given by path"
	}
	w.line(output.Banner)
	w.line("// From %s, facts %s.", from, FactsHash(rel))
}

// kernelType is a name of linux/types.h, which musl does not have. The definitions are the kernel's own, so that C11
// takes both, in any order, should some other header bring them.
type kernelType struct{ name, of string }

var kernelTypes = []kernelType{
	{"__s8", "signed char"}, {"__u8", "unsigned char"},
	{"__s16", "short"}, {"__u16", "unsigned short"},
	{"__s32", "int"}, {"__u32", "unsigned int"},
	{"__s64", "long long"}, {"__u64", "unsigned long long"},
	{"__le16", "unsigned short"}, {"__le32", "unsigned int"}, {"__le64", "unsigned long long"},
	{"__sum16", "unsigned short"}, {"__wsum", "unsigned int"},
	{"__be16", "unsigned short"}, {"__be32", "unsigned int"}, {"__be64", "unsigned long long"},
	{"socklen_t", "unsigned int"},
}

// alignedTypes are macros in linux/types.h.
var alignedTypes = []kernelType{{"__aligned_u64", "__u64"}, {"__aligned_be64", "__be64"}}

func (w *writer) kernelTypes() {
	used := w.sel.baseNames()
	for _, a := range alignedTypes {
		if used[a.name] {
			used[a.of] = true
		}
	}
	first := true
	for _, k := range kernelTypes {
		if !used[k.name] {
			continue
		}
		if first {
			w.line("")
			w.line("// Integers of the kernel's headers, as those define them; __be is network order.")
			first = false
		}
		w.line("__extension__ typedef %s %s;", k.of, k.name)
	}
	for _, a := range alignedTypes {
		if used[a.name] {
			w.line("#ifndef %s", a.name)
			w.line("#define %s %s __attribute__((aligned(8)))", a.name, a.of)
			w.line("#endif")
		}
	}
}

// baseNames are the names of types that the selection mentions.
func (s *selection) baseNames() map[string]bool {
	used := map[string]bool{}
	note := func(text string) {
		if t, err := parseType(text); err == nil {
			t.names(true, func(base string, _ bool) { used[base] = true })
		}
	}
	for _, r := range s.records {
		for _, f := range r.Fields {
			note(f.Type)
		}
	}
	for _, f := range s.functions {
		note(f.Ret)
		for _, p := range f.Params {
			note(p.Type)
		}
	}
	return used
}

func (w *writer) forward() {
	if len(w.sel.forward) == 0 {
		return
	}
	w.line("")
	w.line("// All records; those without a definition below are only ever pointed at.")
	for _, tag := range w.sel.forward {
		w.line("%s;", tag)
	}
}

// functions writes the type of each exported function. The functions themselves are never declared: their addresses
// come from the library loaded at run time.
func (w *writer) functions() error {
	if len(w.sel.functions) == 0 {
		return nil
	}
	w.line("")
	w.line("// Types of the exported functions, whose addresses come from the library loaded at run time.")
	for _, f := range w.sel.functions {
		fn, err := w.sel.functionType(f)
		if err != nil {
			return errorAt(f.Pos, "%s: %v", f.Name, err)
		}
		w.line("typedef %s;", pointerTo(fn).declare(FnType(f.Name)))
	}
	return nil
}

// functionType is the type of f, parameter names included.
func (s *selection) functionType(f *api.Function) (*ctype, error) {
	ret, err := s.written(f.Ret)
	if err != nil {
		return nil, err
	}
	fn := &ctype{form: formFunc, elem: ret}
	for _, p := range f.Params {
		t, err := s.written(p.Type)
		if err != nil {
			return nil, err
		}
		fn.params = append(fn.params, cparam{name: p.Name, typ: t})
	}
	return fn, nil
}

func pointerTo(t *ctype) *ctype { return &ctype{form: formPtr, elem: t} }

// Error is a fact that cannot be written as C.
type Error struct {
	Pos  api.Pos
	Text string
}

func (e *Error) Error() string { return place(e.Pos) + ": " + e.Text }

func errorAt(pos api.Pos, format string, args ...any) error {
	return &Error{pos, fmt.Sprintf(format, args...)}
}

// place is a position as diagnostics write it; facts need not have one.
func place(p api.Pos) string {
	if s := p.String(); s != "" {
		return s
	}
	return "facts"
}
