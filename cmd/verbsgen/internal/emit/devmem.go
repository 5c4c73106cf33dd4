package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// destroyDM makes the ends of device memory: destroy, free, and with imported memory also unimport, Unimport and Free.
func (e *emitter) destroyDM(g *goFile, o *model.Object) {
	if !e.has(form.ImportDM) {
		g.fn(endDM(o, o.Destroy, "destroy", "gives the C object back.", e.destroyCall(o.Destroy, jen.Nil())))
		return
	}
	unimport := e.byForm[form.ImportDM].Part(form.PartUnimport)
	gone := jen.Func().Params().Index().String().Add(short(jen.Return(rt("devmem", "GoneHints").Call(id("errno")))))
	g.fn(fn{
		doc:  "// destroy gives the C object back: an imported one without touching the device memory.",
		recv: self(o), name: "destroy", results: errResult(),
		body: []jen.Code{jen.If(id("o.imported")).Block(jen.Return(id("o.unimport").Call())), jen.Return(id("o.free").Call())},
	})
	g.fn(endDM(o, o.Destroy, "free", "destroys the device memory in the kernel.", e.destroyCall(o.Destroy, gone)))
	g.fn(endDM(o, unimport, "unimport", "cleans up in this process alone.", e.destroyCall(unimport, jen.Nil())))
	g.fn(ending(o, unimport, "Unimport", "closes the handle without touching the device memory, also when this handle allocated it. It is what is left to do after another context's Free; the Close of an imported handle is the same", "unimport"))
	g.fn(ending(o, o.Destroy, "Free", "destroys the device memory in the kernel, also when this handle imported it, and closes the handle. After that every other handle of the same memory can only be given up with Unimport", "free"))
}

// endDM makes a method that ends the C object, with the copies detached from it:
//
//	func (o *DM) free() error {
//		return o.mem.End("ibv_free_dm", func() error {
//			if errno := rawFreeDM(o.c); errno != 0 {
//				return verr.Failed("ibv_free_dm", errno, nil)
//			}
//			return nil
//		})
//	}
func endDM(o *model.Object, v *model.Verb, name, does string, call []jen.Code) fn {
	end := jen.Func().Params().Error().Block(append(call, jen.Return(jen.Nil()))...)
	return fn{
		doc:  "// " + name + " " + does,
		recv: self(o), name: name, results: errResult(),
		body: []jen.Code{jen.Return(id("o.mem.End").Call(jen.Lit(v.C), end))},
	}
}

// deviceMemory makes the copies: one call each into runtime/devmem, which the compiler inlines.
//
//	func (o *DM) WriteAt(p []byte, off int64) (int, error) { return o.mem.WriteAt(p, off) }
func (e *emitter) deviceMemory(g *goFile, o *model.Object) {
	to, from := e.byForm[form.WriteDM], e.byForm[form.ReadDM]
	bytes, off, word := param("p", "[]byte"), param("off", "int64"), jen.Uint32()
	forward := func(doc, name, to string, params, results, args []jen.Code) {
		call := id("o.mem", to).Call(args...)
		if results != nil {
			call = jen.Return(call)
		}
		g.fn(fn{doc: doc, recv: self(o), name: name, params: params, results: results, body: []jen.Code{call}, short: true})
	}
	copied := func(v made, name, to, does string, params, results, args []jen.Code) {
		forward(doc(name, does, v.C, v.Page), name, to, params, results, args)
	}
	copied(to, to.m.Name, "WriteAt", "copies p to offset off of the device memory, as io.WriterAt: all of it, or none and an error. A range beyond the end is syscall.EFAULT; an odd length or offset, where the device copies words of 4 bytes, is syscall.EINVAL. It allocates nothing. Close waits for a copy; one that comes later is os.ErrClosed",
		[]jen.Code{bytes, off}, errResult(jen.Int()), []jen.Code{id("p"), id("off")})
	copied(from, from.m.Name, "ReadAt", "copies from offset off of the device memory to p, as io.ReaderAt but never short and never io.EOF: a range beyond the end is syscall.EFAULT. Its other errors are those of WriteAt",
		[]jen.Code{bytes, off}, errResult(jen.Int()), []jen.Code{id("p"), id("off")})
	copied(to, "PutUint32", "PutUint32", "stores one word at offset off, a multiple of 4, in the host's byte order, with one access of 4 bytes",
		[]jen.Code{off, param("v", "uint32")}, errResult(), []jen.Code{id("off"), id("v")})
	copied(from, "GetUint32", "GetUint32", "loads one word from offset off, a multiple of 4, in the host's byte order, with one access of 4 bytes",
		[]jen.Code{off}, errResult(word), []jen.Code{id("off")})
	forward(`// Flush makes what this goroutine wrote visible to the device before anything that follows. WriteAt does not: call
// Flush after the last write and before telling a peer, where no post on this device's own queue comes between.`,
		"Flush", "Flush", nil, nil, nil)
	forward("// Mode tells how the copies reach the device memory.", "Mode", "Mode", nil, []jen.Code{rt("devmem", "Mode")}, nil)
	forward("// Length gives the length in bytes, and false for an imported DM whose length nobody told.", "Length", "Length", nil, []jen.Code{jen.Uint64(), jen.Bool()}, nil)
}
