package spec

import (
	"cmp"
	"sync"

	"go.yaml.in/yaml/v3"
)

// expandShared adds to each page the rules that are written once for several parameters. A mistake is noted where it is.
func expandShared(s *Spec, files []*file) {
	byName := map[string]*sharedRule{}
	for _, f := range files {
		for _, r := range f.shared {
			s.shared = append(s.shared, r)
			switch first := byName[r.name]; {
			case r.name == "":
			case first != nil:
				r.d.add(r.node, CodeDuplicateName, r.name, "this shared rule is already at "+first.d.pos(first.node).String(), "take another name")
			default:
				byName[r.name] = r
			}
		}
	}
	for _, f := range files {
		for _, t := range f.taken {
			t.from(byName)
		}
	}
	var all []*written
	size := 0
	for _, r := range s.shared {
		for _, e := range r.entries {
			if size += r.size(e); size > maxExpanded {
				r.d.add(r.node, CodeTooMuch, r.subject, "the shared rules are too large to be written out for each of their entries",
					"take some of them out")
				return
			}
			all = append(all, &written{of: r, entry: e})
		}
	}
	writeAll(all)
}

// from adds an entry of a page to the shared rule that it names.
func (t *taken) from(rules map[string]*sharedRule) {
	var name string
	if t.d.text(&name)(t.name, place{show(t.name.Value), keyShared}); name == "" {
		return
	}
	r := rules[name]
	switch {
	case r == nil:
		fix := cmp.Or(DidYouMean(name, sortedKeys(rules)), "name a rule of a file of the folder shared, as FILE.NAME")
		t.d.add(t.name, CodeSharedRule, show(name), "there is no shared rule of this name", fix)
	case t.except == "":
		r.entries = append(r.entries, &t.entry)
	case r.every == nil:
		t.d.add(t.key, CodeSharedRule, name, "except: takes nothing out of a rule without every:", "leave it out")
	default:
		r.except[t.except] = t.d.pos(t.key)
	}
}

// written is the rule of one entry of a shared rule.
type written struct {
	of    *sharedRule
	entry *entry
	rule  Rule
}

// writeAll writes the rules of entries out, those of each file in their order, and adds them to their pages.
func writeAll(all []*written) {
	byFile := map[*decoder][]*written{}
	for _, w := range all {
		byFile[w.entry.d] = append(byFile[w.entry.d], w)
	}
	var wg sync.WaitGroup
	for _, list := range byFile {
		wg.Go(func() {
			for _, w := range list {
				w.write()
			}
		})
	}
	wg.Wait()
	for _, w := range all {
		w.entry.to.Rules = append(w.entry.to.Rules, w.rule)
	}
}

// write writes the rule of one entry out.
func (to *written) write() {
	r, e := to.of, to.entry
	d := e.d
	w := &writer{d: d, e: e, words: map[string]bool{}}
	d.lender = r.d
	n := w.rule(r)
	to.rule = d.rule(n, place{e.to.Page, ""})
	d.lender = nil
	to.rule.Page, to.rule.Pos = cmp.Or(to.rule.Page, e.to.Page), d.pos(e.key)
}

// size is the number of nodes of a written out entry, about.
func (r *sharedRule) size(e *entry) int {
	n := 0
	for _, l := range [][]*yaml.Node{r.body, e.own, {e.with}} {
		for _, c := range l {
			n += nodes(c)
		}
	}
	return n + len(e.path)
}

func nodes(n *yaml.Node) int {
	if n == nil {
		return 0
	}
	sum := 1
	for _, c := range n.Content {
		sum += nodes(c)
	}
	return sum
}
