package spec

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/verbsgen/verbsgen/spec/role"
)

// every says what a shared rule is about by what its subjects have in common: their Go type, or what they mean.
type every struct {
	Entry
	Type  []string `page:"many"`
	Means []string `page:"many"`
}

func (v *every) check(d *decoder, _, n *yaml.Node, at place, whole bool) {
	if whole && len(v.Type)+len(v.Means) == 0 {
		d.add(n, CodeMissingKey, at.subject, "every: neither type nor means is given", "write every: {type: MRAccess}")
	}
}

// String names it: "MRAccess or DMAccess".
func (v *every) String() string { return strings.Join(slices.Concat(v.Type, v.Means), " or ") }

// subjects are the parameters, and the fields of records passed in, that the pages bind.
type subjects struct {
	*Spec
	errs   Errors
	list   []*subject
	byName map[string]*subject
}

// subject is a parameter or a field of a verb, as a rule speaks of it.
type subject struct {
	name  string // "ibv_reg_mr_ex mr_init_attr.access"
	typ   string
	means string
	pos   Pos
}

// wanted compares the entries of shared rules with what their `every:` says.
func (s *Spec) wanted() Errors {
	x := &subjects{Spec: s, byName: map[string]*subject{}}
	for v := range s.Verbs() {
		for j := range v.Params {
			x.param(v, &v.Params[j])
		}
	}
	for _, r := range s.shared {
		if r.every != nil {
			x.check(r)
		}
	}
	return x.errs
}

func (x *subjects) add(pos Pos, subject, problem, fix string) {
	x.errs = append(x.errs, Error{Pos: pos, Subject: subject, Problem: problem, Fix: fix, Code: CodeSharedRule})
}

// subject notes a parameter or field.
func (x *subjects) subject(verb, path, typ, means string, pos Pos) {
	s := &subject{verb + " " + path, typ, means, pos}
	x.list = append(x.list, s)
	x.byName[s.name] = s
}

func (x *subjects) param(v *Verb, p *Param) {
	x.subject(v.C, p.C, p.Type, p.Means, p.Pos)
	switch p.Role {
	case role.Slice:
		x.fields(v.C, p.C+"[]", p.Type, nil)
	case role.InRecord:
		x.fields(v.C, p.C, p.Type, nil)
	}
}

// fields notes the fields of a record and of the records in it.
func (x *subjects) fields(verb, path, record string, in []string) {
	r := named[Record](x.Spec, record)
	if r == nil || slices.Contains(in, record) {
		return
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		x.subject(verb, path+"."+f.C, cmp.Or(f.Handle, f.Type), f.Means, f.Pos)
		if f.Nested != "" {
			x.fields(verb, path+"."+f.C, f.Nested, append(slices.Clip(in), record))
		}
	}
}

// check compares the entries of a rule with what its `every:` says. What pages of later folders have is theirs: they may leave
// the rule out, and may make a verb another.
func (x *subjects) check(r *sharedRule) {
	v, layer := r.every, x.layers[r.d.file]
	x.known(r, "type", v.Type, func(s *subject) string { return s.typ })
	x.known(r, "means", v.Means, func(s *subject) string { return s.means })
	entries := map[string]bool{}
	for _, e := range r.entries {
		name := e.verb + " " + e.path
		entries[name] = true
		if s := x.byName[name]; s != nil && !v.has(s) && x.layers[s.pos.File] <= x.layers[e.d.file] {
			x.add(e.d.pos(e.key), e.id.Value, name+" does not belong here: "+r.name+" is about every "+v.String(),
				"take the entry out, or correct it")
		}
	}
	for _, name := range sortedKeys(r.except) {
		x.excepted(r, name, entries[name])
	}
	for _, s := range x.list {
		if _, excepted := r.except[s.name]; excepted || entries[s.name] || !v.has(s) || x.layers[s.pos.File] > layer {
			continue
		}
		where := "on this page"
		if x.layers[s.pos.File] < layer {
			where = "in a file that extends its page"
		}
		x.add(s.pos, s.name, "the shared rule "+r.name+" is about every "+v.String()+", and this is one",
			"take it "+where+", with an ID and shared: "+r.name+", or write {shared: "+r.name+", except: "+s.name+", reason: ...}")
	}
}

// excepted checks one name under `except:`.
func (x *subjects) excepted(r *sharedRule, name string, listed bool) {
	at := r.except[name]
	verb, _, _ := strings.Cut(name, " ")
	bound, s := x.VerbByC(verb), x.byName[name]
	switch {
	case listed:
		x.add(at, r.name, name+" is taken and excepted", "keep one of them")
	case bound == nil || (s == nil || !r.every.has(s)) && x.layers[bound.Pos.File] <= x.layers[at.File]:
		x.add(at, r.name, "except: "+name+" does not belong here: the rule is about every "+r.every.String(), "take it out, or correct it")
	}
}

// known notes words of `every:` that no parameter and no field has.
func (x *subjects) known(r *sharedRule, key string, words []string, of func(*subject) string) {
	for _, p := range x.Pages {
		if x.layers[p.Pos.File] > x.layers[r.d.file] {
			return // a page that replaces another may have taken the type away
		}
	}
	has := map[string]bool{}
	for _, s := range x.list {
		has[of(s)] = true
	}
	for _, w := range words {
		if !has[w] {
			x.add(r.every.At(key, w), r.name,
				"every: no parameter and no field of a record passed in has "+key+": "+show(w), cmp.Or(DidYouMean(w, sortedKeys(has)), "correct it"))
		}
	}
}

func (v *every) has(s *subject) bool {
	return slices.Contains(v.Type, s.typ) || slices.Contains(v.Means, s.means)
}
