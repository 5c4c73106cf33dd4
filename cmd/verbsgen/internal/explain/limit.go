package explain

import (
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// limit returns what the value of a broken rule is held against, as the errors of generated code write it: ", 32767 on this device", or
// " (max_cqe is 32767 on this device)" where the statement does not end with the name.
func (c *call) limit(r *spec.Rule, b binding) string {
	var of *spec.Cond
	capable := false
	subject := r.Operand("subject")
	for n := range c.usable[r].violated.Nodes() {
		if !n.Op.Compares() {
			continue
		}
		for _, s := range n.Sub {
			if s.Op != cond.Operand {
				continue
			}
			capable = capable || s.Of.As == spec.AsCap && c.param(s.Of.Text) == nil
			if of == nil && c.loose(s) && (subject == nil || s.Of.Text != subject.Of.Text) {
				of = s
			}
		}
	}
	if of == nil {
		return ""
	}
	value, ok := c.number(of, b)
	if !ok || value == nil {
		return ""
	}
	name, on := of.Of.Text[strings.LastIndexByte(of.Of.Text, '.')+1:], ""
	if capable {
		on = " on this device"
	}
	if strings.HasSuffix(r.Statement, " "+name) {
		return ", " + value.String() + on
	}
	return " (" + name + " is " + value.String() + on + ")"
}

// loose reports whether an operand is a capability, or a property of an object: not what the call says itself.
func (c *call) loose(s *spec.Cond) bool {
	p := c.param(s.Of.Text)
	return s.Of.As == spec.AsCap || p != nil && p.Role != nil && p.Role.Name == "handle" && strings.Contains(s.Of.Text, ".")
}

// param is the parameter that a path begins with, or nil.
func (c *call) param(path string) *spec.Param {
	v := c.spec.VerbByC(c.fn.Name)
	if v == nil {
		return nil
	}
	root, _, _ := strings.Cut(path, ".")
	return v.Param(root)
}
