package plan

import "github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"

// hostMemory plans the use of memory that the library allocated in the process, by runtime/mem.
func hostMemory(o *model.Object) (out []Decl) {
	forward := func(name, text string, params, results []Var) {
		call := result("o.mem." + name)
		for _, p := range params {
			call.Args = append(call.Args, val(p.Name))
		}
		m := on(o, name, "", results, ret(call))
		m.Doc, m.Params, m.Short = Doc{Does: text, C: "struct " + o.C, Page: o.Page}, params, true
		out = append(out, m)
	}
	bytes, off, n := Var{Name: "p", Type: "[]byte"}, Var{Name: "off", Type: "int64"}, []Var{{Type: "int"}, {Type: "error"}}
	forward("Bytes", "returns all of the memory, nil after Close. The slice must not be used after Close: its memory is gone then, and an access ends the program. WriteAt and ReadAt find that out", nil, one("[]byte"))
	forward("Addr", "returns the address of the first byte, 0 after Close", nil, one("uintptr"))
	forward("Len", "returns the length in bytes", nil, one("uint64"))
	forward("WriteAt", "copies p to offset off of the memory, as io.WriterAt: all of it, or none and an error. A range beyond the end is syscall.EFAULT. Close waits for a copy; one that comes later is os.ErrClosed", []Var{bytes, off}, n)
	forward("ReadAt", "copies from offset off of the memory to p, as io.ReaderAt but never short and never io.EOF. Its errors are those of WriteAt", []Var{bytes, off}, n)
	return out
}
