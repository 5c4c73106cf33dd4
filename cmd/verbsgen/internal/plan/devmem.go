package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// deviceMemory plans the copies: one call each into runtime/devmem, which the compiler inlines.
func (b *builder) deviceMemory(o *model.Object) []Decl {
	forward := func(doc Doc, name, to string, params, results []Var) *Method {
		call := result("o.mem." + to)
		for _, p := range params {
			call.Args = append(call.Args, val(p.Name))
		}
		m := on(o, name, "", results, ret(call))
		if results == nil {
			m.Steps = []Step{Do{call}}
		}
		m.Doc, m.Params, m.Short = doc, params, true
		return m
	}
	to, from := b.byForm[form.WriteDM], b.byForm[form.ReadDM]
	copied := func(v made, name, to, does string, params, results []Var) *Method {
		m := forward(Doc{Does: does, C: v.C, Page: v.Page}, name, to, params, results)
		m.Verb = v.Verb
		return m
	}
	bytes, off, n := Var{Name: "p", Type: "[]byte"}, Var{Name: "off", Type: "int64"}, []Var{{Type: "int"}, {Type: "error"}}
	return []Decl{
		copied(to, to.m.Name, "WriteAt", "copies p to offset off of the device memory, as io.WriterAt: all of it, or none and an error. A range beyond the end is syscall.EFAULT; an odd length or offset, where the device copies words of 4 bytes, is syscall.EINVAL. It allocates nothing. Close waits for a copy; one that comes later is os.ErrClosed",
			[]Var{bytes, off}, n),
		copied(from, from.m.Name, "ReadAt", "copies from offset off of the device memory to p, as io.ReaderAt but never short and never io.EOF: a range beyond the end is syscall.EFAULT. Its other errors are those of WriteAt",
			[]Var{bytes, off}, n),
		copied(to, "PutUint32", "PutUint32", "stores one word at offset off, a multiple of 4, in the host's byte order, with one access of 4 bytes",
			[]Var{off, {Name: "v", Type: "uint32"}}, errOnly),
		copied(from, "GetUint32", "GetUint32", "loads one word from offset off, a multiple of 4, in the host's byte order, with one access of 4 bytes",
			[]Var{off}, []Var{{Type: "uint32"}, {Type: "error"}}),
		forward(Doc{Text: `Flush makes what this goroutine wrote visible to the device before anything that follows. WriteAt does not: call
Flush after the last write and before telling a peer, where no post on this device's own queue comes between.`}, "Flush", "Flush", nil, nil),
		forward(Doc{Text: "Mode returns how copies reach the device memory."}, "Mode", "Mode", nil, one("devmem.Mode")),
		forward(Doc{Text: "Length returns the length in bytes; false for an imported DM whose length is not known."}, "Length", "Length", nil, []Var{{Type: "uint64"}, {Type: "bool"}}),
	}
}
