package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// every says what a shared rule is about by what its subjects have in common: their Go type, or what they mean.
type every struct {
	node  *yaml.Node
	types []string
	means []string
	marks marks
}

// every reads `every: {type: MRAccess}`.
func (d *decoder) every(n *yaml.Node, at place) *every {
	v := &every{node: n}
	defer d.marking(&v.marks)()
	oneOrMore := func(to *[]string) reader {
		return func(n *yaml.Node, at place) {
			if n.Kind == yaml.SequenceNode {
				d.texts(to)(n, at)
				return
			}
			var s string
			if d.text(&s)(n, at); s != "" {
				*to = []string{s}
			}
		}
	}
	at.key = ""
	if d.object(n, at, []key{{"type", false, oneOrMore(&v.types)}, {"means", false, oneOrMore(&v.means)}}) && len(v.types)+len(v.means) == 0 {
		d.add(n, CodeMissingKey, at.subject, "every: neither type nor means is given", "write every: {type: MRAccess}")
	}
	return v
}

// String names it: "MRAccess or DMAccess".
func (v *every) String() string { return strings.Join(slices.Concat(v.types, v.means), " or ") }

// subjects are the parameters, and the fields of records passed in, that the pages bind.
type subjects struct {
	list    []*subject
	byName  map[string]*subject
	types   map[string]bool
	means   map[string]bool
	records map[string]*Record
}

// subject is a parameter or a field of a verb, as a rule speaks of it.
type subject struct {
	name  string // "ibv_reg_mr_ex mr_init_attr.access"
	typ   string
	means string
	pos   Pos
	layer int
}

// newSubjects finds the subjects of all pages.
func newSubjects(s *Spec) *subjects {
	x := &subjects{byName: map[string]*subject{}, types: map[string]bool{}, means: map[string]bool{}, records: map[string]*Record{}}
	for _, p := range s.Pages {
		for i := range p.Records {
			x.records[p.Records[i].Go] = &p.Records[i]
		}
	}
	for _, p := range s.Pages {
		for i := range p.Verbs {
			v := &p.Verbs[i]
			for j := range v.Params {
				x.param(p, v, &v.Params[j])
			}
		}
	}
	return x
}

func (x *subjects) add(s *subject) {
	x.list = append(x.list, s)
	x.byName[s.name] = s
	x.types[s.typ] = true
	x.means[s.means] = true
}

func (x *subjects) param(page *Page, v *Verb, p *Param) {
	x.add(&subject{v.C + " " + p.C, p.Type, p.Means, p.Pos, page.layer})
	path := v.C + " " + p.C
	switch p.Role {
	case RoleSlice:
		x.fields(path+"[]", p.Type, page.layer, nil)
	case RoleInRec:
		x.fields(path, p.Type, page.layer, nil)
	}
}

// fields adds the fields of a record and of the records in it.
func (x *subjects) fields(path, record string, layer int, in []string) {
	r := x.records[record]
	if r == nil || slices.Contains(in, record) {
		return
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		typ := f.Type
		if f.Handle != "" {
			typ = f.Handle
		}
		x.add(&subject{path + "." + f.C, typ, f.Means, f.Pos, layer})
		if f.Nested != "" {
			x.fields(path+"."+f.C, f.Nested, layer, append(slices.Clip(in), record))
		}
	}
}

// check compares the entries of a rule with what its `every:` says.
func (x *subjects) check(r *sharedRule) {
	if r.every == nil || len(r.every.types)+len(r.every.means) == 0 {
		return
	}
	x.known(r, "type", r.every.types, x.types)
	x.known(r, "means", r.every.means, x.means)
	first := firstID(r.node, r.to.Page)
	entries := map[string]*entry{}
	for _, e := range r.entries {
		name := e.verb + " " + e.path
		entries[name] = e
		if s := x.byName[name]; s != nil && !r.every.has(s) && s.layer <= e.to.layer {
			e.d.add(e.key, CodeSharedRule, show(e.id.Value), "the rule is about every "+r.every.String()+", and "+name+" is none", "take the entry out, or correct it")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.except)) {
		k := r.except[name]
		switch s := x.byName[name]; {
		case entries[name] != nil:
			r.d.add(k, CodeSharedRule, first, name+" stands under of: and under except:", "keep one of them")
		case s == nil || !r.every.has(s):
			r.d.add(k, CodeSharedRule, first, "except: the rule is about every "+r.every.String()+", and "+name+" is none", "take it out, or correct it")
		}
	}
	for _, s := range x.list {
		if r.every.has(s) && entries[s.name] == nil && r.except[s.name] == nil {
			fix := "give it an ID under of:, or list it under except: with a reason"
			if s.layer > r.to.layer {
				fix = "add a rule with extends: " + first + " that gives it an ID under of:, or lists it under except: with a reason"
			}
			r.d.errs = append(r.d.errs, Error{Pos: s.pos, Subject: s.name, Code: CodeSharedRule, Fix: fix,
				Problem: fmt.Sprintf("the rule at %s is about every %s, and this is one", r.d.pos(r.node), r.every)})
		}
	}
}

// known notes words of `every:` that no parameter and no field has.
func (x *subjects) known(r *sharedRule, key string, words []string, has map[string]bool) {
	for _, w := range words {
		if !has[w] {
			at := r.every.marks.at(key, w, r.d.pos(r.every.node))
			fix := didYouMean(w, sortedKeys(has))
			if fix == "" {
				fix = "correct it"
			}
			r.d.errs = append(r.d.errs, Error{Pos: at, Subject: firstID(r.node, r.to.Page), Code: CodeSharedRule, Fix: fix,
				Problem: "every: no parameter and no field of a record passed in has " + key + ": " + show(w)})
		}
	}
}

func (v *every) has(s *subject) bool {
	return slices.Contains(v.types, s.typ) || slices.Contains(v.means, s.means)
}
