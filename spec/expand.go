package spec

import (
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// expander writes shared rules out, once all files are read.
type expander struct {
	spec  *Spec
	parts map[*Page]*Page // what a page's file says by itself, by the page that it is read into
	rules []*sharedRule
	byID  map[string]*sharedRule
	more  map[*Page][]Rule // the rules written out
}

// expandShared adds to each page the rules that are written once for several verbs. A mistake is noted where it is.
func expandShared(s *Spec, files []*file, parts map[*Page]*Page) {
	x := &expander{spec: s, parts: parts, byID: map[string]*sharedRule{}, more: map[*Page][]Rule{}}
	var more []*sharedRule
	for _, f := range files {
		for _, r := range f.shared {
			if r.extends != nil {
				more = append(more, r)
				continue
			}
			x.rules = append(x.rules, r)
			for _, e := range r.entries {
				x.byID[e.id.Value] = r
			}
		}
	}
	for _, r := range more {
		x.extend(r)
	}
	var all []*written
	size := 0
	for _, r := range x.rules {
		for _, e := range r.entries {
			if size += r.size(e); size > maxExpanded {
				r.d.add(r.node, CodeTooMuch, firstID(r.node, r.to.Page),
					"the rules with for: are too large to be written out for each of their entries", "take some of them out")
				return
			}
			all = append(all, &written{of: r, entry: e})
		}
	}
	x.writeAll(all)
	s.shared = x.rules
	for page, rules := range x.more {
		page.Rules = slices.Concat(page.Rules, rules)
	}
}

// written is the rule of one entry of a shared rule.
type written struct {
	of    *sharedRule
	entry *entry
	page  *Page // nil if it belongs to none
	rule  Rule
}

// writeAll writes the rules of entries out, those of each file in their order, and adds them to their pages.
func (x *expander) writeAll(all []*written) {
	byFile := map[*decoder][]*written{}
	for _, w := range all {
		byFile[w.entry.d] = append(byFile[w.entry.d], w)
	}
	var wg sync.WaitGroup
	for _, list := range byFile {
		wg.Go(func() {
			for _, w := range list {
				x.write(w)
			}
		})
	}
	wg.Wait()
	for _, w := range all {
		if w.page != nil {
			x.more[w.page] = append(x.more[w.page], w.rule)
			x.more[x.parts[w.entry.to]] = append(x.more[x.parts[w.entry.to]], w.rule)
		}
	}
}

// extend adds the entries of one rule with `extends:` to the rule that it names.
func (x *expander) extend(r *sharedRule) {
	var id string
	r.d.text(&id)(r.extends, place{firstID(r.node, r.to.Page), keyExtends})
	if id == "" {
		return
	}
	base := x.byID[id]
	if base == nil {
		problem, fix := "no shared rule has this ID", didYouMean(id, sortedKeys(x.byID))
		for _, p := range x.spec.Pages {
			if slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.ID == id }) {
				problem, fix = "this rule is about one parameter or field alone: it has id:, not for:", "write a rule of its own"
			}
		}
		if fix == "" {
			fix = "name an ID that is under for: of the rule"
		}
		r.d.add(r.extends, CodeSharedRule, show(id), "extends: "+problem, fix)
		return
	}
	if base.every == nil && len(r.except) > 0 {
		r.d.add(r.node, CodeSharedRule, show(id), exceptAlone, exceptAloneFix)
	}
	base.entries = append(slices.Clip(base.entries), r.entries...)
	for name, k := range r.except {
		base.except[name] = k
	}
}

// write writes the rule of one entry out, and finds its page.
func (x *expander) write(to *written) {
	r, e := to.of, to.entry
	page := x.pageOf(r, e)
	if page == nil || page.layer > x.spec.layers[e.d.file] { // a page that replaces another says all about its verbs
		return
	}
	d := e.d
	w := &writer{d: d, e: e, words: map[string]bool{}}
	if r.d != d {
		d.from = map[*yaml.Node]string{}
		w.file = r.d.file
		w.markAll(r.node)
	}
	n := w.rule(r, page.Page != r.to.Page)
	to.page, to.rule = page, d.rule(n, place{page.Page, ""})
	d.from = nil
	to.rule.Page, to.rule.Pos = page.Page, e.d.pos(e.key)
}

// pageOf finds the page that the rule of an entry stands on: that of the file that has the entry, or the one that it names.
func (x *expander) pageOf(r *sharedRule, e *entry) *Page {
	var name string
	if e.page == nil {
		name = e.to.Page
	} else if e.d.text(&name)(e.page, place{show(e.id.Value), keyPage}); name == "" {
		return nil
	}
	i := slices.IndexFunc(x.spec.Pages, func(p *Page) bool { return p.Page == name })
	if i >= 0 {
		return x.spec.Pages[i]
	}
	if e.page != nil {
		var names []string
		for _, p := range x.spec.Pages {
			names = append(names, p.Page)
		}
		e.d.add(e.page, CodeSharedRule, show(e.id.Value), "page: there is no page "+show(name), didYouMean(name, names))
	}
	return nil
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
