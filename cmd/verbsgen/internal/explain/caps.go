package explain

import (
	"fmt"
	"math/big"
	"os"

	"github.com/verbsgen/verbsgen/spec"
)

// pageSize is that of the host.
func pageSize() *big.Int { return big.NewInt(int64(os.Getpagesize())) }

// readCaps keeps the capabilities by their full dotted path. One that no struct of the release has is told, and not
// looked at: the file may be of a newer release.
func (c *call) readCaps(caps map[string]any) {
	c.caps = map[string]*big.Int{}
	c.flatten("", caps)
}

func (c *call) flatten(prefix string, m map[string]any) {
	for _, name := range sortedKeys(m) {
		path := name
		if prefix != "" {
			path = prefix + "." + name
		}
		switch v := m[name].(type) {
		case map[string]any:
			c.flatten(path, v)
		case nil:
		default:
			c.capability(path, v)
		}
	}
}

func (c *call) capability(path string, v any) {
	t, known, err := c.facts.CapType(path)
	if err != nil {
		msg := fmt.Sprintf("%s: caps: %s: %s; it is ignored", c.fn.Name, path, err)
		if pe, ok := err.(*spec.PathError); ok && pe.Fix != "" {
			msg = fmt.Sprintf("%s: caps: %s: %s; %s", c.fn.Name, path, err, pe.Fix)
		}
		c.notes = append(c.notes, msg)
		return
	}
	if !known || t.Kind != spec.CInt {
		t = spec.CType{Kind: spec.CInt, C: "int64_t or uint64_t", Bits: 64}
	}
	t.Array = false
	if val := c.value("caps."+path, t, v); val != nil && val.kind == kInt {
		c.caps[c.facts.NormalCap(path)] = val.i
	}
}

// capValue returns the value of the capability of a rule; ok is false, and missing set, when the case does not give it. That of one
// port goes before that of every port, which a case gives without a number.
func (c *call) capValue(path string, b binding) (i *big.Int, ok bool) {
	root, index, rest := c.facts.CapParts(path)
	if index != "" {
		n, known := c.number(spec.Number(index), b)
		if known {
			i, ok = c.caps[c.facts.NormalCap(fmt.Sprintf("%s[%s].%s", root, n, rest))]
		}
		if !ok {
			i, ok = c.caps[c.facts.NormalCap(root+"."+rest)]
		}
		if !ok && !known {
			return nil, false
		}
	} else {
		i, ok = c.caps[c.facts.NormalCap(path)]
	}
	c.missing = c.missing || !ok
	return i, ok
}

// capRef is the value of a capability as a place has it.
func (c *call) capRef(path string, b binding) ref {
	i, ok := c.capValue(path, b)
	if !ok {
		return ref{st: unknown, path: path}
	}
	return ref{st: given, path: path, v: &val{kind: kInt, t: spec.CType{Kind: spec.CInt, Bits: 64}, i: i}}
}
