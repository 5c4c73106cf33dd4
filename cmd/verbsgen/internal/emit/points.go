package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// pointedArms makes the type that stands for any of several records that a field points to:
//
//	type FlowActionESPKeymat interface {
//		point(pins *mem.Pins) (uintptr, error)
//		arm() (tag, size uint64)
//	}
func (g *goFile) pointedArms(a plan.PointedArms) {
	var names []string
	for _, r := range a.Arms {
		names = append(names, "*"+r.Go)
	}
	g.decl(comment(a.Of+" is one of "+strings.Join(names, ", ")+"."), jen.Type().Id(a.Of).Interface(
		jen.Id("point").Params(pinsParam()).Params(jen.Uintptr(), jen.Error()),
		jen.Id("arm").Params().Params(jen.List(id("tag"), id("size")).Uint64())))
}

func pinsParam() jen.Code { return param("pins", "*mem.Pins") }

// places makes the methods by which a record puts what C finds behind pointers in its place.
func (g *goFile) places(s plan.Places) {
	r := s.Record
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

// point makes the method that puts a record where C reads it:
//
//	func (a *FlowActionESP) point(pins *mem.Pins) (uintptr, error) {
//		if a == nil {
//			return 0, nil
//		}
//		if !pins.Link(unsafe.Pointer(a)) {
//			return 0, verr.Endless("FlowActionESPEncap")
//		}
//		var c cFlowActionESP
//		if err := a.to(&c); err != nil {
//			return 0, err
//		}
//		if err := a.place(&c, pins); err != nil {
//			return 0, err
//		}
//		return mem.PinValue(pins, &c), nil
//	}
//
// One that needs neither is put there by cmem.Point.
func (g *goFile) point(r *model.Record, places bool) {
	method := fn{recv: recv("a", r.Go), name: "point", params: []jen.Code{pinsParam()}, results: []jen.Code{jen.Uintptr(), jen.Error()}}
	if !places && !plan.LeadsBack(r) && !plan.KeepsError(r) {
		method.body = []jen.Code{jen.Return(rt("cmem", "Point").Call(id("pins"), id("a"), methodOf(r, "to")))}
		g.fn(method)
		return
	}
	none := fail{jen.Lit(0)}
	body := []jen.Code{jen.If(isNil(id("a"))).Block(none.with(jen.Nil()))}
	if plan.LeadsBack(r) {
		again := jen.Op("!").Add(id("pins.Link").Call(unsafePointer().Call(id("a"))))
		body = append(body, jen.If(again).Block(none.with(rt("verr", "Endless").Call(jen.Lit(r.Go)))))
	}
	write := id("a.to").Call(ref(id("c")))
	if plan.KeepsError(r) {
		write = none.onErr(write)
	}
	body = append(body, jen.Var().Add(param("c", r.Mirror.Name)), write)
	if places {
		body = append(body, none.onErr(id("a.place").Call(ref(id("c")), id("pins"))))
	}
	method.body = append(body, jen.Return(rt("mem", "PinValue").Call(id("pins"), ref(id("c"))), jen.Nil()))
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
		at := naming.Unexported(f.Go)
		from, to := id("a", plan.Kept(r, f)), id("c", f.Leaf.Go)
		put := append([]jen.Code{define(at, "err").Add(dot(from, "point").Call(id("pins")))}, none.ifErr())
		switch {
		case f.Tag != nil:
			out = append(out, jen.If(notNil(from)).Block(append(put, pointedArm(f, from, at)...)...))
		case f.Points != nil:
			out = append(append(out, put...), assign(to, id(at)))
		case f.Bytes && !f.Filled && r.Pointed:
			out = append(out, assign(to, rt("mem", "PinList").Call(id("pins"), from)))
		}
	}
	return out
}

// pointedArm says which of several records stands behind a pointer:
//
//	if keymat == 0 {
//		return verr.NilValue("", "FlowActionESPKeymat", "make one")
//	}
//	tag, size := a.keymat.arm()
//	c.keymat_ptr, c.keymat_proto, c.keymat_len = keymat, uint32(tag), uint16(size)
func pointedArm(f *model.Field, from *jen.Statement, at string) []jen.Code {
	var none fail
	return []jen.Code{
		jen.If(op(id(at), "==", jen.Lit(0))).Block(none.with(rt("verr", "NilValue").Call(jen.Lit(""), jen.Lit(f.PointsTo), jen.Lit("make one")))),
		define("tag", "size").Add(dot(from, "arm").Call()),
		jen.List(id("c", f.Leaf.Go), id("c", f.Tag.Go), id("c", f.Len.Go)).Op("=").List(id(at), goType(f.Tag.GoType).Call(id("tag")),
			goType(f.Len.GoType).Call(id("size"))),
	}
}

// baseOf is the method base of a type of handles: (*MR).base.
func baseOf(typ string) *jen.Statement { return jen.Parens(goType(typ)).Dot("base") }
