package emit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/emit/cdecl"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/templates"
)

// shim is one C function of the package.
type shim struct {
	Comment string
	Result  string // with a trailing blank or star
	Name    string
	Params  string
	Body    string
}

// cFiles gives the C side, and settles the prefix of its names.
func (e *emitter) cFiles() ([]output.File, error) {
	types, err := cdecl.Header(e.pkg.Facts, e.declared())
	if err != nil {
		return nil, factErrors(err)
	}
	var shims []shim
	contexts := false
	for _, v := range e.pkg.Verbs {
		if !e.shimmed(v) {
			continue
		}
		s, err := e.shim(v)
		if err != nil {
			return nil, factErrors(&cdecl.Error{Pos: api.Pos{File: v.Pos.File, Line: v.Pos.Line, Col: v.Pos.Col}, Text: v.C + ": " + err.Error()})
		}
		contexts = contexts || strings.Contains(s.Body, "vg_verbs(")
		shims = append(shims, s)
	}
	data := map[string]any{"Banner": banner, "Provenance": e.provenance(), "Shims": shims, "UsesContext": contexts, "Guard": "VG__SHIMS_H"}
	h, err := fill("shims.h", templates.ShimsH, data)
	if err != nil {
		return nil, err
	}
	c, err := fill("shims.c", templates.ShimsC, data)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, text := range []string{string(types), h, c} {
		fmt.Fprintf(sum, "%d\n%s", len(text), text)
	}
	e.prefix = "vg" + hex.EncodeToString(sum.Sum(nil))[:10]
	named := func(s string) []byte {
		s = strings.ReplaceAll(s, "VG__", strings.ToUpper(e.prefix)+"_")
		return []byte(strings.ReplaceAll(s, "vg__", e.prefix+"_"))
	}
	return []output.File{{Name: "types.gen.h", Data: types}, {Name: "shims.gen.h", Data: named(h)}, {Name: "shims.gen.c", Data: named(c)}}, nil
}

// factErrors makes diagnostics of what is said about facts that cannot be written as C.
func factErrors(err error) error {
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	var list diag.List
	for _, part := range parts {
		var placed *cdecl.Error
		if !errors.As(part, &placed) {
			list.AddErr(part)
			continue
		}
		subject, problem, ok := strings.Cut(placed.Text, ": ")
		if !ok {
			subject, problem = "declaration", placed.Text
		}
		list.Add(diag.New(diag.HeaderUnsupported, placed.Pos.File, placed.Pos.Line, placed.Pos.Col, subject, problem, "leave it out of the header, or declare it otherwise"))
	}
	return list.Err()
}

func fill(name, text string, data any) (string, error) {
	t, err := template.New(name).Parse(text)
	if err != nil {
		return "", fmt.Errorf("internal error: template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("internal error: template %s: %w", name, err)
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

// shimmed tells whether a verb has a C function: all but the copies and the data path, which the runtime calls.
func (e *emitter) shimmed(v *model.Verb) bool {
	for _, m := range v.Methods {
		if !form.Find(m.Form).Runtime {
			return true
		}
	}
	return len(v.Methods) == 0
}

// declared chooses the C declarations that the shims need.
func (e *emitter) declared() cdecl.Options {
	only := map[string]bool{}
	need := []string{}
	for _, v := range e.pkg.Verbs {
		if !e.shimmed(v) {
			continue
		}
		only[v.C] = true
		for _, s := range verbSymbols(v) {
			only[s.Name] = true
		}
		for _, p := range v.Params {
			if p.Record != nil {
				need = append(need, "struct "+p.Record.C)
			}
		}
		if v.Special != nil {
			need = append(need, v.Special.Types...)
		}
	}
	return cdecl.Options{Only: only, Need: need, Guard: "VERBSGEN_TYPES_H", Hash: e.pkg.FactsHash}
}

// shim writes the C function of a verb.
func (e *emitter) shim(v *model.Verb) (shim, error) {
	s := shim{Comment: "// " + v.C + ": " + wayText(v), Name: "vg__" + v.C}
	ret, err := e.classify(v.CRet)
	if err != nil {
		return s, err
	}
	s.Result = ret.ShimResult()
	if !strings.HasSuffix(s.Result, "*") {
		s.Result += " "
	}
	var params []string
	for i := range verbSymbols(v) {
		params = append(params, fmt.Sprintf("uintptr_t fn%d_", i))
	}
	var locals strings.Builder
	for _, p := range v.Params {
		t, err := e.classify(p.CType)
		if err != nil {
			return s, err
		}
		ct := t.ShimParam(memoryOf(p))
		params = append(params, declare(ct, p.C+"_"))
		fmt.Fprintf(&locals, "\t%s = (%s)%s_;\n", declare(p.CType, p.C), p.CType, p.C)
	}
	s.Params = strings.Join(params, ", ")
	if s.Params == "" {
		s.Params = "void"
	}
	if v.Special != nil {
		s.Body = special(v.C)
		if s.Body == "" {
			return s, fmt.Errorf("internal error: no C text for %s in special.c.tmpl", v.C)
		}
		return s, nil
	}
	s.Body = locals.String() + "\n" + dispatch(v)
	return s, nil
}

// memoryOf tells whose memory a parameter points to.
func memoryOf(p *model.Param) cdecl.Memory {
	switch p.Role {
	case spec.RoleInRec, spec.RoleOutRec, spec.RoleOut, spec.RoleSlice:
		return cdecl.OfGo
	}
	return cdecl.OfC
}

// declare writes a C declaration of a simple type.
func declare(ctype, name string) string {
	if strings.HasSuffix(ctype, "*") {
		return ctype + name
	}
	return ctype + " " + name
}

// special is the hand-written body of a verb.
func special(name string) string {
	_, rest, ok := strings.Cut(templates.SpecialC, "//# "+name+"\n")
	if !ok {
		return ""
	}
	body, _, _ := strings.Cut(rest, "//# ")
	return body
}

func wayText(v *model.Verb) string {
	switch v.Way {
	case model.WayExported, model.WayExport:
		return "exported"
	case model.WayVerbs:
		return "op " + v.Dispatch.Op + " of struct verbs_context"
	case model.WayOps:
		return "op " + v.Dispatch.Op + " of the context"
	case model.WayObject:
		return "function " + v.Dispatch.Op + " of the object"
	}
	return "written by hand"
}

// dispatch writes the body that reaches the verb as the header does.
func dispatch(v *model.Verb) string {
	ret := "return "
	if v.CRet == "void" {
		ret = ""
	}
	if v.Way == model.WayExported || v.Way == model.WayExport {
		name := v.Symbol.Name
		args := make([]string, 0, len(v.Params))
		for _, p := range v.Params {
			args = append(args, p.C)
		}
		if v.Way == model.WayExport {
			args = v.Dispatch.Args
		}
		return fmt.Sprintf("\t%s%s((%s)fn0_)(%s);\n", ret, constOff(v), cdecl.FnType(name), strings.Join(args, ", "))
	}
	d := v.Dispatch
	call := strings.Join(d.Args, ", ")
	switch v.Way {
	case model.WayVerbs:
		return fmt.Sprintf("\tstruct verbs_context *v = vg_verbs(%s);\n\n\tif (!VG_HAS(v, %s))\n\t\t%s\n\t%sv->%s(%s);\n", d.Object, d.Op, unsupported(v), ret, d.Op, call)
	case model.WayOps:
		return fmt.Sprintf("\tif (!%s->ops.%s)\n\t\t%s\n\t%s%s->ops.%s(%s);\n", d.Object, d.Op, unsupported(v), ret, d.Object, d.Op, call)
	}
	return fmt.Sprintf("\tif (!%s->%s)\n\t\t%s\n\t%s%s->%s(%s);\n", d.Object, d.Op, unsupported(v), ret, d.Object, d.Op, call)
}

// constOff takes const off a returned text, which a shim hands on as void *.
func constOff(v *model.Verb) string {
	if strings.HasPrefix(v.CRet, "const ") {
		return "(void *)"
	}
	return ""
}

// unsupported is what a shim does when the provider lacks the op; the header's own errno where it has one.
func unsupported(v *model.Verb) string {
	errno := v.Dispatch.Missing
	if errno == "" {
		errno = "EOPNOTSUPP"
	}
	switch v.Returns {
	case spec.RetErrno:
		return "return " + errno + ";"
	case spec.RetNullErrno:
		return "return errno = " + errno + ", NULL;"
	case spec.RetMinus1:
		return "return errno = " + errno + ", -1;"
	case spec.RetVoid:
		return "return;"
	}
	return "return 0;"
}
