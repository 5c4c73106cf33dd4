package spec

import (
	"math/big"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Limits of the values in cases: nesting, and number of values in a file once aliases are followed.
const (
	maxDepth  = 64
	maxValues = 1 << 20
)

// values reads the free part of a case: nil, bool, *big.Int, string, []any, map[string]any.
type values struct {
	*decoder
	aliases bool // follow aliases (case files) or refuse them (pages)
	left    int  // values of the file that may still come
	told    bool // of this case it is noted that it is too large
}

func (d *decoder) values(aliases bool) *values {
	return &values{decoder: d, aliases: aliases, left: maxValues}
}

// value reads one value. What cannot be read is noted, and nil stands for it.
func (v *values) value(n *yaml.Node, at place, depth int) any {
	v.left--
	if depth > maxDepth || v.left < 0 {
		if !v.told {
			v.add(n, CodeCase, at.subject, "the value is nested too deeply, or too large", "split it")
			v.told = true
		}
		return nil
	}
	if n.Kind == yaml.AliasNode && v.aliases && n.Alias != nil {
		return v.value(n.Alias, at, depth+1)
	}
	if n.Kind == yaml.AliasNode || n.Anchor != "" && !v.aliases {
		v.plain(n, at.subject)
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		v.pairs(v.bare(n), at, func(k, e *yaml.Node) {
			m[k.Value] = v.value(e, place{at.subject, join(at.key, k.Value)}, depth+1)
		})
		return m
	case yaml.SequenceNode:
		l := make([]any, 0, len(n.Content))
		for _, e := range n.Content {
			l = append(l, v.value(e, at, depth+1))
		}
		return l
	}
	return v.scalarValue(n, at)
}

// bare is the node without its anchor, for a file that may have them.
func (v *values) bare(n *yaml.Node) *yaml.Node {
	if n.Anchor == "" || !v.aliases {
		return n
	}
	c := *n
	c.Anchor = ""
	return &c
}

func (v *values) scalarValue(n *yaml.Node, at place) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!str":
		return n.Value
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float": // an integer beyond 64 bits counts as a float in YAML
		if i, ok := ParseInt(n.Value); ok {
			return i
		}
		if n.ShortTag() == "!!int" {
			v.add(n, CodeType, at.subject, at.key+": "+show(n.Value)+" is not an integer of this form",
				"write decimal, 0x hexadecimal or 0o octal")
			return nil
		}
		v.add(n, CodeType, at.subject, at.key+": "+show(n.Value)+" is a floating-point number, which no argument is", "write an integer")
		return nil
	case "!!timestamp":
		return n.Value
	}
	v.wrongType(n, at, "an integer, a name, a mapping or a list")
	return nil
}

// ParseInt reads a decimal, hexadecimal (0x) or octal (0o) integer with an optional sign. It refuses a leading zero
// without a letter: C and YAML read it as octal, people as decimal.
func ParseInt(s string) (*big.Int, bool) {
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || digits == "" || strings.Contains(digits, "_") {
		return nil, false
	}
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0X"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0o"):
		base, digits = 8, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		return nil, false
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' {
		return nil, false
	}
	i, ok := new(big.Int).SetString(digits, base)
	if ok && s[0] == '-' {
		i.Neg(i)
	}
	return i, ok
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// call reads `accept` or `reject` of a rule: the arguments, or {args, caps}.
func (d *decoder) call(to *Case) reader {
	return func(n *yaml.Node, at place) {
		c := Case{Pos: d.pos(n)}
		v := d.values(false)
		whole, ok := v.value(n, at, 0).(map[string]any)
		if !ok {
			if n.Kind != yaml.AliasNode && n.Anchor == "" {
				d.wrongType(n, at, "a mapping")
			}
			return
		}
		c.Args = whole
		if args, wrapped := whole["args"]; wrapped {
			c.Args = d.part(n, args, place{at.subject, at.key + ".args"})
			c.Caps = d.part(n, whole["caps"], place{at.subject, at.key + ".caps"})
			for k := range whole {
				if k != "args" && k != "caps" {
					d.add(n, CodeUnknownKey, at.subject, at.key+": unknown key "+show(k)+" beside args", "the keys here are args and caps")
				}
			}
		} else if _, caps := whole["caps"]; caps {
			d.add(n, CodeMissingKey, at.subject, at.key+": caps without args", "write {args: {...}, caps: {...}}")
		}
		*to = c
	}
}

// part is the value of args or caps; nothing counts as empty.
func (d *decoder) part(n *yaml.Node, v any, at place) map[string]any {
	switch v := v.(type) {
	case nil:
		return nil
	case map[string]any:
		return v
	}
	d.add(n, CodeType, at.subject, at.key+" is no mapping", "write {name: value}")
	return nil
}
