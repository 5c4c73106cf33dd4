package fit

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
)

// object holds a handle against the header and its parts against their verbs.
func (c *checker) object(o *spec.Object) {
	c.parents(o)
	c.parts(o.Go, o.NeedsVerbs, form.PartsOf(o), o.At, o.Pos)
	d := c.VerbByC(o.Destroy)
	if d == nil || c.facts.Func(o.Destroy) == nil {
		return
	}
	at := o.At("destroy", o.Destroy)
	switch {
	case len(d.Params) != 1 || d.Params[0].Role != spec.RoleHandle || d.Params[0].Type != o.Go:
		c.fail(at, o.Go, o.Destroy+" does not take one "+o.Go+" alone", "correct destroy:")
	case d.Returns != spec.RetErrno && d.Returns != spec.RetMinus1 && d.Returns != spec.RetVoid:
		c.fail(at, o.Go, o.Destroy+" returns "+d.Returns+", for which there is no form of Close", "correct destroy:")
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

// comesFrom tells whether one object is above another; seen holds those that were looked at.
func (c *checker) comesFrom(name, above string, seen map[string]bool) bool {
	o := c.ObjectByGo(name)
	if o == nil || seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(o.Parents, func(p string) bool { return p == above || c.comesFrom(p, above, seen) })
}
