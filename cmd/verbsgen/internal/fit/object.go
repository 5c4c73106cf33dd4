package fit

import (
	"maps"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// object holds a handle against the header and its parts against their verbs.
func (c *checker) object(o *spec.Object) {
	c.parents(o)
	c.fields(o)
	c.also(o)
	c.parts(o.Go, o.NeedsVerbs, form.PartsOf(o), o.At, o.Pos)
	d, fn := c.VerbByC(o.Destroy), c.facts.Func(o.Destroy)
	if d == nil || fn == nil || len(fn.Params) == 0 {
		return
	}
	at := o.At("destroy", o.Destroy)
	switch {
	case len(d.Params) != 1 || c.closesOther(o, &d.Params[0], c.facts.TypeOf(fn.Params[0].Type)):
		c.fail(at, o.Go, o.Destroy+" does not take one "+o.Go+" alone", "correct destroy:")
	case d.Returns != spec.RetErrno && d.Returns != spec.RetMinus1 && d.Returns != spec.RetVoid:
		c.fail(at, o.Go, o.Destroy+" returns "+d.Returns+", and Close can only call a verb that returns errno, minus1_errno or nothing",
			"correct destroy:")
	}
}

// closesOther reports whether the parameter of a function is not the object that it is to close. One that does not fit its own C
// type is reported there.
func (c *checker) closesOther(o *spec.Object, p *spec.Param, t spec.CType) bool {
	other := c.ObjectByGo(p.Type)
	return p.Role != role.Handle && t.Tag != o.C || other != nil && other != o && other.C == t.Tag
}

// fields holds the fields that getters and validators read against the header.
func (c *checker) fields(o *spec.Object) {
	if o.Memory == spec.MemoryDevice && o.Hot {
		c.fail(o.Pos, o.Go, "memory: device and hot: exclude each other", "keep one of them")
	}
	label := ""
	for _, g := range o.Getters {
		if g.Label != "" && label != "" {
			c.fail(g.Pos, o.Go+"."+g.Go, "label: messages already name the object by "+label, "keep one of them")
		}
		if g.Label != "" {
			label = g.C
		}
	}
	for _, prop := range slices.Sorted(maps.Keys(o.StateFrom)) {
		t, ok := c.fieldType(o.C, prop)
		if ok && o.StateFrom[prop] == spec.StateObject && !t.Pointer && (!isInt(t) || t.Bits != 32) {
			c.fail(o.At("state_from", prop), o.Go,
				"struct "+o.C+"."+prop+" is of type "+t.C+", and a state is an integer of 32 bits or a pointer", "correct state_from:")
		}
	}
}

// parents refuses an object that is made from itself, at once or by way of others.
func (c *checker) parents(o *spec.Object) {
	for _, parent := range o.Parents {
		problem := "it is its own parent"
		switch {
		case parent == o.Go:
		case c.comesFrom(parent, o.Go, map[string]bool{}):
			problem += " by way of " + parent
		default:
			continue
		}
		c.fail(o.At("parents", parent), o.Go, problem, "correct parents:")
	}
}

// comesFrom reports whether one object is above another; seen holds those that were looked at.
func (c *checker) comesFrom(name, above string, seen map[string]bool) bool {
	o := c.ObjectByGo(name)
	if o == nil || seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(o.Parents, func(p string) bool { return p == above || c.comesFrom(p, above, seen) })
}
