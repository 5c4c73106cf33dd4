package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// dispatch looks whether the call in an inline body is one that a C compiler takes: the C parser is more patient.
func (h *holder) dispatch(v *model.Verb) {
	f := h.facts.Func(v.C)
	d := f.Dispatch
	if d == nil || v.Special != nil {
		return
	}
	fn, problem := h.callee(f, d)
	if fn != nil {
		problem = h.callProblem(f, fn, d)
	}
	if problem != "" {
		h.fail(diag.DispatchUnknown, f.Pos, f.Name, problem, wholeFix)
	}
}

// callProblem says why C does not take the call of a body; empty when it does.
func (h *holder) callProblem(f *api.Function, fn *api.FnType, d *api.Dispatch) string {
	if len(fn.Params) != len(d.Args) {
		return fmt.Sprintf("its body calls %s with %d arguments, and it takes %d", d.Op, len(d.Args), len(fn.Params))
	}
	if f.Ret != "void" && !h.passes(fn.Ret, f.Ret) {
		return "its body calls " + d.Op + ", whose result is " + fn.Ret + " and not " + f.Ret
	}
	for i, arg := range d.Args {
		for _, p := range f.Params {
			if p.Name == arg && !h.passes(p.Type, fn.Params[i].Type) {
				return fmt.Sprintf("its body calls %s with %s of type %s for %s", d.Op, arg, p.Type, fn.Params[i].Type)
			}
		}
	}
	return ""
}

// callee is the type of what a body calls. Without one there is a problem, or the body is not read at all.
func (h *holder) callee(f *api.Function, d *api.Dispatch) (*api.FnType, string) {
	if d.Way == api.WayExport {
		if g := h.facts.Func(d.Op); g != nil {
			return &api.FnType{Ret: g.Ret, Params: g.Params}, ""
		}
		return nil, "its body calls " + d.Op + ", which the header does not declare"
	}
	tag := ""
	steps := strings.Split(d.Object, "->")
	for _, p := range f.Params {
		if p.Name == steps[0] {
			tag = pointee(p.Type)
		}
	}
	for _, s := range steps[1:] {
		tag = pointee(h.member(tag, s).Type)
	}
	switch d.Way {
	case api.WayVerbs:
		if tag != "struct ibv_context" {
			return nil, "its body takes " + d.Object + " for a struct ibv_context *, which it is not"
		}
		tag = extendedContext
	case api.WayOps:
		tag = h.member(tag, "ops").Type
	case api.WayObject:
	default:
		return nil, ""
	}
	rec := h.facts.Record(tag)
	if rec == nil || rec.Incomplete {
		return nil, fmt.Sprintf("its body reaches %s through %s, which is no struct that the header defines", d.Op, d.Object)
	}
	op := h.member(tag, d.Op)
	if op.Func == nil {
		return nil, fmt.Sprintf("its body calls %s of %s, which has no such function", d.Op, tag)
	}
	return op.Func, ""
}

// member is a field of a record; empty when there is none.
func (h *holder) member(tag, name string) api.Field {
	if rec := h.facts.Record(tag); rec != nil {
		if i := slices.IndexFunc(rec.Fields, func(f api.Field) bool { return f.Name == name }); i >= 0 {
			return rec.Fields[i]
		}
	}
	return api.Field{}
}

// passes reports whether C takes a value of one type for another without a word.
func (h *holder) passes(from, to string) bool {
	s, t := h.facts.TypeOf(from), h.facts.TypeOf(to)
	value := func(t spec.CType) bool { return t.Kind == spec.CInt && !t.Pointer && !t.Array }
	switch {
	case from == to, value(s) && value(t):
		return true
	case !s.Pointer || !t.Pointer:
		return false
	case from == strings.TrimPrefix(to, "const "):
		return true
	}
	return (t.Const() || !s.Const()) && (pointee(to) == "void" || pointee(from) == "void") && s.Kind != spec.CFunc && t.Kind != spec.CFunc
}

// pointee is what a C type points to, without const; empty for a type that is no pointer.
func pointee(ctype string) string {
	to, ok := strings.CutSuffix(strings.TrimSpace(ctype), "*")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(to), "const ")
}
