package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A shared rule is written once and is about several parameters or fields: each has an entry under `for:`, with the ID of
// its own rule. The loader writes each entry out as a rule like any other, so that nothing behind it knows shared rules.

// sharedRule is such a rule as a file has it, or, with `extends:`, more entries of one.
type sharedRule struct {
	d       *decoder
	node    *yaml.Node
	body    []*yaml.Node // the keys and values of a rule, which all entries have
	extends *yaml.Node   // the ID of an entry of the rule that this one adds to
	every   *every
	entries []*entry
	except  map[string]Pos // "VERB PATH" of what the rule is not about
	to      *Page          // the page whose file this is, or that it extends
}

// entry is one parameter or field that a shared rule is about.
type entry struct {
	d     *decoder // of the file that has it
	verb  string
	path  string
	key   *yaml.Node
	id    *yaml.Node
	own   []*yaml.Node          // keys and values that stand in place of the rule's
	when  *yaml.Node            // comparisons beside those of the rule
	words map[string]*yaml.Node // what stands for $name in the texts of the rule
	with  *yaml.Node            // arguments of both cases beside those of the rule
	page  *yaml.Node            // the page that it stands on, when that is another than the rule's
	to    *Page                 // the page whose file has it
}

// Keys of a shared rule that are none of a rule.
const (
	keyOf      = "for"
	keyEvery   = "every"
	keyExcept  = "except"
	keyExtends = "extends"
	keyWith    = "with"
	keyPage    = "page"
	keyWords   = "words"
)

// rules reads the rules of a file. Shared ones wait until all files are read.
func (d *decoder) rules(to *Page) reader {
	return func(n *yaml.Node, at place) {
		d.list(n, at, func(e *yaml.Node) {
			if e.Kind == yaml.MappingNode && hasKey(e, keyExtends) && !hasKey(e, keyOf) && !hasKey(e, keyExcept) {
				d.amendments = append(d.amendments, d.amendment(e, at))
				return
			}
			if e.Kind == yaml.MappingNode && slices.ContainsFunc([]string{keyOf, keyEvery, keyExcept, keyExtends},
				func(k string) bool { return hasKey(e, k) }) {
				d.shared = append(d.shared, d.sharedRule(e, at, to))
				return
			}
			r := d.rule(e, at)
			d.noSigns(e, ruleSubject(e, at.subject))
			to.Rules = append(to.Rules, r)
		})
	}
}

// sharedRule takes a shared rule apart.
func (d *decoder) sharedRule(n *yaml.Node, at place, to *Page) *sharedRule {
	r := &sharedRule{d: d, node: n, except: map[string]Pos{}, to: to}
	subject := firstID(n, at.subject)
	d.pairs(n, place{subject, ""}, func(k, v *yaml.Node) {
		at := place{subject, k.Value}
		switch k.Value {
		case keyOf:
			d.pairs(v, at, func(k, v *yaml.Node) {
				r.entries = append(r.entries, d.entriesOf(k, v, subject, to)...)
			})
		case keyEvery:
			r.every = d.every(v, at)
		case keyExcept:
			d.pairs(v, at, func(k, v *yaml.Node) {
				var why string
				d.text(&why)(v, place{subject, "except: " + k.Value})
				if _, _, ok := d.verbAndPath(k, subject); ok {
					r.except[k.Value] = d.pos(k)
				}
			})
		case keyExtends:
			r.extends = v
		case "id", "verb", "subject":
			d.add(k, CodeSharedRule, subject, k.Value+": each entry under for: gives it", "leave it out, or leave for: out")
		default:
			r.body = append(r.body, k, v)
		}
	})
	d.checkShared(r, subject)
	return r
}

// A rule without `every:` is about nothing that could be taken out.
const (
	exceptAlone    = "except: takes nothing out of a rule without every:"
	exceptAloneFix = "leave it out, or say with every: what the rule is about"
)

// checkShared notes keys of a shared rule that do not go together.
func (d *decoder) checkShared(r *sharedRule, subject string) {
	if r.extends != nil {
		if r.every != nil || len(r.body) > 0 {
			d.add(r.node, CodeSharedRule, subject, "a rule with extends: only adds entries", "keep for: and except:")
		}
		return
	}
	if !hasKey(r.node, keyOf) {
		d.add(r.node, CodeSharedRule, subject, "every: and except: without for:", "list under for: what the rule is about, each with its ID")
	} else if len(r.entries) == 0 && len(d.errs) == 0 {
		d.add(r.node, CodeSharedRule, subject, "for: lists nothing", "list what the rule is about, each with its ID")
	}
	if r.every == nil && len(r.except) > 0 {
		d.add(r.node, CodeSharedRule, subject, exceptAlone, exceptAloneFix)
	}
}

// firstID is what errors in a shared rule call it: the ID of its first entry, or the one that it extends.
func firstID(n *yaml.Node, otherwise string) string {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Value == keyExtends && v.Kind == yaml.ScalarNode && v.Value != "":
			return show(v.Value)
		case k.Value == keyOf && v.Kind == yaml.MappingNode && len(v.Content) > 1:
			first := v.Content[1]
			if first.Kind == yaml.SequenceNode && len(first.Content) > 0 {
				first = first.Content[0]
			}
			if first.Kind == yaml.ScalarNode && first.Value != "" {
				return show(first.Value)
			}
			return ruleSubject(first, otherwise)
		}
	}
	return otherwise
}

// verbAndPath splits "ibv_reg_mr access".
func (d *decoder) verbAndPath(k *yaml.Node, subject string) (verb, path string, ok bool) {
	verb, path, ok = strings.Cut(k.Value, " ")
	if !ok || verb == "" || path == "" || strings.ContainsAny(path, " \t\n") {
		d.add(k, CodeSharedRule, subject, show(k.Value)+" is not a verb and a parameter or field of it", "write it as: ibv_reg_mr access")
		return "", "", false
	}
	return verb, path, true
}

// entriesOf reads what stands under `for:` for one parameter or field: an entry, or a list of them.
func (d *decoder) entriesOf(k, v *yaml.Node, subject string, to *Page) []*entry {
	verb, path, ok := d.verbAndPath(k, subject)
	if !ok {
		return nil
	}
	list := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		if list = v.Content; len(list) == 0 {
			d.add(v, CodeSharedRule, subject, k.Value+" lists nothing", "give it an ID, or take it out")
		}
	}
	var out []*entry
	for _, v := range list {
		if e := d.sharedEntry(verb, path, k, v, subject, to); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// sharedEntry reads one entry: the ID alone, or a mapping with what is different for it.
func (d *decoder) sharedEntry(verb, path string, k, v *yaml.Node, subject string, to *Page) *entry {
	e := &entry{d: d, verb: verb, path: path, key: k, to: to}
	if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" {
		e.id = v
		return d.withID(e)
	}
	ok := d.pairs(v, place{subject, k.Value}, func(k, v *yaml.Node) {
		switch k.Value {
		case "id":
			e.id = v
		case "when":
			e.when = v
		case keyWith:
			if e.with = v; v.Kind != yaml.MappingNode {
				d.wrongType(v, place{subject, keyWith}, "a mapping")
				e.with = nil
			}
		case keyPage:
			e.page = v
		case keyWords:
			e.words = d.words(v, place{subject, keyWords})
		case "verb", "kind", "subject", keyOf, keyEvery, keyExcept, keyExtends:
			d.add(k, CodeSharedRule, subject, k.Value+" in an entry of for: is the same for all entries", "take it out, or write a rule of its own")
		default:
			e.own = append(e.own, k, v)
		}
	})
	if ok && e.id == nil {
		d.add(k, CodeMissingKey, subject, k.Value+": key id is missing", "add it")
		return nil
	}
	if !ok {
		return nil
	}
	return d.withID(e)
}

// withID returns the entry when its ID is one.
func (d *decoder) withID(e *entry) *entry {
	before := len(d.errs)
	r := Rule{Verb: e.verb}
	d.text(&r.ID)(e.id, place{show(e.id.Value), "id"})
	d.checkID(e.id, &r)
	if len(d.errs) > before {
		return nil
	}
	return e
}

// words reads the words of an entry.
func (d *decoder) words(n *yaml.Node, at place) map[string]*yaml.Node {
	words := map[string]*yaml.Node{}
	d.pairs(n, at, func(k, v *yaml.Node) {
		var s string
		d.text(&s)(v, place{at.subject, at.key + "." + k.Value})
		if m := wordSign.FindString("$" + k.Value); m != "$"+k.Value {
			d.add(k, CodeSharedRule, at.subject, at.key+": "+show(k.Value)+" cannot be a word of a rule",
				"write small letters, digits and underscores")
			return
		}
		if s != "" {
			words[k.Value] = v
		}
	})
	return words
}
