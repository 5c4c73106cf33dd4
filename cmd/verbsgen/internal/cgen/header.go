package cgen

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Options choose what a header declares.
type Options struct {
	// Only names the functions to serve. The header defines the enums that these functions name, and the records that their dispatch walks
	// through or that they take by value, each with all that it holds by value. A record that is only pointed at stays declared.
	Only map[string]bool
	// Need names more to define: tags ("struct ibv_mr", "enum ibv_mtu"), enumerators and macros.
	Need []string
	// Guard is the macro of the include guard.
	Guard string
	// Of is the module, and Library the library, in the comment at the top.
	Of, Library string
	// From says what the header was made from; empty for a part of a generated package, which says so elsewhere.
	From string
}

// fnType is the C name of the type of pointers to the exported function name.
func fnType(name string) string { return "vg_fn_" + name }

// Header writes declarations of rel for C code that includes no RDMA header and links no library. The error is a diag.List with all of what
// cannot be written.
func Header(rel *api.Release, opt Options) ([]byte, error) {
	p, err := pick(rel, opt)
	if err != nil {
		return nil, err
	}
	w := &writer{picker: p}
	w.line(output.Banner)
	if opt.From != "" {
		w.line("%s", opt.From)
	}
	w.line("//")
	w.line("// Own declarations of the %s ABI for C code that includes no RDMA header and links no %s.", opt.Of, opt.Library)
	w.line("")
	w.line("#ifndef %s", opt.Guard)
	w.line("#define %s", opt.Guard)
	w.line("")
	for _, name := range []string{"errno", "pthread", "stddef", "stdint", "sys/types", "time"} {
		w.line("#include <%s.h>", name)
	}
	w.kernelTypes()
	for i := range rel.Enums {
		if e := &rel.Enums[i]; p.taken[e.Tag] {
			w.enum(e)
		}
	}
	list(w, "All records; those without a definition below are only ever pointed at.", p.forward(),
		func(tag string) string { return tag + ";" })
	for _, r := range p.records {
		w.line("")
		w.record(r)
	}
	macros := slices.DeleteFunc(slices.Clone(rel.Macros), func(m api.Macro) bool { return !p.taken[m.Name] })
	list(w, "Constants that are macros in verbs.h.", macros, func(m api.Macro) string { return "#define " + m.Name + " " + macroText(m) })
	// A macro, so that an enumerator keeps the type of its enum.
	list(w, "Second names.", p.aliases(), func(a api.Alias) string { return "#define " + a.Name + " " + a.Of })
	list(w, "Types of the exported functions, whose addresses come from the library loaded at run time.", p.exported(), w.functionType)
	w.line("")
	w.line("#endif")
	return w.buf.Bytes(), p.errs.Err()
}

// writer collects the text of one file.
type writer struct {
	*picker
	buf bytes.Buffer
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.buf, format+"\n", args...)
}

// list writes a line for each element below a comment, if there are any.
func list[T any](w *writer, about string, elements []T, line func(T) string) {
	if len(elements) == 0 {
		return
	}
	w.line("")
	w.line("// %s", about)
	for _, x := range elements {
		w.line("%s", line(x))
	}
}

// exported are the functions that the library has. They are never declared: their addresses come from the library loaded at run time.
func (p *picker) exported() []api.Function {
	return slices.DeleteFunc(slices.Clone(p.rel.Functions), func(f api.Function) bool { return !p.taken[f.Name] || f.Kind == api.Inline })
}

// functionType is the type of pointers to a function, names of parameters included.
func (w *writer) functionType(f api.Function) string {
	return "typedef " + declare(w.written(f.Ret), "(*"+fnType(f.Name)+")("+w.parameters(f.Params)+")") + ";"
}

// kernelTypes defines names of linux/types.h, which musl does not have. The definitions are the kernel's own, so that C11 takes both, in
// any order, should some other header bring them.
func (w *writer) kernelTypes() {
	used := w.used()
	for name := range used {
		if of, ok := strings.CutPrefix(name, "__aligned_"); ok {
			used["__"+of] = true
		}
	}
	var names, aligned []string
	for _, name := range slices.Sorted(maps.Keys(used)) {
		switch {
		case strings.HasPrefix(name, "__aligned_"):
			aligned = append(aligned, name)
		case strings.HasPrefix(name, "__"), name == "socklen_t":
			names = append(names, name)
		}
	}
	list(w, "Integers of the kernel's headers, as those define them; __be is network order.", names, func(name string) string {
		return "__extension__ typedef " + kernelInteger[integers[name]] + " " + name + ";"
	})
	for _, name := range aligned {
		w.line("#ifndef %s", name)
		w.line("#define %s __%s __attribute__((aligned(8)))", name, strings.TrimPrefix(name, "__aligned_"))
		w.line("#endif")
	}
}

// kernelInteger is how the kernel writes its integers in C.
var kernelInteger = map[string]string{"int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short",
	"int32": "int", "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long"}

// used are the names of types that the header mentions.
func (w *writer) used() map[string]bool {
	used := map[string]bool{}
	note := func(ctype string) {
		for _, name := range names(ctype) {
			used[name] = true
		}
	}
	for _, r := range w.records {
		for _, f := range r.Fields {
			note(f.Type)
		}
	}
	for _, f := range w.exported() {
		note(f.Ret)
		for _, p := range f.Params {
			note(p.Type)
		}
	}
	return used
}
