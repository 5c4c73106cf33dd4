package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// closeHandle makes Close.
func (e *emitter) closeHandle(g *goFile, o *model.Object) {
	d := o.Destroy
	text := fmt.Sprintf("%s. It waits for calls that are inside, and later ones are os.ErrClosed, as a second Close is. It is refused (syscall.EBUSY) while something made from the %s is open, which the error names. When it fails, the %s stays open", strings.TrimSuffix(d.Doc, "."), o.Go, o.Go)
	g.fn(ending(o, d, "Close", text, "destroy"))
}

// ending makes a method that ends a handle:
//
//	func (o *MR) Close() error {
//		if o == nil {
//			return verr.NilHandle("ibv_dereg_mr", "MR")
//		}
//		return o.node.Close("ibv_dereg_mr", o.destroy)
//	}
func ending(o *model.Object, v *model.Verb, name, does, by string) fn {
	return fn{
		doc:  doc(name, does, v.C, v.Page),
		recv: self(o), name: name, results: errResult(),
		body: []jen.Code{ifNilHandle(o, jen.Lit(v.C)), jen.Return(id("o.node.Close").Call(jen.Lit(v.C), id("o", by)))},
	}
}

// destroy makes the end of a C object:
//
//	func (o *MR) destroy() error {
//		if errno := rawDeregMR(l.fn[symIbv_dereg_mr], o.c); errno != 0 {
//			return verr.Failed("ibv_dereg_mr", errno, nil)
//		}
//		if o.release != nil {
//			o.release()
//		}
//		return nil
//	}
//
// An object of the data path waits for the calls that are inside:
//
//	return o.gate.End("ibv_destroy_qp", "QP", func() error { ... the same })
func (e *emitter) destroy(g *goFile, o *model.Object) {
	var body []jen.Code
	if e.listens(o) {
		body = append(body, id("o.waiting.Stop").Call())
	}
	body = append(body, e.destroyCall(o.Destroy, jen.Nil())...)
	body = append(body, e.removeFromIndex(o), jen.If(notNil(id("o.release"))).Block(id("o.release").Call()), jen.Return(jen.Nil()))
	if o.Hot {
		all := jen.Func().Params().Error().Block(body...)
		body = []jen.Code{jen.Return(id("o.gate.End").Call(jen.Lit(o.Destroy.C), jen.Lit(o.Go), all))}
	}
	g.fn(fn{doc: "// destroy gives the C object back.", recv: self(o), name: "destroy", results: errResult(), body: body})
}

// destroyCall calls a destroying verb on o, and returns its error with hints.
func (e *emitter) destroyCall(d *model.Verb, hints jen.Code) []jen.Code {
	out := []jen.Code{e.missingCheck(d, id("o.lib"), nil)}
	call := e.callShim(d, id("o.lib"), id("o.c"))
	failed := jen.Return(rt("verr", "Failed").Call(jen.Lit(d.C), id("errno"), hints))
	switch d.Returns {
	case spec.RetVoid:
		return append(out, call)
	case spec.RetMinus1:
		return append(out, jen.If(define("n", "errno").Add(call), op(id("n"), "!=", jen.Lit(0))).Block(failed))
	}
	return append(out, jen.If(define("errno").Add(call), op(id("errno"), "!=", jen.Lit(0))).Block(failed))
}

// closeAll makes CloseAll, for objects from which others are made:
//
//	func (o *PD) CloseAll() error {
//		if o == nil {
//			return verr.NilHandle("ibv_dealloc_pd", "PD")
//		}
//		return object.CloseTree(&o.node)
//	}
func (e *emitter) closeAll(g *goFile, o *model.Object) {
	if !e.isParent(o) {
		return
	}
	g.fn(fn{
		doc:  doc("CloseAll", "closes everything that was made from the "+o.Go+", the latest first, and then the "+o.Go+" itself; it fits a defer. Errors are joined", "", ""),
		recv: self(o), name: "CloseAll", results: errResult(),
		body: []jen.Code{ifNilHandle(o, jen.Lit(o.Destroy.C)), jen.Return(rt("object", "CloseTree").Call(ref(id("o.node"))))},
	})
}
