package fit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// dispatch checks that a C compiler takes the call in an inline body: the C parser is more patient.
func (h *holder) dispatch(v *model.Verb) {
	f := h.facts.Func(v.C)
	d := f.Dispatch
	if d == nil || v.Special != nil || d.Way == api.WayPure || d.Way == api.WaySpecial {
		return
	}
	problem := ""
	switch fn := h.callee(f, d); {
	case fn == nil && d.Way == api.WayExport:
		problem = ", which the header does not declare"
	case fn == nil:
		problem = " through " + d.Object + ", where the header has no such function"
	case len(fn.Params) != len(d.Args):
		problem = fmt.Sprintf(" with %d arguments, and it takes %d", len(d.Args), len(fn.Params))
	case f.Ret != "void" && !h.passes(fn.Ret, f.Ret):
		problem = ", whose result is " + fn.Ret + " and not " + f.Ret
	default:
		for i, arg := range d.Args {
			t, ok := h.facts.Param(f, arg)
			if ok && !h.passes(t.C, fn.Params[i].Type) {
				problem = " with " + arg + " of type " + t.C + " for " + fn.Params[i].Type
			}
		}
	}
	if problem != "" {
		h.fail(diag.DispatchUnknown, f.Pos, f.Name, "its body calls "+d.Op+problem)
	}
}

// callee is the type of what a body calls; nil if the header has no such function.
func (h *holder) callee(f *api.Function, d *api.Dispatch) *api.FnType {
	if d.Way == api.WayExport {
		if g := h.facts.Func(d.Op); g != nil {
			return &api.FnType{Ret: g.Ret, Params: g.Params}
		}
		return nil
	}
	param, path, _ := strings.Cut(d.Object, "->")
	t, _ := h.facts.Param(f, param)
	if path != "" {
		t, _ = h.pathOf(t, path)
	}
	tag := "struct " + t.Tag
	switch {
	case d.Way == api.WayOps:
		t, _ = h.pathOf(t, "ops")
		tag = "struct " + t.Tag
	case d.Way == api.WayVerbs && tag == "struct ibv_context":
		tag = extendedContext
	case d.Way == api.WayVerbs:
		return nil
	}
	return orZero(h.facts.Record(tag).Field(d.Op)).Func
}

// passes reports whether C takes a value of one type for another without a word.
func (h *holder) passes(from, to string) bool {
	s, t := h.facts.TypeOf(from), h.facts.TypeOf(to)
	value := func(t spec.CType) bool { return t.Kind == spec.CInt && !t.Pointer && !t.Array }
	switch {
	case from == to, value(s) && value(t):
		return true
	case s.Kind == spec.CFunc || t.Kind == spec.CFunc || !s.Pointer || !t.Pointer || s.Const() && !t.Const():
		return false
	}
	return from == strings.TrimPrefix(to, "const ") || isVoid(s) || isVoid(t)
}
