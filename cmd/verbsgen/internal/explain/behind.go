package explain

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// This file reads the structs that C has behind another one, such as the specs of a flow. No field holds them: a case lists them by the
// name that they have in Go, and the tag of each says which struct it is. Rules see their number, and do not look into them.

// tail returns the list of structs behind a struct, and its name in a case; nil if there is none.
func (c *call) tail(t spec.CType) (tail *spec.Tail, name string) {
	for r := range c.spec.Records() {
		if r.Tail != nil && r.C == t.Tag && t.Kind == spec.CStruct {
			return r.Tail, model.ParamName(r.Tail.Go)
		}
	}
	return nil, ""
}

// behind reads the structs behind one of type t, whose own fields are read already, and fills in their number where that is left out.
func (c *call) behind(path string, t spec.CType, m map[string]any, fields map[string]*val) bool {
	tail, name := c.tail(t)
	if _, given := m[name]; tail == nil || !given {
		return true
	}
	at, counter := path+"."+name, path+"."+tail.Count
	l, isList := m[name].([]any)
	if !isList {
		c.bad(at, "no list", "write [{...}, {...}], each with its type")
		return false
	}
	for i, v := range l {
		if c.arm(fmt.Sprintf("%s[%d]", at, i), tail, v) == nil {
			return false
		}
	}
	n := big.NewInt(int64(len(l)))
	switch count := fields[tail.Count]; {
	case count == nil:
		countType, _ := c.facts.Member(t, tail.Count)
		if fields[tail.Count] = c.integer(counter, countType, n); fields[tail.Count] == nil {
			return false
		}
	case count.kind == kInt && count.i.Cmp(n) > 0:
		c.bad(counter, fmt.Sprintf("%s is more than the %d of %s", count.i, len(l), name), "leave it out, or list all of them")
		return false
	}
	if len(l) > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%s: %s: their number is judged; no rule looks into them", c.fn.Name, at))
	}
	return true
}

// arm reads one of the structs behind another one.
func (c *call) arm(path string, tail *spec.Tail, v any) *val {
	m, isMap := v.(map[string]any)
	if s, ok := v.(string); ok && strings.HasPrefix(s, "@") {
		return &val{kind: kAny, name: s}
	}
	if !isMap {
		c.bad(path, "no struct", "write {field: value}, or \"@\" and a name for a valid one")
		return nil
	}
	var arms []*spec.Record
	var known []string
	for r := range c.spec.Records() {
		if r.Arm != nil && r.Arm.Of == tail.Of && r.Arm.Tag != "" {
			arms, known = append(arms, r), append(known, r.Arm.Is)
		}
	}
	tag := arms[0].Arm.Tag // a page with a tail has arms
	at, fix := path+"."+tag, "write one of "+strings.Join(known, ", ")
	given := cmp.Or(m[tag], m[model.Exported(tag)])
	if given == nil {
		c.bad(at, "it says which struct this is, and is left out", fix)
		return nil
	}
	t, _ := c.facts.Member(c.facts.TypeOf("struct "+arms[0].C), tag)
	is := c.value(at, t, given)
	if is == nil || is.kind == kAny {
		return is
	}
	for _, r := range arms {
		if c.isArm(is.i, r) {
			return c.value(path, c.facts.TypeOf("struct "+r.C), m)
		}
	}
	c.bad(at, fmt.Sprintf("no struct has %s %s", tag, short(is.i)), fix)
	return nil
}

// isArm reports whether a tag is that of a record, or that with bits that are switches of the record.
func (c *call) isArm(tag *big.Int, r *spec.Record) bool {
	is := c.facts.Const(r.Arm.Is)
	if is == nil {
		return false
	}
	rest := new(big.Int).Set(tag)
	for _, s := range r.Switches {
		if bit := c.facts.Const(s.C); bit != nil {
			rest.AndNot(rest, bit)
		}
	}
	return rest.Cmp(is) == 0
}
