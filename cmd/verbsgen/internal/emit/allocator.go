package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// allocCalls is the type of what ties an allocator to a handle: pdalloc.Calls[PD].
func allocCalls(o *model.Object) *jen.Statement { return rt("pdalloc", "Calls").Types(id(o.Go)) }

// allocatorParam hands the caller's allocator to C, as far as there is one:
//
//	calls, err := newAllocCalls(attr, &attrC)
//	if err != nil {
//		return nil, err
//	}
//	release := calls.Release
func (c *call) allocatorParam(p *model.Param) {
	c.hold(
		define("calls", "err").Id("newAllocCalls").Call(id(p.Go), ref(id(p.Go+"C"))),
		c.fail.ifErr(),
		define("release").Id("calls").Dot("Release"))
	c.post = append(c.post,
		assign(id("o.parent"), id(p.Go, "pd")),
		assign(id("o.calls"), id("calls")),
		id("calls.Bind").Call(id("o")))
}

// allocator makes the Go face of a parent domain's allocators.
func (e *emitter) allocator(g *goFile, v *model.Verb) {
	pd := v.Creates
	g.structType("// AllocRequest is what a provider asks of an Allocator.", "AllocRequest",
		remark(param("PD", "*"+pd.Go), "the parent domain; nil while it is still being made"),
		remark(param("Size", "uint64"), "bytes wanted"),
		remark(param("Align", "uint64"), "alignment wanted of the address, in bytes"),
		remark(param("Resource", "pdalloc.Resource"), "what for: the driver's id and a code of its own"),
		remark(param("Context", "any"), "what PDContext was given"))
	alloc, _, attr := callbackFields(v)
	e.allocatorInterface(g, alloc, attr)
	g.decl(`// ErrUseDefault is the answer of an Allocator that leaves the request to the provider.
//
// C: `+alloc.Default+", "+page(v.Page)+".", jen.Var().Id("ErrUseDefault").Op("=").Add(rt("pdalloc", "ErrUseDefault")))
	e.newAllocCalls(g, v)
}

// callbackFields are the fields of a builder with an allocator and with what it is given.
func callbackFields(v *model.Verb) (alloc, context *model.Field, attr *model.Record) {
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
	return alloc, context, attr
}

// allocatorInterface makes what a caller implements:
//
//	type Allocator interface {
//		Alloc(req AllocRequest) (addr uintptr, err error)
//		Free(req AllocRequest, addr uintptr)
//	}
func (e *emitter) allocatorInterface(g *goFile, alloc *model.Field, attr *model.Record) {
	req, addr := param("req", "AllocRequest"), param("addr", "uintptr")
	g.decl(`// Allocator gives a provider memory for its own buffers. Its methods may be called from several threads at once, on
// threads of C. They must not call verbs.
//
// C: `+alloc.C+" and "+alloc.Pair.C+" of struct "+attr.C+", "+page(attr.Page)+".", jen.Type().Id("Allocator").Interface(
		jen.Comment(`// Alloc answers with the address of zeroed memory that a fork does not copy and that is not Go's: that of a
// mem.Buffer, for one. ErrUseDefault lets the provider allocate as it would without an Allocator. Any other error
// fails the verb that asked.`),
		jen.Id("Alloc").Params(req).Params(addr, jen.Id("err").Error()),
		jen.Comment("// Free takes back what Alloc gave; Size and Align are 0."),
		jen.Id("Free").Params(req, addr)))
}

// newAllocCalls makes the registration of an allocator:
//
//	func newAllocCalls(a *ParentDomainAttr, c *cParentDomainInitAttr) (calls *pdalloc.Calls[PD], err error) {
//		with, user := a.allocator, a.userContext
//		if with == nil {
//			return nil, nil
//		}
//		calls, c.alloc, c.free, c.pd_context, err = pdalloc.NewCalls(pdalloc.Allocator[PD]{
//			Alloc: ...
//			Free:  ...
//		})
//		if err != nil {
//			return nil, err
//		}
//		c.comp_mask |= 0x1 // IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS
//		return calls, nil
//	}
func (e *emitter) newAllocCalls(g *goFile, v *model.Verb) {
	pd := v.Creates
	field, context, attr := callbackFields(v)
	alloc, free := typedAllocator(pd)
	funcs := rt("pdalloc", "Allocator").Types(id(pd.Go)).Add(lines(key("Alloc", alloc), key("Free", free)))
	body := []jen.Code{
		define("with", "user").List(id("a.allocator"), id("a.userContext")),
		jen.If(isNil(id("with"))).Block(jen.Return(jen.Nil(), jen.Nil())),
		jen.List(id("calls"), id("c", field.Leaf.Go), id("c", field.Pair.Go), id("c", context.Leaf.Go), id("err")).Op("=").Add(rt("pdalloc", "NewCalls")).Call(funcs),
		fail{jen.Nil()}.ifErr(),
	}
	for _, f := range []*model.Field{field, context} {
		if f.Bit != nil {
			body = append(body, setBit(id("c", attr.Mask), uint64(f.BitValue), f.Bit.C))
		}
	}
	g.fn(fn{
		doc:  "// newAllocCalls registers the allocator of a, if it has one, and puts the callbacks into c.",
		name: "newAllocCalls", params: []jen.Code{param("a", "*"+attr.Go), param("c", "*"+attr.Mirror.Name)},
		results: []jen.Code{jen.Id("calls").Op("*").Add(allocCalls(pd)), jen.Id("err").Error()},
		body:    append(body, jen.Return(id("calls"), jen.Nil())),
	})
}

// typedAllocator are the functions that put requests into the types of the package:
//
//	func(pd *PD, size, align uint64, resource pdalloc.Resource) (uintptr, error) {
//		return with.Alloc(AllocRequest{PD: pd, Size: size, Align: align, Resource: resource, Context: user})
//	}
//
//	func(pd *PD, addr uintptr, resource pdalloc.Resource) {
//		with.Free(AllocRequest{PD: pd, Resource: resource, Context: user}, addr)
//	}
func typedAllocator(pd *model.Object) (alloc, free *jen.Statement) {
	handle, resource := param("pd", "*"+pd.Go), param("resource", "pdalloc.Resource")
	request := func(sizes ...jen.Code) *jen.Statement {
		entries := append([]jen.Code{key("PD", id("pd"))}, sizes...)
		return id("AllocRequest").Values(append(entries, key("Resource", id("resource")), key("Context", id("user")))...)
	}
	alloc = jen.Func().Params(handle, jen.List(id("size"), id("align")).Uint64(), resource).Params(jen.Uintptr(), jen.Error()).
		Block(jen.Return(id("with.Alloc").Call(request(key("Size", id("size")), key("Align", id("align"))))))
	free = jen.Func().Params(handle, param("addr", "uintptr"), resource).
		Block(id("with.Free").Call(request(), id("addr")))
	return alloc, free
}
