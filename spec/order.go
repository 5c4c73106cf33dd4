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
		rank[p.Verbs[i].C] = i
	}
	type place struct{ verb, number, rule int }
	order := make([]place, len(p.Rules))
	for i := range p.Rules {
		verb, own := rank[p.Rules[i].Verb]
		if !own {
			verb = len(p.Verbs)
		}
		number, _ := ruleNumber(p.Rules[i].ID)
		order[i] = place{verb, number, i}
	}
	slices.SortStableFunc(order, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.verb, b.verb), cmp.Compare(p.Rules[a.rule].Verb, p.Rules[b.rule].Verb), cmp.Compare(a.number, b.number))
	})
	rules := make([]Rule, len(order))
	for i, o := range order {
		rules[i] = p.Rules[o.rule]
	}
	p.Rules = rules
}
