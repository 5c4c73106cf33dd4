package api

import (
	"encoding/json"
	"fmt"
)

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
	releases := k.Releases()
	idx := make(Index, len(names))
	for name, n := range names {
		idx[name] = releases[n.first]
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
	changed := make([]bool, len(h.releases)+1)
	changed[0] = true
	for _, f := range h.facts {
		changed[f.first], changed[f.last+1] = true, true
	}
	var list []string
	for i, release := range h.releases {
		if changed[i] {
			list = append(list, release)
		}
	}
	return list, nil
}

// lifetime is how long a name is known.
type lifetime struct {
	first int  // index of the first release that has it
	last  int  // and of the last one
	stays bool // every release from then on has it
}

// lifetimes reads the names off the facts.
func (h *history) lifetimes() (map[string]lifetime, error) {
	l := &lives{releases: len(h.releases), has: map[string][]bool{}, aliases: map[string][]alias{}}
	for _, f := range h.facts {
		if f.kind != KindAlias {
			continue
		}
		var a Alias
		if err := json.Unmarshal([]byte(f.data), &a); err != nil {
			return nil, fmt.Errorf("%w in %.80s", err, f.data)
		}
		l.aliases[a.Kind+" "+a.Of] = append(l.aliases[a.Kind+" "+a.Of], alias{a.Kind + " " + a.Name, f.first, f.last})
	}
	owner := ""
	for _, f := range h.facts {
		name, err := nameOf(f.data)
		if err != nil {
			return nil, fmt.Errorf("%w in %.80s", err, f.data)
		}
		switch f.kind {
		case KindRecord, KindEnum:
			owner = name
			l.put(name, "", f)
		case KindField:
			if name != "" {
				l.put(owner, "."+name, f)
			}
		default:
			l.put(name, "", f)
		}
	}
	return l.all(), nil
}

// alias is another name of a record or enum, in some releases.
type alias struct {
	tag         string
	first, last int
}

// lives collects which releases have a name.
type lives struct {
	releases int
	has      map[string][]bool
	aliases  map[string][]alias
}

// put notes that a name, and the same member of each other name of it, is in the releases of a fact.
func (l *lives) put(name, member string, f fact) {
	l.mark(name+member, f.first, f.last)
	for _, a := range l.aliases[name] {
		l.mark(a.tag+member, max(f.first, a.first), min(f.last, a.last))
	}
}

func (l *lives) mark(name string, first, last int) {
	if l.has[name] == nil {
		l.has[name] = make([]bool, l.releases)
	}
	for i := first; i <= last; i++ {
		l.has[name][i] = true
	}
}

func (l *lives) all() map[string]lifetime {
	out := make(map[string]lifetime, len(l.has))
	for name, in := range l.has {
		life := lifetime{first: -1, stays: true}
		for i, yes := range in {
			switch {
			case yes:
				life.last = i
				if life.first < 0 {
					life.first = i
				}
			case !yes && life.first >= 0:
				life.stays = false
			}
		}
		if life.first >= 0 {
			out[name] = life
		}
	}
	return out
}
