package spec

// Citation is a source and what rests on it.
type Citation struct {
	Source *Source
	Rule   *Rule  // nil for that of a note
	Party  *Party // of the rule, or nil
	Of     string // the ID of the rule, or the verb of the note
}

// Citations lists the sources of all rules that are not retired, of their parties, and of all notes.
func (s *Spec) Citations() (out []Citation) {
	add := func(list Sources, c Citation) {
		for i := range list {
			c.Source = &list[i]
			out = append(out, c)
		}
	}
	for _, p := range s.Pages {
		for i := range p.Rules {
			r := &p.Rules[i]
			if r.Retired {
				continue
			}
			add(r.Source, Citation{Rule: r, Of: r.ID})
			for _, list := range [][]Party{r.AcceptedBy, r.RefusedBy} {
				for j := range list {
					add(list[j].Source, Citation{Rule: r, Party: &list[j], Of: r.ID})
				}
			}
		}
		for _, n := range p.Notes {
			add(n.Source, Citation{Of: n.Verb})
		}
	}
	return out
}
