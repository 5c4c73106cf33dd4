package spec

import (
	"cmp"
	"slices"
)

// cite moves each rule with `man:` from the page of its verb, whose file has it, to the page whose passage it cites.
func (s *Spec) cite() (errs Errors) {
	names := map[string]*Page{}
	for _, p := range s.Pages {
		names[p.Page] = p
	}
	moved := map[*Page][]Rule{}
	for _, p := range s.Pages {
		p.Rules = slices.DeleteFunc(slices.Clone(p.Rules), func(r Rule) bool {
			to := names[r.Page]
			switch {
			case to == nil:
				errs = append(errs, Error{Pos: r.At("man", r.Page), Subject: r.ID, Code: CodeUnknownName,
					Problem: "man: there is no page " + show(r.Page),
					Fix:     cmp.Or(DidYouMean(r.Page, sortedKeys(names)), "name the man page of the passage")})
			case to != p:
				moved[to] = append(moved[to], r)
			}
			return to != nil && to != p
		})
	}
	for p, rules := range moved {
		p.Rules = append(p.Rules, rules...)
	}
	return errs
}

// orderRules puts the rules of a page in their order: verb by verb, and those of a verb by their numbers. So the order does not
// depend on where in a file a rule is written. Verbs come as the page lists them, then those of other pages by name.
func (p *Page) orderRules() {
	rank := map[string]int{}
	for i := range p.Verbs {
		rank[p.Verbs[i].C] = i - len(p.Verbs)
	}
	slices.SortStableFunc(p.Rules, func(a, b Rule) int {
		m, _ := ruleNumber(a.ID)
		n, _ := ruleNumber(b.ID)
		return cmp.Or(cmp.Compare(rank[a.Verb], rank[b.Verb]), cmp.Compare(a.Verb, b.Verb), cmp.Compare(m, n))
	})
}
