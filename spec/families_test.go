package spec

import "testing"

// TestFamilies wants every function that a page binds in a family, and a function for every pattern.
func TestFamilies(t *testing.T) {
	for _, module := range Modules() {
		s := must(Embedded(module))(t)
		m := s.Module
		used := map[string]bool{}
		for v := range s.Verbs() {
			f := s.FamilyOf(v.C)
			if f == nil {
				if len(m.Families) > 0 {
					t.Errorf("%s: no family in spec/%s/module.yaml has it", v.C, module)
				}
				continue
			}
			for _, glob := range f.Verbs {
				used[f.Name+glob] = used[f.Name+glob] || (&Family{Verbs: []string{glob}}).Has(v.C)
			}
		}
		for _, f := range m.Families {
			for _, glob := range f.Verbs {
				if !used[f.Name+glob] {
					t.Errorf("family %s of module %s: no function matches %s", f.Name, module, glob)
				}
			}
		}
	}
}
