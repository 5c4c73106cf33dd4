package explain

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// state says what is known of a place.
type state uint8

const (
	given   state = iota // the case has a value
	neutral              // left out: valid and neutral
	unknown              // a property of an object that the case does not tell
)

// ref is what a path leads to. A mask that is left out is neutral and has a value all the same: the bits of the
// fields given.
type ref struct {
	st   state
	v    *val
	path string
}

// binding gives the index of each list that a rule walks, by the path up to and with its [].
type binding map[string]int

// newCall prepares the judgement of one case.
func newCall(k *Checker, fn *api.Function) *call {
	return &call{Checker: k, fn: fn, args: map[string]*val{}, deriving: map[string]bool{}}
}

// readArgs turns the arguments into typed values.
func (c *call) readArgs(args map[string]any) {
	isC := func(name string) bool { _, ok := c.facts.Param(c.fn, name); return ok }
	args = c.inC(c.nested(args), isC, func() map[string]string { paths, _ := c.params(); return paths })
	for _, name := range sortedKeys(args) {
		t, ok := c.facts.Param(c.fn, name)
		if !ok {
			names := make([]string, len(c.fn.Params))
			for i, p := range c.fn.Params {
				names[i] = p.Name
			}
			paths, several := c.params()
			fix := spec.DidYouMean(name, slices.Concat(names, sortedKeys(paths)))
			switch {
			case several[name] != nil:
				fix = "write " + strings.Join(several[name], " or ")
			case fix == "":
				fix = spec.Choice("parameter", names)
			}
			c.noName(quoted(name), "no such parameter", fix)
			continue
		}
		if v := c.value(name, t, args[name]); v != nil {
			c.args[name] = v
		}
	}
}

// nested puts the values of dotted names ("attr.length") where they belong.
func (c *call) nested(m map[string]any) map[string]any {
	out := map[string]any{}
	for _, name := range sortedKeys(m) { // "attr" comes before "attr.length"
		head, rest, dotted := strings.Cut(name, ".")
		if !dotted {
			out[name] = m[name]
			if sub, ok := m[name].(map[string]any); ok {
				out[name] = c.nested(sub)
			}
			continue
		}
		sub, ok := out[head].(map[string]any)
		if _, taken := out[head]; taken && !ok {
			c.bad(name, head+" has a value of its own", "write one of the two")
			continue
		}
		if !ok {
			sub = map[string]any{}
		}
		for k, v := range c.nested(map[string]any{rest: m[name]}) {
			if _, twice := sub[k]; twice {
				c.bad(name, "given twice", "keep one of them")
			}
			sub[k] = v
		}
		out[head] = sub
	}
	return out
}

// counted are fields that count the elements of another: left out, they are right.
var counted = map[string]string{"num_sge": "sg_list"}

// look follows a path through the arguments. A path that begins with no parameter may be a capability, which is
// unknown when the case does not tell it.
func (c *call) look(path string, b binding) ref {
	if c.facts.IsCap(c.fn, path) {
		return c.capRef(path, b)
	}
	_, viaObject, err := c.facts.TypeOfPath(c.fn, path)
	missing := ref{st: neutral, path: path}
	if viaObject || err != nil {
		missing.st = unknown
	}
	var cur *val
	steps := strings.Split(path, ".")
	for i, step := range steps {
		name := strings.TrimSuffix(step, "[]")
		if i == 0 {
			cur = c.args[name]
		} else {
			switch cur.kind {
			case kNull, kInt:
				return ref{st: unknown, path: path}
			case kUnknown:
				return ref{st: unknown, v: cur, path: path}
			}
			at := cur
			if cur = at.m[name]; cur == nil { // nil map: nothing is told of it
				cur = at.m[c.facts.PropAlias(at.t.Tag, name)]
			}
			if list := at.m[counted[name]]; cur == nil && list != nil && list.kind == kList {
				t, _, _ := c.facts.TypeOfPath(c.fn, strings.Join(steps[:i+1], "."))
				cur = &val{kind: kInt, t: t, i: big.NewInt(int64(len(list.l)))}
			}
		}
		if cur == nil {
			if sum := c.end(path, i == len(steps)-1, b); sum != nil {
				return ref{st: given, v: sum, path: path}
			}
			if n, ok := c.caps[c.facts.NormalCap(path)]; ok && viaObject { // context.num_comp_vectors may be given as a capability
				return ref{st: given, v: &val{kind: kInt, t: spec.CType{Kind: spec.CInt, Bits: 64}, i: n}, path: path}
			}
			c.missing = c.missing || viaObject
			return c.derived(missing, b)
		}
		if strings.HasSuffix(step, "[]") {
			if cur = c.element(cur, b, strings.Join(steps[:i+1], ".")); cur == nil {
				return ref{st: unknown, path: path}
			}
		}
	}
	if cur.kind == kUnknown {
		return ref{st: unknown, v: cur, path: path}
	}
	return ref{st: given, v: cur, path: path}
}

// unsaid reports whether a path leads to a value that is given and not known.
func (c *call) unsaid(path string, b binding) bool {
	r := c.look(path, b)
	return r.v != nil && r.v.kind == kUnknown
}

// end is the property of a range of memory that a case may give by its addr and length.
const end = "end"

// end computes the property end of a range of memory, which a case may tell by its addr and length.
func (c *call) end(path string, last bool, b binding) *val {
	object, isEnd := strings.CutSuffix(path, "."+end)
	if !isEnd || !last {
		return nil
	}
	addr, okA := number(c.look(object+".addr", b))
	length, okL := number(c.look(object+".length", b))
	t, _, err := c.facts.TypeOfPath(c.fn, path)
	if !okA || !okL || err != nil {
		return nil
	}
	return &val{kind: kInt, t: t, i: new(big.Int).Add(addr, length)}
}

// element is the bound element of a list; what is no list is its own only element.
func (c *call) element(list *val, b binding, prefix string) *val {
	i, bound := b[prefix]
	if list.kind != kList {
		if i != 0 {
			return nil
		}
		return list
	}
	if !bound || i >= len(list.l) {
		return nil
	}
	return list.l[i]
}

// derived fills a mask that is left out with the bits of the fields that are given.
func (c *call) derived(r ref, b binding) ref {
	gates := c.gates[c.fn.Name][r.path]
	if r.st != neutral || len(gates) == 0 || c.deriving[r.path] { // a mask that says whether it is given itself
		return r
	}
	c.deriving[r.path] = true
	defer delete(c.deriving, r.path)
	mask := new(big.Int)
	for _, g := range gates {
		f := c.look(g.field, b)
		if c.unsaid(g.field, b) {
			return ref{st: unknown, v: f.v, path: r.path}
		}
		if isSet(f) || g.zero && f.st == given {
			mask.Or(mask, g.bit)
		}
	}
	t, _, _ := c.facts.TypeOfPath(c.fn, r.path)
	r.v = &val{kind: kInt, t: t, i: mask}
	return r
}

// bindings lists the ways to bind the lists in a path that b leaves open; each element of a list is one way.
func (c *call) bindings(path string, b binding) []binding {
	out := []binding{b}
	for i := 0; i < len(path); {
		j := strings.Index(path[i:], "[]")
		if j < 0 {
			break
		}
		container, prefix := path[:i+j], path[:i+j+2]
		i += j + 2
		if _, bound := b[prefix]; bound {
			continue
		}
		var next []binding
		for _, one := range out {
			for n := range c.length(container, one) {
				more := binding{prefix: n}
				maps.Copy(more, one)
				next = append(next, more)
			}
		}
		out = next
	}
	return out
}

// length is the number of elements of a list; a single value counts as one.
func (c *call) length(path string, b binding) int {
	r := c.look(path, b)
	switch {
	case r.st != given || r.v.kind == kNull:
		return 0
	case r.v.kind == kList:
		return len(r.v.l)
	}
	return 1
}

// place writes a path with the indexes of a binding.
func place(path string, b binding) string {
	var out strings.Builder
	for i, step := range strings.Split(path, "[]") {
		if i > 0 {
			prefix := strings.Join(strings.Split(path, "[]")[:i], "[]") + "[]"
			if n, bound := b[prefix]; bound {
				fmt.Fprintf(&out, "[%d]", n)
			} else {
				out.WriteString("[]")
			}
		}
		out.WriteString(step)
	}
	return out.String()
}

// isSet reports whether a place has a value that is not neutral.
func isSet(r ref) bool {
	if r.st != given {
		return false
	}
	switch r.v.kind {
	case kNull:
		return false
	case kInt:
		return r.v.i.Sign() != 0
	case kList:
		return len(r.v.l) > 0
	}
	return true
}

// number is the integer at a place; ok is false when it is not told.
func number(r ref) (i *big.Int, ok bool) {
	if r.st == given && (r.v.kind == kInt || r.v.kind == kNull) {
		return r.v.i, true
	}
	return nil, false
}

// bits are the flags at a place as an unsigned integer; a place left out has none, but for a mask with fields.
func bits(r ref) (i *big.Int, ok bool) {
	switch {
	case r.st == unknown:
		return nil, false
	case r.v == nil:
		return new(big.Int), true
	case r.v.kind == kNull:
		return r.v.i, true
	case r.v.kind != kInt:
		return nil, false
	case r.v.i.Sign() < 0:
		return new(big.Int).Add(r.v.i, new(big.Int).Lsh(big.NewInt(1), r.v.t.Bits)), true
	}
	return r.v.i, true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
