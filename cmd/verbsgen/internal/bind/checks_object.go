package bind

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// checkParents refuses an object that is made from itself, at once or by way of others.
func (b *binder) checkParents(o *spec.Object) {
	for _, parent := range o.Parents {
		if parent != o.Go && !b.comesFrom(parent, o.Go, map[string]bool{}) {
			continue
		}
		problem := "it is its own parent"
		if parent != o.Go {
			problem = "it is its own parent by way of " + parent
		}
		b.errorf(diag.TypeUnknown, o.At("parents", parent), o.Go, problem, "correct parents:")
	}
}

// comesFrom tells whether one object is above another; seen holds those that were looked at.
func (b *binder) comesFrom(name, above string, seen map[string]bool) bool {
	o := b.specObject(name)
	if o == nil || seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(o.Parents, func(p string) bool { return p == above || b.comesFrom(p, above, seen) })
}

// checkRoot refuses a second object without parents among those of the package: the emitter hangs all others under one. The
// one with the most children is taken for it, but for one that a verb makes from another object.
func (b *binder) checkRoot() {
	children := map[*model.Object]int{}
	var root *model.Object
	for _, o := range b.pkg.Objects {
		for _, p := range o.Parents {
			children[p]++
		}
	}
	for _, v := range b.pkg.Verbs {
		if v.Creates != nil && slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Object != nil }) {
			children[v.Creates] = -1
		}
	}
	for _, o := range b.pkg.Objects {
		if len(o.Parents) == 0 && (root == nil || children[o] > children[root]) {
			root = o
		}
	}
	for _, o := range b.pkg.Objects {
		if s := b.specObject(o.Go); s != nil && len(s.Parents) == 0 && o != root {
			b.errorf(diag.TypeUnknown, s.At("parents", ""), o.Go, "it has no parents, and neither has "+root.Go+", which the others are made from", "name the objects that it is made from")
		}
	}
}
