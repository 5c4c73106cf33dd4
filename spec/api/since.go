package api

import (
	"errors"
	"sync"
)

// Index tells the first release that has a name. The oldest stored release stands for all before it. Names are those of
// functions ("ibv_reg_mr"), records and enums ("struct ibv_mr", "enum ibv_mtu"), fields ("struct ibv_mr.lkey"),
// enumerators, macros and aliases; a record or enum that an alias renames is found under both names.
type Index map[string]string

// Since computes the index over all stored releases.
func Since() (Index, error) {
	releases := Releases()
	rels, errs := make([]*Release, len(releases)), make([]error, len(releases))
	var wait sync.WaitGroup // reading them is most of the work; they are added in order
	for i, release := range releases {
		wait.Go(func() { rels[i], errs[i] = Load(release) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	idx := Index{}
	for _, rel := range rels {
		idx.Add(rel)
	}
	return idx, nil
}

// Add enters the names of a release that the index does not have yet. Releases are to be added oldest first.
func (x Index) Add(rel *Release) {
	put := func(name string) {
		if _, ok := x[name]; !ok {
			x[name] = rel.Release
		}
	}
	also := map[string][]string{} // "struct ib_uverbs_x" -> its other names
	for _, a := range rel.Aliases {
		put(a.Name)
		also[a.Kind+" "+a.Of] = append(also[a.Kind+" "+a.Of], a.Kind+" "+a.Name)
	}
	for _, f := range rel.Functions {
		put(f.Name)
	}
	for _, r := range rel.Records {
		for _, tag := range append([]string{r.Tag}, also[r.Tag]...) {
			put(tag)
			for _, m := range r.Fields {
				if m.Name != "" {
					put(tag + "." + m.Name)
				}
			}
		}
	}
	for _, e := range rel.Enums {
		for _, tag := range append([]string{e.Tag}, also[e.Tag]...) {
			put(tag)
		}
		for _, v := range e.Enumerators {
			put(v.Name)
		}
	}
	for _, m := range rel.Macros {
		put(m.Name)
	}
	for _, t := range rel.Typedefs {
		put(t.Name)
	}
	for _, v := range rel.Variables {
		put(v.Name)
	}
}
