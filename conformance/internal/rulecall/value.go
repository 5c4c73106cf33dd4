//go:build linux && cgo

package rulecall

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
)

// value makes the value of a parameter or a field of a name: that of an open file for one that is to be a descriptor.
func (u *Context) value(name, ctype string, given any) (uintptr, error) {
	if n, err := u.number(given); (name == "fd" || name == "cmd_fd") && err == nil && int32(n) >= 0 {
		if name == "cmd_fd" {
			fd, err := syscall.Dup(int(u.read(u.ctx, "struct ibv_context", "cmd_fd")))
			return uintptr(fd), err
		}
		fd, err := unix.MemfdCreate("memory", unix.MFD_CLOEXEC)
		if err != nil {
			return 0, err
		}
		u.files = append(u.files, fd)
		return uintptr(fd), unix.Ftruncate(fd, low)
	}
	return u.argument(ctype, given)
}

// argument makes the value of a parameter or field.
func (u *Context) argument(ctype string, given any) (uintptr, error) {
	if at, ok := given.(uintptr); ok {
		return at, nil
	}
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
		return u.named(tag, v)
	case map[string]any:
		if _, object := makers[tag]; object {
			return u.object(tag, v)
		}
		return u.Record(tag, v)
	case []any:
		return u.list(tag, v)
	}
	return 0, fmt.Errorf("a value of type %T", given)
}

// Addresses that cases write for ones that may be read and written are low; buffer is where a buffer of the library begins.
const (
	low    = 1 << 20
	buffer = 1 << 16
)

// address makes an address that may be read and written of a low one.
func (u *Context) address(n uint64) uintptr {
	if n == 0 || n >= low {
		return uintptr(n)
	}
	if u.memory == 0 {
		u.memory = u.zeroed(low)
	}
	return u.memory + uintptr(n)
}

// Record makes a struct, and the specs behind one that counts them.
func (u *Context) Record(tag string, values map[string]any) (uintptr, error) {
	rec := u.facts.Record(tag)
	if rec == nil {
		return 0, fmt.Errorf("%s is no struct", tag)
	}
	at := u.zeroed(uintptr(rec.Size) + 4096)
	if err := u.fill(at, tag, "", values); err != nil {
		return 0, err
	}
	if tag == "struct ibv_flow_attr" {
		size := uint64(u.facts.Record("struct ibv_flow_spec_eth").Size)
		n := u.read(at, tag, "num_of_specs")
		for i := range n {
			spec := at + uintptr(rec.Size) + uintptr(i*size)
			rawcall.Write(spec, u.facts.Const("IBV_FLOW_SPEC_ETH").Uint64(), 4)
			rawcall.Write(spec+4, size, 2)
		}
		rawcall.Write(at+u.offset(tag, "size"), uint64(rec.Size)+n*size, 2)
	}
	return at, nil
}

// fill sets fields; those of unnamed structs and unions stand in the record by their dotted names. A path is global unless it says
// otherwise, and leads to the device itself. Buffers come first, as addresses may lie in them.
func (u *Context) fill(at uintptr, tag, prefix string, values map[string]any) error {
	if tag == "struct ibv_ah_attr" && prefix == "" {
		values = merged(m{"is_global": 1, "grh": m{"hop_limit": 64}}, values)
		rawcall.Write(at, u.gid[0], 8)
		rawcall.Write(at+8, u.gid[1], 8)
	}
	names := slices.Sorted(maps.Keys(values))
	if at := slices.Index(names, "buf"); at > 0 {
		names = slices.Insert(slices.Delete(names, at, at+1), 0, "buf")
	}
	for _, name := range names {
		v := values[name]
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
		n, err := u.value(name, f.Type, v)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if f.Size < 8 && uint64(n)>>(8*f.Size) != 0 && int64(n) > 0 {
			return fmt.Errorf("%s has %d bytes and cannot be %d", name, f.Size, n)
		}
		rawcall.Write(at+uintptr(f.Offset), uint64(n), int(f.Size))
	}
	return nil
}

// list makes an array, or, of structs that have a next, a chain.
func (u *Context) list(tag string, elements []any) (uintptr, error) {
	rec := u.facts.Record(tag)
	if rec == nil {
		return 0, fmt.Errorf("a list of %s", tag)
	}
	first := u.zeroed(uintptr(rec.Size) * uintptr(len(elements)+1))
	for i, e := range elements {
		values, ok := e.(map[string]any)
		if !ok {
			return 0, fmt.Errorf("an element of type %T", e)
		}
		more, err := u.element(tag)
		if err != nil {
			return 0, err
		}
		at := first + uintptr(i)*uintptr(rec.Size)
		if err := u.fill(at, tag, "", merged(more, values)); err != nil {
			return 0, err
		}
		if next := u.field(tag, "next"); next != nil && i+1 < len(elements) {
			rawcall.Write(at+uintptr(next.Offset), uint64(at)+uint64(rec.Size), 8)
		}
	}
	return first, nil
}

// number reads a number, a constant, or flags.
func (u *Context) number(given any) (uint64, error) {
	switch v := given.(type) {
	case int:
		return uint64(v), nil
	case uintptr:
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

// tagOf returns what a pointer points to.
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

// merged returns the values of two mappings; those of the second go before, within structs too.
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
