package spec

import (
	"cmp"
	"slices"
)

// orderRules puts the rules of a page in their order: verb by verb, and those of a verb by their numbers. So the order does not
// depend on where in a file a rule is written. Verbs come as the page lists them, then those of other pages by name.
func (p *Page) orderRules() {
	rank := map[string]int{}
	for i := range p.Verbs {
		rank[p.Verbs[i].C] = i
	}
	of := func(r *Rule) int {
		if i, own := rank[r.Verb]; own {
			return i
		}
		return len(p.Verbs)
	}
	slices.SortStableFunc(p.Rules, func(a, b Rule) int {
		x, _ := ruleNumber(a.ID)
		y, _ := ruleNumber(b.ID)
		return cmp.Or(cmp.Compare(of(&a), of(&b)), cmp.Compare(a.Verb, b.Verb), cmp.Compare(x, y))
	})
}
