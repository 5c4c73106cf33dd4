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
	forward("Bytes", Says("host memory Bytes", nil), nil, one("[]byte"))
	forward("Addr", "returns the address of the first byte, 0 after Close", nil, one("uintptr"))
	forward("Len", "returns the length in bytes", nil, one("uint64"))
	forward("WriteAt", Says("host memory WriteAt", nil), []Var{bytes, off}, n)
	forward("ReadAt", Says("host memory ReadAt", nil), []Var{bytes, off}, n)
	return out
}
