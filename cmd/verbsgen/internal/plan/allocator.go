package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// parentDomain plans the making of a parent domain, with the types of its allocator.
func (b *builder) parentDomain(v *model.Verb, m *model.Method) []Decl {
	pd := v.Creates.Go
	request := &Struct{Name: "AllocRequest", Doc: Doc{Text: "AllocRequest is what a provider asks of an Allocator."}, Fields: []Var{
		{Name: "PD", Type: "*" + pd, Remark: "the parent domain; nil while it is still being made"},
		{Name: "Size", Type: "uint64", Remark: "bytes wanted"},
		{Name: "Align", Type: "uint64", Remark: "alignment wanted of the address, in bytes"},
		{Name: "Resource", Type: "AllocResource", Remark: "what for: the driver's id and a code of its own"},
		{Name: "Context", Type: "any", Remark: "what PDContext was given"}}}
	var attr *model.Record
	var alloc, context *model.Field
	for _, p := range v.Params {
		if p.Record == nil {
			continue
		}
		attr = p.Record
		for _, f := range attr.Fields {
			switch f.Callback {
			case form.CallbackAllocator:
				alloc = f
			case form.CallbackContext:
				context = f
			}
		}
	}
	if alloc == nil || context == nil || alloc.Pair == nil {
		b.errorf(v.C, "no record with the fields of an allocator")
		return nil
	}
	calls := &Method{Doc: Doc{Text: "newAllocCalls registers the allocator of a, if it has one, and puts the callbacks into c."}, Name: "newAllocCalls",
		Params:  []Var{{Name: "a", Type: "*" + attr.Go}, {Name: "c", Type: "*" + attr.Mirror.Name}},
		Results: []Var{{Name: "calls", Type: "*pdalloc.Calls[" + pd + "]"}, {Name: "err", Type: "error"}}, Zero: []Value{null},
		Steps: []Step{NewCalls{Object: pd, Alloc: "c." + alloc.Leaf.Go, Free: "c." + alloc.Pair.Go, Context: "c." + context.Leaf.Go}}}
	for _, f := range []*model.Field{alloc, context} {
		if f.Bit != nil {
			calls.Steps = append(calls.Steps, maskBits("c."+attr.Mask, f))
		}
	}
	calls.Steps = append(calls.Steps, ret(val("calls"), null))
	return append(b.method(v, m), request,
		Allocator{Alloc: alloc.C, Free: alloc.Pair.C, Record: attr.C, RecordPage: attr.Page, Default: alloc.Default, Page: v.Page}, calls)
}
