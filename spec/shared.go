package spec

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A rule that several parameters or fields have is written once. Under `for:` it lists those of its page, each with the ID of its own
// rule. Without that it stands in a file of the folder shared, with a name by which pages take it: `shared: FILE.NAME`. The loader
// writes each out as a rule like any other, so that nothing behind it knows shared rules.

// sharedRule is such a rule as a file has it.
type sharedRule struct {
	d       *decoder
	node    *yaml.Node
	name    string       // "access.remote_write"; empty if it has `for:`
	subject string       // what errors in it call it
	body    []*yaml.Node // the keys and values of a rule, which all entries have
	every   *every
	entries []*entry
	except  map[string]Pos // "VERB PATH" of what the rule is not about
}

// entry is one parameter or field that a shared rule is about.
type entry struct {
	d     *decoder // of the file that has it
	verb  string
	path  string
	key   *yaml.Node
	at    *yaml.Node // of the path
	in    int        // the column of the path in it
	id    *yaml.Node
	own   []*yaml.Node          // keys and values that stand in place of the rule's
	when  *yaml.Node            // comparisons beside those of the rule
	words map[string]*yaml.Node // what stands for $name in the texts of the rule
	with  *yaml.Node            // arguments of both cases beside those of the rule
	to    *Page                 // the page whose file has it
}

// taken is an entry of a page that takes a rule of the folder shared, or says that it does not.
type taken struct {
	entry
	name   *yaml.Node // of the rule
	except string     // "VERB PATH" that it is not about
}

// Keys of a shared rule that are none of a rule.
const (
	keyOf      = "for"
	keyShared  = "shared"
	keyEvery   = "every"
	keyExcept  = "except"
	keyExtends = "extends"
	keyWith    = "with"
	keyWords   = "words"
	keyName    = "name"
)

// names tells the tables of a schema the keys of a mapping: those of a rule, and further ones.
func (d *decoder) names(n *yaml.Node, more ...string) {
	if d.tables == nil {
		return
	}
	keys := d.keys(new(Rule))
	for _, name := range more {
		keys = append(keys, key{name, false, nil})
	}
	d.tables(n, keys)
}

// rules reads the rules of a page. Shared ones wait until all files are read.
func (d *decoder) rules(to *Page) reader {
	return func(n *yaml.Node, at place) {
		d.list(n, at, func(e *yaml.Node) {
			has := func(key string) bool { return e.Kind == yaml.MappingNode && hasKey(e, key) }
			switch {
			case has(keyShared):
				if t := d.takes(e, at, to); t != nil {
					d.taken = append(d.taken, t)
				}
			case has(keyExtends):
				d.amendments = append(d.amendments, d.amendment(e, at))
			case has(keyOf):
				d.shared = append(d.shared, d.sharedRule(e, at, to))
			default:
				r := d.rule(e, at)
				d.noSigns(e, ruleSubject(e, at.subject))
				to.Rules = append(to.Rules, r)
			}
		})
	}
}

// isShared reports whether the root of a file is one of shared rules.
func isShared(root *yaml.Node) bool { return root.Kind == yaml.MappingNode && hasKey(root, keyShared) }

// sharedFile reads a file of the folder shared.
func (d *decoder) sharedFile(n *yaml.Node) {
	d.tag = "v" + textOf(n, "release")
	d.sourceTable(valueOf(n, keySources))
	var file, title, release string
	d.object(n, place{pageName(d.file), ""}, []key{
		{keyShared, true, d.text(&file)},
		{"title", true, d.text(&title)},
		{"release", true, d.matching(&release, forms["release"])},
		{"rules", true, func(n *yaml.Node, at place) {
			d.list(n, at, func(e *yaml.Node) { d.shared = append(d.shared, d.sharedRule(e, at, nil)) })
		}},
		{keySources, false, func(*yaml.Node, place) {}},
	})
	if file != "" && file != pageName(d.file) {
		d.add(n, CodePageName, file, "the file is called "+pageName(d.file)+".yaml", "name the file "+file+".yaml")
	}
}

// sharedRule takes a shared rule apart: one of a page, or without a page one of a file of shared rules.
func (d *decoder) sharedRule(n *yaml.Node, at place, to *Page) *sharedRule {
	r := &sharedRule{d: d, node: n, except: map[string]Pos{}}
	r.subject = firstID(n, at.subject)
	if to == nil {
		r.name = pageName(d.file) + "." + textOf(n, keyName)
		r.subject = r.name
	}
	own := []string{keyOf}
	if to == nil {
		own = []string{keyName, keyEvery}
	}
	d.names(n, own...)
	d.pairs(n, place{r.subject, ""}, func(k, v *yaml.Node) {
		at := place{r.subject, k.Value}
		switch {
		case k.Value == keyOf && to != nil:
			d.pairs(v, at, func(k, v *yaml.Node) {
				r.entries = append(r.entries, d.entriesOf(k, v, r.subject, to)...)
			})
		case k.Value == keyEvery && to == nil:
			r.every = &every{}
			d.read(r.every, v, v, place{r.subject, ""})
		case k.Value == keyName && to == nil:
			var name string
			d.matching(&name, form{is: wordSign.MatchString, problem: notOne, fix: "write small letters, digits and underscores"})(withSign(v), at)
		case slices.Contains([]string{"id", "verb", "subject", keyOf, keyEvery, keyExcept}, k.Value):
			fix := "leave it out, or leave for: out"
			switch {
			case to == nil:
				fix = "leave it out: each page that takes the rule gives it"
			case k.Value == keyEvery || k.Value == keyExcept:
				fix = "write the rule in a file of the folder shared"
			}
			d.add(k, CodeSharedRule, r.subject, k.Value+": not in a rule "+map[bool]string{true: "that pages take",
				false: "with for:"}[to == nil], fix)
		default:
			r.body = append(r.body, k, v)
		}
	})
	switch {
	case to != nil && len(r.entries) == 0 && len(d.errs) == 0:
		d.add(n, CodeSharedRule, r.subject, "for: lists nothing", "list what the rule is about, each with its ID")
	case to == nil && textOf(n, keyName) == "":
		d.add(n, CodeMissingKey, r.subject, "key name is missing", "add it")
	}
	return r
}

// withSign is a name as a sign of it would be written.
func withSign(n *yaml.Node) *yaml.Node {
	c := *n
	c.Value = "$" + c.Value
	return &c
}

// takes reads an entry of a page that takes a shared rule, or says that it is not about a parameter or field.
func (d *decoder) takes(n *yaml.Node, at place, to *Page) *taken {
	t := &taken{entry: entry{d: d, key: n, at: n, to: to}, name: valueOf(n, keyShared)}
	subject := ruleSubject(n, show(textOf(n, keyShared)))
	if hasKey(n, keyExcept) {
		var name, reason string
		d.object(n, place{subject, ""}, []key{{keyShared, true, d.text(&name)}, {keyExcept, true, d.text(&t.except)}, {"reason", true,
			d.text(&reason)}})
		if t.except != "" {
			if _, _, ok := d.verbAndPath(valueOf(n, keyExcept), subject); !ok {
				return nil
			}
		}
		t.key = valueOf(n, keyExcept)
		return t
	}
	d.names(n, keyShared, keyWith, keyWords, keyExcept, "reason")
	ok := d.pairs(n, place{subject, ""}, func(k, v *yaml.Node) {
		switch k.Value {
		case keyShared:
		case "verb":
			d.text(&t.verb)(v, place{subject, k.Value})
		case "subject":
			d.text(&t.path)(v, place{subject, k.Value})
			t.at = v
		case "kind", keyOf, keyEvery, keyExtends:
			d.add(k, CodeSharedRule, subject, k.Value+": the shared rule has it", "take it out, or write a rule of its own")
		default:
			d.entryKey(&t.entry, k, v, subject)
		}
	})
	if ok && t.id == nil {
		d.add(n, CodeMissingKey, subject, "key id is missing", "add it")
	}
	if !ok || t.id == nil {
		return nil
	}
	if m := ruleID.FindStringSubmatch(t.id.Value); m != nil {
		t.verb, t.path = cmp.Or(t.verb, m[1]), cmp.Or(t.path, m[2])
	}
	if d.withID(&t.entry) == nil {
		return nil
	}
	return t
}

// firstID is what errors in a shared rule call it: the ID of its first entry.
func firstID(n *yaml.Node, otherwise string) string {
	list := valueOf(n, keyOf)
	if list == nil || list.Kind != yaml.MappingNode || len(list.Content) < 2 {
		return otherwise
	}
	first := list.Content[1]
	if first.Kind == yaml.SequenceNode && len(first.Content) > 0 {
		first = first.Content[0]
	}
	if first.Kind == yaml.ScalarNode && first.Value != "" {
		return show(first.Value)
	}
	return ruleSubject(first, otherwise)
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
	e := &entry{d: d, verb: verb, path: path, key: k, at: k, in: len(verb) + 1, to: to}
	if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" {
		e.id = v
		return d.withID(e)
	}
	d.names(v, keyWith, keyWords)
	ok := d.pairs(v, place{subject, k.Value}, func(k, v *yaml.Node) {
		switch k.Value {
		case "verb", "kind", "subject", keyOf, keyEvery, keyExcept, keyExtends, keyShared:
			d.add(k, CodeSharedRule, subject, k.Value+" in an entry of for: is the same for all entries", "take it out, or write a rule of its own")
		default:
			d.entryKey(e, k, v, subject)
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

// entryKey reads one key of an entry.
func (d *decoder) entryKey(e *entry, k, v *yaml.Node, subject string) {
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
	case keyWords:
		e.words = d.words(v, place{subject, keyWords})
	default:
		e.own = append(e.own, k, v)
	}
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
