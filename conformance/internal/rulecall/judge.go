//go:build linux && cgo

// Package rulecall makes the calls of the cases of rules without the bindings, and so without the rules: on a device made of software,
// or on one of the kernel. A call that keeps a rule is to succeed, and one that breaks it is to be refused.
//
// It owns the calls of C and what they need. It knows the pages and the facts, and may not import the bindings.
package rulecall

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
	"github.com/verbsgen/verbsgen/spec"
)

// Verdict is what the device says of a rule.
type Verdict struct {
	Why   string        // it is not judged, and why; or empty
	Errno syscall.Errno // what the breach is refused with; 0: the device accepts it
	// Status is that of a completion that has the refusal, beside EIO.
	Status uint64
	Call   string // the breach
}

// Opener opens a device with capabilities, as far as it can have them.
type Opener func(caps map[string]any) (*Context, error)

// Judge makes the two calls of a rule, each on a context of its own. A breach that is accepted counts always. One that is refused
// counts when the call that keeps the rule succeeds, or fails because the device has nothing of the kind, and the breach does for
// another reason. Requests that complete are held against each other by their status: that of the first may be one of a peer who
// does not answer.
func Judge(r *spec.Rule, open Opener) Verdict {
	v, err := judge(r, open)
	if err != nil {
		return Verdict{Why: err.Error()}
	}
	return v
}

func judge(r *spec.Rule, open Opener) (v Verdict, err error) {
	accept, reject := caseOf(r.Accept), caseOf(r.Reject)
	w, err := open(reject.caps)
	if err != nil {
		return v, err
	}
	defer w.Close()
	breaking, unfit := w.fit(reject, accept, true)
	u, err := open(accept.caps)
	if err != nil {
		return v, err
	}
	defer u.Close()
	args, err := u.fit(accept, reject, false)
	if err != nil && unfit == nil { // a device without what the rule is about can refuse it all the same: then all but that is valid
		args, err = without(undotted(breaking), r.Subject), nil
	}
	if err = errors.Join(err, unfit); err != nil {
		return v, err
	}
	v.Call = fmt.Sprint(breaking)
	_, keeps, err := u.Call(r.Verb, args)
	if _, v.Errno, unfit = w.Call(r.Verb, breaking); unfit == nil && v.Errno == 0 {
		v.Errno, unfit = w.settled()
		v.Status = w.status
	}
	if unfit == nil && v.Errno == 0 {
		return v, nil
	}
	if err = errors.Join(err, unfit); err != nil {
		return v, err
	}
	switch {
	case keeps != 0 && !lacks(keeps), lacks(keeps) && lacks(v.Errno):
		return v, fmt.Errorf("%v fails with %w", args, keeps)
	case v.Status != 0:
		if _, err := u.settled(); err != nil || u.status == v.Status { // then the refusal was of something else
			return v, fmt.Errorf("%v completes with status %d, %v", args, u.status, err)
		}
	}
	return v, nil
}

// lacks reports whether an answer is that there is nothing of the kind.
func lacks(errno syscall.Errno) bool { return errno == syscall.EOPNOTSUPP || errno == syscall.ENOSYS }

// casing is a case; what it says of the context is a capability.
type casing struct {
	args, caps m
}

const vectors = "context.num_comp_vectors"

func caseOf(c spec.Case) casing {
	out := casing{undotted(c.Args), merged(nil, c.Caps)}
	context := mapping(out.args["context"])
	if n, ok := context["num_comp_vectors"]; ok {
		out.caps[vectors] = n
		delete(out.args, "context")
	}
	return out
}

// fit returns the arguments of a case for the device. Flags that it is to have or to lack must be so. Where it has another number of
// something than the case says, what the two cases differ in moves along; in a case that keeps the rule only if it has less.
func (u *Context) fit(c, other casing, breaks bool) (m, error) {
	args := c.args
	for path, v := range c.caps {
		want, err := u.number(v)
		if err != nil {
			return nil, err
		}
		have, err := u.capability(path)
		if err != nil {
			return nil, err
		}
		if strings.Contains(path, "flags") || strings.Contains(path, "caps") {
			mask, _ := u.number(other.caps[path])
			if mask |= want; have&mask != want&mask {
				return nil, fmt.Errorf("the device has %#x of %s", have&mask, path)
			}
			continue
		}
		if have < want || breaks && have != want {
			args = moved(args, other.args, int64(have-want))
		}
	}
	return args, nil
}

// Number reads a number of a case: flags by name too.
func Number(facts *spec.Facts, v any) (uint64, error) { return (&Context{facts: facts}).number(v) }

var indexed = regexp.MustCompile(`^port_attr\[([0-9]+)\]\.(.*)`)

// capability asks the device.
func (u *Context) capability(path string) (uint64, error) {
	if path == vectors {
		return u.read(u.ctx, "struct ibv_context", "num_comp_vectors"), nil
	}
	const room = 4096
	at := u.zeroed(room)
	tag, field := "", ""
	var r uintptr
	var err error
	if i := indexed.FindStringSubmatch(path); i != nil {
		port, ok := new(big.Int).SetString(i[1], 10)
		if !ok {
			return 0, fmt.Errorf("the capability %s", path)
		}
		tag, field = "struct ibv_port_attr", i[2]
		if op := u.op("query_port"); op != 0 {
			r, _, err = rawcall.Call(op, u.ctx, uintptr(port.Uint64()), at, uintptr(u.facts.Record(tag).Size))
		} else {
			r, _, err = rawcall.Call(u.lib.Symbol("ibv_query_port", ""), u.ctx, uintptr(port.Uint64()), at)
		}
	} else if name, ok := strings.CutPrefix(path, "device_attr_ex."); ok {
		tag, field = "struct ibv_device_attr_ex", name
		op := u.op("query_device_ex")
		if op == 0 {
			return 0, fmt.Errorf("the device has no ibv_query_device_ex for %s", path)
		}
		r, _, err = rawcall.Call(op, u.ctx, 0, at, uintptr(u.facts.Record(tag).Size))
	} else {
		tag, field = "struct ibv_device_attr", strings.TrimPrefix(path, "device_attr.")
		r, _, err = rawcall.Call(u.lib.Symbol("ibv_query_device", ""), u.ctx, at)
	}
	if f, _ := u.path(tag, field); err != nil || int32(r) != 0 || f == nil {
		return 0, fmt.Errorf("the capability %s: %v, %d", path, err, int32(r))
	}
	return u.read(at, tag, field), nil
}

// moved adds to the numbers that differ from those of another case.
func moved(args, other m, by int64) m {
	out := m{}
	for name, v := range args {
		switch n := v.(type) {
		case m:
			v = moved(n, mapping(other[name]), by)
		case *big.Int:
			if o, ok := other[name].(*big.Int); ok && o.Cmp(n) != 0 {
				v = new(big.Int).Add(n, big.NewInt(by))
			}
		}
		out[name] = v
	}
	return out
}

// without leaves out what a path leads to.
func without(args m, path string) m {
	head, rest, nested := strings.Cut(path, ".")
	out := merged(nil, args)
	if !nested {
		delete(out, head)
	} else if sub, ok := out[head].(m); ok {
		out[head] = without(sub, rest)
	}
	return out
}

// Fatal are rules whose breach can write to memory that others use, on the devices that do what the rule is about. No test
// breaks them on a device of this machine.
var Fatal = map[string]string{
	"VR-ibv_memcpy_to_dm-dm_offset-0107":   "mlx5 adds offset and length, misses the overflow and copies outside of the device memory",
	"VR-ibv_memcpy_from_dm-dm_offset-0113": "mlx5 adds offset and length, misses the overflow and copies outside of the device memory",
}

// Allowed are rules whose breach C lets pass, as their pages say; with what the rule is for all the same.
var Allowed = map[string]string{
	"VR-ibv_close_device-context-0157": "the library closes a device whose objects are open, and their handles point nowhere then",
}
