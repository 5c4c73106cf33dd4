//go:build linux && cgo

package conformance

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// unchecked makes calls of C out of cases of rules, on a software device and without the bindings. What a case leaves out is
// valid: memory that is there, objects that were just made.
type unchecked struct {
	soft    *softverbs.Device
	pages   *spec.Spec
	facts   *spec.Facts
	ctx     uintptr
	objects map[string]uintptr // by C tag
	memory  uintptr            // what low addresses stand for
}

// newUnchecked opens the first device of a library.
func newUnchecked(soft *softverbs.Device, pages *spec.Spec, facts *spec.Facts) (*unchecked, error) {
	u := &unchecked{soft: soft, pages: pages, facts: facts, objects: map[string]uintptr{}}
	list, _, err := rawcall.Call(soft.Symbol("ibv_get_device_list", ""), 0)
	if err != nil || list == 0 {
		return nil, fmt.Errorf("no list of devices: %v", err)
	}
	u.ctx, _, err = rawcall.Call(soft.Symbol("ibv_open_device", ""), rawcall.Pointer(list))
	if err != nil || u.ctx == 0 {
		return nil, fmt.Errorf("no device: %v", err)
	}
	u.objects["struct ibv_context"] = u.ctx
	return u, nil
}

// close closes the context.
func (u *unchecked) close() {
	rawcall.Call(u.soft.Symbol("ibv_close_device", ""), u.ctx)
}

// call makes a call; made is the object that it made, and errno what it failed with, 0 for success. An error means that the case
// cannot be made into a call.
func (u *unchecked) call(verb string, args map[string]any) (made uintptr, errno syscall.Errno, err error) {
	fn, v := u.facts.Func(verb), u.pages.VerbByC(verb)
	if fn == nil || v == nil {
		return 0, 0, fmt.Errorf("no page binds %s", verb)
	}
	values := map[string]uintptr{}
	args = merged(defaults[verb], undotted(args))
	for _, p := range fn.Params {
		given, ok := args[p.Name]
		if !ok {
			given = "@valid"
		}
		if values[p.Name], err = u.argument(p.Type, given); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	at, more := u.function(fn, values)
	if at == 0 {
		return 0, 0, fmt.Errorf("the software device has no %s", verb)
	}
	var list []uintptr
	for _, p := range fn.Params {
		list = append(list, values[p.Name])
	}
	r, errno, err := rawcall.Call(at, append(list, more...)...)
	if err != nil {
		return 0, 0, err
	}
	return outcome(v.Returns, r, errno)
}

// outcome reads a result as a page says it is returned.
func outcome(returns string, r uintptr, errno syscall.Errno) (uintptr, syscall.Errno, error) {
	if errno == 0 {
		errno = syscall.EIO // of a call that failed and set none
	}
	switch n := int32(r); returns {
	case spec.RetErrno:
		return 0, syscall.Errno(n), nil
	case spec.RetNullErrno:
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
	}
	return 0, 0, fmt.Errorf("a result of kind %s tells no failure", returns)
}

// function finds the C function of a verb as the header reaches it, and the arguments that the header adds. What the header checks
// itself before is left out: the device alone is asked.
func (u *unchecked) function(fn *api.Function, values map[string]uintptr) (at uintptr, more []uintptr) {
	op := strings.TrimPrefix(fn.Name, "ibv_")
	d := fn.Dispatch
	switch {
	case fn.Kind != api.Inline:
		return u.soft.Symbol(fn.Name, fn.Version), nil
	case d.Way == api.WayExport:
		for _, a := range d.Args[len(fn.Params):] {
			param := strings.TrimSuffix(strings.TrimPrefix(a, "sizeof(*"), ")")
			i := slices.IndexFunc(fn.Params, func(p api.Param) bool { return p.Name == param })
			more = append(more, uintptr(u.facts.Record(tagOf(fn.Params[i].Type)).Size))
		}
		return u.soft.Symbol(d.Op, ""), more
	case d.Way == api.WayOps:
		return rawcall.Pointer(u.ctx + u.offset("struct ibv_context", "ops") + u.offset("struct ibv_context_ops", d.Op)), nil
	case d.Way == api.WayObject:
		i := slices.IndexFunc(fn.Params, func(p api.Param) bool { return p.Name == d.Object })
		return rawcall.Pointer(values[d.Object] + u.offset(tagOf(fn.Params[i].Type), d.Op)), nil
	case fn.Name == "ibv_query_device_ex":
		more = []uintptr{uintptr(u.facts.Record("struct ibv_device_attr_ex").Size)}
	}
	if u.field("struct verbs_context", op) == nil {
		return 0, nil
	}
	extended := u.ctx - u.offset("struct verbs_context", "context")
	return rawcall.Pointer(extended + u.offset("struct verbs_context", op)), more
}

// field finds a field of a record; nil when it has none of that name.
func (u *unchecked) field(tag, name string) *api.Field {
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

func (u *unchecked) offset(tag, name string) uintptr { return uintptr(u.field(tag, name).Offset) }

// argument makes the value of a parameter or field.
func (u *unchecked) argument(ctype string, given any) (uintptr, error) {
	if !strings.HasSuffix(ctype, "*") {
		if given == "@valid" {
			given = 0
		}
		n, err := u.number(given)
		return uintptr(n), err
	}
	tag := tagOf(ctype)
	switch v := given.(type) {
	case nil:
		return 0, nil
	case int, int64, uint64, *big.Int:
		n, err := u.number(v)
		return u.address(n), err
	case string:
		if !strings.HasPrefix(v, "@") {
			n, err := u.number(v)
			return uintptr(n), err
		}
		return u.object(tag, nil)
	case map[string]any:
		if _, object := makers[tag]; object {
			return u.object(tag, v)
		}
		return u.record(tag, v)
	case []any:
		return u.list(tag, v)
	}
	return 0, fmt.Errorf("a value of type %T", given)
}

// address makes an address that may be read and written of one that cases write for such a one: they are all low.
func (u *unchecked) address(n uint64) uintptr {
	const low = 1 << 20
	if n == 0 || n >= low {
		return uintptr(n)
	}
	if u.memory == 0 {
		u.memory = rawcall.Zeroed(low)
	}
	return u.memory + uintptr(n)
}

// record makes a struct.
func (u *unchecked) record(tag string, values map[string]any) (uintptr, error) {
	rec := u.facts.Record(tag)
	if rec == nil {
		return 0, fmt.Errorf("%s is no struct", tag)
	}
	at := rawcall.Zeroed(uintptr(rec.Size))
	return at, u.fill(at, tag, "", values)
}

// fill sets fields; those of unnamed structs and unions stand in the record by their dotted names.
func (u *unchecked) fill(at uintptr, tag, prefix string, values map[string]any) error {
	for name, v := range values {
		f := u.field(tag, prefix+name)
		if f == nil || f.BitSize != nil {
			return fmt.Errorf("%s has no field %s that a test can set", tag, prefix+name)
		}
		if sub, ok := v.(map[string]any); ok && !strings.HasSuffix(f.Type, "*") {
			err := error(nil)
			if u.facts.Record(f.Type) != nil && !strings.Contains(f.Type, "<anonymous") {
				err = u.fill(at+uintptr(f.Offset), f.Type, "", sub)
			} else {
				err = u.fill(at, tag, prefix+name+".", sub)
			}
			if err != nil {
				return err
			}
			continue
		}
		n, err := u.argument(f.Type, v)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rawcall.Write(at+uintptr(f.Offset), uint64(n), int(f.Size))
	}
	return nil
}

// list makes an array, or, of structs that have a next, a chain.
func (u *unchecked) list(tag string, elements []any) (uintptr, error) {
	rec := u.facts.Record(tag)
	if rec == nil {
		return 0, fmt.Errorf("a list of %s", tag)
	}
	first := rawcall.Zeroed(uintptr(rec.Size) * uintptr(len(elements)+1))
	for i, e := range elements {
		values, ok := e.(map[string]any)
		if !ok {
			return 0, fmt.Errorf("an element of type %T", e)
		}
		at := first + uintptr(i)*uintptr(rec.Size)
		if err := u.fill(at, tag, "", values); err != nil {
			return 0, err
		}
		if next := u.field(tag, "next"); next != nil && i+1 < len(elements) {
			rawcall.Write(at+uintptr(next.Offset), uint64(at)+uint64(rec.Size), 8)
		}
	}
	return first, nil
}

// number reads a number, a constant, or flags.
func (u *unchecked) number(given any) (uint64, error) {
	switch v := given.(type) {
	case int:
		return uint64(v), nil
	case int64:
		return uint64(v), nil
	case uint64:
		return v, nil
	case *big.Int:
		return new(big.Int).And(v, new(big.Int).SetUint64(1<<64-1)).Uint64(), nil
	case []any:
		var all uint64
		for _, e := range v {
			n, err := u.number(e)
			if err != nil {
				return 0, err
			}
			all |= n
		}
		return all, nil
	case string:
		var all uint64
		for _, name := range strings.Split(v, "|") {
			name = strings.TrimSpace(name)
			if n, ok := new(big.Int).SetString(name, 0); ok {
				all |= n.Uint64()
				continue
			}
			n := u.facts.Const(name)
			if n == nil {
				return 0, fmt.Errorf("no constant %s", name)
			}
			all |= n.Uint64()
		}
		return all, nil
	}
	return 0, fmt.Errorf("a number of type %T", given)
}

// tagOf gives what a pointer points to.
func tagOf(ctype string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSuffix(ctype, "*"), "const "))
}

// undotted puts the values of dotted names where they belong.
func undotted(args map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range args {
		if sub, ok := v.(map[string]any); ok {
			v = undotted(sub)
		}
		if head, rest, dotted := strings.Cut(name, "."); dotted {
			name, v = head, undotted(map[string]any{rest: v})
		}
		out = merged(out, map[string]any{name: v})
	}
	return out
}

// merged gives the values of two mappings; those of the second go before, within structs too.
func merged(under, over map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range under {
		out[k] = v
	}
	for k, v := range over {
		a, okA := out[k].(map[string]any)
		b, okB := v.(map[string]any)
		if okA && okB {
			v = merged(a, b)
		}
		out[k] = v
	}
	return out
}
