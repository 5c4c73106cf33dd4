package api

import "slices"

// Index maps a name to the first release that has it. The oldest stored release stands for all before it. Names are those
// of functions ("ibv_reg_mr"), records and enums ("struct ibv_mr", "enum ibv_mtu"), fields ("struct ibv_mr.lkey"),
// enumerators, macros and aliases; a record or enum that an alias renames is found under both names.
type Index map[string]string

// Since computes the [Index] over all stored releases.
func (k *Known) Since() (Index, error) {
	names, err := k.names()
	if err != nil {
		return nil, err
	}
	idx := make(Index, len(names))
	for name, n := range names {
		idx[name] = n.Since
	}
	return idx, nil
}

// Cover lists releases, oldest first, that together have every name of all stored releases: the newest one, and for
// each name that it lacks the last release that has it.
func (k *Known) Cover() ([]string, error) {
	names, err := k.names()
	if err != nil {
		return nil, err
	}
	releases := k.Releases()
	in := make([]bool, len(releases))
	for _, n := range names {
		in[n.last] = true
	}
	var list []string
	for i, r := range releases {
		if in[i] {
			list = append(list, r)
		}
	}
	return list, nil
}

// Different lists the releases, oldest first, whose facts are not those of the release before: what is made of the facts of the others is
// equal, but for the name of the release.
func (k *Known) Different() ([]string, error) {
	h, err := k.history()
	if err != nil {
		return nil, err
	}
	return h.different(), nil
}

func (h *history) different() (list []string) {
	changed := make([]bool, len(h.releases)+1)
	changed[0] = true
	for _, f := range h.facts {
		changed[f.first], changed[f.last+1] = true, true
	}
	for i, release := range h.releases {
		if changed[i] {
			list = append(list, release)
		}
	}
	return list
}

// lifetimes are those of the names of all releases.
func (k *Known) lifetimes() (map[string]Lifetime, error) {
	h, err := k.history()
	if err != nil {
		return nil, err
	}
	out, releases, different := map[string]Lifetime{}, h.releases, h.different()
	var names []string
	for i, release := range releases {
		if slices.Contains(different, release) {
			rel, err := h.shared(release)
			if err != nil {
				return nil, err
			}
			names = namesOf(rel)
		}
		for _, name := range names {
			life, known := out[name]
			if !known {
				life = Lifetime{Since: release, Stays: true}
			} else if life.last < i-1 {
				life.Stays = false
			}
			life.last = i
			out[name] = life
		}
	}
	for name, life := range out {
		life.Stays = life.Stays && life.last == len(releases)-1
		out[name] = life
	}
	return out, nil
}

// namesOf lists the names of a release in the way of [Index].
func namesOf(rel *Release) []string {
	var names []string
	also := map[string][]string{}
	for _, a := range rel.Aliases {
		also[a.Kind+" "+a.Of] = append(also[a.Kind+" "+a.Of], a.Kind+" "+a.Name)
	}
	for _, d := range rel.declared() {
		names = append(names, d.owner+d.member)
		for _, tag := range also[d.owner] {
			names = append(names, tag+d.member)
		}
	}
	for _, t := range rel.Typedefs {
		names = append(names, t.Name)
	}
	for _, v := range rel.Variables {
		names = append(names, v.Name)
	}
	return names
}
