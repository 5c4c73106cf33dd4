package emit

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// destroyDM writes the end of device memory: the copy handle is detached first, so that a later copy is an error and
// not a fault, and attached again when the call fails.
func (e *emitter) destroyDM(g *goFile, o *model.Object) {
	unimport := e.byVerb["ibv_unimport_dm"]
	imports := unimport != nil && e.byVerb["ibv_import_dm"] != nil
	imported, hint := "", "nil"
	if imports {
		imported = "if o.imported {\nreturn o.unimport()\n}\n"
		hint = "func() []string { return devmem.GoneHints(errno) }"
	}
	g.add(`
// destroy gives the C object back: an imported one without touching the device memory.
func (o *DM) destroy() error {
	%sreturn o.free()
}`, imported)
	g.add(`
// free destroys the device memory in the kernel.
func (o *DM) free() error {
	return o.drop(func() error {
		%sreturn nil
	})
}`, strings.ReplaceAll(e.destroyCall(o.Destroy, "o"), "errno, nil)", "errno, "+hint+")"))
	g.add(`
// drop takes the copy handle away around the end of the C object.
func (o *DM) drop(end func() error) error {
	length, known := o.mem.Length()
	o.mem.Detach()
	if err := end(); err != nil {
		_ = o.mem.Attach(o.c, length, known) // as it was: what Attach says is what the copies answer
		return err
	}
	return nil
}`)
	if imports {
		g.add("// unimport cleans up in this process alone.\nfunc (o *DM) unimport() error {\nreturn o.drop(func() error {\n%sreturn nil\n})\n}", e.destroyCall(unimport, "o"))
		g.add("%s\nfunc (o *DM) Unimport() error {\nif o == nil {\nreturn verr.NilHandle(%q, \"DM\")\n}\nreturn o.node.Close(%q, o.unimport)\n}",
			doc("Unimport", "closes the handle without touching the device memory, also when this handle allocated it. It is what is left to do after another context's Free; the Close of an imported handle is the same", unimport.C, unimport.Page),
			unimport.C, unimport.C)
		g.add("%s\nfunc (o *DM) Free() error {\nif o == nil {\nreturn verr.NilHandle(%q, \"DM\")\n}\nreturn o.node.Close(%q, o.free)\n}",
			doc("Free", "destroys the device memory in the kernel, also when this handle imported it, and closes the handle. After that every other handle of the same memory can only be given up with Unimport", o.Destroy.C, o.Destroy.Page),
			o.Destroy.C, o.Destroy.C)
	}
}

// deviceMemory writes the copies: one call each into runtime/devmem, which the compiler inlines.
func (e *emitter) deviceMemory(g *goFile) {
	to, from := e.byVerb["ibv_memcpy_to_dm"], e.byVerb["ibv_memcpy_from_dm"]
	g.add("%s\nfunc (o *DM) WriteAt(p []byte, off int64) (int, error) { return o.mem.WriteAt(p, off) }",
		doc("WriteAt", "copies p to offset off of the device memory, as io.WriterAt: all of it, or none and an error. A range beyond the end is syscall.EFAULT; an odd length or offset, where the device copies words of 4 bytes, is syscall.EINVAL. It allocates nothing. It must not run while the DM is being closed", to.C, to.Page))
	g.add("%s\nfunc (o *DM) ReadAt(p []byte, off int64) (int, error) { return o.mem.ReadAt(p, off) }",
		doc("ReadAt", "copies from offset off of the device memory to p, as io.ReaderAt but never short and never io.EOF: a range beyond the end is syscall.EFAULT. Its other errors are those of WriteAt", from.C, from.Page))
	g.add("%s\nfunc (o *DM) PutUint32(off int64, v uint32) error { return o.mem.PutUint32(off, v) }",
		doc("PutUint32", "stores one word at offset off, a multiple of 4, in the host's byte order, with one access of 4 bytes", to.C, to.Page))
	g.add("%s\nfunc (o *DM) GetUint32(off int64) (uint32, error) { return o.mem.GetUint32(off) }",
		doc("GetUint32", "loads one word from offset off, a multiple of 4, in the host's byte order, with one access of 4 bytes", from.C, from.Page))
	g.add(`
// Flush makes what this goroutine wrote visible to the device before anything that follows. WriteAt does not: call
// Flush after the last write and before telling a peer, where no post on this device's own queue comes between.
func (o *DM) Flush() { o.mem.Flush() }`)
	g.add(`
// Mode tells how the copies reach the device memory.
func (o *DM) Mode() devmem.Mode { return o.mem.Mode() }`)
	g.add(`
// Length gives the length in bytes, and false for an imported DM whose length nobody told.
func (o *DM) Length() (uint64, bool) { return o.mem.Length() }`)
}
