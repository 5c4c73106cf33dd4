package spec

import "iter"

// Citation is a source and what rests on it.
type Citation struct {
	Source *Source
	Rule   *Rule  // nil for that of a note
	Party  *Party // of the rule, or nil
	Of     string // the ID of the rule, or the verb of the note
}

// Citations yields the sources of all rules that are not retired, of their parties, and of all notes.
func (s *Spec) Citations() iter.Seq[Citation] {
	return func(yield func(Citation) bool) {
		for _, p := range s.Pages {
			if !p.citations(yield) {
				return
			}
		}
	}
}

func (p *Page) citations(yield func(Citation) bool) bool {
	for i := range p.Rules {
		r := &p.Rules[i]
		if !r.Retired && !r.citations(yield) {
			return false
		}
	}
	for i := range p.Notes {
		n := &p.Notes[i]
		for j := range n.Source {
			if !yield(Citation{Source: &n.Source[j], Of: n.Verb}) {
				return false
			}
		}
	}
	return true
}

func (r *Rule) citations(yield func(Citation) bool) bool {
	for i := range r.Source {
		if !yield(Citation{Source: &r.Source[i], Rule: r, Of: r.ID}) {
			return false
		}
	}
	for _, list := range [][]Party{r.AcceptedBy, r.RefusedBy} {
		for i := range list {
			p := &list[i]
			for j := range p.Source {
				if !yield(Citation{Source: &p.Source[j], Rule: r, Party: p, Of: r.ID}) {
					return false
				}
			}
		}
	}
	return true
}
