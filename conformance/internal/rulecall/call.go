//go:build linux && cgo

package rulecall

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Symbols is a library; a *dl.Library and a *softverbs.Device are such.
type Symbols interface {
	Symbol(name, version string) uintptr
}

// Context is an open device, on which cases of rules are made into calls of C.
type Context struct {
	lib     Symbols
	pages   *spec.Spec
	facts   *spec.Facts
	ctx     uintptr
	objects map[string]uintptr // by C tag, and for another one of its kind by the name that a case has for it
	memory  uintptr            // what low addresses stand for
	gid     [2]uint64          // of entry 0, as it lies in memory
	files   []int              // that were opened for calls
	blocks  []uintptr          // memory of calls, which C may keep as long as the context is open
	kind    string             // type of the queue pair of the call
	paged   bool               // the regions of the call are on-demand ones
	gone    uintptr            // an object that was
	posted  uintptr            // the queue pair that requests were posted to
	pending int                // how many of them
	status  uint64             // of a completion that says what a call did not
	depth   int                // of calls within calls
	silent  bool               // the last call failed and set no errno
}

// Open opens a device of a library, by its name.
func Open(lib Symbols, device string, pages *spec.Spec, facts *spec.Facts) (*Context, error) {
	u := &Context{lib: lib, pages: pages, facts: facts, objects: map[string]uintptr{}}
	var err error
	if u.ctx, err = rawcall.OpenDevice(lib.Symbol, device); err != nil {
		return nil, err
	}
	u.objects["struct ibv_context"] = u.ctx
	at := u.zeroed(16)
	if r, errno, err := rawcall.Call(lib.Symbol("ibv_query_gid", ""), u.ctx, 1, 0, at); err != nil || int32(r) != 0 {
		u.Close()
		return nil, fmt.Errorf("the GID of port 1 of %s: %v, %v", device, errno, err)
	}
	u.gid = [2]uint64{rawcall.Read(at, 8), rawcall.Read(at+8, 8)}
	return u, nil
}

// Close closes the context. What is open in it goes with it, or with the process if the library has mapped its memory.
func (u *Context) Close() {
	if u.ctx != 0 {
		rawcall.Call(u.lib.Symbol("ibv_close_device", ""), u.ctx)
	}
	for _, fd := range u.files {
		syscall.Close(fd)
	}
	for _, at := range u.blocks {
		rawcall.Free(at)
	}
}

// zeroed returns memory that lasts as long as the context.
func (u *Context) zeroed(n uintptr) uintptr {
	at := rawcall.Zeroed(n)
	u.blocks = append(u.blocks, at)
	return at
}

// Call makes a call; made is the object that it made, and errno what it failed with, 0 for success. An error means that the case
// cannot be made into a call.
func (u *Context) Call(verb string, args map[string]any) (made uintptr, errno syscall.Errno, err error) {
	fn, v := u.facts.Func(verb), u.pages.VerbByC(verb)
	if fn == nil || v == nil {
		return 0, 0, fmt.Errorf("no page binds %s", verb)
	}
	if u.depth++; u.depth > deepest {
		return 0, 0, fmt.Errorf("%s: what it needs needs itself", verb)
	}
	defer func() { u.depth-- }()
	if args, err = u.completed(verb, undotted(args)); err != nil {
		return 0, 0, err
	}
	if v.Builds != nil || verb == setsSRQ {
		return u.build(fn, v, args)
	}
	values := map[string]uintptr{}
	for _, p := range fn.Params {
		given, ok := args[p.Name]
		if !ok {
			given = "@valid"
		}
		if values[p.Name], err = u.value(p.Name, p.Type, given); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if errno := u.header(verb, values); errno != 0 {
		return 0, errno, nil
	}
	if d := fn.Dispatch; d != nil && d.Way == api.WayObject && u.gone != 0 && values[d.Object] == u.gone {
		return 0, 0, fmt.Errorf("%s is in the object, which is gone", verb) // C that reads it may end the process
	}
	at, more := u.function(fn, values)
	if at == 0 {
		return 0, 0, fmt.Errorf("the device has no %s", verb)
	}
	var list []uintptr
	for _, p := range fn.Params {
		list = append(list, values[p.Name])
	}
	r, errno, err := rawcall.Call(at, append(list, more...)...)
	if err != nil {
		return 0, 0, err
	}
	silent := errno == 0
	made, errno, err = outcome(v.Returns, r, errno)
	u.silent = silent && errno == noErrno
	switch {
	case errno != 0 || err != nil:
	case verb == "ibv_alloc_buf": // it returns the memory, and stores the object
		u.memory = made - buffer
		made = rawcall.Pointer(values["buf"])
	case verb == "ibv_close_device":
		u.ctx = 0
	case verb == "ibv_bind_mw":
		u.posted, u.pending = values["qp"], u.signaled(values["mw_bind"], "struct ibv_mw_bind")
	case verb == "ibv_post_send":
		u.posted, u.pending = values["qp"], 0
		for wr := values["wr"]; wr != 0; wr = uintptr(u.read(wr, "struct ibv_send_wr", "next")) {
			u.pending += u.signaled(wr, "struct ibv_send_wr")
		}
	}
	return made, errno, err
}

// signaled returns 1 for a request that asks for a completion.
func (u *Context) signaled(at uintptr, tag string) int {
	if u.read(at, tag, "send_flags")&u.facts.Const("IBV_SEND_SIGNALED").Uint64() != 0 {
		return 1
	}
	return 0
}

// noErrno is the errno of a call that failed and set none.
const noErrno = syscall.EIO

// Silent reports whether the last call failed without an errno. It has EIO then.
func (u *Context) Silent() bool { return u.silent }

// Read reads a field of a struct, by its path.
func (u *Context) Read(at uintptr, tag, path string) uint64 { return u.read(at, tag, path) }

// deepest is how many calls stand in each other for one.
const deepest = 12

// outcome reads a result as a page says it is returned.
func outcome(returns string, r uintptr, errno syscall.Errno) (uintptr, syscall.Errno, error) {
	if errno == 0 {
		errno = noErrno
	}
	switch n := int32(r); returns {
	case spec.RetErrno:
		return 0, syscall.Errno(n), nil
	case spec.RetNullErrno, spec.RetArgument:
		if r != 0 {
			return r, 0, nil
		}
		return 0, errno, nil
	case spec.RetMinus1, spec.RetNumber, spec.RetRereg:
		if n >= 0 {
			return 0, 0, nil
		}
		return 0, errno, nil
	case spec.RetNegated:
		return 0, syscall.Errno(max(0, -n)), nil
	case spec.RetEither:
		if n == -1 {
			return 0, errno, nil
		}
		return 0, syscall.Errno(max(n, -n)), nil
	}
	return 0, 0, fmt.Errorf("a result of kind %s tells no failure", returns)
}

// header is what the header refuses before it calls the device; 0: nothing.
func (u *Context) header(verb string, values map[string]uintptr) syscall.Errno {
	if verb != "ibv_bind_mw" {
		return 0
	}
	mw, bind := values["mw"], values["mw_bind"]
	mr := u.read(bind, "struct ibv_mw_bind", "bind_info.mr")
	switch {
	case u.read(mw, "struct ibv_mw", "type") != 1:
		return syscall.EINVAL
	case mr == 0 && u.read(bind, "struct ibv_mw_bind", "bind_info.addr")|u.read(bind, "struct ibv_mw_bind", "bind_info.length") != 0:
		return syscall.EINVAL
	case mr != 0 && u.read(uintptr(mr), "struct ibv_mr", "pd") != u.read(mw, "struct ibv_mw", "pd"):
		return syscall.EPERM
	}
	return 0
}

// function finds the C function of a verb as the header reaches it, and the arguments that the header adds.
func (u *Context) function(fn *api.Function, values map[string]uintptr) (at uintptr, more []uintptr) {
	op := strings.TrimPrefix(fn.Name, "ibv_")
	d := fn.Dispatch
	switch {
	case fn.Kind != api.Inline:
		return u.lib.Symbol(fn.Name, fn.Version), nil
	case d.Way == api.WayExport:
		for _, a := range d.Args[len(fn.Params):] {
			param := strings.TrimSuffix(strings.TrimPrefix(a, "sizeof(*"), ")")
			i := slices.IndexFunc(fn.Params, func(p api.Param) bool { return p.Name == param })
			more = append(more, uintptr(u.facts.Record(tagOf(fn.Params[i].Type)).Size))
		}
		return u.lib.Symbol(d.Op, ""), more
	case d.Way == api.WayOps, fn.Name == "ibv_bind_mw":
		if d.Op != "" {
			op = d.Op
		}
		return rawcall.Pointer(u.ctx + u.offset("struct ibv_context", "ops") + u.offset("struct ibv_context_ops", op)), nil
	case d.Way == api.WayObject:
		i := slices.IndexFunc(fn.Params, func(p api.Param) bool { return p.Name == d.Object })
		return rawcall.Pointer(values[d.Object] + u.offset(tagOf(fn.Params[i].Type), d.Op)), nil
	case fn.Name == "ibv_query_device_ex":
		more = []uintptr{uintptr(u.facts.Record("struct ibv_device_attr_ex").Size)}
	case d.Way == api.WayVerbs:
		op = d.Op
	}
	return u.op(op), more
}

// op finds an operation of the context; 0: it has none. The table of them grows at its beginning.
func (u *Context) op(name string) uintptr {
	rec, f := u.facts.Record("struct verbs_context"), u.field("struct verbs_context", name)
	if f == nil || u.read(u.ctx, "struct ibv_context", "abi_compat") != 1<<64-1 {
		return 0
	}
	extended := u.ctx - u.offset("struct verbs_context", "context")
	if size := u.read(extended, "struct verbs_context", "sz"); uint64(rec.Size-f.Offset) > size {
		return 0
	}
	return rawcall.Pointer(extended + uintptr(f.Offset))
}

// read reads a field of a struct, by its path.
func (u *Context) read(at uintptr, tag, path string) uint64 {
	f, skip := u.path(tag, path)
	if f == nil {
		return 0
	}
	return rawcall.Read(at+skip, int(f.Size))
}

// path finds a field in structs that lie in each other, and where it is.
func (u *Context) path(tag, path string) (f *api.Field, at uintptr) {
	for path != "" {
		if f := u.field(tag, path); f != nil {
			return f, at + uintptr(f.Offset)
		}
		head, rest, _ := strings.Cut(path, ".")
		f := u.field(tag, head)
		if f == nil {
			return nil, 0
		}
		tag, path, at = f.Type, rest, at+uintptr(f.Offset)
	}
	return nil, 0
}

// field finds a field of a record; nil when it has none of that name.
func (u *Context) field(tag, name string) *api.Field {
	rec := u.facts.Record(tag)
	if rec == nil {
		return nil
	}
	i := slices.IndexFunc(rec.Fields, func(f api.Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &rec.Fields[i]
}

func (u *Context) offset(tag, name string) uintptr { return uintptr(u.field(tag, name).Offset) }
