package explain

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// This file finds what the other names of a verb, a field or a constant mean: the short ones, and those in Go, which errors print.

// Verbs finds verbs by the names that they have beside the one in C. A list of cases may have many that no verb has.
type Verbs struct {
	spec    *spec.Spec
	facts   *spec.Facts
	means   map[string]string   // by method, with its type
	methods map[string][]string // by what they are called
	names   []string            // all of these
}

// NewVerbs returns the verbs of a spec.
func NewVerbs(s *spec.Spec, facts *spec.Facts) *Verbs {
	v := &Verbs{spec: s, facts: facts, means: map[string]string{}, methods: map[string][]string{}}
	for _, p := range s.Pages {
		for _, verb := range p.Verbs {
			v.names = append(v.names, verb.C)
			for _, prefix := range s.Module.Prefixes() {
				if short, ok := strings.CutPrefix(verb.C, prefix); ok {
					v.names = append(v.names, short)
				}
			}
			for _, m := range verb.Methods {
				v.add(m.Go, verb.C)
			}
		}
		for _, o := range p.Objects {
			if o.Destroy != "" {
				v.add(o.Go+".Close", o.Destroy)
			}
		}
	}
	v.names = slices.Concat(v.names, slices.Sorted(maps.Keys(v.means)), slices.Sorted(maps.Keys(v.methods)))
	return v
}

func (v *Verbs) add(method, verb string) {
	_, short, _ := strings.Cut(method, ".")
	v.means[method], v.methods[short] = verb, append(v.methods[short], method)
}

// Find returns the C name of a verb that is called by its C name, without the prefix (reg_mr), or by a method (PD.RegMR, RegMR).
// For another name it returns the name itself, with what to write instead if that is known.
func (v *Verbs) Find(name string) (c, fix string) {
	s := v.spec
	for _, prefix := range append([]string{""}, s.Module.Prefixes()...) {
		if c := prefix + name; s.VerbByC(c) != nil || v.facts.Func(c) != nil || s.SkipByC(c) != nil || s.PendingByC(c) != nil {
			return c, ""
		}
	}
	switch of := v.methods[name]; {
	case v.means[name] != "":
		return v.means[name], ""
	case len(of) == 1:
		return v.means[of[0]], ""
	case len(of) > 1:
		return name, "several types have this method: write " + slices.Min(of) + ", or that of another type"
	}
	return name, spec.DidYouMean(name, v.names)
}

// specs are the pages, and those of the modules that they stand on.
func specs(s *spec.Spec) []*spec.Spec {
	all := []*spec.Spec{s}
	for _, u := range s.Module.Uses {
		all = append(all, specs(u.Spec)...)
	}
	return all
}

// params returns the C paths of what the verb takes, by their Go names: those of the parameters, and those of the types of records and
// handles. A type that it takes more than once is not in paths but in several.
func (c *call) params() (paths map[string]string, several map[string][]string) {
	paths, several = map[string]string{}, map[string][]string{}
	v := c.spec.VerbByC(c.fn.Name)
	if v == nil {
		return paths, several
	}
	var add func(path, typ string)
	add = func(path, typ string) {
		r := c.spec.RecordByGo(typ)
		if r == nil && c.spec.ObjectByGo(typ) == nil {
			return
		}
		several[typ] = append(several[typ], path)
		if r != nil && len(several[typ]) == 1 {
			for _, f := range r.Fields {
				add(path+"."+f.C, cmp.Or(f.Type, f.Nested, f.Handle))
			}
		}
	}
	for _, p := range v.Params {
		if t, _ := c.facts.Param(c.fn, p.C); t.Kind != spec.CInt { // the mask of a record has the type of the record
			add(p.C, p.Type)
		}
	}
	for typ, of := range several {
		if len(of) == 1 {
			paths[typ] = of[0]
			delete(several, typ)
		}
	}
	for _, p := range v.Params {
		paths[cmp.Or(p.Go, model.ParamName(p.C))] = p.C
	}
	return paths, several
}

// fieldsInGo returns the C paths of the fields of a struct, or of the properties of an object, by their Go names.
func (c *call) fieldsInGo(t spec.CType) map[string]string {
	paths := map[string]string{}
	for _, m := range c.facts.Members(t) {
		paths[model.Exported(m)] = m
	}
	if tail, name := c.tail(t); tail != nil {
		paths[tail.Go], paths[name] = name, name
	}
	for _, s := range specs(c.spec) {
		for _, p := range s.Pages {
			for _, r := range p.Records {
				for _, f := range r.Fields {
					if r.C == t.Tag {
						paths[f.Go] = f.C
					}
				}
			}
			for _, o := range p.Objects {
				for _, g := range o.Getters {
					if o.C == t.Tag {
						paths[g.Go] = g.C
					}
				}
			}
		}
	}
	return paths
}

// inC returns the mapping with C names in the place of those in Go.
func (c *call) inC(m map[string]any, isC func(string) bool, paths func() map[string]string) map[string]any {
	if !slices.ContainsFunc(sortedKeys(m), func(name string) bool { return !isC(name) }) {
		return m
	}
	inGo, out := paths(), map[string]any{}
	put := func(path string, v any) {
		if _, twice := out[path]; twice {
			c.bad(path, "given twice", "keep one of them")
		}
		out[path] = v
	}
	for _, name := range sortedKeys(m) {
		path := inGo[name]
		fields, isMap := m[name].(map[string]any)
		switch {
		case isC(name) || path == "":
			put(name, m[name])
		case isMap: // some of them may be given by the C path, too
			for field, v := range fields {
				put(path+"."+field, v)
			}
		default:
			put(path, m[name])
		}
	}
	return c.nested(out)
}

// constantsInGo returns the C names of the constants that the pages name in Go.
func (c *call) constantsInGo() map[string]string {
	all := map[string]string{"nil": "NULL", "math.MaxUint64": "SIZE_MAX"}
	add := func(typ, enum, prefix string, members []string, names map[string]string) {
		if len(members) == 0 {
			members = c.facts.Enum(enum).Names()
		}
		for _, m := range members {
			all[cmp.Or(names[m], model.MemberName(typ, prefix, m))] = m
		}
	}
	for _, s := range specs(c.spec) {
		for _, p := range s.Pages {
			for _, t := range p.Flags {
				add(t.Go, t.Enum, t.Prefix, t.Members, t.Names)
			}
			for _, t := range p.Enums {
				add(t.Go, t.Enum, t.Prefix, t.Members, t.Names)
			}
		}
	}
	return all
}

// constantAt is the constant that a name means at a place: its name in C, what messages write there (REMOTE_WRITE), or its name in Go.
func (c *call) constantAt(name, path string, t spec.CType) *big.Int {
	if i := c.constant(name); i != nil {
		return i
	}
	if n := c.namesAt(path, t); n != nil {
		for _, m := range n.enum.Enumerators {
			if m.Name == n.prefix+name {
				return c.constant(m.Name)
			}
		}
	}
	return c.constant(c.constantsInGo()[name])
}
