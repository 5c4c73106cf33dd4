package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file has what C finds behind a struct and behind pointers in one: lists of handles, other records, and bytes in a nested record.

// pointsOn reports whether a record has records behind pointers.
func pointsOn(r *model.Record) bool {
	return slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Points != nil })
}

// leadsBack reports whether a record can point to one of its own type, and so, by others, to itself.
func leadsBack(r *model.Record) bool {
	return slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return slices.Contains(f.Points, r) })
}

// nestedBytes are the fields of a nested record that are bytes behind a pointer.
func nestedBytes(f *model.Field) (out []*model.Field) {
	for _, x := range f.Nested.Fields {
		if x.Bytes && !x.Filled {
			out = append(out, x)
		}
	}
	return out
}

// pointers puts what C reads behind the pointers of a copied mirror: lists of handles, which are entered, and other records.
func (c *call) pointers(attr, mirror string, r *model.Record) {
	pins := attr + "Pins"
	declared := false
	pinned := func() {
		if !declared {
			c.pre = append(c.pre, declare(pins, "cmem.Pins"), until(pins+".Unpin"))
		}
		declared = true
	}
	if pointsOn(r) {
		pinned()
		c.pre = append(c.pre, c.zero.onErr(id(attr+".place").Call(ref(id(mirror)), ref(id(pins)))))
	}
	for _, f := range r.Fields {
		switch {
		case f.Handles != nil:
			pinned()
			c.handles(attr+f.Go, attr+"."+kept(r, f), mirror, pins, f)
		case f.Nested != nil:
			for _, x := range nestedBytes(f) {
				c.prep = append(c.prep, pinData(mirror+"."+f.Leaf.Go+"."+x.Leaf.Go, attr+"."+keptIn(r, f, x)))
			}
		}
	}
}

// handles enters a list of handles, pins the list of their C objects, and counts it by its length or by the logarithm of that:
//
//	attrTableN, err := cmem.Log2(verb, "ind_tbl", len(attrTable))
//	if err != nil {
//		return nil, err
//	}
//	attrC.ind_tbl, attrC.log_ind_tbl_size = cmem.PinList(&attrPins, attrTable), uint32(attrTableN)
func (c *call) handles(into, list, mirror, pins string, f *model.Field) {
	c.enterList(into, list, f.C, f.Handles)
	counted := rt("cmem", "Count").Call(id("verb"), jen.Lit(f.C), jen.Len(id(into)), greatest(f.Len.GoType))
	if f.Log2 {
		counted = rt("cmem", "Log2").Call(id("verb"), jen.Lit(f.C), jen.Len(id(into)))
	}
	c.pre = append(c.pre, c.zero.try(into+"N", counted),
		jen.List(id(mirror, f.Leaf.Go), id(mirror, f.Len.Go)).Op("=").
			List(rt("cmem", "PinList").Call(ref(id(pins)), id(into)), conversion(f.Len.GoType, id(into+"N"))))
}

// pinData puts the address of bytes into a copied mirror, until the method returns:
//
//	defer cmem.PinData(&attrC.data, attr.data)()
func pinData(into, bytes string) *jen.Statement {
	return jen.Defer().Add(rt("cmem", "PinData").Call(ref(id(into)), id(bytes)).Call())
}

// armsOf writes the type that stands for any of several records, and what a method asks of one:
//
//	type FlowSpec interface {
//		pack() []byte
//		uses() []object.Used
//	}
func (g *goFile) armsOf(t *model.Tail) {
	g.anyOf(t.Of, t.Arms, jen.Id("pack").Params().Index().Byte(), jen.Id("uses").Params().Add(goType("[]object.Used")))
}

// anyOf writes an interface of records.
func (g *goFile) anyOf(name string, records []*model.Record, methods ...jen.Code) {
	var names []string
	for _, r := range records {
		names = append(names, "*"+r.Go)
	}
	g.decl(comment(name+" is an interface of "+strings.Join(names, ", ")+"."), jen.Type().Id(name).Interface(methods...))
}

// armMethods writes what a method asks of an arm:
//
//	func (a *FlowSpecCount) pack() []byte { return cmem.Pack(a, (*FlowSpecCount).to) }
//
//	func (a *FlowSpecCount) uses() []object.Used {
//		if a == nil {
//			return nil
//		}
//		return []object.Used{{Handle: a.Counters.base(), What: "counters"}}
//	}
func (g *goFile) armMethods(r *model.Record) {
	uses, used := []jen.Code{jen.Return(jen.Nil())}, goType("[]object.Used")
	var all []jen.Code
	for _, f := range r.Fields {
		if f.Object != nil {
			all = append(all, jen.Values(key("Handle", id("a", f.Go, "base").Call()), key("What", jen.Lit(f.C))))
		}
	}
	if len(all) > 0 {
		uses = []jen.Code{jen.If(isNil(id("a"))).Block(jen.Return(jen.Nil())), jen.Return(used.Clone().Values(all...))}
	}
	pack := jen.Return(rt("cmem", "Pack").Call(id("a"), methodOf(r.Go, "to")))
	g.fn(fn{recv: recv("a", r.Go), name: "pack", results: []jen.Code{jen.Index().Byte()}, body: []jen.Code{pack}, short: true})
	g.fn(fn{recv: recv("a", r.Go), name: "uses", results: []jen.Code{used}, body: uses, short: len(all) == 0})
}

// pointedArms writes the type that stands for any of several records that a field points to:
//
//	type FlowActionESPKeymat interface {
//		point(pins *cmem.Pins) (uintptr, error)
//		arm() (tag, size uint64)
//	}
func (g *goFile) pointedArms(of string, arms []*model.Record) {
	g.anyOf(of, arms, jen.Id("point").Params(pinsParam()).Params(jen.Uintptr(), jen.Error()),
		jen.Id("arm").Params().Params(jen.List(id("tag"), id("size")).Uint64()))
}

func pinsParam() jen.Code { return param("pins", "*cmem.Pins") }

// pointed writes the methods of a record that points to records, or that another one points to: they put what C finds behind pointers in
// its place.
func (g *goFile) pointed(r *model.Record) {
	if !r.Pointed && !pointsOn(r) {
		return
	}
	recv := param("a", "*"+r.Go)
	body := places(r)
	if len(body) > 0 {
		body = append(body, jen.Return(jen.Nil()))
		g.fn(fn{doc: says("place pointers", nil), recv: recv,
			name:   "place",
			params: []jen.Code{param("c", "*"+r.Mirror.Name), pinsParam()}, results: []jen.Code{jen.Error()}, body: body})
	}
	if !r.Pointed {
		return
	}
	g.point(r, len(body) > 0)
	if r.Arm != nil {
		size := dec(uint64(r.Mirror.Size))
		g.fn(fn{doc: "// arm returns " + r.Arm.Is.C + " and the size of the struct.", recv: recv.Clone(), name: "arm", short: true,
			results: []jen.Code{param("tag", "uint64"), param("size", "uint64")}, body: []jen.Code{jen.Return(inHex(uint64(r.Arm.Is.Value)), size)}})
	}
}

// point writes the method that puts a record where C reads it:
//
//	func (a *FlowActionESP) point(pins *cmem.Pins) (uintptr, error) {
//		if a == nil {
//			return 0, nil
//		}
//		if !pins.Link(unsafe.Pointer(a)) {
//			return 0, fail.Endless("FlowActionESPEncap")
//		}
//		var c cFlowActionESP
//		if err := a.to(&c); err != nil {
//			return 0, err
//		}
//		if err := a.place(&c, pins); err != nil {
//			return 0, err
//		}
//		return cmem.PinValue(pins, &c), nil
//	}
//
// One that needs neither is put there by cmem.Point.
func (g *goFile) point(r *model.Record, places bool) {
	method := fn{recv: recv("a", r.Go), name: "point", params: []jen.Code{pinsParam()}, results: []jen.Code{jen.Uintptr(), jen.Error()}}
	if !places && !leadsBack(r) && !keepsError(r) {
		method.body = []jen.Code{jen.Return(rt("cmem", "Point").Call(id("pins"), id("a"), methodOf(r.Go, "to")))}
		g.fn(method)
		return
	}
	none := fail{jen.Lit(0)}
	body := []jen.Code{jen.If(isNil(id("a"))).Block(none.with(jen.Nil()))}
	if leadsBack(r) {
		again := jen.Op("!").Add(id("pins.Link").Call(goType(pointer).Call(id("a"))))
		body = append(body, jen.If(again).Block(none.with(rt("fail", "Endless").Call(jen.Lit(r.Go)))))
	}
	write := id("a.to").Call(ref(id("c")))
	if keepsError(r) {
		write = none.onErr(write)
	}
	body = append(body, declare("c", r.Mirror.Name), write)
	if places {
		body = append(body, none.onErr(id("a.place").Call(ref(id("c")), id("pins"))))
	}
	method.body = append(body, jen.Return(rt("cmem", "PinValue").Call(id("pins"), ref(id("c"))), jen.Nil()))
	g.fn(method)
}

// places are the statements that fill the pointers of c:
//
//	at, err := a.next.point(pins)
//	if err != nil {
//		return err
//	}
//	c.next_ptr = at
func places(r *model.Record) (out []jen.Code) {
	var none fail
	for _, f := range r.Fields {
		at := model.Unexported(f.Go)
		from, to := id("a", kept(r, f)), id("c", f.Leaf.Go)
		put := append([]jen.Code{define(at, "err").Add(dot(from, "point").Call(id("pins")))}, none.ifErr())
		switch {
		case f.Tag != nil:
			out = append(out, jen.If(notNil(from)).Block(append(put, pointedArm(f, from, at)...)...))
		case f.Points != nil:
			out = append(append(out, put...), assign(to, id(at)))
		case f.Bytes && !f.Filled && r.Pointed:
			out = append(out, assign(to, rt("cmem", "PinList").Call(id("pins"), from)))
		}
	}
	return out
}

// pointedArm says which of several records stands behind a pointer:
//
//	if keymat == 0 {
//		return fail.NilValue("", "FlowActionESPKeymat", "make one")
//	}
//	tag, size := a.keymat.arm()
//	c.keymat_ptr, c.keymat_proto, c.keymat_len = keymat, uint32(tag), uint16(size)
func pointedArm(f *model.Field, from *jen.Statement, at string) []jen.Code {
	var none fail
	return []jen.Code{
		jen.If(op(id(at), "==", jen.Lit(0))).Block(none.with(rt("fail", "NilValue").Call(jen.Lit(""), jen.Lit(f.PointsTo), jen.Lit("make one")))),
		define("tag", "size").Add(dot(from, "arm").Call()),
		jen.List(id("c", f.Leaf.Go), id("c", f.Tag.Go), id("c", f.Len.Go)).Op("=").List(id(at), goType(f.Tag.GoType).Call(id("tag")),
			goType(f.Len.GoType).Call(id("size"))),
	}
}
