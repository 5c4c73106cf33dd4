package decide

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// fields lists the fields of bound records that a Go type neither shows nor hides.
func fields(rel *api.Release, sp *spec.Spec) []Member {
	recs := map[string]*api.Record{}
	for i := range rel.Records {
		recs[rel.Records[i].Tag] = &rel.Records[i]
	}
	var out []Member
	add := func(tag, goName string, at spec.Pos, known map[string]bool) {
		rec := recs[tag]
		if rec == nil {
			return
		}
		for _, f := range rec.Fields {
			outer, _, _ := strings.Cut(f.Name, ".")
			if f.Name != "" && !known[f.Name] && !(known[outer] && strings.HasPrefix(tag, "union ")) && !rec.Container(f) {
				out = append(out, Member{Of: rec.Tag, Name: f.Name, Pos: f.Pos, Field: true, Go: goName, Page: at})
			}
		}
	}
	for _, p := range sp.Pages {
		for i := range p.Records {
			if p.Records[i].Runtime != "" { // which has all
				continue
			}
			add("struct "+p.Records[i].C, p.Records[i].Go, p.Records[i].Pos, knownFields(&p.Records[i]))
		}
		for _, u := range p.Unions {
			known := map[string]bool{u.Shows: true}
			for c := range u.Hide {
				known[c] = true
			}
			add("union "+u.C, u.Go, u.Pos, known)
		}
	}
	return out
}

// knownFields are the fields that a record of a page shows, hides or uses as its mask.
func knownFields(s *spec.Record) map[string]bool {
	known := s.Shown()
	for c := range s.Hide {
		known[c] = true
	}
	return known
}

// enumerators lists the enumerators of bound enums, and of enums without a name, that no page decides. A Go type that lists no
// members has all of its enum; a
// skipped or pending enum is so with all it has.
func (d *decider) enumerators(rel *api.Release, sp *spec.Spec, enums []Status) []Member {
	whole, other := map[string]bool{}, map[string][]string{}
	for _, p := range sp.Pages {
		for _, f := range p.Flags {
			whole["enum "+f.Enum] = whole["enum "+f.Enum] || len(f.Members) == 0
		}
		for _, e := range p.Enums {
			whole["enum "+e.Enum] = whole["enum "+e.Enum] || len(e.Members) == 0
		}
	}
	for _, a := range rel.Aliases {
		other[a.Of] = append(other[a.Of], a.Name)
		if whole["enum "+a.Name] {
			whole["enum "+a.Of] = true
		}
	}
	var out []Member
	for i, e := range rel.Enums {
		if enums[i].Status != Bound && !anonymous(e.Tag) || whole[e.Tag] {
			continue
		}
		for _, m := range e.Enumerators {
			names := append([]string{m.Name}, other[m.Name]...)
			if !slices.ContainsFunc(names, func(c string) bool { return d.exactly(c, api.Pos{}).Status != Undecided }) {
				out = append(out, Member{Of: e.Tag, Name: m.Name, Pos: api.Pos{File: e.Pos.File, Line: m.Line}})
			}
		}
	}
	return out
}
