package cgen

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/templates"
)

// shim is one C function of the package, as the templates read it.
type shim struct {
	C       string // the verb
	Result  string // C type, with a trailing blank or star
	Params  string
	Locals  []local
	Special string // the body, when it is written by hand

	Way          string // model.Way...
	Function     string // C type of the exported function
	Object, Op   string // the op, and what has it
	Args         string
	Returns      string // spec.Ret...
	Missing      string // errno where the provider lacks the op, or the library the function
	ConstResult  bool   // of a returned text, which a shim hands on as void *
	Gated        string // what goes through a gate, empty for nothing
	batches      bool   // it reads requests of a batch
	addresses    bool   // it looks at the addresses of requests
	Before       string // declarations that the body uses
	throughVerbs bool   // it walks from a context to the extended one
}

// local is a parameter of the verb, made from that of its shim.
type local struct {
	Declared, Type, Name string
}

// Constraint says where the C side can be.
const Constraint = "linux && cgo && (amd64 || arm64)"

// side is the state of one Package.
type side struct {
	pkg   *model.Package
	types map[string]Type
}

// classify looks a C type up, once.
func (g *side) classify(ctype string) (Type, error) {
	if t, ok := g.types[ctype]; ok {
		return t, nil
	}
	t, err := Classify(g.pkg.Facts, ctype)
	if err == nil {
		g.types[ctype] = t
	}
	return t, err
}

// TypesFile is the generated file with the records of C.
const TypesFile = "types.gen.h"

// Package returns the C files of a generated package, and the prefix of its C functions. It is a hash of the path of the package, so that
// two packages in one program do not meet, and names stay as they are when the package is generated again.
func Package(pkg *model.Package) (files []output.File, prefix string, err error) {
	g := &side{pkg: pkg, types: map[string]Type{}}
	types, err := Header(pkg.Facts, g.declared())
	if err != nil {
		return nil, "", factErrors(err)
	}
	var shims []shim
	for _, v := range pkg.Verbs {
		if !Crosses(v) {
			continue
		}
		s, err := g.shim(v)
		if err != nil {
			return nil, "", factErrors(&Error{Pos: v.Pos, Text: v.C + ": " + err.Error()})
		}
		shims = append(shims, s)
	}
	sum := sha256.Sum256([]byte(cmp.Or(pkg.Path, pkg.Name)))
	prefix = "vg" + hex.EncodeToString(sum[:])[:10]
	h, c, err := g.fillShims(shims, prefix)
	if err != nil {
		return nil, "", err
	}
	return []output.File{{Name: TypesFile, Data: types}, {Name: "shims.gen.h", Data: []byte(h)},
		{Name: "shims.gen.c", Data: []byte(c)}}, prefix, nil
}

// fillShims writes the shims and their declarations under a prefix.
func (g *side) fillShims(shims []shim, prefix string) (h, c string, err error) {
	data := map[string]any{"Banner": output.Banner, "Shims": shims, "Prefix": prefix,
		"Constraint":    Constraint,
		"Guard":         strings.ToUpper(prefix) + "_SHIMS_H",
		"UsesBatches":   slices.ContainsFunc(shims, func(s shim) bool { return s.batches }),
		"UsesAddresses": slices.ContainsFunc(shims, func(s shim) bool { return s.addresses }),
		"UsesGate":      slices.ContainsFunc(shims, func(s shim) bool { return s.Gated != "" }),
		"UsesContext":   slices.ContainsFunc(shims, func(s shim) bool { return s.throughVerbs })}
	if h, err = fill(shimsH, data); err != nil {
		return "", "", err
	}
	c, err = fill(shimsC, data)
	return h, c, err
}

// factErrors makes diagnostics of what is said about facts that cannot be written as C.
func factErrors(err error) error {
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	var list diag.List
	for _, part := range parts {
		var placed *Error
		if !errors.As(part, &placed) {
			list.AddErr(part)
			continue
		}
		subject, problem, ok := strings.Cut(placed.Text, ": ")
		if !ok {
			subject, problem = "declaration", placed.Text
		}
		list.Add(diag.At(diag.HeaderUnsupported, placed.Pos, subject, problem,
			"leave it out of the header, or declare it otherwise"))
	}
	return list.Err()
}

// Names of the templates, beside those of the verbs that are written by hand.
const (
	shimsH = "shims.h"
	shimsC = "shims.c"
)

// cTemplates are the templates of the C side.
var cTemplates = sync.OnceValues(func() (*template.Template, error) {
	set := template.New(shimsC).Funcs(template.FuncMap{"hex": func(v any) string { return fmt.Sprintf("%#x", v) }, "args": argsOf,
		"takesObject": takesObject, "passedOn": passedOn, "fnType": FnType,
		"pointee": func(ctype string) string { return strings.Trim(strings.TrimPrefix(ctype, "const "), " *") },
		"bits":    func(bytes int64) int64 { return 8 * bytes }})
	for name, text := range map[string]string{shimsH: templates.ShimsH, shimsC: templates.ShimsC, "special.c": templates.SpecialC,
		"lazy.c": templates.LazyC, "stream.c": templates.StreamC, "view.c": templates.ViewC} {
		if _, err := set.New(name).Parse(text); err != nil {
			return nil, fmt.Errorf("template %s: %w", name, err)
		}
	}
	return set, nil
})

// fill executes a template of the C side.
func fill(name string, data any) (string, error) {
	set, err := cTemplates()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("template %s: %w", name, err)
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

// fill makes the body of a shim, and the declarations before it, by templates.
func (s *shim) fill(before, body string, data any) (err error) {
	if s.Before, err = fill(before, data); err != nil {
		return err
	}
	s.Special, err = fill(body, data)
	return err
}

// Crosses reports whether a verb has a C function: all but the copies and the data path, which the runtime calls.
func Crosses(v *model.Verb) bool {
	if v.Inner {
		return false
	}
	for _, m := range v.Methods {
		if f := form.Of(v.C, m.Form); f != nil && !f.Runtime {
			return true
		}
	}
	return len(v.Methods) == 0
}

// declared chooses the C declarations that the shims need.
func (g *side) declared() Options {
	only := map[string]bool{}
	need := []string{}
	for _, v := range g.pkg.Verbs {
		if !Crosses(v) {
			continue
		}
		only[v.C] = true
		if v.Stream != nil {
			need = append(need, "struct "+v.Stream.Request, "struct "+v.Stream.C)
			for _, a := range slices.Concat(v.Stream.List.Args, v.Stream.InlineListBy.Args) {
				need = append(need, pointees(a.CType)...)
			}
		}
		if v.View != nil {
			need = append(need, "struct "+v.View.C)
		}
		if v.Reads != nil {
			for _, f := range v.Reads.Fields {
				if f.Fills != "" {
					need = append(need, f.Fills)
				}
			}
			need = append(need, strings.TrimSpace(strings.TrimSuffix(v.Params[1].CType, "*")))
		}
		for _, s := range v.Symbols() {
			only[s.Name] = true
		}
		for _, p := range v.Params {
			if p.Record != nil && p.Record.From == nil {
				need = append(need, "struct "+p.Record.C)
			}
		}
		if v.Special != nil {
			need = append(need, v.Special.Types...)
		}
	}
	return Options{Only: only, Need: need, Guard: "VERBSGEN_TYPES_H", Of: g.pkg.Module.Name, Library: g.pkg.Module.Short,
		Part: true}
}

// pointees is the struct behind a pointer, if it is one.
func pointees(ctype string) []string {
	tag := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(ctype, "const "), "*"))
	if tag == ctype || !strings.HasPrefix(tag, "struct ") {
		return nil
	}
	return []string{tag}
}

// shim describes the C function of a verb.
func (g *side) shim(v *model.Verb) (shim, error) {
	if v.Reads != nil {
		return readerShim(v)
	}
	if v.Stream != nil {
		return streamShim(v)
	}
	if v.View != nil {
		return viewShim(v)
	}
	s := shim{C: v.C, Way: v.Way, Returns: v.Returns, ConstResult: strings.HasPrefix(v.CRet, "const ")}
	ret, err := g.classify(v.CRet)
	if err != nil {
		return s, err
	}
	s.Result = ret.ShimResult()
	if !strings.HasSuffix(s.Result, "*") {
		s.Result += " "
	}
	var params []string
	for i := range v.Symbols() {
		params = append(params, fmt.Sprintf("uintptr_t fn%d_", i))
	}
	for _, p := range v.Params {
		t, err := g.classify(p.CType)
		if err != nil {
			return s, err
		}
		passed, ctype := t.ShimParam(p.OfGo()), p.CType
		if t.Kind == Integer && strings.HasSuffix(ctype, ">") { // an enum without a tag
			ctype = passed
		}
		params = append(params, declare(passed, p.C+"_"))
		s.Locals = append(s.Locals, local{declare(ctype, p.C), ctype, p.C})
	}
	s.Params = strings.Join(params, ", ")
	if s.Params == "" {
		s.Params = "void"
	}
	if v.Special == nil {
		s.reach(v)
		return s, nil
	}
	s.throughVerbs = v.Special.Op
	s.Special, err = fill(v.C, nil)
	return s, err
}

// reach describes how the body reaches the verb: as the header does.
func (s *shim) reach(v *model.Verb) {
	s.throughVerbs = v.Way == model.WayVerbs
	var args []string
	if v.Way == model.WayExported {
		for _, p := range v.Params {
			args = append(args, p.C)
		}
	} else {
		args = v.Dispatch.Args
		s.Object, s.Op, s.Missing = v.Dispatch.Object, v.Dispatch.Op, cmp.Or(v.Dispatch.Missing, "EOPNOTSUPP")
	}
	s.Args = strings.Join(args, ", ")
	if v.Symbol != nil {
		s.Function = FnType(v.Symbol.Name)
		if s.Missing = ""; v.Answers() {
			s.Missing = "ENOSYS"
		}
	}
}

// declare writes a C declaration of a simple type.
func declare(ctype, name string) string {
	if strings.HasSuffix(ctype, "*") {
		return ctype + name
	}
	return ctype + " " + name
}
