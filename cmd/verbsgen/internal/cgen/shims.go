// Package cgen writes C: the C side of a generated package, and declarations of the ABI of a release or of a part of it. It also says how
// the values of a C type cross between Go and C (Types).
//
// Declarations are made from the facts alone (package api). The functions that cross into C (shims.go) are made from the model, with the
// text of templates/. It knows no Go code.
package cgen

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec/role"
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
	*Types
	pkg *model.Package
}

// TypesFile is the generated file with the records of C.
const TypesFile = "types.gen.h"

// Package returns the C files of a generated package, and the prefix of its C functions. It is a hash of the path of the package, so that
// two packages in one program do not meet, and names stay as they are when the package is generated again.
func Package(pkg *model.Package) (files []output.File, prefix string, err error) {
	g := &side{pkg: pkg, Types: NewTypes(pkg.Facts)}
	types, err := Header(pkg.Facts, g.declared())
	if err != nil {
		return nil, "", err
	}
	var shims []shim
	for _, v := range pkg.Verbs {
		if !Crosses(v) {
			continue
		}
		s, err := g.shim(v)
		if err != nil {
			return nil, "", diag.One(unwritable(v.Pos, v.C, err.Error()))
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

// Names of the templates, beside those of the verbs that are written by hand.
const (
	shimsH = "shims.h"
	shimsC = "shims.c"
)

// cTemplates are the templates of the C side.
var cTemplates = sync.OnceValues(func() (*template.Template, error) {
	set := template.New(shimsC).Funcs(template.FuncMap{"hex": func(v any) string { return fmt.Sprintf("%#x", v) }, "args": argsOf,
		"takesObject": takesObject, "passedOn": passedOn, "fnType": fnType,
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
	return Options{Only: only, Need: need, Guard: "VERBSGEN_TYPES_H", Of: g.pkg.Module.Name, Library: g.pkg.Module.Short}
}

// pointees is the struct behind a pointer, if it is one.
func pointees(ctype string) []string {
	tag := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(ctype, "const "), "*"))
	if tag == ctype || !strings.HasPrefix(tag, "struct ") {
		return nil
	}
	return []string{tag}
}

// Param is a parameter of the C function of a verb, as Go passes it: a number, a pointer to memory of C, or one to memory of Go, which
// stays in place for the call.
type Param struct {
	C, Go  string // names
	Type   string // in Go
	Memory bool   // of Go
}

const pointer = "unsafe.Pointer"

// String declares the parameter in C. An address of C is a number. Memory of Go is uint8_t *: cgo must see a pointer, of a type that holds
// none, so that it checks nothing.
func (p Param) String() string {
	switch {
	case p.Memory:
		return "uint8_t *" + p.C + "_"
	case p.Type == pointer:
		return "uintptr_t " + p.C + "_"
	}
	return p.Type + "_t " + p.C + "_"
}

func value(name, typ string) Param { return Param{C: name, Go: name, Type: typ} }
func memory(name string) Param     { return Param{C: name, Go: name, Type: pointer, Memory: true} }

// Params are the parameters of the C function of a verb. The error is about the last of them.
func (ts *Types) Params(v *model.Verb) (list []Param, err error) {
	switch {
	case v.Reads != nil:
		return []Param{memory("gate"), value("fields", "uint64"), memory("entries"), value("room", "int64"), value("tries", "int64"),
			memory("answer")}, nil
	case v.Stream != nil:
		return []Param{memory("gate"), value("object", pointer), value("asked", "uint64"), memory("first"), memory("answer")}, nil
	case v.View != nil:
		return []Param{value("fn0", "uintptr"), value("object", pointer), memory("to")}, nil
	}
	for i := range v.Symbols() {
		list = append(list, value(fmt.Sprintf("fn%d", i), "uintptr"))
	}
	for _, p := range v.Params {
		x := Param{C: p.C, Go: p.Go, Type: pointer, Memory: p.OfGo()}
		if !x.Memory && (p.Role.Passes != role.PassesObject || p.Object.Int()) {
			x.Type, err = ts.Integer(p.CType)
		}
		if list = append(list, x); err != nil {
			return list, err
		}
	}
	return list, nil
}

// shim describes the C function of a verb.
func (g *side) shim(v *model.Verb) (s shim, err error) {
	params, err := g.Params(v)
	if err != nil {
		return s, err
	}
	s = shim{C: v.C, Result: "void ", Way: v.Way, Returns: v.Returns, ConstResult: strings.HasPrefix(v.CRet, "const ")}
	var all []string
	for _, p := range params {
		all = append(all, p.String())
	}
	s.Params = cmp.Or(strings.Join(all, ", "), "void")
	switch {
	case v.Reads != nil:
		return s, s.reader(v)
	case v.Stream != nil:
		return s, s.stream(v)
	case v.View != nil:
		return s, s.fill("view_more", "view", v)
	case strings.HasSuffix(v.CRet, "*"):
		s.Result = "void *"
	case v.CRet != "void":
		result, err := g.Integer(v.CRet)
		if err != nil {
			return s, err
		}
		s.Result = result + "_t "
	}
	for i, p := range v.Params {
		ctype := p.CType
		if strings.HasSuffix(ctype, ">") { // an enum without a tag
			ctype = params[len(v.Symbols())+i].Type + "_t"
		}
		s.Locals = append(s.Locals, local{declare(ctype, p.C), ctype, p.C})
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
		s.Function = fnType(v.Symbol.Name)
		if s.Missing = ""; v.Answers() {
			s.Missing = "ENOSYS"
		}
	}
}
