package spec

import (
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// rule checks the flags, constants and paths of a rule.
func (c *checker) rule(r *Rule) {
	fn := c.function(r.marks.at("verb", r.Verb, r.Pos), r.ID, r.Verb)
	if fn == nil {
		return
	}
	for _, l := range []struct {
		key   string
		names []string
	}{
		{"if", r.If}, {"need", r.Need}, {"not", r.Not}, {"allow", r.Allow}, {"bits", r.Bits}, {"bit", one(r.Bit)}, {"cap_has", r.CapHas},
	} {
		for _, name := range l.names {
			if (l.key == "allow" || l.key == "cap_has") && isNumber(name) {
				continue
			}
			c.flag(r.marks.at(l.key, name, r.Pos), r, name)
		}
	}
	state := false
	for _, l := range []struct {
		key   string
		paths []string
	}{
		{"subject", one(r.Subject)}, {"fields", r.Fields}, {"mask", one(r.Mask)}, {"same_as", one(r.SameAs)},
		{"state", one(r.State)}, {"assumed", one(r.Assumed)}, {"next", one(r.Next)},
	} {
		for _, p := range l.paths {
			state = c.path(r.marks.at(l.key, p, r.Pos), r, fn, p) || state
		}
	}
	for _, l := range []struct {
		key      string
		operands []string
	}{
		{"min", one(r.Min)}, {"max", one(r.Max)}, {"to", one(r.To)}, {"sum", r.Sum}, {"values", r.Values},
	} {
		for _, o := range l.operands {
			state = c.operand(r.marks.at(l.key, o, r.Pos), r, fn, o) || state
		}
	}
	c.transitions(r)
	c.ruleValues(r, fn)
	for _, p := range append(append([]Party(nil), r.AcceptedBy...), r.RefusedBy...) {
		for _, a := range p.When {
			c.atom(r, fn, a)
		}
	}
	if r.Cap != "" {
		c.capability(r.marks.at("cap", r.Cap, r.Pos), r, r.Cap)
	}
	for _, a := range append(append([]Atom(nil), r.When...), r.Must...) {
		state = c.atom(r, fn, a) || state
	}
	if state != (r.Needs == NeedsState) && r.Needs != NeedsCaps {
		fix := "write needs: " + NeedsState
		if !state {
			fix = "write needs: " + NeedsArgs
		}
		c.add(r.marks.at("needs", r.Needs, r.Pos), CodeKindKey, r.ID, "needs: "+r.Needs+" does not match its paths", fix)
	}
}

// transitions checks the names of states and flags of the ways between states, and that each way stands there once.
func (c *checker) transitions(r *Rule) {
	seen := map[[2]string]bool{}
	for _, t := range r.Transitions {
		for _, l := range []struct {
			key   string
			names []string
		}{{"from", t.From}, {"to", t.To}, {"need", t.Need}, {"may", t.May}} {
			for _, name := range l.names {
				c.constant(t.marks.at(l.key, name, t.Pos), r.ID, name)
			}
		}
		for _, from := range t.From {
			for _, to := range t.To {
				if way := [2]string{from, to}; seen[way] {
					c.add(t.Pos, CodeKindKey, r.ID, "a second transition from "+from+" to "+to, "keep one of them")
				} else {
					seen[way] = true
				}
			}
		}
	}
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// flag checks the name of a flag; the enum to look for a like name in is that of the rule's other flags.
func (c *checker) flag(pos Pos, r *Rule, name string) {
	if c.f.Const(name) != nil {
		return
	}
	for _, l := range [][]string{r.If, r.Need, r.Not, r.Allow, r.Bits, one(r.Bit), r.CapHas} {
		for _, other := range l {
			if e := c.f.EnumOf(other); e != nil {
				c.member(pos, r.ID, strings.TrimPrefix(e.Tag, "enum "), name)
				return
			}
		}
	}
	if like := Closest(name, c.f.ConstNames()); like != "" && c.f.EnumOf(like) != nil {
		c.member(pos, r.ID, strings.TrimPrefix(c.f.EnumOf(like).Tag, "enum "), name)
		return
	}
	c.constant(pos, r.ID, name)
}

// path checks a path, and tells whether it leads through a property of an object.
func (c *checker) path(pos Pos, r *Rule, fn *api.Function, p string) (state bool) {
	_, state, err := c.f.TypeOfPath(fn, p)
	if err != nil {
		fix := ""
		if pe, ok := err.(*PathError); ok {
			fix = pe.Fix
		}
		c.add(pos, CodeUnknownPath, r.ID, show(p)+" leads nowhere: "+err.Error(), fix)
	}
	return state
}

// operand checks an integer, a constant, "page" or a path.
func (c *checker) operand(pos Pos, r *Rule, fn *api.Function, o string) (state bool) {
	switch {
	case isNumber(o), o == "page", c.f.Const(o) != nil:
		return false
	case !strings.ContainsAny(o, ".[") && strings.ToUpper(o) == o:
		c.constant(pos, r.ID, o)
		return false
	}
	return c.path(pos, r, fn, o)
}

func isNumber(s string) bool {
	_, ok := ParseInt(s)
	return ok
}

// atom checks one comparison.
func (c *checker) atom(r *Rule, fn *api.Function, a Atom) (state bool) {
	if c.f.IsCap(fn, a.Of) {
		c.capability(a.Pos, r, a.Of)
	} else {
		state = c.path(a.Pos, r, fn, a.Of)
	}
	for _, l := range [][]string{a.Has, a.All, a.Lacks} {
		for _, name := range l {
			c.flag(a.Pos, r, name)
		}
	}
	for _, o := range append([]string{a.Eq, a.Ne, a.Lt, a.Le, a.Gt, a.Ge}, a.In...) {
		if o != "" {
			state = c.operand(a.Pos, r, fn, o) || state
		}
	}
	if a.Same != "" {
		state = c.path(a.Pos, r, fn, a.Same) || state
	}
	return state
}

// capRoots are the first words of capability paths, and the struct that each stands for.
var capRoots = map[string]string{
	"device_attr": "ibv_device_attr", "device_attr_ex": "ibv_device_attr_ex", "port_attr": "ibv_port_attr",
	"comp_cntr_caps": "ibv_comp_cntr_caps", "context": "ibv_context", "qp.cap": "ibv_qp_cap", "srq_attr": "ibv_srq_attr",
}

// IsCapPath reports whether a path begins like a capability of a device or port.
func IsCapPath(p string) bool {
	root, _, _ := CapParts(p)
	switch root {
	case "device_attr", "device_attr_ex", "port_attr", "comp_cntr_caps":
		return true
	}
	return false
}

// NormalCap returns the one path for a capability that two queries return: the basic attributes are part of the
// extended ones.
func NormalCap(p string) string {
	if rest, ok := strings.CutPrefix(p, "device_attr_ex.orig_attr."); ok {
		return "device_attr." + rest
	}
	return p
}

// CapParts splits a capability path: for "port_attr[1].max_msg_sz" root is port_attr, index is 1 and rest is
// max_msg_sz. The index may be the path of an argument.
func CapParts(p string) (root, index, rest string) {
	if i := strings.IndexByte(p, '['); i >= 0 {
		if j := strings.IndexByte(p[i:], ']'); j > 0 {
			return p[:i], p[i+1 : i+j], strings.TrimPrefix(p[i+j+1:], ".")
		}
	}
	root, rest, _ = strings.Cut(p, ".")
	if root == "qp" {
		sub, more, _ := strings.Cut(rest, ".")
		root, rest = root+"."+sub, more
	}
	return root, "", rest
}

// CapType returns the type of a capability path such as "device_attr_ex.max_dm_size"; the error is a *PathError.
// A root whose struct no known release has is not looked into: known is false.
func (f *Facts) CapType(p string) (t CType, known bool, err error) {
	root, _, rest := CapParts(p)
	tag, ok := capRoots[root]
	if !ok {
		fix := didYouMean(root, sortedKeys(capRoots))
		if fix == "" {
			fix = "the roots are " + strings.Join(sortedKeys(capRoots), ", ")
		}
		return t, false, &PathError{p, "no capabilities are called " + show(root), fix}
	}
	t = f.TypeOf("struct " + tag)
	if t.record == nil {
		return t, false, nil
	}
	for _, step := range strings.Split(rest, ".") {
		at := t
		if t, ok = f.Member(at, strings.TrimSuffix(step, "[]")); !ok {
			return t, false, &PathError{p, "struct " + tag + " has no field " + show(step), didYouMean(step, f.Members(at))}
		}
	}
	return t, true, nil
}

// IsCap reports whether a path of a comparison is a capability: its root is one, and no parameter is called so.
func (f *Facts) IsCap(fn *api.Function, p string) bool {
	root, _, _ := CapParts(p)
	if _, ok := capRoots[root]; !ok {
		return false
	}
	first, _, _ := strings.Cut(root, ".")
	_, param := f.Param(fn, first)
	return !param
}

// capability checks a capability path of a rule.
func (c *checker) capability(pos Pos, r *Rule, p string) {
	if _, _, err := c.f.CapType(p); err != nil {
		fix := ""
		if pe, ok := err.(*PathError); ok {
			fix = pe.Fix
		}
		c.add(pos, CodeUnknownPath, r.ID, show(p)+" leads nowhere: "+err.Error(), fix)
	}
}
